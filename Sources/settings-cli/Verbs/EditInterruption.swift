import AppSettings
import Glibc

/// Ends an `edit` on a signal, and keeps the copy if it has changes.
final class EditInterruption: Sendable {
  private struct State: Sendable {
    var isEditing = false
    var isEnding = false
    /// The end of the last editor, on the monotonic clock.
    var editorEnd: UInt64 = 0

    /// Whether a key that sends a signal was pressed in the editor. Its signal may be noticed when the editor, which gets
    /// it too, has ended already; nobody presses a key after it within that time.
    var isInEditor: Bool { isEditing || ProcessFacts.monotonicNanoseconds() < editorEnd + 50_000_000 }
  }

  private let copy: EditedCopy
  // Protects whether an editor is running and whether the process is ending.
  private let state = Monitor(State())

  init(of copy: EditedCopy) { self.copy = copy }

  /// Waits for the signals from now on, on a thread of its own.
  func start(on signals: EndSignals) {
    do throws(Errno) {
      try PlainThread.start("edit-signals") { [self] in
        while true { receive(signals.wait()) }
      }
    } catch {
      // Without the thread they end the process as they would have.
      signals.unblock()
    }
  }

  /// Runs an editor. The keys that send signals belong to it.
  func whileEditing<Result>(_ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.isEditing = true }
    defer {
      let isEnding = state.withLock { state in
        EndSignals.discardKeys()
        state.isEditing = false
        state.editorEnd = ProcessFacts.monotonicNanoseconds()
        return state.isEnding
      }
      // The other thread ends the process.
      while isEnding { sleep(1) }
    }
    return try body()
  }

  private func receive(_ number: CInt) {
    let (isForEditor, isEditing) = state.withLock { state in
      let isForEditor = state.isInEditor && (number == SIGINT || number == SIGQUIT)
      if !isForEditor { state.isEnding = true }
      return (isForEditor, state.isEditing)
    }
    if isForEditor { return }
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
