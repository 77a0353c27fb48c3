// What the suite uses is public, since it has no access to what is `package`; no product has it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A directory tree as it is on a disk, without modes, owners and times.
///
/// Paths are relative to the top and have no leading slash. The top itself is not a node.
public struct DiskTree: Hashable, Sendable {
  /// What is at a path.
  public enum Node: Hashable, Sendable {
    case directory
    case file([UInt8])
    /// Another name of a file: the path of its first name.
    case hardLink(String)
    case symbolicLink(String)
  }

  public var nodes: [String: Node]

  public init(_ nodes: [String: Node] = [:]) { self.nodes = nodes }

  /// The content of the regular file at a path, through hard and relative symbolic links; `nil` where there is none.
  public func bytes(at path: String) -> [UInt8]? {
    var path = path
    for _ in 0..<8 {
      switch nodes[path] {
      case .file(let bytes): return bytes
      case .hardLink(let first): path = first
      case .symbolicLink(let target):
        guard !target.hasPrefix("/") else { return nil }
        path = Self.normalized((path.split(separator: "/").dropLast() + target.split(separator: "/")).map(String.init))
      case .directory, nil: return nil
      }
    }
    return nil
  }

  /// The regular files at and below a directory with their contents.
  public func files(below directory: String) -> [(path: String, bytes: [UInt8])] {
    nodes.keys.filter { $0.hasPrefix(directory + "/") }.sorted().compactMap { path in
      if case .symbolicLink = nodes[path] { return nil }
      return bytes(at: path).map { (path, $0) }
    }
  }

  /// The paths directly within a directory.
  public func children(of directory: String) -> [String] {
    nodes.keys.filter { $0.hasPrefix(directory + "/") && !$0.dropFirst(directory.count + 1).contains("/") }.sorted()
  }

  /// One line a path, for messages.
  public var listing: String {
    nodes.sorted { $0.key < $1.key }.map { path, node in
      switch node {
      case .directory: "\(path)/"
      case .file(let bytes): "\(path) (\(bytes.count) bytes)"
      case .hardLink(let first): "\(path) = \(first)"
      case .symbolicLink(let target): "\(path) -> \(target)"
      }
    }.joined(separator: "\n")
  }

  private static func normalized(_ parts: [String]) -> String {
    var result: [String] = []
    for part in parts {
      if part == ".." { _ = result.popLast() } else if part != "." { result.append(part) }
    }
    return result.joined(separator: "/")
  }
}
