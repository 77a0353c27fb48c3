import Glibc

/// The place of a file: its path with every symbolic link in the last component followed, as far as possible.
///
/// A dangling link leads to the place where its target would be created: writing through it creates that and keeps the
/// link.
///
/// If `settings.toml` is a link to `../dotfiles/editor.toml`, the directory is `…/../dotfiles` and the name
/// `editor.toml`. Renaming a new file over that name keeps the link.
package struct FinalPath: Sendable, Equatable {
  /// The directory of the file; the kernel follows links along the path to it.
  package var directory: String
  /// The file's name in it.
  package var name: String

  /// Both together.
  package var path: String { directory == "/" ? "/" + name : directory + "/" + name }

  /// The path of another file in the directory.
  func sibling(_ name: String) -> String { FinalPath(directory: directory, name: name).path }

  /// The kernel's own limit, `path_resolution(7)`.
  package static let mostLinks = 40

  /// Follows the links at `path`, which is absolute.
  ///
  /// The result may be outdated when it is returned, so a writer resolves the path again under the lock.
  ///
  /// - Throws: ``SettingsError`` `io` for a loop of links, `readOnly` where a directory may not be searched.
  package static func resolve(_ path: String, system: Syscalls) throws(SettingsError) -> FinalPath {
    var current = FinalPath(splitting: path)
    // In the last round there must be no further link.
    for _ in 0...mostLinks {
      let target = try SettingsError.ofSystem("read", path) { try system.linkTarget(current.path) }
      guard let target else { return current }
      current = FinalPath(splitting: target.isAbsolutePath ? target : current.directory + "/" + target)
    }
    throw .system(Errno(ELOOP), "read", path)
  }

  /// Compares bytes, because strings that Swift treats as equal may name different files.
  package static func == (a: FinalPath, b: FinalPath) -> Bool {
    a.directory.isBytewise(b.directory) && a.name.isBytewise(b.name)
  }
}

extension FinalPath {
  /// Splits a path into a directory and a name, without following links.
  init(splitting path: String) {
    let path = path.withoutTrailingSlashes
    guard let slash = path.lastSlash else {
      self.init(directory: ".", name: path)
      return
    }
    let directory = path[..<slash]
    self.init(
      directory: directory.isEmpty ? "/" : String(directory), name: String(path[path.utf8.index(after: slash)...]))
  }
}
