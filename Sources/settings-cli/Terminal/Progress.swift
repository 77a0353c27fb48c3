import AppSettings
import Glibc

/// Shows that long work is going on.
enum Progress {
  private struct State: Sendable {
    var isDone = false
    var isShown = false
  }

  /// Runs `body`. If it takes more than a second and standard error is a terminal, a line there shows the elapsed time.
  static func run<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    guard Terminal.error.isTerminal else { return try body() }
    let state = Monitor(State())
    let start = ProcessFacts.monotonicNanoseconds()
    // The work goes on if this fails.
    try? PlainThread.start("progress") {
      var seconds: UInt64 = 1
      while state.wait(untilNanoseconds: start + seconds * 1_000_000_000, { $0.isDone ? true : nil }) == nil {
        state.withLock { state in
          guard !state.isDone else { return }
          state.isShown = true
          Output.prompt("\rsettings-cli: \(Terminal.error.shown(what)): \(seconds) s\u{1B}[K")
        }
        seconds += 1
      }
    }
    defer {
      state.withLock { state in
        state.isDone = true
        if state.isShown { Output.prompt("\r\u{1B}[K") }
      }
    }
    return try body()
  }
}
