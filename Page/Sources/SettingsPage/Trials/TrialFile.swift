import Glibc

/// The note of a trial in the file system, from before its change is made until it is over. A server that finds one
/// whose owner is gone takes the change back.
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
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, file.write(trial) else {
      file.remove()
      return nil
    }
    return file
  }

  /// Notes what became known of the trial.
  func write(_ trial: Trial) -> Bool {
    let note: JSON = [
      "target": .string(trial.place.target), "options": .array(trial.place.options.map { .string($0) }),
      "keys": .array(trial.keys.map { .string($0) }), "after": JSON(trial.after), "pid": JSON(trial.pid.map(Int.init)),
    ]
    let bytes = note.bytes
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, ftruncate(descriptor, off_t(bytes.count)) == 0
    else { return false }
    return fdatasync(descriptor) == 0
  }

  func remove() { unlink(path) }

  /// The trials whose owners are gone. Each is given to one caller only.
  static func abandoned(in directory: String) -> [(trial: Trial, file: TrialFile)] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("trial-"), name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted().compactMap { name in
      let path = "\(directory)/\(name)"
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return nil }
      let file = TrialFile(path, descriptor)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
      guard let trial = file.read(id: String(name.dropFirst(6).dropLast(5))) else {
        // Killed while it was being written, before the change was made.
        file.remove()
        return nil
      }
      return (trial, file)
    }
  }

  private func read(id: String) -> Trial? {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0, let json = try? JSON(parsing: bytes[..<count]), let target = json["target"]?.text,
      let options = json["options"]?.elements, let after = json["after"]?.integer
    else { return nil }
    let place = Trial.Place(target: target, options: options.compactMap(\.text))
    let keys = json["keys"]?.elements?.compactMap(\.text) ?? []
    return Trial(id: id, place: place, keys: keys, after: after, pid: json["pid"]?.integer.map { pid_t($0) })
  }

  private static func makeDirectories(_ path: String) {
    for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
    mkdir(path, 0o700)
  }
}
