import AppSettings
import Glibc

/// Ends an `edit` on a signal, and keeps the copy if it has changes.
final class EditInterruption: Sendable {
  private struct State: Sendable {
    var isEditing = false
    var isEnding = false
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
        // The editor gets what keys send, too, and may have ended first.
        EndSignals.discardKeys()
        state.isEditing = false
        return state.isEnding
      }
      // The other thread ends the process.
      while isEnding { sleep(1) }
    }
    return try body()
  }

  private func receive(_ number: CInt) {
    let (isForEditor, isEditing) = state.withLock { state in
      let isForEditor = state.isEditing && (number == SIGINT || number == SIGQUIT)
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
