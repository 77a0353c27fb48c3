package import AppSettings
import Glibc

/// What is known of a trial, a change that is taken back unless it is kept.
package struct TrialFacts: Sendable {
  /// An app's id, or an absolute path.
  package let target: String
  /// The options for its layer.
  package let options: [String]
  package let keys: [String]
  /// The newest entry of the history before the change.
  package let after: Int
  /// The process that makes the change; `nil` before it starts.
  package let process: Int?
  /// The values before and after the change, for a process that was killed before the history had the entry; `nil` if
  /// they are not known.
  package let old, new: TOMLValue?
  /// The file, if it does not exist, and the directories above it that do not, the inner ones first.
  package let made: [String]

  package init(
    target: String, options: [String], keys: [String], after: Int, process: Int?, old: TOMLValue? = nil,
    new: TOMLValue? = nil, made: [String] = []
  ) {
    (self.target, self.options, self.keys, self.after, self.process) = (target, options, keys, after, process)
    (self.old, self.new, self.made) = (old, new, made)
  }

  /// What is tried, for messages.
  package var words: String { "\(keys.map { "'\($0)'" }.joined(separator: ", ")) in '\(target)'" }

  /// Why no other trial can begin there.
  package var conflict: String {
    "Process \(process ?? 0) is trying \(words). End that trial first. Nothing was written."
  }

  fileprivate init?(_ bytes: [UInt8]) {
    guard let note = try? JSONTree(parsing: bytes), let target = note["target"]?.text,
      let options = note["options"]?.elements, let after = note["after"]?.integer
    else { return nil }
    func value(_ name: String) -> TOMLValue? { note[name]?.text.flatMap { try? TOMLValue(parsing: $0) } }
    self.init(
      target: target, options: options.compactMap(\.text), keys: note["keys"]?.elements?.compactMap(\.text) ?? [],
      after: after, process: note["pid"]?.integer, old: value("old"), new: value("new"),
      made: note["made"]?.elements?.compactMap(\.text) ?? [])
  }

  fileprivate var bytes: [UInt8] {
    let note: JSONObject = [
      "target": .text(target), "options": .texts(options), "keys": .texts(keys), "after": .number(after),
      "pid": .number(process), "old": .text(old?.tomlText), "new": .text(new?.tomlText), "made": .texts(made),
    ]
    return note.bytes
  }
}

/// The note of a trial in the file system, from before the change is made until it is over.
///
/// Its maker holds a lock on it for as long as it lives, and the kernel releases that however it ends. 'settings-cli try'
/// takes the change of a note without a lock back.
package final class TrialFile: Sendable {
  private let path: String
  private let descriptor: CInt

  private init(_ path: String, _ descriptor: CInt) { (self.path, self.descriptor) = (path, descriptor) }

  deinit { close(descriptor) }

  /// The directory of all notes of a person.
  package static func directory(environment variables: [String: String]? = nil) throws -> String {
    try SettingsLocation(app: "x", profile: .none, environment: variables).stateDirectory + "/page"
  }

  // MARK: Making one

  /// What of a path does not exist: the file, and the directories above it, the inner ones first.
  package static func missing(of path: String) -> [String] {
    var missing: [String] = []
    var path = path
    while (try? Syscalls().status(at: path, followingLinks: false)) == nil {
      missing.append(path)
      guard let slash = path.lastSlash, slash != path.startIndex else { break }
      path = String(path[..<slash])
    }
    return missing
  }

  /// Notes a trial.
  ///
  /// - Throws: ``ToolError`` with status 7 if it cannot be noted.
  package static func make(_ trial: TrialFacts, in directory: String) throws(ToolError) -> TrialFile {
    func failure(_ number: CInt) -> ToolError {
      ToolError(.io, "Nothing was tried: cannot note the trial in '\(directory)': \(Errno(number).message).")
    }
    do {
      try SettingsFile(path: directory + "/x").makeDirectories(directory)
    } catch {
      throw ToolError(error)
    }
    let path = "\(directory)/\(prefix)\(UInt64.random(in: 0 ... .max))\(suffix)"
    let descriptor = path.withPath { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { throw failure(errno) }
    let file = TrialFile(path, descriptor)
    var status = stat()
    guard flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0, file.write(trial) else {
      let number = errno
      file.remove()
      throw failure(number)
    }
    // Another process that found it before it was locked has removed it.
    return status.st_nlink > 0 ? file : try make(trial, in: directory)
  }

  /// Notes what became known of the trial.
  ///
  /// - Returns: Whether that is on disk.
  package func write(_ trial: TrialFacts) -> Bool {
    let bytes = trial.bytes
    return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count && ftruncate(descriptor, off_t(bytes.count)) == 0
      && fdatasync(descriptor) == 0
  }

  /// Leaves the trial to 'settings-cli try', although its maker lives.
  package func release() { flock(descriptor, LOCK_UN) }

  package func remove() { _ = path.withPath { unlink($0) } }

  // MARK: Finding them

  private static let (prefix, suffix) = ("trial-", ".json")

  private static func paths(in directory: String) -> [String] {
    ((try? Syscalls().names(in: directory)) ?? []).filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }
      .map { "\(directory)/\($0)" }
  }

  /// Whether there is a note, also of a trial that goes on.
  package static func isAny(in directory: String) -> Bool { !paths(in: directory).isEmpty }

  /// The notes whose makers are gone, and those of trials that go on. Each of the first is given to one process only.
  package static func all(in directory: String) -> [(file: TrialFile, trial: TrialFacts, isAbandoned: Bool)] {
    paths(in: directory).compactMap { path in
      let descriptor = path.withPath { open($0, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
      guard descriptor >= 0 else { return nil }
      let file = TrialFile(path, descriptor)
      let isAbandoned = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      guard let trial = file.read() else {
        // Killed while it was being written, before the change was made.
        if isAbandoned { file.remove() }
        return nil
      }
      return (file, trial, isAbandoned)
    }
  }

  /// Another trial of the app, or of the file, that goes on. Of two that begin at once, each has made its note before it
  /// looks for others, so that not both go on.
  package func other(of target: String, in directory: String) -> TrialFacts? {
    Self.all(in: directory).first { !$0.isAbandoned && $0.file.path != path && $0.trial.target == target }?.trial
  }

  /// The trial; `nil` if it is not noted yet, or not any more: its maker may have ended it since it was found.
  private func read() -> TrialFacts? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0,
      let bytes = try? StandardInput.bytes(of: descriptor, named: path)
    else { return nil }
    return TrialFacts(bytes)
  }
}
