import SettingsTOML

/// The file with the choice of a profile, as last read.
///
/// Saves of it are detected as for every other file; see ``SaveWatch``.
struct ProfileChoice: Sendable {
  var known = SaveWatch.Known()
  var watch = SaveWatch()
  /// Detects saves of the chosen profile's file, until that is the own one.
  var ownWatch = SaveWatch()
  /// The profile to use.
  var name: String?
  var problem: SettingsProblem?
}

/// Which profile is the own layer, and the change to another one.
extension StoreCore {
  /// The longest wait of a switch for writers of the previous profile. After that it is tried again.
  private static let switchLimit = Duration.milliseconds(250)
  /// The time until the next attempt.
  private static let switchRetry: UInt64 = 20_000_000

  /// Uses the chosen profile at the first access.
  func findProfile(until deadline: UInt64) {
    guard location?.personal?.followsChoice == true else { return }
    while true {
      let (name, wait) = readChoice(.doubt)
      if let wait, SaveWatch.pause(for: wait, until: deadline) { continue }
      guard let name else { return }
      place.withLock { $0 = $0.using(profile: name) }
      let own = LayerContent(layer: userLayer, document: TOMLDocument(), hasFile: false)
      return state.withLock { $0.switch(to: own, in: SurroundingLayers(), inode: nil) }
    }
  }

  /// Reads the choice. What cannot be used leaves the present profile, and is a problem.
  ///
  /// - Returns: The profile, and the nanoseconds until the file should be re-read if it may be being saved.
  private func readChoice(_ evidence: SaveWatch.Evidence) -> (name: String?, wait: UInt64?) {
    guard let personal = location?.personal, let path = personal.choiceFile, case .file(let file, _) = backing else {
      return (nil, nil)
    }
    var (choice, turn) = state.withLock { ($0.choice, $0.choiceReadings.begin()) }
    let former = choice.problem
    choice.problem = nil
    choice.name = personal.profile
    var wait: UInt64?
    do throws(SettingsError) {
      let contents = try SettingsFile(path: path, system: file.system).read()
      wait = choice.watch.wait(for: contents, after: choice.known, evidence) {
        SaveWatch.Wholeness(of: contents.bytes ?? [], since: choice.known.bytes)
      }
      if wait == nil {
        choice.watch = SaveWatch()
        choice.known = SaveWatch.Known(bytes: contents.bytes, inode: contents.status?.inode)
        choice.name = try contents.bytes.flatMap { bytes throws(SettingsError) in
          try Profiles.name(in: bytes, file: path)
        }
      }
    } catch {
      choice.problem = SettingsProblem(
        error.using(personal.profile.map { "The profile '\($0)' stays." } ?? "None is used."))
    }
    let isCurrent = state.withLock { [choice] state in
      guard state.choiceReadings.end(turn) else { return false }
      state.choice = choice
      return true
    }
    // Another thread has read the file since.
    guard isCurrent else { return readChoice(evidence) }
    if let former, former != choice.problem { problems.resolve { $0 == former } }
    if let problem = choice.problem, problem != former { problems.report(problem) }
    return (choice.name, wait)
  }

  /// Follows the choice of the profile.
  ///
  /// - Returns: The outcome, if the profile has changed or may be about to; else `nil`.
  func followChoice(_ evidence: SaveWatch.Evidence) -> LookOutcome? {
    let revision = state.withLock { $0.surroundingsRevision }
    guard let personal = location?.personal, personal.followsChoice else { return nil }
    let (name, wait) = readChoice(evidence)
    if let wait { return .unsettled(nanoseconds: wait) }
    guard name != personal.profile else { return nil }
    // Observers run when the switch is over.
    return DeferredCalls.section { switchProfile(to: name, readAt: revision, evidence) }
  }

  /// Makes another profile the own layer. Observers see one change.
  ///
  /// A commit in progress ends in the previous profile, and pending edits are written there first: that is where
  /// they were set.
  ///
  /// - Parameter revision: ``StoreState/surroundingsRevision`` before the choice was read. If another thread has read
  ///   the files since, or another choice, the choice is read again.
  private func switchProfile(
    to name: String?, readAt revision: UInt64, _ evidence: SaveWatch.Evidence
  ) -> LookOutcome? {
    let former = backing.name
    let new = place.withLock { $0 }.using(profile: name)
    let limit = TimeLimit(Self.switchLimit)
    while true {
      guard writePending(within: limit) else { return .unsettled(nanoseconds: Self.switchRetry) }
      let (own, contents, failure) = readOwn(of: new)
      if let contents, let wait = wait(for: contents, evidence) { return .unsettled(nanoseconds: wait) }
      let surroundings = readSurroundings(of: new, own: own, evidence)
      if let wait = surroundings.wait { return .unsettled(nanoseconds: wait) }
      do throws(SettingsError) {
        try enterCommit(within: limit)
      } catch {
        return .unsettled(nanoseconds: Self.switchRetry)
      }
      var isOvertaken = false
      let isSwitched = state.withLock { state in
        isOvertaken = state.surroundingsRevision != revision || state.choice.name != name
        guard !isOvertaken, !state.hasUncommitted else { return false }
        defer { renewStamp() }
        place.withLock { $0 = new }
        state.switch(to: own, in: surroundings, inode: contents?.status?.inode)
        state.userPermissions = contents?.status?.permissions
        state.isWriteDue = isOutdated(own)
        return true
      }
      leaveCommit()
      if isOvertaken { return followChoice(evidence) }
      guard isSwitched else { continue }
      noteSwitch(from: former, failure)
      report(surroundings.problems)
      writeWhatIsDue()
      if isWriteDue { LiveStores.register(self) }
      return surroundings.isUnreadable ? .failed(retryAfterNanoseconds: Self.unreadable) : .settled
    }
  }

  /// Writes the pending edits. Those that cannot be written have failed.
  ///
  /// - Returns: Whether none is left; `false` if others are writing.
  private func writePending(within limit: TimeLimit) -> Bool {
    guard state.withLock({ $0.hasUncommitted }) else { return true }
    let newest = state.withLock { $0.lastNumber }
    do {
      try commit(.pending, within: limit)
    } catch let error as SettingsError where error.isOfBusyFile {
      return false
    } catch {
      abandon(upTo: newest, because: SettingsError(error))
    }
    return true
  }

  /// Reads the own layer of a place. A file that cannot be used counts as empty.
  private func readOwn(
    of place: StorePlace
  ) -> (own: LayerContent, contents: SettingsFile.Contents?, failure: SettingsError?) {
    let empty = LayerContent(layer: place.layer, document: TOMLDocument(), hasFile: false)
    do throws(SettingsError) {
      let contents = try place.backing.read()
      guard let bytes = contents.bytes else { return (empty, contents, nil) }
      do throws(SettingsError) {
        let document = interpret(try reader.parse(bytes, file: place.backing.name), of: place.layer)
        return (empty.holding(document, of: bytes), contents, nil)
      } catch {
        return (empty.holding(TOMLDocument(), of: bytes), contents, error)
      }
    } catch {
      return (empty, nil, error)
    }
  }

  /// Whether the new profile's file must be migrated on disk.
  private func isOutdated(_ own: LayerContent) -> Bool {
    guard !onlyReads, let bytes = own.fileBytes, let document = try? TOMLDocument(parsing: bytes) else { return false }
    return (try? reader.isOutdated(document)) == true
  }

  /// How long a save of the new profile may still take.
  private func wait(for contents: SettingsFile.Contents, _ evidence: SaveWatch.Evidence) -> UInt64? {
    var watch = state.withLock { $0.choice.ownWatch }
    let wait = watch.wait(for: contents, after: SaveWatch.Known(), evidence) {
      SaveWatch.Wholeness(of: contents.bytes ?? [], since: nil)
    }
    state.withLock { [watch] in $0.choice.ownWatch = wait == nil ? SaveWatch() : watch }
    return wait
  }

  /// Withdraws the problems of the previous own file, and reports that of the new one.
  private func noteSwitch(from file: String, _ failure: SettingsError?) {
    problems.resolve {
      $0.file == file
        && [.unparsable, .exposedSecret, .io, .readOnly, .newerVersion, .migrationFailed].contains($0.code)
    }
    noteUserFailure(failure, using: "Lower layers and defaults are used.")
  }
}
