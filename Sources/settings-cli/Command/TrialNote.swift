import AppSettings
import AppSettingsSchema
import ArgumentParser
import Glibc

/// The note of a trial, a change that is taken back unless it is kept, from before the change is made until it is over.
///
/// It is the note of the settings page: the same directory, form and rule. Its maker holds a lock on it for as long as it
/// lives, and the kernel releases that however it ends. Whoever finds a note without a lock takes the change back, by the
/// entry of the history that the maker's process made.
final class TrialNote {
  /// An app's id, or an absolute path.
  let target: String
  /// The options for its layer.
  let options: [String]
  let keys: [String]
  /// The newest entry of the history before the change.
  let after: Int
  let process: Int
  private let path: String
  private let descriptor: CInt

  private init(
    _ path: String, _ descriptor: CInt, target: String, options: [String], keys: [String], after: Int, process: Int
  ) {
    (self.path, self.descriptor) = (path, descriptor)
    (self.target, self.options, self.keys, self.after, self.process) = (target, options, keys, after, process)
  }

  deinit { close(descriptor) }

  // MARK: Making one

  /// Notes that this process is about to try a change.
  ///
  /// - Throws: ``Failure`` with status 7 if it cannot be noted.
  static func make(for target: Target, options: [String], keys: [TOMLPath], after number: Int) throws -> TrialNote {
    let location = try target.location()
    let directory = directory(of: location)
    func failure(_ number: CInt) -> Failure {
      Failure(
        .io, "Nothing was tried: cannot note the trial in '\(directory)': \(Errno(number).message).")
    }
    do {
      _ = try SettingsFile(path: directory + "/x").makeDirectories(directory)
    } catch {
      throw Failure(any: error)
    }
    let path = "\(directory)/\(prefix)\(UInt64.random(in: 0 ... .max))\(suffix)"
    let descriptor = path.withPath { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { throw failure(errno) }
    let note = TrialNote(
      path, descriptor, target: target.isFile ? location.file : target.name, options: options,
      keys: keys.map(\.description), after: number, process: Int(getpid()))
    let bytes = Array(
      Shown.object([
        ("target", JSONText.quoted(note.target)), ("options", Shown.json(.array(options.map { .string($0) }))),
        ("keys", Shown.json(.array(note.keys.map { .string($0) }))), ("after", String(number)),
        ("pid", String(note.process)),
      ]).utf8)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
      fdatasync(descriptor) == 0
    else {
      let number = errno
      note.remove()
      throw failure(number)
    }
    return note
  }

  func remove() { _ = path.withPath { unlink($0) } }

  // MARK: Finding them

  private static let (prefix, suffix) = ("trial-", ".json")

  private static func directory(of location: SettingsLocation) -> String { location.stateDirectory + "/page" }

  /// The notes whose makers are gone, and those of trials that go on. Each of the first is given to one process only.
  static func all() throws -> (abandoned: [TrialNote], open: [TrialNote]) {
    let directory = directory(of: try SettingsLocation(app: "x", profile: .none))
    var (abandoned, open): ([TrialNote], [TrialNote]) = ([], [])
    for name in (try? Syscalls().names(in: directory)) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
      let path = "\(directory)/\(name)"
      let descriptor = path.withPath { Glibc.open($0, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
      guard descriptor >= 0 else { continue }
      let isAbandoned = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      if let note = TrialNote(path, descriptor) {
        if isAbandoned { abandoned.append(note) } else { open.append(note) }
      } else {
        // Killed while it was being written, before the change was made.
        if isAbandoned { _ = path.withPath { unlink($0) } }
        close(descriptor)
      }
    }
    return (abandoned, open)
  }

  /// Says of trials whose makers are gone how to end them, for verbs that only read.
  static func noteAbandoned() {
    for note in (try? all())?.abandoned ?? [] {
      Output.note("A trial of \(note.words) was not ended. To put the earlier value back, use 'settings-cli try'.")
    }
  }

  private convenience init?(_ path: String, _ descriptor: CInt) {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0, let text = String(validating: bytes[..<count], as: UTF8.self),
      let note = (try? JSONText.value(of: text))??.table, case .string(let target)? = note["target"],
      case .array(let options)? = note["options"], case .integer(let number)? = note["after"]
    else { return nil }
    func texts(_ values: [TOMLValue]) -> [String] {
      values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    var (keys, process) = ([String](), 0)
    if case .array(let values)? = note["keys"] { keys = texts(values) }
    if case .integer(let number)? = note["pid"] { process = Int(number) }
    self.init(
      path, descriptor, target: target, options: texts(options), keys: keys, after: Int(number), process: process)
  }

  /// What is tried, for messages.
  var words: String { "\(keys.map { "'\($0)'" }.joined(separator: ", ")) in '\(target)'" }

  // MARK: Ending

  /// The change's entry in the history; `nil` if the change was not made. A migration before it is no part of the trial.
  func entry(in store: SettingsStore) throws -> SettingsHistoryEntry? {
    try store.history(limit: 100).first {
      !$0.isUnrecorded && $0.id > after && $0.actor.process == process && $0.reason != .migration
    }
  }

  /// Takes the change back, and removes the note. What somebody else has changed since stays.
  ///
  /// - Returns: A line for the entry, and one for each value that was put back; none if the change was not made, or is
  ///   taken back already.
  /// - Throws: ``Failure`` with status 9 for a value that was changed since. What fails for now, with status 7, leaves
  ///   the note.
  func takeBack() throws -> [String] {
    do {
      let layer = try LayerOptions.parse(options).layer
      let target = Target(target, layer)
      guard let entry = try entry(in: try target.openUnread()) else {
        remove()
        return []
      }
      let store = try target.open(isForWriting: true, writesLater: true)
      let plan = try store.undo(.entry(entry.id)) {
        try UndoAnswer.check($0, in: store, target.schema, target)
      }
      remove()
      let text = HistoryText(of: target)
      return plan.hasChanged ? [text.summary(of: plan.entry)] + text.lines(of: plan) : []
    } catch {
      var failure = Failure(any: error)
      if failure.status != .io { remove() }
      if failure.status == .changed {
        failure.message = "\(words) stays as it is, because somebody else has changed it: 'settings-cli log' shows who."
      }
      throw failure
    }
  }
}
