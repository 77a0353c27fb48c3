import AppSettings
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// Where a reader's code runs: on the actor that it is called on, with no hop in between.
@Suite(.timeLimit(.minutes(10))) struct IsolationTests {
  let home = ScratchHome()

  /// An executor that code can tell whether it runs on.
  private final class Marked: SerialExecutor {
    private static let mark = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "marked")

    init() { queue.setSpecific(key: Self.mark, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// Notes where it is compared.
  private struct Compared: Equatable, Sendable {
    static let places = Recorder<Bool>()
    var number: Int

    static func == (first: Compared, second: Compared) -> Bool {
      if first.number != second.number { places.note(Marked.isCurrent) }
      return first.number == second.number
    }
  }

  private actor MarkedReader {
    private let executor = Marked()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func read(_ settings: SettingsStore) async {
      let bridge = Int.settingsBridge.map(read: { Compared(number: $0) }, write: \.number)
      let stream = settings.updates(SettingsKey("compared", default: Compared(number: 0), bridge: bridge))
      let number = SettingsKey("compared", default: 0)
      var iterator = stream.makeAsyncIterator()
      #expect(await iterator.next()?.number == 0)
      for round in 1...20 {
        let setting = Task.detached { settings[number] = round }
        let seen = round % 2 == 0 ? await iterator.next() : await iterator.next(isolation: self)
        #expect(seen?.number == round && Marked.isCurrent)
        await setting.value
      }
    }
  }

  @Test func `a value is read and compared on the reader's actor`() async throws {
    await MarkedReader().read(try home.store())
    #expect(Compared.places.elements == Array(repeating: true, count: 20))
  }

  /// What is not `Sendable` can be changed in the loop, as nothing leaves the actor.
  private final class Panel {
    var numbers: [Int] = []
  }

  private actor Reader {
    let panel = Panel()

    func read(_ settings: SettingsStore, until last: Int) async -> [Int] {
      for await number in settings.updates(.number) {
        self.assertIsolated()
        panel.numbers.append(number)
        if number == last { break }
      }
      var iterator = settings.changes(.number).makeAsyncIterator()
      settings[.number] = last + 1
      if let change = await iterator.next(isolation: self) { panel.numbers.append(change.new) }
      self.assertIsolated()
      return panel.numbers
    }
  }

  @Test func `an actor reads a stream in its own isolation`() async throws {
    let settings = try home.store()
    let reader = Reader()
    let reading = Task { await reader.read(settings, until: 3) }
    for number in 1...3 { settings[.number] = number }
    let seen = await reading.value
    #expect(seen.suffix(2) == [3, 4])
    #expect(seen == seen.sorted())
  }

  @Test func `a stream is Sendable and never fails, whatever it is of`() async throws {
    func check<Stream: AsyncSequence & Sendable>(_ stream: Stream) async where Stream.Failure == Never {
      // No 'try': it compiles only if nothing is thrown.
      let task = Task { for await _ in stream {} }
      task.cancel()
      await task.value
    }
    let settings = try home.store()
    await check(settings.updates(.number))
    await check(settings.updates(.number, .text))
    await check(settings.updates([.number, .text]))
    await check(settings.snapshots())
    await check(settings.changes())
    await check(settings.changes(.number))
    await check(settings.changes(under: "view"))
    await check(settings.problems)
  }
}
