// What the suite uses is public, since it has no access to what is `package`; no product has it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Glibc

/// Why a recording cannot be turned into states.
public struct CrashStatesError: Error, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}

extension DiskTree {
  /// Reads a tree from the file system.
  public init(readingFrom top: String) throws {
    self.init()
    var firstNames: [UInt64: String] = [:]
    func visit(_ path: String) throws {
      let directory = path.isEmpty ? top : top + "/" + path
      for name in try Self.names(in: directory) {
        let child = path.isEmpty ? name : path + "/" + name
        var status = stat()
        guard lstat(top + "/" + child, &status) == 0 else { throw Self.failure("read", child) }
        switch status.st_mode & 0o170000 {
        case 0o040000:
          nodes[child] = .directory
          try visit(child)
        case 0o100000:
          if status.st_nlink > 1, let first = firstNames[UInt64(status.st_ino)] {
            nodes[child] = .hardLink(first)
          } else {
            firstNames[UInt64(status.st_ino)] = child
            nodes[child] = .file(try Self.content(of: top + "/" + child))
          }
        case 0o120000:
          var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
          let count = buffer.withUnsafeMutableBytes {
            readlink(top + "/" + child, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
          }
          guard count >= 0 else { throw Self.failure("read", child) }
          nodes[child] = .symbolicLink(String(decoding: buffer[..<count], as: UTF8.self))
        default: throw CrashStatesError("'\(child)' is neither a file, a directory nor a symbolic link")
        }
      }
    }
    try visit("")
  }

  /// Writes the tree below a directory that exists and is empty. Files are 0600, directories 0700.
  public func write(to top: String) throws {
    // Parents sort before what is in them; hard links come after all files.
    let sorted = nodes.sorted { $0.key < $1.key }
    for (path, node) in sorted {
      let full = top + "/" + path
      switch node {
      case .directory: guard mkdir(full, 0o700) == 0 else { throw Self.failure("make", path) }
      case .symbolicLink(let target): guard symlink(target, full) == 0 else { throw Self.failure("make", path) }
      case .file(let bytes): try Self.write(bytes, to: full)
      case .hardLink: break
      }
    }
    for (path, node) in sorted {
      guard case .hardLink(let first) = node else { continue }
      guard link(top + "/" + first, top + "/" + path) == 0 else { throw Self.failure("link", path) }
    }
  }

  private static func names(in directory: String) throws -> [String] {
    guard let stream = opendir(directory) else { throw failure("list", directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func content(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw failure("read", path) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("make", path) }
    defer { close(descriptor) }
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + offset, bytes.count - offset) }
      guard count > 0 else { throw failure("write", path) }
      offset += count
    }
  }

  private static func failure(_ action: String, _ path: String) -> CrashStatesError {
    CrashStatesError("cannot \(action) '\(path)': \(String(cString: strerror(errno)))")
  }
}
