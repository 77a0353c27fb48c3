import AppSettings
import Glibc
import Synchronization

/// The store of the command's target, the last one if there are several.
enum OpenedStore {
  // Protects the store, and whether its losses are told.
  static let last = Mutex<(store: SettingsStore?, isTold: Bool)>((nil, false))

  /// What helps where a write lacks permission, as a sentence after a space; empty if nothing is known.
  static var adviceOnPermission: String {
    guard let location = last.withLock({ $0.store })?.location else { return "" }
    if geteuid() != 0, location.isAdministrators {
      return " Administrators' files belong to root: run the command with 'sudo'."
    }
    if let file = ForeignFile(at: location) { return " \(file.advice)" }
    // One's own, where the mode forbids it.
    for (path, mode) in [(location.file, "u+rw"), (String(location.file[..<location.file.lastSlash!]), "u+rwx")] {
      guard let status = try? Syscalls().status(at: path), status.owner == geteuid(),
        path.withPath({ access($0, R_OK | W_OK) }) != 0
      else { continue }
      return " To allow it, use 'chmod \(mode) \(PathText.shown(path))'."
    }
    return ""
  }
}
