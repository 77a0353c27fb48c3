import Glibc

/// Files as bytes, without help: what is on disk, not what some library makes of it.
enum Files {
  /// The whole of a file as one raw reader sees it; `nil` where there is none.
  static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  static func text(_ path: String) -> String? {
    bytes(path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Writes a file from nothing, in the plainest way.
  static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + offset, bytes.count - offset) }
      if count <= 0 { return }
      offset += count
    }
  }

  static func write(_ text: String, to path: String) { write(Array(text.utf8), to: path) }

  /// Makes a directory with its parents.
  static func makeDirectory(_ path: String) {
    var current = ""
    for part in path.split(separator: "/") {
      current += "/" + part
      mkdir(current, 0o700)
    }
  }

  /// Makes a symbolic link.
  static func link(_ target: String, _ path: String) -> Bool { symlink(target, path) == 0 }

  /// The names in a directory, sorted.
  static func names(_ path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The paths of all files below a directory.
  static func all(below path: String) -> [String] {
    names(path).flatMap { name -> [String] in
      var status = stat()
      let path = path + "/" + name
      guard lstat(path, &status) == 0 else { return [] }
      return status.st_mode & 0o170000 == 0o040000 ? all(below: path) : [path]
    }
  }

  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return String(path[..<slash])
  }

  /// Removes a file, or a directory and all in it.
  static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    for name in names(path) { remove(path + "/" + name) }
    rmdir(path)
  }

  /// A pipe whose ends no child keeps.
  static func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw Failure("cannot make a pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Fills a file system to the last byte, then frees some pages of it.
  static func fill(_ path: String, leavingPages pages: Int) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let page = [UInt8](repeating: 0, count: 4096)
    var size = 0
    while Glibc.write(descriptor, page, page.count) == page.count { size += page.count }
    ftruncate(descriptor, size - pages * page.count)
  }
}
