import SettingsTOML

/// What a look at the files found, for whoever decides when to look again.
package enum LookOutcome: Sendable, Hashable {
  case settled
  /// The file is gone, empty or broken, as it is for a moment in the middle of many a save: look again after this
  /// time, in nanoseconds, unless something happens before.
  case unsettled(nanoseconds: UInt64)
}

/// How sure whoever looks can be that no save is under way.
package enum LookCare: Sendable, Hashable {
  /// What is there counts at once.
  case none
  /// Nobody has looked for a while; a save in place may be under way.
  case atStart
  /// A save has just ended. The next may have begun.
  case atSave
  /// Something happened; a save may be under way.
  case inDoubt
}

extension StoreCore {
  /// How long a file may be gone, empty or broken before that is taken for its new state.
  private static let settling: UInt64 = 100_000_000
  /// How long an empty file must not have been written to. Longer, since it takes a busy machine to be that slow, and
  /// hardly anyone empties their settings on purpose.
  private static let emptied: Int64 = 500_000_000
  /// A file that was written to so recently may be being written still.
  private static let quiet: Int64 = 50_000_000
  /// The same after a save in place that left less than there was, as the next save's beginning would.
  private static let shortQuiet: Int64 = 20_000_000
  /// When to try again what the system could not read, for want of descriptors or memory, say: the end of that is no
  /// event of the file's.
  private static let unreadable: UInt64 = 1_000_000_000

  /// Looks at the user's file and takes over what is new.
  ///
  /// - Parameter care: Whether a file that has gone, been emptied or broken, or is being written, is given time to come
  ///   back.
  @discardableResult
  package func look(_ care: LookCare = .none) -> LookOutcome {
    load()
    while true {
      let (known, document, inode, revision) = state.withLock {
        ($0.userBytes, $0.userDocument, $0.userInode, $0.userRevision)
      }
      let contents: SettingsFile.Contents
      do throws(SettingsError) {
        contents = try readUserFile()
      } catch {
        if let wait = settling(care) { return wait }
        noteUserFailure(error, using: "The values that were read last are used.")
        return error.code == .io ? .unsettled(nanoseconds: Self.unreadable) : .settled
      }
      let found = contents.bytes
      if found == known {
        let wasWrong = state.withLock { state in
          state.unsettledSince = nil
          state.userInode = contents.status?.inode
          return state.userFailure != nil
        }
        if wasWrong { noteUserFailure(nil) }
        return .settled
      }
      if let found, found == state.withLock({ $0.writingBytes }) { return .settled }
      if let wait = emptied(contents, care) { return wait }
      if found?.isEmpty ?? true, let wait = settling(care) { return wait }
      if let wait = Self.quiet(contents, known, inode, care) { return wait }

      let meaning: TOMLDocument
      var changed: [TOMLPath]?
      do throws(SettingsError) {
        if let found {
          (_, meaning, changed) = try interpret(found, since: document)
        } else {
          meaning = TOMLDocument()
        }
      } catch {
        if let wait = settling(care) { return wait }
        noteUserFailure(error, using: "The values that were read last are used.")
        return .settled
      }
      let (isCurrent, batch) = state.withLock { state -> (Bool, SettingsChangeBatch?) in
        guard state.userRevision == revision else { return (false, nil) }
        defer { renewStamp() }
        state.userInode = contents.status?.inode
        return (true, state.adopt(meaning, bytes: found, committed: nil, edited: changed, origin: .outside))
      }
      guard isCurrent else { continue }
      noteUserFailure(nil)
      if let batch { announce(batch) }
      return .settled
    }
  }

  /// Reads the administrators' files again and takes over what is new.
  ///
  /// - Parameter care: Whether a file that may be being written in place is given time; what it had is used meanwhile.
  @discardableResult
  package func lookAtSystemLayers(_ care: LookCare = .none) -> LookOutcome {
    load()
    let system = readSystemLayers(care)
    let batch = state.withLock { state -> SettingsChangeBatch? in
      defer { renewStamp() }
      return state.adopt(systemLayers: system.layers)
    }
    if let batch { announce(batch) }
    if let wait = system.wait { return .unsettled(nanoseconds: wait) }
    return system.isUnreadable ? .unsettled(nanoseconds: Self.unreadable) : .settled
  }

  /// How much longer a file of an administrator's has to be left alone until it counts; `nil` if it does now.
  ///
  /// Its own save may have ended, or another file's: an event says nothing of the others. One that is new in its place
  /// was moved there whole, or is being written.
  func wait(for contents: SettingsFile.Contents, after known: LayerContent?, _ care: LookCare) -> UInt64? {
    guard care != .none, let status = contents.status, let bytes = contents.bytes else { return nil }
    if let known, known.inode != status.inode || known.fileBytes == bytes { return nil }
    let age = ProcessFacts.nanosecondsSince1970() - status.modified
    let limit = bytes.isEmpty ? Self.emptied : Self.quiet
    return age >= 0 && age < limit ? UInt64(limit - age) : nil
  }

  /// Reports what is wrong with the user's file as a whole, in the place of what was; `nil` if nothing is.
  func noteUserFailure(_ error: SettingsError?, using sentence: String = "") {
    var failure: StoreState.Failure?
    if let error { failure = StoreState.Failure(error: error, problem: SettingsProblem(error.using(sentence))) }
    let former = state.withLock { state -> StoreState.Failure? in
      // At each look it is the same.
      if error == state.userFailure?.error { failure = state.userFailure }
      defer { state.userFailure = failure }
      return state.userFailure
    }
    guard failure == nil || failure != former else { return }
    // One that a write came upon is over with the others.
    let file = location?.file
    problems.resolve { $0 == former?.problem || $0.code == .unparsable && $0.file == file }
    if let failure { problems.report(failure.problem) }
  }

  /// Whether to wait for the rest of a save, and how long.
  private func settling(_ care: LookCare) -> LookOutcome? {
    guard care != .none else { return nil }
    return state.withLock { state in
      // Within the lock: another look, at the same time, may have noted a later one.
      let now = ProcessFacts.monotonicNanoseconds()
      // A save has ended since, so this is the beginning of another one, not the same silence.
      let since = care == .atSave ? now : state.unsettledSince ?? now
      state.unsettledSince = since
      let elapsed = now - since
      if elapsed < Self.settling { return .unsettled(nanoseconds: Self.settling - elapsed) }
      state.unsettledSince = nil
      return nil
    }
  }

  /// Whether to wait for what is to be written into an empty file, and how long.
  ///
  /// Seen empty twice says nothing: it may have been full in between, and emptied by the next of many saves.
  private func emptied(_ contents: SettingsFile.Contents, _ care: LookCare) -> LookOutcome? {
    guard care != .none, contents.bytes?.isEmpty == true, let status = contents.status else { return nil }
    let elapsed = ProcessFacts.nanosecondsSince1970() - status.modified
    // A clock that was set back must not hold it up for ever.
    guard elapsed >= 0, elapsed < Self.emptied else { return nil }
    return .unsettled(nanoseconds: UInt64(Self.emptied - elapsed))
  }

  /// Whether to wait until nobody has written to the file for a moment, and how long.
  ///
  /// A rename puts a whole file in place. A save in place begins by emptying the file, and nothing tells a part of it
  /// from a whole one: only that the writing has ended.
  private static func quiet(
    _ contents: SettingsFile.Contents, _ known: [UInt8]?, _ inode: UInt64?, _ care: LookCare
  ) -> LookOutcome? {
    guard let status = contents.status else { return nil }
    let limit: Int64
    switch care {
    case .none: return nil
    case .inDoubt: limit = quiet
    case .atStart:
      guard status.inode == inode else { return nil }
      limit = quiet
    case .atSave:
      guard status.inode == inode, contents.bytes?.count ?? 0 < known?.count ?? 0 else { return nil }
      limit = shortQuiet
    }
    let age = ProcessFacts.nanosecondsSince1970() - status.modified
    return age >= 0 && age < limit ? .unsettled(nanoseconds: UInt64(limit - age)) : nil
  }

  /// The user's file; `nil` for a store in memory.
  package var watchedFile: String? { location?.file }

  /// The administrators' files, those that do not exist included.
  package var watchedSystemFiles: [String] {
    guard let location else { return [] }
    return location.systemDirectories.map { "\($0)/\(location.name).toml" }
  }

  /// The directories of the administrators' drop-ins.
  package var watchedSystemDirectories: [String] {
    guard let location else { return [] }
    return location.systemDirectories.map { SystemFiles.dropInDirectory($0, location) }
  }

  /// A key's value in a snapshot: the default where there is none, or none that can be used, which is a problem.
  package func value<Value>(of key: SettingsKey<Value>, in snapshot: SettingsSnapshot) -> Value {
    ValueReading.value(
      of: key, stored: StoredValue(of: key, in: snapshot), in: snapshot, problems: problems
    ).value
  }
}
