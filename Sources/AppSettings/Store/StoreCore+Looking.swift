import SettingsTOML
import Synchronization

/// What a look at the files found, for whoever decides when to look again.
package enum LookOutcome: Sendable, Hashable {
  case settled
  /// The file is gone, empty or broken, as it is for a moment in the middle of many a save: look again after this
  /// time, in nanoseconds, unless something happens before.
  case unsettled(nanoseconds: UInt64)
}

extension StoreCore {
  /// How long a file may be gone, empty or broken before that is taken for its new state.
  private static let settling: UInt64 = 100_000_000

  /// Looks at the user's file and takes over what is new.
  ///
  /// - Parameter isSettling: Whether a file that has gone, been emptied or broken is given time to come back. Without,
  ///   what is there counts at once.
  @discardableResult
  package func look(isSettling: Bool = false) -> LookOutcome {
    load()
    while true {
      let (known, revision) = state.withLock { ($0.userBytes, $0.userRevision) }
      let found: [UInt8]?
      do throws(SettingsError) {
        found = try backing.read()
      } catch {
        if let wait = settling(isSettling) { return wait }
        problems.report(SettingsProblem(error.using("The values that were read last are used.")))
        return .settled
      }
      if found == known {
        state.withLock { $0.unsettledSince = nil }
        return .settled
      }
      if found == state.withLock({ $0.writingBytes }) { return .settled }
      if found?.isEmpty ?? true, let wait = settling(isSettling) { return wait }

      let document: TOMLDocument
      do throws(SettingsError) {
        document = try interpret(found)
      } catch {
        if let wait = settling(isSettling) { return wait }
        problems.report(SettingsProblem(error.using("The values that were read last are used.")))
        return .settled
      }
      let (isCurrent, batch) = state.withLock { state -> (Bool, SettingsChangeBatch?) in
        guard state.userRevision == revision else { return (false, nil) }
        defer { renewStamp() }
        return (true, state.adopt(document, bytes: found, committed: nil, origin: .outside))
      }
      guard isCurrent else { continue }
      problems.resolve { $0.code == .unparsable && $0.file == location?.file }
      if let batch { waiters.signal(batch) }
      return .settled
    }
  }

  /// Reads the administrators' files again and takes over what is new.
  package func lookAtSystemLayers() {
    load()
    let layers = readSystemLayers()
    let batch = state.withLock { state -> SettingsChangeBatch? in
      defer { renewStamp() }
      return state.adopt(systemLayers: layers)
    }
    if let batch { waiters.signal(batch) }
  }

  /// Whether to wait for the rest of a save, and how long.
  private func settling(_ isSettling: Bool) -> LookOutcome? {
    guard isSettling else { return nil }
    let now = ProcessFacts.monotonicNanoseconds()
    return state.withLock { state in
      let since = state.unsettledSince ?? now
      state.unsettledSince = since
      let elapsed = now - since
      if elapsed < Self.settling { return .unsettled(nanoseconds: Self.settling - elapsed) }
      state.unsettledSince = nil
      return nil
    }
  }

  /// The files and directories that the store's values depend on.
  package var watchedFile: String? { location?.file }
}
