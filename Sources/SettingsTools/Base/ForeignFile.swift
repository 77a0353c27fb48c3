package import AppSettings
import AppSettingsSchema
import Glibc

/// A settings file that a link puts there from outside of the settings' directory, such as home-manager's: another
/// program makes it.
package struct ForeignFile {
  /// The path without links.
  package let path: String
  private let user: UInt32?

  /// Returns `nil` for a file that is really there.
  package init?(at location: SettingsLocation) {
    let system = Syscalls()
    // Of an app, the directory of all apps' settings.
    let users = location.personal?.usersFile ?? location.file
    let name = location.personal == nil ? "" : "/" + (location.app ?? "")
    let directory = users.droppingLastBytes(users.lastPathPart.utf8.count + 1).droppingLastBytes(name.utf8.count)
    guard let path = try? PhysicalPath(location.file, system: system).description,
      let home = try? PhysicalPath(directory.isEmpty ? "/" : directory, system: system).description,
      !path.beginsBytewise(with: home == "/" ? home : home + "/")
    else { return nil }
    self.path = path
    user = (try? system.status(at: path))?.owner
  }

  /// A sentence that says where the file is, and whose it is.
  package var owner: String {
    "It is a link to '\(path)'\(user.map { ", which belongs to \(Self.name(of: $0))" } ?? "")."
  }

  /// The same, and what to do.
  package var advice: String {
    "\(owner) Change it where it is made, such as in the configuration of home-manager, or put the value into a file of "
      + "your own with --layer."
  }

  private static func name(of user: UInt32) -> String {
    user == geteuid() ? "you" : user == 0 ? "root" : "user \(user)"
  }
}

extension SettingsFinding {
  /// The finding with what helps, if it is about a file that this process may not read.
  func advised(at locations: [SettingsLocation]) -> SettingsFinding {
    guard kind == .unreadable, file.withPath({ access($0, R_OK) }) != 0, errno == EACCES else { return self }
    let place = locations.first { $0.file == file } ?? (try? SettingsLocation(file: file))
    var finding = self
    finding.message += place?.adviceOnPermission ?? ""
    return finding
  }
}

extension SettingsLocation {
  /// What helps where a write lacks permission, as a sentence after a space; empty if nothing is known.
  var adviceOnPermission: String {
    if geteuid() != 0, isAdministrators {
      return " Administrators' files belong to root: run the command with 'sudo'."
    }
    if let foreign = ForeignFile(at: self) { return " \(foreign.advice)" }
    if let advice = adviceOnRoot { return advice }
    // Where the mode forbids it, and not the file system or an attribute: of the file, or of the nearest directory that
    // is in the way.
    var path = file
    while true {
      if let status = try? Syscalls().status(at: path) {
        let (mode, bits) = status.isDirectory ? ("u+rwx", 0o700 as UInt32) : ("u+rw", 0o600)
        if status.owner == geteuid(), status.permissions & bits != bits, let word = PathText.word(path) {
          return " To allow it, use 'chmod \(mode) \(word)'."
        }
        if status.isDirectory { return "" }
      }
      guard let slash = path.lastSlash, slash > path.startIndex else { return "" }
      path = String(path[..<slash])
    }
  }

  /// How to get back what root has made in the user's directory, as after 'sudo settings-cli': the file, or the
  /// directories that it needed. Directories of a file that no app has may be somebody's on purpose.
  private var adviceOnRoot: String? {
    var path = file
    repeat {
      guard let slash = path.lastSlash, slash > path.startIndex else { return nil }
      let parent = String(path[..<slash])
      if (try? Syscalls().status(at: path))?.owner == 0, (try? Syscalls().status(at: parent))?.owner == geteuid(),
        path.withPath({ access($0, W_OK) }) != 0, errno == EACCES, let word = PathText.word(path)
      {
        return " '\(PathText.shown(path))' belongs to root. To make it yours, use 'sudo chown -R \(geteuid()) \(word)'."
      }
      path = parent
    } while personal != nil
    return nil
  }
}
