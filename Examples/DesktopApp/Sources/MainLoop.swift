import Glibc
import Synchronization

/// A main loop as toolkits have one: it waits for input on the main thread, and runs what other threads post to it.
@MainActor
final class MainLoop {
  typealias Work = @MainActor @Sendable () -> Void

  // Protects what was posted and has not run yet.
  private nonisolated let posted = Mutex<[Work]>([])
  // A byte in this pipe wakes the loop. Toolkits have a function for that, such as g_idle_add of GLib.
  private nonisolated let wakeUp: (reading: CInt, writing: CInt)
  private var isRunning = false

  init() {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { fatalError("pipe: \(String(cString: strerror(errno)))") }
    wakeUp = (ends[0], ends[1])
  }

  /// Runs a closure on the main thread, in the next round of the loop. Any thread may call this.
  nonisolated func post(_ work: @escaping Work) {
    let wasEmpty = posted.withLock { posted in
      posted.append(work)
      return posted.count == 1
    }
    guard wasEmpty else { return }
    var byte: UInt8 = 1
    _ = write(wakeUp.writing, &byte, 1)
  }

  /// Ends the loop after this round.
  func end() { isRunning = false }

  /// Waits for lines of standard input and for what is posted, until ``end()`` or the end of input.
  ///
  /// - Parameters:
  ///   - onLine: Called with each line.
  ///   - afterRound: Called when all that a round had to do is done: the time to draw.
  func run(onLine: (String) -> Void, afterRound: () -> Void) {
    isRunning = true
    var input: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while isRunning {
      var sources = [STDIN_FILENO, wakeUp.reading].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&sources, 2, -1) > 0 else { continue }
      if sources[1].revents != 0 {
        _ = read(wakeUp.reading, &buffer, buffer.count)
        let work = posted.withLock { posted in
          defer { posted = [] }
          return posted
        }
        for work in work { work() }
      }
      if sources[0].revents != 0 {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count <= 0 { end() }
        input += buffer.prefix(max(0, count))
        while let newline = input.firstIndex(of: 10) {
          onLine(String(decoding: input[..<newline], as: UTF8.self))
          input.removeSubrange(...newline)
        }
      }
      afterRound()
    }
  }
}
