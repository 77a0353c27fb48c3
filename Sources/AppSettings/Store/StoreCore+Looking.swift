import SettingsTOML

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
      let (known, document, revision, around) = state.withLock {
        ($0.knownUserFile, $0.userDocument, $0.userRevision, $0.surroundingsRevision)
      }
      let contents: SettingsFile.Contents
      do throws(SettingsError) {
        contents = try readUserFile()
      } catch {
        noteUserFailure(error, using: Self.keepsLastValues)
        return error.code == .io ? .failed(retryAfterNanoseconds: Self.unreadable) : .settled
      }
      let found = contents.bytes
      if found.isSameText(as: known.bytes) {
        let (isCurrent, wasWrong, isDue) = state.withLock { state in
          guard state.userRevision == revision else { return (false, false, false) }
          state.userWatch = SaveWatch()
          state.userInode = contents.status?.inode
          return (true, state.userFailure != nil, state.areSurroundingsDue)
        }
        guard isCurrent else { continue }
        if wasWrong { noteUserFailure(nil) }
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
        // A whole text that this release does not understand has been noted.
        guard error.code == .unparsable else { return .settled }
        if let wait = watch.wait(for: contents, after: known, evidence, wholeness: { .broken }) {
          state.withLock { [watch] in $0.userWatch = watch }
          return .unsettled(nanoseconds: wait)
        }
        noteUserFailure(error, using: Self.keepsLastValues)
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
      let isCurrent = state.withLock { state -> Bool in
        guard state.userRevision == revision, surroundings == nil || state.surroundingsRevision == around else {
          return false
        }
        defer { renewStamp() }
        state.userInode = contents.status?.inode
        state.adopt(
          meaning, bytes: found, committed: nil, edited: changed, surroundings: surroundings, origin: .outside)
        return true
      }
      guard isCurrent else { continue }
      if let surroundings { report(surroundings.problems) }
      // A migration that has failed succeeds with this text, and is stored as it would have been.
      if reader.hasMeaning(meaning), problems.resolveWrites(where: { $0.code == .migrationFailed }), !onlyReads,
        let found, !meaning.bytes.isSameText(as: found)
      {
        state.withLock { $0.isWriteDue = true }
      }
      noteUserFailure(nil)
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
      let (revision, around, own) = state.withLock {
        ($0.userRevision, $0.surroundingsRevision, $0.snapshot.ownContent)
      }
      let read = readSurroundings(of: place.withLock { $0 }, own: own, evidence)
      let isCurrent = state.withLock { state -> Bool in
        guard state.userRevision == revision, state.surroundingsRevision == around else { return false }
        defer { renewStamp() }
        state.adopt(read)
        return true
      }
      // Another own file says what is below it, and another thread may have read newer files.
      guard isCurrent else { continue }
      report(read.problems)
      if let wait = read.wait { return .unsettled(nanoseconds: wait) }
      // No event reports that the choice of the profile can be read again.
      let isChoiceUnread = state.withLock { $0.choice.problem?.code == .io }
      return read.isUnreadable || isChoiceUnread ? .failed(retryAfterNanoseconds: Self.unreadable) : .settled
    }
  }

  /// Reports what is wrong with the user's file as a whole, and withdraws the previous report; `nil` for nothing.
  func noteUserFailure(_ error: SettingsError?, using sentence: String? = nil) {
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
