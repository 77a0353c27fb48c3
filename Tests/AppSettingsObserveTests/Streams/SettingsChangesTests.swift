import AppSettings
import AppSettingsObserve
import Foundation
import SettingsTOML
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct SettingsChangesTests {
  let home = ScratchHome()

  @Test func `a change has the value before, the value after, and who made it`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    let user = SettingsLayer(.user, file: home.file)
    var iterator = settings.changes(.number).makeAsyncIterator()
    settings[.number] = 2
    #expect(await iterator.next() == SettingsChange(old: 1, new: 2, origin: .thisProcess, layer: user))
    try await settings.flush()
    try home.replace("number = 3\n")
    #expect(await iterator.next() == SettingsChange(old: 2, new: 3, origin: .outside, layer: user))
    settings.reset(.number)
    #expect(
      await iterator.next() == SettingsChange(old: 3, new: 0, origin: .thisProcess, layer: SettingsLayer(.default)))
  }

  @Test func `a change has the layer that the value is from`() async throws {
    let settings = try home.store()
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    let dropIn = home.path + "/etc/xdg/org.example.test/settings.d/50.toml"
    var iterator = settings.changes(.number).makeAsyncIterator()
    try home.write("number = 1\n", to: system)
    #expect(
      await iterator.next()
        == SettingsChange(old: 0, new: 1, origin: .outside, layer: SettingsLayer(.system, file: system)))
    settings[.number] = 2
    #expect(await iterator.next()?.layer == SettingsLayer(.user, file: home.file))
    try home.write("number = 3\n", to: dropIn)
    settings.reset(.number)
    var last = await iterator.next()
    // The drop-in may be seen before the reset or after it.
    while last?.new != 3 { last = await iterator.next() }
    #expect(last?.layer == SettingsLayer(.system, file: dropIn))
    let calls = Recorder<SettingsChange<Int>>()
    let observation = settings.observeChanges(.number) { calls.note($0) }
    settings[.number] = 4
    #expect(calls.elements.map(\.layer) == [SettingsLayer(.user, file: home.file)])
    observation.cancel()
  }

  @Test func `a change of a secret does not show its values`() async throws {
    let settings = try home.store()
    let token = SettingsKey("token", default: "hunter2", .secret)
    var iterator = settings.changes(token).makeAsyncIterator()
    settings[token] = "s3cret"
    let change = try #require(await iterator.next())
    #expect(change.new == "s3cret")
    #expect("\(change)" == "(secret) -> (secret) (user \(home.file), this process)")
    #expect(!String(reflecting: change).contains("s3cret"))
  }

  @Test func `a change of another process is from outside`() async throws {
    let settings = try home.store()
    var iterator = settings.changes(.number).makeAsyncIterator()
    let command = ChildProcess.product("settings-cli")
    #expect(try await home.run("'\(command)' set org.example.test number 6") == 0)
    #expect(
      await iterator.next()
        == SettingsChange(old: 0, new: 6, origin: .outside, layer: SettingsLayer(.user, file: home.file)))
  }

  @Test func `what is set together is one batch with its paths`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.changes())
    let ready = Recorder(settings.updates(.number))
    await ready.wait(for: 0)
    try await start(recorder, settings)
    try await settings.update { transaction in
      transaction[.number] = 1
      transaction[.text] = "one"
      transaction[.flag] = true
    }
    await recorder.wait { $0.count == 2 }
    let batch = recorder.elements[1]
    #expect(Set(batch.paths.map(\.description)) == ["number", "view.text", "view.flag"])
    #expect(batch.origin == .thisProcess)
    try home.replace("number = 2\nlist = [1]\n")
    await recorder.wait { $0.count == 3 }
    let outside = recorder.elements[2]
    let paths = Set(outside.paths.map(\.description)).subtracting(["ratio"])
    #expect(paths == ["number", "view.text", "view.flag", "list"])
    #expect(outside.origin == .outside)
    let generations = recorder.elements.map(\.generation)
    #expect(generations == generations.sorted() && Set(generations).count == generations.count)
  }

  @Test func `changes under a table have its paths and nothing else`() async throws {
    try home.write("number = 1\n")
    let settings = try home.store()
    var iterator = settings.changes(under: "view").makeAsyncIterator()
    settings[.number] = 2
    try await settings.update { transaction in
      transaction[.number] = 3
      transaction[.text] = "one"
      transaction[.flag] = true
    }
    let first = try #require(await iterator.next())
    #expect(Set(first.paths) == [["view", "text"], ["view", "flag"]])
    #expect(first.origin == .thisProcess)
    try home.replace("number = 4\n[viewer]\nx = 1\n[view]\ntext = \"two\"\nflag = true\nnew.er = 1\n")
    let second = try #require(await iterator.next())
    #expect(Set(second.paths) == [["view", "text"], ["view", "new", "er"]])
    #expect(second.origin == .outside)
    #expect(second.generation > first.generation)
    try home.replace("number = 4\n")
    #expect(
      Set(try #require(await iterator.next()).paths) == [["view", "text"], ["view", "flag"], ["view", "new", "er"]])
  }

  @Test func `a table that gives way to another value is a change under it`() async throws {
    try home.write("[a.b]\nc = 1\n")
    let settings = try home.store()
    let group = SettingsGroup("b", in: SettingsGroup("a"))
    var iterator = settings.changes(under: group.name).makeAsyncIterator()
    for text in ["a = 7\n", "a.b = 8\n", "a = 9\n", "other = 1\n[a.b]\nc = 1\n"] {
      try home.replace(text)
      let paths = try #require(await iterator.next()).paths
      #expect(!paths.isEmpty && paths.allSatisfy { $0.hasPrefix(group.path) }, "\(text) \(paths)")
    }
  }

  @Test func `each change under a table is an element`() async throws {
    let settings = SettingsStore(inMemory: "")
    var iterator = settings.changes(under: "view").makeAsyncIterator()
    for value in 1...50 {
      settings[.number] = value
      settings[.text] = "\(value)"
    }
    var count = 0
    while count < 50 {
      #expect(try #require(await iterator.next()).paths == [["view", "text"]])
      count += 1
    }
  }

  @Test func `each committed batch is an element`() async throws {
    let settings = try home.store()
    var iterator = settings.changes().makeAsyncIterator()
    for value in 1...50 { try await settings.set(value, for: .number) }
    var generation: UInt64 = 0
    for _ in 1...50 {
      let batch = try #require(await iterator.next())
      #expect(batch.generation > generation)
      #expect(batch.paths == [["number"]])
      generation = batch.generation
    }
  }

  @Test func `a reader that is far behind gets the rest as one batch`() async throws {
    let settings = SettingsStore(inMemory: "")
    var iterator = settings.changes().makeAsyncIterator()
    for value in 1...1000 { settings[SettingsKey("key-\(value)", default: 0)] = value }
    var paths: Set<TOMLPath> = []
    var count = 0
    while paths.count < 1000 {
      paths.formUnion(try #require(await iterator.next()).paths)
      count += 1
    }
    #expect(count <= 65)
  }

  @Test func `an own write is one batch and its way through the file none`() async throws {
    let settings = try home.store()
    let recorder = Recorder(settings.changes())
    try await start(recorder, settings)
    for value in 1...20 { try await settings.set(value, for: .number) }
    try home.replace("number = 99\n")
    await recorder.wait { $0.last?.origin == .outside }
    let own = recorder.elements.dropFirst().filter { $0.origin == .thisProcess }
    #expect(own.count == 20)
    #expect(recorder.elements.count == 22)
  }

  @Test func `problems that stand come first and new ones as they arise`() async throws {
    try home.write("number = = 1\n")
    let settings = try home.store()
    let recorder = Recorder(settings.problems)
    await recorder.wait { $0.count == 1 }
    #expect(recorder.elements[0].code == .unparsable)
    try home.replace("number = \"x\"\n")
    let values = Recorder(settings.updates(.number))
    await values.wait { !$0.isEmpty }
    while settings[.number] != 0 || settings.currentProblems.allSatisfy({ $0.path == nil }) { await Task.yield() }
    await recorder.wait { $0.contains { $0.path == SettingsKeys.number.path } }
  }

  /// Makes a change and waits for it, so that the recorder is known to listen.
  private func start(_ recorder: Recorder<SettingsChangeBatch>, _ settings: SettingsStore) async throws {
    var attempt = 0
    while recorder.elements.isEmpty {
      attempt += 1
      if attempt == 1 { await Task.yield() }
      settings[.ratio] = settings[.ratio] == 0.5 ? 0.25 : 0.5
      await Task.yield()
    }
    try await settings.flush()
  }
}
