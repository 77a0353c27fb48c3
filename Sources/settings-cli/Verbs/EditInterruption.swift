import AppSettings
import Glibc
import SettingsTools

/// Ends an `edit` on a signal, and keeps the copy if it has changes.
///
/// While an editor runs, the keys that send signals belong to it, although this process gets their signals, too. So its
/// thread does not receive them then, and what is pending when the editor ends is discarded. Receiving and ignoring them
/// would not do: the thread may run only after the editor, which they have ended.
final class EditInterruption: Sendable {
  private struct State: Sendable {
    var isEditing = false
    var isEnding = false
    /// Whether there is a thread that receives signals.
    var hasThread = false
    /// Whether it receives those of keys, too.
    var receivesKeys = false
  }

  private let copy: EditedCopy
  // Protects whether an editor is running, whether the process is ending, and what the thread receives.
  private let state = Monitor(State())

  private static let keys = [SIGINT, SIGQUIT]
  /// Tells the thread that an editor has begun or ended.
  private static let notice = SIGUSR1

  init(of copy: EditedCopy) { self.copy = copy }

  /// Blocks the signals in this thread and in those that it starts.
  static func block() -> EndSignals { EndSignals(keys + [SIGTERM, SIGHUP], notice: notice) }

  /// Receives the signals from now on, on a thread of its own.
  func start(on signals: EndSignals) {
    state.withLock { $0.hasThread = true }
    do throws(Errno) {
      try PlainThread.start("edit-signals") { [self] in
        while true {
          let receivesKeys = state.withLock { state in
            state.receivesKeys = !state.isEditing
            return state.receivesKeys
          }
          receive(signals.wait(except: receivesKeys ? [] : Self.keys))
        }
      }
    } catch {
      // Without the thread they end the process as they would have.
      state.withLock { $0.hasThread = false }
      signals.unblock()
    }
  }

  /// Runs an editor. The keys that send signals belong to it.
  func whileEditing<Result>(_ body: () throws -> Result) rethrows -> Result {
    setEditing(true)
    state.wait { $0.receivesKeys ? nil : () }
    defer {
      EndSignals.discard(Self.keys)
      let isEnding = setEditing(false)
      // The other thread ends the process.
      while isEnding { sleep(1) }
    }
    return try body()
  }

  /// - Returns: Whether the process is ending.
  @discardableResult
  private func setEditing(_ isEditing: Bool) -> Bool {
    let (hasThread, isEnding) = state.withLock { state in
      state.isEditing = isEditing
      return (state.hasThread, state.isEnding)
    }
    if hasThread { kill(getpid(), Self.notice) }
    return isEnding
  }

  private func receive(_ number: CInt) {
    let (isEnding, isEditing) = state.withLock { state in
      // Before an editor began.
      let isForEditor = state.isEditing && Self.keys.contains(number)
      if number != Self.notice, !isForEditor { state.isEnding = true }
      return (state.isEnding, state.isEditing)
    }
    guard isEnding else { return }
    if isEditing {
      Program.signal(number)
      // It may still save its text.
      let limit = ProcessFacts.monotonicNanoseconds() + 2_000_000_000
      _ = state.wait(untilNanoseconds: limit) { $0.isEditing ? nil : true }
    }
    if copy.hasChanges {
      Output.error("Ended by a signal before your text was stored. It is in '\(copy.path)'.")
    } else {
      copy.remove()
    }
    EndSignals.end(by: number)
  }
}
