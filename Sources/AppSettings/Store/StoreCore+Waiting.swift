import SettingsTOML
import Synchronization

extension StoreCore {
  /// Makes edits visible and waits until they are durable.
  ///
  /// - Returns: Whether they changed the file.
  func enqueueAndWait(_ edits: [Edit]) throws(SettingsError) -> Bool {
    let outcome = Monitor<WriteQueue.Outcome?>(nil)
    try checkNotInCommit()
    try enqueue(edits) { result in outcome.withLock { $0 = result } }
    return try outcome.wait { $0 }.get().changedFile
  }

  /// As the other, without blocking the thread.
  func enqueueAndWait(_ edits: [Edit]) async throws(SettingsError) -> Bool {
    let result: WriteQueue.Outcome = await withCheckedContinuation { continuation in
      do throws(SettingsError) {
        try enqueue(edits) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try result.get().changedFile
  }

  /// The keys at the root of the user's file, with what is pending.
  var userRootKeys: [String] {
    load()
    return state.withLock { state in
      let snapshot = state.snapshot
      guard
        case .value(.table(let table)) = snapshot.pending.lookUp(
          .root, base: { snapshot.layers[snapshot.userIndex].lookUp(.root) })
      else { return [] }
      return table.keys
    }
  }
}
