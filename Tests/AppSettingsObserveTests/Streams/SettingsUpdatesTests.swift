import AppSettings
@testable import AppSettingsObserve
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// The contract of the streams, line by line.
@Suite(.timeLimit(.minutes(10))) struct SettingsUpdatesTests {
  let home = ScratchHome()

  @Test func `the first element is the value that there is`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    var iterator = settings.updates(.number).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    settings[.number] = 2
    #expect(await iterator.next() == 2)
  }

  @Test func `the first element is the newest when others changed the file before anyone followed it`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    #expect(settings[.number] == 1)
    try home.replace("number = 2\n")
    var iterator = settings.updates(.number).makeAsyncIterator()
    #expect(await iterator.next() == 2)
  }

  @Test func `keys from a list are compared by their values, too`() async throws {
    let size = SettingsKey("size", default: 80, .in(20...400))
    let ratio = SettingsKey("ratio", default: 2.0)
    try home.write("size = 500\nratio = 1\nnumber = 1\n")
    let settings = try home.store()
    let numbers = Recorder<Int>()
    let task = Task {
      for await values in settings.updates([size, ratio, SettingsKeys.number]) { numbers.note(values[.number]) }
    }
    defer { task.cancel() }
    let texts = ["size = 600\nratio = 1\n", "size = 600\nratio = 1.0\n", "size = 80\nratio = 1.0\n", "ratio = 1.0\n"]
    await numbers.wait(for: 1)
    for (index, text) in texts.enumerated() {
      try home.replace(text + "number = \(index + 1)\n")
      settings.reload()
      // Only this is a change.
      try await settings.set(index + 2, for: .number)
      await numbers.wait(for: index + 2)
    }
    #expect(numbers.elements == [1, 2, 3, 4, 5])
  }

  @Test func `another form of an accent is another text`() async throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let name = SettingsKey("name", default: "")
    let names = SettingsKey("names", default: [String]())
    let sizes = SettingsKey("sizes", default: [String: Int]())
    let nickname = SettingsKey<String?>("nickname")
    func text(_ word: String) -> String {
      "name = \"\(word)\"\nnames = [\"\(word)\"]\nnickname = \"\(word)\"\nsizes = { \"\(word)\" = 1 }\n"
    }
    try home.write(text(composed))
    let settings = try home.store()
    var one = settings.updates(name).makeAsyncIterator()
    var list = settings.updates(names).makeAsyncIterator()
    var table = settings.updates(sizes).makeAsyncIterator()
    var optional = settings.updates(nickname).makeAsyncIterator()
    var several = settings.updates(name, .number).makeAsyncIterator()
    // With '==', they would be the same here, too.
    for (word, next) in [(composed, decomposed), (decomposed, composed), (composed, "")] {
      #expect(await one.next()?.utf8.count == word.utf8.count)
      #expect(await list.next()?.first?.utf8.count == word.utf8.count)
      #expect(await table.next()?.keys.first?.utf8.count == word.utf8.count)
      #expect(await optional.next()??.utf8.count == word.utf8.count)
      #expect(await several.next()?.0.utf8.count == word.utf8.count)
      try home.replace(text(next))
    }
  }

  @Test func `a value that holds not-a-number is compared part by part`() async throws {
    let list = SettingsKey("list", default: [Double]())
    let table = SettingsKey("table", default: [String: Double]())
    let set = SettingsKey("set", default: Set<Double>())
    let optional = SettingsKey<Double?>("optional")
    let gauge = SettingsKey("gauge", default: Gauge(low: 0, high: 0))
    let settings = SettingsStore(inMemory: "")
    let seen = Lock<[String]>([])
    @Sendable func note(_ text: String) { seen.withLock { $0.append(text) } }
    let observations = [
      settings.observe(list, initial: false) { note("list \($0.count) \($0.last ?? 0)") },
      settings.observe(table, initial: false) { note("table \($0["b"] ?? 0)") },
      settings.observe(set, initial: false) { note("set \($0.count)") },
      settings.observe(optional, initial: false) { note("optional \($0 ?? 0)") },
      settings.observe(gauge, initial: false) { note("gauge \($0.high)") },
      settings.observe(gauge, .number, initial: false) { note("both \($0.high) \($1)") },
    ]
    for number in [1.0, 1.0, 2.0] {
      settings[list] = [.nan, number]
      settings[table] = ["a": .nan, "b": number]
      settings[set] = [.nan, number, number == 2 ? 3 : 1]
      settings[optional] = .nan
      settings[gauge] = Gauge(low: .nan, high: number)
    }
    observations.forEach { $0.cancel() }
    let expected = [1, 2].flatMap { number in
      [
        "list 2 \(number).0", "table \(number).0", "set \(number + 1)", "gauge \(number).0", "both \(number).0 0",
      ]
    }
    #expect(seen.withLock { $0.sorted() } == (expected + ["optional nan"]).sorted())
  }

  @Test func `a change between the first element and the second is not missed`() async throws {
    let settings = try home.store()
    for round in 1...300 {
      var iterator = settings.updates(.number).makeAsyncIterator()
      let setting = Task.detached { settings[.number] = round }
      var last = try #require(await iterator.next())
      while last != round { last = try #require(await iterator.next()) }
      await setting.value
    }
  }

  @Test func `without the first element a stream begins with the next change`() async throws {
    let settings = try home.store()
    var iterator = settings.updates(.number, initial: false).makeAsyncIterator()
    settings[.number] = 3
    #expect(await iterator.next() == 3)
  }

  @Test func `without the first element a stream begins where it is made, for its first iterator`() async throws {
    let settings = try home.store()
    let values = settings.updates(.number, initial: false)
    let pairs = settings.updates(.number, .flag, initial: false)
    let states = settings.updates([SettingsKeys.number], initial: false)
    let (changes, batches) = (settings.changes(.number), settings.changes())
    settings[.number] = 3
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 3)
    var pairIterator = pairs.makeAsyncIterator()
    #expect(await pairIterator.next()?.0 == 3)
    var stateIterator = states.makeAsyncIterator()
    #expect(await stateIterator.next()?[.number] == 3)
    var changeIterator = changes.makeAsyncIterator()
    let change = try #require(await changeIterator.next())
    #expect(change.old == 0 && change.new == 3)
    #expect("\(change)" == "0 -> 3 (user \(home.file), this process)")
    var batchIterator = batches.makeAsyncIterator()
    #expect(await batchIterator.next()?.paths == [["number"]])
    // The next iterator begins where it is made, as any.
    var second = values.makeAsyncIterator()
    settings[.number] = 4
    #expect(await second.next() == 4)
    #expect(await iterator.next() == 4)
  }

  @Test func `a stream that nobody iterates ends with itself`() throws {
    let settings = try home.store()
    weak var follower: StoreFollower?
    do {
      let values = settings.updates(.number, initial: false)
      follower = StoreFollower.of(settings.core)
      #expect(follower != nil)
      withExtendedLifetime(values) {}
    }
    #expect(follower == nil)
  }

  @Test func `an own change comes at once and does not wait for the disk`() async throws {
    let settings = try home.store()
    var iterator = settings.updates(.number).makeAsyncIterator()
    _ = await iterator.next()
    // Nobody can write while this holds the lock.
    try home.write("", to: home.file)
    let directory = open((home.file as NSString).deletingLastPathComponent, O_RDONLY)
    #expect(flock(directory, LOCK_EX) == 0)
    settings[.number] = 5
    #expect(await iterator.next() == 5)
    #expect(home.text() == "")
    close(directory)
    try await settings.flush()
    #expect(home.text() == "number = 5\n")
  }

  @Test func `an own change comes once`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait(for: 0)
    for value in 1...5 {
      try await settings.set(value, for: .number)
      await recorder.wait(for: value)
    }
    // What the hub has to say of our own writes was said by now, or comes before this.
    try home.replace("number = 9\n")
    await recorder.wait(for: 9)
    #expect(recorder.elements == [0, 1, 2, 3, 4, 5, 9])
  }

  @Test func `an equal value is no element unless duplicates are asked for`() async throws {
    let settings = try home.store()
    let plain = Recorder(settings.updates(.number))
    let all = Recorder(settings.updates(.number, includingDuplicates: true))
    await plain.wait(for: 0)
    await all.wait(for: 0)
    settings[.number] = 0
    await all.wait { $0.count == 2 }
    settings[.number] = 4
    await all.wait { $0.count == 3 }
    settings[.number] = 4
    await all.wait { $0.count == 4 }
    try await settings.update { $0[.number] = 4 }
    await all.wait { $0.count == 5 }
    settings[.number] = 5
    await plain.wait(for: 5)
    await all.wait(for: 5)
    #expect(plain.elements == [0, 4, 5])
    #expect(all.elements == [0, 0, 4, 4, 4, 5])
  }

  @Test func `a lock that leaves the value comes as a duplicate, and so does its end`() async throws {
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("number = 4\n", to: system)
    let settings = try home.store()
    let plain = Recorder(settings.updates(.number))
    let all = Recorder<Bool>()
    let task = Task {
      for await _ in settings.updates(.number, includingDuplicates: true) {
        all.note(settings.origin(of: .number).isLocked)
      }
    }
    defer { task.cancel() }
    await plain.wait(for: 4)
    await all.wait { $0 == [false] }
    try home.write("settings-locked = [\"number\"]\nnumber = 4\n", to: system)
    await all.wait { $0 == [false, true] }
    try home.write("number = 4\n", to: system)
    await all.wait { $0 == [false, true, false] }
    settings[.number] = 5
    await plain.wait(for: 5)
    #expect(plain.elements == [4, 5])
  }

  @Test func `values are compared as decoded, not as written`() async throws {
    try home.write("ratio = 2\nnumber = 1\n")
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.ratio, .number))
    await recorder.wait { $0.count == 1 }
    try home.replace("number = 0x1 # the same\nratio = 2.0\n")
    try home.replace("number = 2\nratio = 2.0\n")
    await recorder.wait { $0.last?.1 == 2 }
    #expect(recorder.elements.map(\.0) == [2, 2])
    settings[.ratio] = .nan
    await recorder.wait { $0.last?.0.isNaN == true }
    try home.replace("number = 3\nratio = +nan\n")
    await recorder.wait { $0.last?.1 == 3 }
    #expect(recorder.elements.count == 4)
  }

  @Test func `a value of a type that cannot be compared is compared as stored`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.opaque))
    await recorder.wait { $0.last?.text == "none" }
    settings[.opaque] = Opaque(text: "a")
    await recorder.wait { $0.last?.text == "a" }
    settings[.opaque] = Opaque(text: "a")
    settings[.opaque] = Opaque(text: "b")
    await recorder.wait { $0.last?.text == "b" }
    #expect(recorder.elements.map(\.text) == ["none", "a", "b"])
  }

  @Test func `setting, resetting, removing and making again are changes`() async throws {
    try home.write("nickname = \"a\"\n")
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.nickname))
    await recorder.wait(for: "a")
    settings.reset(.nickname)
    await recorder.wait(for: nil)
    settings[.nickname] = "b"
    await recorder.wait(for: "b")
    try await settings.flush()
    try FileManager.default.removeItem(atPath: home.file)
    await recorder.wait(for: nil)
    try home.write("nickname = \"c\"\n")
    await recorder.wait(for: "c")
    try home.replace("other = 1\n")
    await recorder.wait(for: nil)
    #expect(recorder.elements == ["a", nil, "b", nil, "c", nil])
  }

  @Test func `the values of a tuple are of one moment`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number, .ratio, .text))
    await recorder.wait { $0.count == 1 }
    for round in 1...200 {
      try await settings.update { transaction in
        transaction[.number] = round
        transaction[.ratio] = Double(round)
        transaction[.text] = "\(round)"
      }
    }
    await recorder.wait { $0.last?.0 == 200 }
    for (number, ratio, text) in recorder.elements.dropFirst() {
      #expect(Double(number) == ratio && text == "\(number)")
    }
  }

  @Test func `a list of keys gives the state of one moment`() async throws {
    let settings = try home.store()
    var iterator = settings.updates([.number, .text]).makeAsyncIterator()
    let first = try #require(await iterator.next())
    #expect(first[.number] == 0 && first[.text] == "none")
    settings[.flag] = true
    try await settings.update { transaction in
      transaction[.number] = 1
      transaction[.text] = "one"
    }
    let second = try #require(await iterator.next())
    #expect(second[.number] == 1 && second[.text] == "one" && second[.flag])
    #expect(second.generation > first.generation)
  }

  @Test func `snapshots come after every change, each newer than the one before`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.snapshots())
    await recorder.wait { $0.count == 1 }
    settings[.number] = 1
    await recorder.wait { $0.last?[.number] == 1 }
    settings[.flag] = true
    await recorder.wait { $0.last?[.flag] == true }
    // What is not written yet would be written over the other text.
    try await settings.flush()
    try home.replace("number = 2\n")
    await recorder.wait { $0.last?[.number] == 2 }
    let generations = recorder.elements.map(\.generation)
    #expect(generations == generations.sorted() && Set(generations).count == generations.count)
  }

  @Test func `the last of 10,000 own changes arrives, in order and skipping what a slow reader missed`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait(for: 0)
    for value in 1...10_000 { settings[.number] = value }
    await recorder.wait(for: 10_000)
    #expect(recorder.elements == recorder.elements.sorted())
    #expect(Set(recorder.elements).count == recorder.elements.count)
  }

  @Test func `a slow reader gets the newest value and not a queue`() async throws {
    let settings = try home.store()
    var iterator = settings.updates(.number).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    for value in 1...100 { settings[.number] = value }
    #expect(await iterator.next() == 100)
    settings[.number] = 101
    #expect(await iterator.next() == 101)
  }

  @Test func `a file that does not parse neither ends the stream nor shows a default`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    let problems = Recorder(settings.problems)
    await recorder.wait(for: 1)
    try home.replace("number = = 2\n")
    await problems.wait { $0.contains { $0.code == .unparsable } }
    #expect(settings[.number] == 1)
    try home.replace("number = 3\n")
    await recorder.wait(for: 3)
    #expect(recorder.elements == [1, 3])
    #expect(!settings.currentProblems.contains { $0.code == .unparsable })
  }

  @Test func `a value of the wrong type is a problem and reads as the default`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    let problems = Recorder(settings.problems)
    await recorder.wait(for: 1)
    try home.replace("number = \"four\"\n")
    await problems.wait { $0.contains { $0.path == SettingsKeys.number.path } }
    await recorder.wait(for: 0)
    try home.replace("number = 4\n")
    await recorder.wait(for: 4)
  }

  @Test func `cancelling ends a stream promptly and nothing more is delivered`() async throws {
    let settings = try home.store()
    for round in 0..<50 {
      let recorder = Recorder(settings.updates(.number))
      await recorder.wait { !$0.isEmpty }
      await recorder.cancel()
      let count = recorder.elements.count
      settings[.number] = round
      #expect(recorder.elements.count == count)
    }
  }

  @Test func `a stream of a task that is cancelled already delivers nothing`() async throws {
    let settings = try home.store()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var count = 0
      for await _ in settings.updates(.number) { count += 1 }
      for await _ in settings.changes() { count += 1 }
      for await _ in settings.problems { count += 1 }
      return count
    }
    #expect(await task.value == 0)
  }

  @Test func `a stream that has ended delivers neither its first element nor one that is at hand`() async throws {
    let settings = try home.store()
    var values = settings.updates(.number).makeAsyncIterator()
    var batches = settings.changes().makeAsyncIterator()
    settings[.number] = 1
    settings[.number] = 2
    #expect(await batches.next() != nil)
    values.ending()
    batches.ending()
    #expect(await values.next() == nil)
    #expect(await batches.next() == nil)
    settings[.number] = 3
    #expect(await values.next() == nil)
    #expect(await batches.next() == nil)
  }

  @Test func `iterators are independent and those that come later see the present`() async throws {
    let settings = try home.store()
    let stream = settings.updates(.number)
    var first = stream.makeAsyncIterator()
    #expect(await first.next() == 0)
    settings[.number] = 1
    var second = stream.makeAsyncIterator()
    #expect(await second.next() == 1)
    #expect(await first.next() == 1)
    settings[.number] = 2
    #expect(await first.next() == 2)
    #expect(await second.next() == 2)
  }

  @MainActor @Test func `a stream on the main actor delivers there`() async throws {
    let settings = try home.store()
    var seen: [Int] = []
    let task = Task { @MainActor in
      for await number in settings.updates(.number) {
        MainActor.assertIsolated()
        seen.append(number)
        if number == 2 { return }
      }
    }
    while seen.isEmpty { await Task.yield() }
    settings[.number] = 2
    await task.value
    #expect(seen == [0, 2])
  }

  @Test func `a store in memory has streams, too`() async {
    let settings = SettingsStore(inMemory: "number = 7\n")
    var iterator = settings.updates(.number).makeAsyncIterator()
    #expect(await iterator.next() == 7)
    settings[.number] = 8
    #expect(await iterator.next() == 8)
  }

  @Test func `observers of other keys are not woken`() async throws {
    let settings = try home.store()
    var iterator = settings.changes(.flag).makeAsyncIterator()
    let others = (0..<100).map { _ in Recorder(settings.updates(.number)) }
    for other in others { await other.wait(for: 0) }
    settings[.flag] = true
    let change = await iterator.next()
    let user = SettingsLayer(.user, file: home.file)
    #expect(change == SettingsChange(old: false, new: true, origin: .thisProcess, layer: user))
    #expect(others.allSatisfy { $0.elements == [0] })
  }

  @Test func `a thousand observers see the last of many changes`() async throws {
    let settings = try home.store()
    let recorders = (0..<1000).map { _ in Recorder(settings.updates(.number)) }
    for recorder in recorders { await recorder.wait { !$0.isEmpty } }
    for value in 1...100 {
      settings[.number] = value
      if value % 10 == 0 { await Task.yield() }
    }
    for recorder in recorders { await recorder.wait(for: 100) }
  }
}

private struct Gauge: Codable, Equatable, SettingsSerializable {
  var low, high: Double
}
