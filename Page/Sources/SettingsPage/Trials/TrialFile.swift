import Glibc
import SettingsTools

/// The note of a trial in the file system, from before its change is made until it is over. 'settings-cli try' takes the
/// change of one back whose owner is gone.
final class TrialFile: Sendable {
  private let path: String
  /// Open with a lock on it for as long as the owner lives: the kernel releases it however the owner ends.
  private let descriptor: CInt

  private init(_ path: String, _ descriptor: CInt) { (self.path, self.descriptor) = (path, descriptor) }

  deinit { close(descriptor) }

  /// The directory for such files; `nil` if nothing says where it is.
  static func directory(_ environment: [String: String]) -> String? {
    if let state = environment["XDG_STATE_HOME"], state.first == "/" { return "\(state)/app-settings/page" }
    guard let home = environment["HOME"], home.first == "/" else { return nil }
    return "\(home)/.local/state/app-settings/page"
  }

  /// Notes a trial.
  ///
  /// - Returns: `nil` if that cannot be done.
  static func create(for trial: Trial, in directory: String) -> TrialFile? {
    makeDirectories(directory)
    let path = "\(directory)/trial-\(trial.id).json"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    let file = TrialFile(path, descriptor)
    var status = stat()
    guard flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0, file.write(trial) else {
      file.remove()
      return nil
    }
    // Another process that found it before it was locked has removed it.
    return status.st_nlink > 0 ? file : create(for: trial, in: directory)
  }

  /// Notes what became known of the trial.
  func write(_ trial: Trial) -> Bool {
    let note: JSONObject = [
      "target": .text(trial.place.target), "options": .texts(trial.place.options), "keys": .texts(trial.keys),
      "after": .number(trial.after), "pid": .number(trial.pid.map(Int.init)),
    ]
    let bytes = note.bytes
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, ftruncate(descriptor, off_t(bytes.count)) == 0
    else { return false }
    return fdatasync(descriptor) == 0
  }

  func remove() { unlink(path) }

  /// Whether there is a note, also of a trial that is still going on.
  static func isAny(in directory: String) -> Bool {
    guard let stream = opendir(directory) else { return false }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let isOne = withUnsafeBytes(of: &entry.pointee.d_name) { $0.starts(with: "trial-".utf8) }
      if isOne { return true }
    }
    return false
  }

  private static func makeDirectories(_ path: String) {
    for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
    mkdir(path, 0o700)
  }
}
