/// Where older releases kept the backups of a file: by app and name, or by the path as spelled. Some files shared such
/// a place, so that a backup there may be of another file.
struct FormerBackups: Sendable, Hashable {
  let directory: String
  /// The app's file of the same name in another scope, which had its backups there too.
  let sharer: String?

  /// Whether another existing file had its backups in the same place and under the same name.
  ///
  /// - Parameters:
  ///   - path: The file whose backups are looked for.
  ///   - root: The directory that mirrors the paths of files; older releases left out the `..` in them.
  func isShared(with path: PhysicalPath, root: String, system: Syscalls) throws(Errno) -> Bool {
    var others = [sharer].compactMap { $0 }
    if directory.beginsBytewise(with: root + "/"), directory.endsBytewise(with: ".backups") {
      // 'a/b/../x.toml' counted as 'a/b/x.toml', so any file whose path lacks some of the directories may be meant.
      let inner = directory.utf8.dropFirst(root.utf8.count).dropLast(".backups".utf8.count)
      let parts = Substring(inner).pathParts
      others.append("/" + parts.joined(separator: "/"))
      for first in parts.indices.dropLast() {
        for end in first + 1..<parts.count {
          others.append("/" + (parts[..<first] + parts[end...]).joined(separator: "/"))
        }
      }
    }
    let own = try system.status(at: path.description)
    for other in others where !other.utf8.elementsEqual(path.description.utf8) {
      if let status = try system.status(at: other), own.map({ !$0.sameFile(status) }) ?? true { return true }
    }
    return false
  }
}
