import AppSettings
import AppSettingsSchema
import ArgumentParser
import Glibc
import SettingsTools

/// A trial as 'try' sees it, its own or another one's.
///
/// It takes the change of a note without a lock back, by the entry of the history that the maker's process made.
struct TrialNote {
  let trial: TrialFacts
  private let file: TrialFile

  /// Notes that this process is about to try a change.
  ///
  /// - Throws: ``ToolError`` with status 7 if it cannot be noted.
  static func make(_ trial: TrialFacts) throws -> TrialNote {
    TrialNote(trial: trial, file: try TrialFile.make(trial, in: TrialFile.directory()))
  }

  func remove() { file.remove() }

  /// The notes whose makers are gone, and those of trials that go on. Each of the first is given to one process only.
  static func all() throws -> (abandoned: [TrialNote], open: [TrialNote]) {
    let all = TrialFile.all(in: try TrialFile.directory())
    func notes(_ isAbandoned: Bool) -> [TrialNote] {
      all.filter { $0.isAbandoned == isAbandoned }.map { TrialNote(trial: $0.trial, file: $0.file) }
    }
    return (notes(true), notes(false))
  }

  /// Says of trials whose makers are gone how to end them, for verbs that only read.
  static func noteAbandoned() {
    for note in (try? all())?.abandoned ?? [] {
      Output.note("A trial of \(note.words) was not ended. To put the earlier value back, use 'settings-cli try'.")
    }
  }

  /// Whether it is a trial in the file of another one.
  ///
  /// - Parameter store: The store of that file, which a note of the page names without options.
  func isIn(_ other: TrialNote, _ store: SettingsStore) -> Bool {
    trial.target == other.trial.target
      && (trial.options.isEmpty ? Self.options(of: store) : trial.options) == other.trial.options
  }

  /// The options that name the file of a store whose app may get another profile meanwhile.
  static func options(of store: SettingsStore) -> [String] {
    guard let personal = store.location?.personal else { return [] }
    return ["--layer=\(personal.profile.map { "profile:\($0)" } ?? "user")"]
  }

  /// What is tried, for messages.
  var words: String { trial.words }

  // MARK: Ending

  /// The change's entry in the history; `nil` if the change was not made. A migration before it is no part of the trial.
  func entry(in store: SettingsStore) throws -> SettingsHistoryEntry? {
    try store.history().first {
      !$0.isUnrecorded && $0.id > trial.after && $0.actor.process == trial.process ?? 0
        && ![.migration, .undo, .redo].contains($0.reason)
    }
  }

  /// Takes the change back, and removes the note, and the file that the trial made. What somebody else has changed since
  /// stays.
  ///
  /// - Returns: A line for the entry, and one for each value that was put back; none if the change was not made, or is
  ///   taken back already.
  /// - Throws: ``ToolError`` with status 9 for a value that was changed since, 1 if nothing has the earlier value any more.
  ///   What may succeed later leaves the note.
  func takeBack() throws -> [String] {
    do {
      let target = Target(trial.target, try LayerOptions.parse(trial.options).layer)
      let lines = try putBack(target)
      removeMade(target)
      remove()
      return lines
    } catch {
      var failure = ToolError(any: error)
      switch failure.status {
      case .notWritable, .unparsable, .io, .migration:
        Output.note("To put the earlier value of \(words) back later, use 'settings-cli try'.")
        throw failure
      case .changed:
        failure.message = "\(words) stays as it is, because somebody else has changed it: 'settings-cli log' shows who."
      // An app whose files are gone, or a profile.
      case .unknown: failure = ToolError(.changed, "\(words) is gone with its file. \(failure.message ?? "")")
      default: break
      }
      remove()
      throw failure
    }
  }

  private func putBack(_ target: Target) throws -> [String] {
    do {
      let store = try target.openUnread().store
      if let entry = try entry(in: store) {
        if entry.isUndone { return [] }
        return try takeBack(entry, target)
      }
      if trial.new == nil {
        try checkNotMade(target, store)
        return []
      }
    } catch {
      switch ToolError(any: error).status {
      case .noValue where trial.new == nil:
        throw ToolError(
          .noValue,
          "\(words) may still have the value that was tried: the history has lost what it had before. To set it yourself, "
            + "use 'settings-cli set'.")
      // The history may be unreadable. Whatever else is wrong fails again.
      case .noValue,
        .io where trial.new != nil, .migration where trial.new != nil:
        break
      default: throw error
      }
    }
    return try putBackNoted(target)
  }

  private func takeBack(_ entry: SettingsHistoryEntry, _ target: Target) throws -> [String] {
    let opened = try target.open(isForWriting: true)
    let plan = try opened.undo(.entry(entry.id), mayBeBack: true)
    return plan.hasChanged ? [plan.entry.summary] + opened.schema.lines(of: plan) : []
  }

  /// Throws if the change may have been made without an entry in the history, where its values are not known.
  ///
  /// - Throws: ``ToolError`` with status 9 if something has changed at its keys, 1 if the history has lost that.
  private func checkNotMade(_ target: Target, _ store: SettingsStore) throws {
    guard trial.process != nil else { return }
    let newest = try store.history(limit: 1).first?.id ?? 0
    if newest < trial.after || store.historyLosses.contains(where: { $0 > trial.after }) { throw ToolError(.noValue) }
    for key in trial.keys {
      let names = target.schema.names(of: try KeyArgument.parse(key))
      let changes = try store.history(at: names)
      if changes.contains(where: { $0.id > trial.after && $0.reason != .migration }) { throw ToolError(.changed) }
    }
  }

  /// Puts the earlier value back where the history does not have it: the process was killed between the write and its
  /// entry, or the history was lost.
  ///
  /// - Throws: ``ToolError`` with status 9 if the value is neither the one that was tried nor the earlier one.
  private func putBackNoted(_ target: Target) throws -> [String] {
    guard let new = trial.new, trial.old != new, let key = trial.keys.first else { return [] }
    let path = try KeyArgument.parse(key)
    let schema = target.schema
    let names = schema.names(of: path)
    let opened = try target.open(mayBeUnknown: true, isForWriting: true)
    func value(in document: TOMLDocument) -> TOMLValue? { names.lazy.compactMap { document[$0] }.first }
    if value(in: opened.snapshot.userDocument) == trial.old { return [] }
    // The write of another process records the change as one from outside. A second one is somebody else's.
    let changes = ((try? opened.store.history(at: names)) ?? []).filter {
      $0.id > trial.after && $0.reason != .migration
    }
    guard changes.count < 2, changes.allSatisfy({ $0.reason == .outside || $0.actor.process == trial.process }) else {
      throw ToolError(.changed)
    }
    try opened.commit { view in
      guard value(in: view.userDocument) == new else { throw ToolError(.changed) }
      return schema.edits(storing: [(path, trial.old)], in: view)
    }
    let isHidden = [new, trial.old].contains { schema.isSecret(path, $0) }
    return ["'\(path)'", Shown.change(of: path, from: new, to: trial.old, isHidden: isHidden)]
  }

  /// Removes the file that the trial made, if it has no more than a version, and the directories that were made for it.
  private func removeMade(_ target: Target) {
    guard let file = trial.made.first, let opened = try? target.openText(), opened.file == file else { return }
    let removal = try? opened.replaceText(backingUp: "before-removal") { bytes in
      bytes.flatMap { try? TOMLDocument(parsing: $0) }?.isAsNew == true ? nil : bytes
    }
    guard let removal, removal.hasChanged else { return }
    // Of such a file nothing is lost.
    if let backup = removal.backup { _ = backup.path.withPath { unlink($0) } }
    for directory in trial.made.dropFirst() { _ = directory.withPath { rmdir($0) } }
  }
}
