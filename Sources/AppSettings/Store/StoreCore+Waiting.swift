import SettingsTOML
import Synchronization

extension StoreCore {
  /// Waits until edits are durable, without blocking the thread. They are visible from then on.
  ///
  /// Another thread writes them. A cancelled task still waits, because the edits cannot be taken back.
  ///
  /// - Returns: Whether they changed the file.
  func enqueueAndWait(_ edits: [Edit]) async throws(SettingsError) -> Bool {
    let result: WriteQueue.Outcome = await withCheckedContinuation { continuation in
      do throws(SettingsError) {
        let limit = TimeLimit(lockTimeout)
        let number = try addAwaited(edits) { number in
          queue.note(number, within: limit) { outcome in
            DeferredCalls.run { continuation.resume(returning: outcome) }
          }
        }
        request(upTo: number)
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    let hasChanged = try result.get()
    waiters.callBack(at: edits.map(\.path))
    return hasChanged
  }

  /// Runs blocking work on a separate thread.
  ///
  /// It starts a thread for each call, which takes little time compared with a write that waits for the disk.
  ///
  /// - Throws: What `body` throws, or ``SettingsError`` `io` if no thread can be started.
  package func onPlainThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      do throws(Errno) {
        try PlainThread.start("settings-wait") {
          continuation.resume(with: Swift.Result(catching: body))
        }
      } catch {
        continuation.resume(throwing: SettingsError.noThread(error, "wait for '\(backing.name)'"))
      }
    }
  }

  /// Counts the stores of this engine. Its thread ends with the last one, when everything is written.
  func storeOpened() { openStores.wrappingAdd(1, ordering: .relaxed) }

  /// When the last store ends, lets the thread write what is left and end, without waiting for it.
  func storeClosed() {
    guard openStores.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    keepWhatIsDue()
    queue.stop()
  }
}
