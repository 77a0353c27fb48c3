/// Finds what a path leads to in a model, as path_resolution(7) has it.
struct PathWalk {
  /// Where the recorded tree is: absolute, without links.
  let root: String

  /// The last name of a path and the directory that it is in.
  struct Target {
    var directory: Int
    var name: String
    var inode: Int?
  }

  typealias Place = ProcessFiles.Place

  /// - Returns: `nil` for a path outside of what is recorded, or through directories that do not exist.
  func target(
    _ path: String, from base: Place, in model: DiskModel, followsLast: Bool, depth: Int = 0
  ) -> Target? {
    guard depth < 40 else { return nil }
    var place = path.hasPrefix("/") ? Place.outside("/") : base
    var parts = path.split(separator: "/").map(String.init)[...]
    while let part = parts.popFirst() {
      switch place {
      case .outside(let directory):
        place = Self.step(part, from: directory, root: root)
        if parts.isEmpty { return nil }
      case .inside(let directory):
        if part == "." { continue }
        if part == ".." {
          guard let parent = model.parent(of: directory) else {
            place = Self.step("..", from: root, root: root)
            continue
          }
          place = .inside(parent)
          continue
        }
        let inode = model.entry(part, in: directory)
        if let inode, case .symbolicLink(let target) = model.kind(of: inode), followsLast || !parts.isEmpty {
          let rest = ([target] + parts).joined(separator: "/")
          return self.target(
            rest, from: .inside(directory), in: model, followsLast: followsLast, depth: depth + 1)
        }
        if parts.isEmpty { return Target(directory: directory, name: part, inode: inode) }
        guard let inode else { return nil }
        place = .inside(inode)
      }
    }
    return nil
  }

  /// The place that an existing path leads to, the root of what is recorded among them.
  func place(_ path: String, from base: Place, in model: DiskModel, followsLast: Bool) -> Place? {
    if let target = target(path, from: base, in: model, followsLast: followsLast) {
      return target.inode.map { .inside($0) }
    }
    // No entry of a recorded directory: the root, something above it, elsewhere, or a path that ends with "..".
    let parts = path.split(separator: "/")
    guard path.hasPrefix("/") || ["..", "."].contains(parts.last) || base.isOutside else { return nil }
    var place = path.hasPrefix("/") ? Place.outside("/") : base
    for part in parts {
      switch place {
      case .outside(let directory): place = Self.step(String(part), from: directory, root: root)
      case .inside(let inode):
        if part == "." { continue }
        if part == ".." {
          place = model.parent(of: inode).map { .inside($0) } ?? Self.step("..", from: root, root: root)
        } else if let next = model.entry(String(part), in: inode) {
          place = .inside(next)
        } else {
          return nil
        }
      }
    }
    return place
  }

  private static func step(_ name: String, from directory: String, root: String) -> Place {
    var parts = directory.split(separator: "/").map(String.init)
    if name == ".." { _ = parts.popLast() } else if name != "." { parts.append(name) }
    let path = "/" + parts.joined(separator: "/")
    return path == root ? .inside(DiskModel.top) : .outside(path)
  }
}

extension ProcessFiles.Place {
  fileprivate var isOutside: Bool {
    if case .outside = self { return true }
    return false
  }
}
