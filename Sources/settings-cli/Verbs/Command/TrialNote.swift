import AppSettings
import AppSettingsSchema
import ArgumentParser
import Glibc
import SettingsTools

/// The note of a trial, a change that is taken back unless it is kept, from before the change is made until it is over.
///
/// It is the note of the settings page: the same directory and form. Its maker holds a lock on it for as long as it lives,
/// and the kernel releases that however it ends. 'try' takes the change of a note without a lock back, by the entry of the
/// history that the maker's process made.
final class TrialNote {
  /// An app's id, or an absolute path.
  let target: String
  /// The options for its layer.
  let options: [String]
  let keys: [String]
  /// The newest entry of the history before the change.
  let after: Int
  let process: Int
  /// The values before and after the change, for a process that was killed before the history had the entry; `nil` in a
  /// note of the page.
  private let values: Values?
  private let path: String
  private let descriptor: CInt

  struct Values {
    var old: TOMLValue?
    var new: TOMLValue
  }

  private init(
    _ path: String, _ descriptor: CInt, target: String, options: [String], keys: [String], after: Int, process: Int,
    _ values: Values?
  ) {
    (self.path, self.descriptor, self.values) = (path, descriptor, values)
    (self.target, self.options, self.keys, self.after, self.process) = (target, options, keys, after, process)
  }

  deinit { close(descriptor) }

  // MARK: Making one

  /// Notes that this process is about to try a change.
  ///
  /// - Throws: ``ToolError`` with status 7 if it cannot be noted.
  static func make(
    for target: Target, options: [String], _ key: TOMLPath, _ values: Values, after number: Int
  ) throws -> TrialNote {
    let location = try target.location()
    let directory = directory(of: location)
    func failure(_ number: CInt) -> ToolError {
      ToolError(
        .io, "Nothing was tried: cannot note the trial in '\(directory)': \(Errno(number).message).")
    }
    do {
      _ = try SettingsFile(path: directory + "/x").makeDirectories(directory)
    } catch {
      throw ToolError(any: error)
    }
    let path = "\(directory)/\(prefix)\(UInt64.random(in: 0 ... .max))\(suffix)"
    let descriptor = path.withPath { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { throw failure(errno) }
    let note = TrialNote(
      path, descriptor, target: target.isFile ? location.file : target.name, options: options,
      keys: [key.description], after: number, process: Int(getpid()), values)
    let object: JSONObject = [
      "target": .text(note.target), "options": .texts(options), "keys": .texts(note.keys), "after": .number(number),
      "pid": .number(note.process), "old": .text(values.old?.tomlText), "new": .text(values.new.tomlText),
    ]
    let bytes = Array(object.text.utf8)
    var status = stat()
    guard flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0,
      pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fdatasync(descriptor) == 0
    else {
      let number = errno
      note.remove()
      throw failure(number)
    }
    // Another process that found it before it was locked has removed it.
    return status.st_nlink > 0 ? note : try make(for: target, options: options, key, values, after: number)
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
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
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
    func value(_ name: String) -> TOMLValue? {
      if case .string(let text)? = note[name] { try? TOMLValue(parsing: text) } else { nil }
    }
    self.init(
      path, descriptor, target: target, options: texts(options), keys: keys, after: Int(number), process: process,
      value("new").map { Values(old: value("old"), new: $0) })
  }

  /// Whether it is a trial in the file of another one.
  ///
  /// - Parameter store: The store of that file, which a note of the page names without options.
  func isIn(_ other: TrialNote, _ store: SettingsStore) -> Bool {
    target == other.target && (options.isEmpty ? Self.options(of: store) : options) == other.options
  }

  /// The options that name the file of a store whose app may get another profile meanwhile.
  static func options(of store: SettingsStore) -> [String] {
    guard let personal = store.location?.personal else { return [] }
    return ["--layer=\(personal.profile.map { "profile:\($0)" } ?? "user")"]
  }

  /// What is tried, for messages.
  var words: String { "\(keys.map { "'\($0)'" }.joined(separator: ", ")) in '\(target)'" }

  // MARK: Ending

  /// The change's entry in the history; `nil` if the change was not made. A migration before it is no part of the trial.
  func entry(in store: SettingsStore) throws -> SettingsHistoryEntry? {
    try store.history().first {
      !$0.isUnrecorded && $0.id > after && $0.actor.process == process
        && ![.migration, .undo, .redo].contains($0.reason)
    }
  }

  /// Takes the change back, and removes the note. What somebody else has changed since stays.
  ///
  /// - Returns: A line for the entry, and one for each value that was put back; none if the change was not made, or is
  ///   taken back already.
  /// - Throws: ``ToolError`` with status 9 for a value that was changed since. What may succeed later leaves the note.
  func takeBack() throws -> [String] {
    do {
      let target = Target(target, try LayerOptions.parse(options).layer)
      let lines: [String]
      if let entry = try entry(in: try target.openUnread().store) {
        lines = entry.isUndone ? [] : try takeBack(entry, target)
      } else {
        lines = try putBackUnrecorded(target)
      }
      remove()
      return lines
    } catch {
      var failure = ToolError(any: error)
      switch failure.status {
      case .notWritable, .unparsable, .io, .migration:
        Output.note("To put the earlier value of \(words) back later, use 'settings-cli try'.")
      // Unknown is an app whose files are gone, or a profile.
      case .changed, .unknown:
        failure = ToolError(
          .changed, "\(words) stays as it is, because somebody else has changed it: 'settings-cli log' shows who.")
        fallthrough
      default: remove()
      }
      throw failure
    }
  }

  private func takeBack(_ entry: SettingsHistoryEntry, _ target: Target) throws -> [String] {
    let opened = try target.open(isForWriting: true, writesLater: true)
    let plan = try opened.undo(.entry(entry.id), mayBeBack: true)
    let text = HistoryText(opened.schema)
    return plan.hasChanged ? [text.summary(of: plan.entry)] + text.lines(of: plan) : []
  }

  /// Puts the earlier value back where the process was killed between the write and its entry in the history.
  private func putBackUnrecorded(_ target: Target) throws -> [String] {
    guard let values, values.old != values.new, let key = keys.first else { return [] }
    let path = try KeyArgument.parse(key)
    let schema = target.schema
    let names = schema.names(of: path)
    let opened = try target.open(mayBeUnknown: true, isForWriting: true, writesLater: true)
    // The write of another process records the change as one from outside. A second one is somebody else's.
    let changes = try opened.store.history(at: names).filter { $0.id > after && $0.reason != .migration }
    func isTried(_ document: TOMLDocument) -> Bool { names.contains { document[$0] == values.new } }
    guard isTried(opened.snapshot.userDocument), changes.count < 2, changes.allSatisfy({ $0.reason == .outside }) else {
      return []
    }
    let isChanged = try opened.commit { view in
      isTried(view.userDocument) ? schema.edits(storing: [(path, values.old)], in: view) : []
    }
    return isChanged ? ["", HistoryText.line(of: path, from: values.new, to: values.old)] : []
  }
}
