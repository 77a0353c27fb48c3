import Logging
import Testing
import TestSupport

@testable import AppSettings

/// Problems of a store: logged once, kept until they are mended.
struct ProblemLogTests {
  /// Keeps the messages that are logged.
  private struct Handler: LogHandler {
    let messages: Monitor<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { messages.withLock { $0.append("\(event.level): \(event.message)") } }
  }

  private let messages = Monitor<[String]>([])
  private let log: ProblemLog
  private var logged: [String] { messages.withLock { $0 } }

  init() {
    let messages = messages
    log = ProblemLog(logger: Logger(label: "test") { _ in Handler(messages: messages) })
  }

  private func problem(
    _ message: String, _ code: SettingsError.Code = .invalidValue, at path: TOMLPath? = nil
  ) -> SettingsProblem {
    SettingsProblem(code, message, path: path)
  }

  @Test func `a problem is logged once, as a warning, and kept`() {
    #expect(!log.hasAny)
    for _ in 0..<3 { log.report(problem("a")) }
    log.report(problem("b"))
    #expect(logged == ["warning: a", "warning: b"])
    #expect(log.current.map(\.message) == ["a", "b"] && log.hasAny)
  }

  @Test func `a problem that is over is forgotten, and logged again if it comes back`() {
    log.report(problem("a"))
    log.report(problem("b"))
    log.resolve { $0.message == "a" }
    #expect(log.current.map(\.message) == ["b"])
    log.report(problem("a"))
    #expect(log.current.map(\.message) == ["b", "a"])
    #expect(logged.count == 3)
  }

  @Test(
    arguments: [
      (["a"], []), (["a", "b"], ["above"]), ([], []), (["a", "c"], ["above", "it"]), (["b"], ["above", "it"]),
      (["a", "b", "x"], ["above", "it"]),
    ] as [(TOMLPath, [String])])
  func `a value that changes ends what was wrong with it, above it and below it`(path: TOMLPath, left: [String]) {
    // 'above' is about a table of which another part is wrong: it ends only with the table or that part.
    log.report(problem("above", at: ["a", "c", "d"]))
    log.report(problem("it", at: ["a", "b"]))
    log.resolveValues(at: [path])
    let expected = path == ["a", "c"] ? ["it"] : path == ["a", "b", "x"] ? ["above"] : left
    #expect(log.current.map(\.message) == expected)
  }

  @Test func `a change of values ends no other problem, unless it was said to end with its value`() {
    log.report(problem("file", .io, at: ["a"]))
    log.report(problem("secret", .exposedSecret, at: ["a"]), endsWithValue: true)
    log.report(problem("no path"))
    log.resolveValues(at: [["a"]])
    #expect(log.current.map(\.message) == ["file", "no path"])
  }

  @Test func `problems are handed out one after another, and one that has come back once more`() throws {
    log.report(problem("a"))
    log.report(problem("b"))
    let first = try #require(log.next(after: 0))
    let second = try #require(log.next(after: first.number))
    #expect(first.problem.message == "a" && second.problem.message == "b")
    #expect(log.next(after: second.number) == nil)
    log.resolve { $0.message == "a" }
    log.report(problem("a"))
    #expect(log.next(after: second.number)?.problem.message == "a")
  }

  @Test func `a thousand are kept, the newest`() {
    for number in 0..<1001 { log.report(problem("\(number)")) }
    #expect(log.current.count == 1000)
    #expect(log.current.first?.message == "1" && log.current.last?.message == "1000")
  }

  @Test func `observers are woken by each new problem, and no longer when they have gone`() {
    let waiter = ChangeWaiter(paths: [])
    log.add(waiter)
    log.report(problem("a"))
    #expect(waiter.take() != nil)
    log.report(problem("a"))
    #expect(waiter.take() == nil)
    log.remove(waiter)
    log.report(problem("b"))
    #expect(waiter.take() == nil)
  }

  @Test func `who is told is told after the locks are released`() {
    DeferredCalls.section {
      log.report(problem("a"))
      #expect(logged == [])
      #expect(log.current.count == 1)
    }
    #expect(logged == ["warning: a"])
  }
}
