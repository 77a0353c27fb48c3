import SettingsTOML

/// The order in which threads begin to read files. What a later reading finds is at least as new.
struct ReadingOrder: Sendable {
  private var begun: UInt64 = 0
  private var ended: UInt64 = 0

  /// - Returns: The number of the reading.
  mutating func begin() -> UInt64 {
    begun += 1
    return begun
  }

  /// Ends a reading.
  ///
  /// - Returns: Whether none that began later has ended.
  mutating func end(_ number: UInt64) -> Bool {
    guard number > ended else { return false }
    ended = number
    return true
  }
}

/// The result of checking the files, which tells when to check again.
package enum LookOutcome: Sendable, Hashable {
  /// There is nothing to wait for: the state is that of the files, or what is wrong with them has been reported.
  case settled
  /// A program may be saving the file: check again after this time, in nanoseconds, unless something happens earlier.
  case unsettled(nanoseconds: UInt64)
  /// The system could not read it, for example without free descriptors or memory. No event reports the end of that.
  case failed(retryAfterNanoseconds: UInt64)
}

extension StoreCore {
  /// The time until the next attempt to read what the system could not read.
  static let unreadable: UInt64 = 1_000_000_000
  static let keepsLastValues = "The values that were read last are used."

  /// Re-reads all files, and waits for saves in progress, at most ``SaveWatch/firstRead``.
  func reload() {
    let deadline = ProcessFacts.monotonicNanoseconds() + SaveWatch.firstRead
    settle(until: deadline) { look() }
    settle(until: deadline) { lookAround(.asked) }
  }

  /// Checks until no save seems to be in progress.
  ///
  /// - Parameters:
  ///   - deadline: The end, in nanoseconds on the monotonic clock.
  ///   - look: Checks the files once.
  private func settle(until deadline: UInt64, _ look: () -> LookOutcome) {
    while case .unsettled(let wait) = look(), SaveWatch.pause(for: wait, until: deadline) {}
  }

  /// Checks the user's file and adopts its new content, unless somebody seems to be saving it.
  ///
  /// The bytes decide whether the file has changed, not its time or inode. A text that this process is writing at the
  /// moment is ignored. If a new text cannot be used, the last values stay and a problem is reported.
  ///
  /// - Parameter evidence: Whether a save is known to have ended.
  /// - Returns: When to check again.
  @discardableResult
  package func look(_ evidence: SaveWatch.Evidence = .asked) -> LookOutcome {
    load()
    while true {
      let (known, document, revision, around, turn) = state.withLock {
        ($0.knownUserFile, $0.userDocument, $0.userRevision, $0.surroundingsRevision, $0.userReadings.begin())
      }
      // A reading that began later and has ended replaces this one.
      func isCurrent(_ state: inout StoreState) -> Bool {
        state.userRevision == revision && state.userReadings.end(turn)
      }
      let contents: SettingsFile.Contents
      do throws(SettingsError) {
        contents = try readUserFile()
      } catch {
        guard noteUserFailure(error, using: Self.keepsLastValues, if: isCurrent) else { continue }
        return error.code == .io ? .failed(retryAfterNanoseconds: Self.unreadable) : .settled
      }
      let found = contents.bytes
      if found.isSameText(as: known.bytes) {
        let isDue = inOrder { () -> Bool? in
          let found = state.withLock { state -> (wasWrong: Bool, isDue: Bool)? in
            guard state.userRevision == revision, state.userReadings.end(turn) || state.userFailure == nil else {
              return nil
            }
            state.userWatch = SaveWatch()
            state.userInode = contents.status?.inode
            return (state.userFailure != nil, state.areSurroundingsDue)
          }
          if found?.wasWrong == true { note(nil) }
          return found?.isDue
        }
        guard let isDue else { continue }
        writeWhatIsDue()
        return isDue ? lookAround(evidence) : .settled
      }
      if let found, state.withLock({ $0.writingTexts.contains(found) }) { return .settled }
      var watch = state.withLock { $0.userWatch }
      let wait = watch.wait(for: contents, after: known, evidence) {
        // Only a text written in place can lack keys; whether it parses is checked below.
        guard known.inode == contents.status?.inode else { return .whole }
        return SaveWatch.Wholeness(of: found ?? [], since: known.bytes)
      }
      state.withLock { $0.userWatch = watch }
      if let wait { return .unsettled(nanoseconds: wait) }

      let meaning: TOMLDocument
      var changed: [TOMLPath]?
      do throws(SettingsError) {
        if let found {
          (_, meaning, changed) = try interpret(found, since: document)
        } else {
          meaning = TOMLDocument()
        }
      } catch {
        // A whole text that this release does not understand is not being saved.
        if error.code == .unparsable,
          let wait = watch.wait(for: contents, after: known, evidence, wholeness: { .broken })
        {
          state.withLock { [watch] in $0.userWatch = watch }
          return .unsettled(nanoseconds: wait)
        }
        guard noteUserFailure(error, using: Self.sentence(after: error), if: isCurrent) else { continue }
        return .settled
      }
      // Another profile below this one is part of the same change.
      var surroundings: SurroundingLayers?
      if userLayer.kind == .profile,
        meaning[SettingsFormat.inheritsPath] != document[SettingsFormat.inheritsPath]
      {
        let (place, own) = (place.withLock { $0 }, state.withLock { $0.snapshot.ownContent })
        let read = readSurroundings(of: place, own: own.holding(meaning, of: found), evidence)
        if let wait = read.wait { return .unsettled(nanoseconds: wait) }
        surroundings = read
      }
      let isAdopted = inOrder {
        let isAdopted = state.withLock { state -> Bool in
          guard surroundings == nil || state.surroundingsRevision == around, isCurrent(&state) else { return false }
          defer { renewStamp() }
          state.userInode = contents.status?.inode
          state.adopt(
            meaning, bytes: found, committed: nil, edited: changed, surroundings: surroundings, origin: .outside)
          return true
        }
        guard isAdopted else { return false }
        if let surroundings { report(surroundings.problems) }
        note(nil)
        return true
      }
      guard isAdopted else { continue }
      // A migration that has failed succeeds with this text, and is stored as it would have been.
      if reader.hasMeaning(meaning), problems.resolveWrites(where: { $0.code == .migrationFailed }), !onlyReads,
        let found, !meaning.bytes.isSameText(as: found)
      {
        state.withLock { $0.isWriteDue = true }
      }
      writeWhatIsDue()
      return .settled
    }
  }

  /// Re-reads the files around the own one and adopts new contents, as one change; first follows the choice of the
  /// profile. A file that somebody seems to be saving keeps its previous content meanwhile.
  @discardableResult
  package func lookAround(_ evidence: SaveWatch.Evidence = .asked) -> LookOutcome {
    load()
    if let outcome = followChoice(evidence) { return outcome }
    while true {
      let (revision, around, own, turn) = state.withLock {
        ($0.userRevision, $0.surroundingsRevision, $0.snapshot.ownContent, $0.surroundingReadings.begin())
      }
      let read = readSurroundings(of: place.withLock { $0 }, own: own, evidence)
      let isCurrent = inOrder {
        let isCurrent = state.withLock { state -> Bool in
          guard state.userRevision == revision, state.surroundingsRevision == around else { return false }
          let isKnown = state.has(read)
          guard state.surroundingReadings.end(turn) || isKnown && state.surroundingProblems == read.problems else {
            return false
          }
          state.areSurroundingsDue = false
          if isKnown { return true }
          defer { renewStamp() }
          state.adopt(read)
          return true
        }
        if isCurrent { report(read.problems) }
        return isCurrent
      }
      // Another own file says what is below it, and another thread may have read newer files.
      guard isCurrent else { continue }
      if let wait = read.wait { return .unsettled(nanoseconds: wait) }
      // No event reports that the choice of the profile can be read again.
      let isChoiceUnread = state.withLock { $0.choice.problem?.code == .io }
      return read.isUnreadable || isChoiceUnread ? .failed(retryAfterNanoseconds: Self.unreadable) : .settled
    }
  }

  /// Decides whether to use what was read, and reports it, in one step: reports come in the order of the decisions,
  /// whichever threads make them.
  private func inOrder<Result>(_ body: () -> Result) -> Result {
    DeferredCalls.section { reporting.withLock { _ in body() } }
  }

  /// What is used after a text that this release cannot use, as a sentence, unless the error says so.
  static func sentence(after error: SettingsError) -> String? {
    error.code == .newerVersion ? nil : keepsLastValues
  }

  /// Reports what is wrong with the user's file as a whole, and withdraws the previous report; `nil` for nothing.
  ///
  /// - Parameter isCurrent: Whether it is still to be reported.
  /// - Returns: What that has returned.
  @discardableResult
  func noteUserFailure(
    _ error: SettingsError?, using sentence: String? = nil, if isCurrent: (inout StoreState) -> Bool = { _ in true }
  ) -> Bool {
    inOrder {
      guard state.withLock({ isCurrent(&$0) }) else { return false }
      note(error, using: sentence)
      return true
    }
  }

  private func note(_ error: SettingsError?, using sentence: String? = nil) {
    var failure: StoreState.Failure?
    if let error {
      failure = StoreState.Failure(error: error, problem: SettingsProblem(sentence.map { error.using($0) } ?? error))
    }
    let (former, hasMeaning) = state.withLock { state in
      // Each check finds the same error.
      if error == state.userFailure?.error { failure = state.userFailure }
      defer { state.userFailure = failure }
      return (state.userFailure, reader.hasMeaning(state.userDocument))
    }
    guard failure == nil || failure != former else { return }
    // A problem that a write or the first reading has found is resolved with the others.
    let file = location?.file
    problems.resolve {
      $0 == former?.problem
        || $0.file == file && ($0.code == .unparsable || hasMeaning && $0.code == .newerVersion)
    }
    if let failure { problems.report(failure.problem) }
  }

  /// The user's file; `nil` for a store in memory.
  package var watchedFile: String? { location?.file }

  /// What the layers around that file depend on.
  package var watchedPlaces: WatchedPlaces { state.withLock { $0.watched } }

  /// A key's value in a snapshot: the default if there is none, or it cannot be used, which is a problem.
  ///
  /// Each call decodes the value.
  package func value<Value>(of key: SettingsKey<Value>, in snapshot: SettingsSnapshot) -> Value {
    note(key)
    return ValueReading.value(
      of: key, stored: StoredValue(of: key, in: snapshot), in: snapshot, problems: problems
    ).value
  }
}
