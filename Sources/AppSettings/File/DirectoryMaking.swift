import Glibc

/// The directories of a file to be written: created if they are missing, and made durable.
extension SettingsFile {
  /// Creates a directory and its missing parents, each 0700 (XDG Base Directory specification, "Referencing this
  /// specification"), or 0755 for a shared file.
  ///
  /// A dangling symbolic link is followed as `open(2)` would follow it to create a file: its target is created if the
  /// target's parent exists. Otherwise the target may be on a disk that is not mounted, or misspelt, and this fails.
  ///
  /// On return nothing is durable yet; ``synchronizeParents(of:)`` makes it so. If another process removes directories
  /// at the same time, they may be missing on return: the caller tries again.
  ///
  /// - Returns: The directories created, for a write that fails later.
  /// - Throws: ``SettingsError`` `readOnly` or `io`, which names the link if one is in the way. The directories created
  ///   are removed.
  @discardableResult
  package func makeDirectories(_ directory: String) throws(SettingsError) -> MadeDirectories {
    let (all, link) = try missingDirectories(on: directory)
    var missing = all
    var made = MadeDirectories(system: system)
    var parent: FileStatus?
    while let path = missing.popLast() {
      do throws(Errno) {
        guard let status = try system.makeDirectory(path, mode: isShared ? 0o755 : 0o700) else { continue }
        made.all.append((path, status))
      } catch {
        if error.rawValue == ENOENT {
          // Its parent existed a moment ago: another process has removed it.
          let above = path.lastSlash.map { "\(path[..<$0])/." } ?? "."
          guard let now = try? system.status(at: above) else { return made }
          // Nothing can be made in one that is there all the time: below '/proc', or where it was removed and is in use.
          if parent?.sameFile(now) != true {
            parent = now
            missing.append(path)
            continue
          }
        }
        made.remove()
        throw .cannotMake(path, error, throughLink: link)
      }
    }
    do throws(Errno) {
      guard let status = try system.status(at: directory), !status.isDirectory else { return made }
      throw Errno(ENOTDIR)
    } catch {
      made.remove()
      throw .cannotMake(directory, error, throughLink: link)
    }
  }

  /// The directories to create, the last one first, and the dangling link that leads to the first of them.
  private func missingDirectories(on directory: String) throws(SettingsError) -> (missing: [String], link: String?) {
    var missing: [String] = []
    var current = directory
    do {
      while try system.status(at: current) == nil {
        if let target = try system.linkTarget(current) {
          let place = try FinalPath.resolve(current, system: system)
          guard try system.status(at: place.directory) != nil else {
            throw SettingsError(
              .io,
              "Cannot make the directory '\(directory)': '\(current)' is a symbolic link to '\(target)', whose "
                + "directory '\(place.directory)' does not exist. Nothing was written. Create it, mount its disk, or "
                + "correct the link.", file: path)
          }
          return (missing + [place.path], current)
        }
        missing.append(current)
        guard let slash = current.lastSlash, slash != current.startIndex else { break }
        current = String(current[..<slash])
      }
      return (missing, nil)
    } catch let error as SettingsError {
      throw error
    } catch {
      throw .cannotMake(directory, error as? Errno ?? Errno(EIO), throughLink: nil)
    }
  }

  /// Makes the entry of a directory in its parent durable, and so on upwards.
  ///
  /// Call it before the first file in a directory gets its name: an existing file then implies that its directories are
  /// durable, and no later write has to check. It does not matter which process made them: one that was killed before
  /// it could sync them may have done so.
  ///
  /// It ends at the first directory that this process may not write to, and at a mount point: it has made no entry
  /// there. A directory that may be written to but not opened cannot be synced and is skipped.
  ///
  /// - Parameter file: An existing file that the new one is about, such as the one that a backup is of. Then it also
  ///   ends at the first directory that has both below it: if that one gets lost, so does the file.
  /// - Throws: ``SettingsError`` `io`. Nothing was written.
  package func synchronizeParents(of directory: String, about file: String? = nil) throws(SettingsError) {
    let shared = file.map(directories(above:)) ?? []
    // By "..", which the kernel resolves from the target of a link.
    var path = directory
    do throws(Errno) {
      guard var below = try system.status(at: path) else { return }
      while true {
        path += "/.."
        // A confined process may not even read the status of directories above its own.
        guard let status = try? system.status(at: path), !status.sameFile(below), status.device == below.device,
          (try? system.checkWritable(path, in: Syscalls.workingDirectory)) != nil
        else { return }
        do throws(Errno) {
          try system.synchronizeDirectory(at: path)
        } catch {
          guard error.rawValue == EACCES || error.rawValue == EPERM else { throw error }
        }
        if shared.contains(where: status.sameFile) { return }
        below = status
      }
    } catch {
      throw .system(error, "sync the directory", path, then: "Nothing was written.")
    }
  }
}

extension SettingsFile {
  /// The directories that a file is in, up to the root or the first one that cannot be looked at.
  private func directories(above file: String) -> [FileStatus] {
    var all: [FileStatus] = []
    var path = file.lastSlash.map { String(file[..<$0]) + "/." } ?? "."
    while let status = try? system.status(at: path), all.last?.sameFile(status) != true {
      all.append(status)
      path += "/.."
    }
    return all
  }
}

/// The directories created by a write: if it fails, they are removed.
///
/// They are recognized by device and inode. A directory that another process has put in their place stays.
package struct MadeDirectories: Sendable {
  let system: Syscalls
  fileprivate(set) var all: [(path: String, status: FileStatus)] = []

  init(system: Syscalls) { self.system = system }

  static func += (made: inout Self, more: Self) { made.all += more.all }

  /// Removes those that are still in their places, and empty. The caller holds the lock of the last one, so that no
  /// other write is about to use it.
  func remove() {
    for (path, status) in all.reversed() {
      do { try system.removeDirectory(path, made: status) } catch { return }
    }
  }
}

extension SettingsError {
  /// The error for a directory that cannot be made. It names the link that leads there, if there is one.
  fileprivate static func cannotMake(
    _ directory: String, _ errno: Errno, throughLink link: String?
  ) -> SettingsError {
    let way = link.map { "The symbolic link '\($0)' leads there. " } ?? ""
    return .system(errno, "make the directory", directory, then: way + "Nothing was written.")
  }
}
