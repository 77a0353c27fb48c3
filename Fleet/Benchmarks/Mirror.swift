import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet

/// A real mirror: its memory, what it does while nothing happens, and how long a change takes to its file.
struct Mirror: Sendable {
  let run: Run
  let party: Party

  private var document: FleetDocument { FleetDocument(app: party.app, scope: .all)! }

  func measure() async throws {
    try await run.cluster.withClient(run.patient) { client in
      try await store(Self.text(bytes: 4 << 10, 0), by: client)
      let mirror = try party.mirror()
      defer {
        // It finishes what it writes: what it runs would make its directory again after that was removed.
        mirror.send(SIGTERM)
        _ = mirror.wait()
      }
      let facts = ProcessFacts(pid: mirror.pid)
      try await wait(for: Self.text(bytes: 4 << 10, 0))
      try await memory(of: facts, "a document of 4 KB")
      try await idle(facts)
      try await changes(client)
      try await memory(of: facts, "after these changes")
      try await store(Self.text(bytes: 1_000_000, 0), by: client)
      try await wait(for: Self.text(bytes: 1_000_000, 0))
      try await memory(of: facts, "a document of 1 MB")
      Harness.report("a mirror's peak memory, a document of 1 MB", Double(facts.memory.most) / 1e6, .megabytes)
    }
  }

  private func memory(of facts: ProcessFacts, _ what: String) async throws {
    // What it did last, its answer to the cluster, is over then.
    try await Task.sleep(for: .milliseconds(run.isShort ? 200 : 3000))
    let memory = facts.memory
    Harness.report(
      "a mirror's resident memory, \(what)", Double(memory.resident) / 1e6, .megabytes, budget: run.budget(.atMost(25)))
    Harness.report("of that its own, not its executable", Double(memory.own) / 1e6, .megabytes)
  }

  /// What a mirror does when nothing happens: its keep-alives, every 20 seconds.
  private func idle(_ facts: ProcessFacts) async throws {
    let seconds = run.isShort ? 1 : Int(ProcessInfo.processInfo.environment["IDLE_SECONDS"] ?? "") ?? 30
    let computed = facts.computed
    var (last, wakes) = (facts.sleeps, 0)
    // What goes on from one step to the next is one moment.
    var (moments, wasAwake) = (0, false)
    for _ in 0..<(seconds * 10) {
      try await Task.sleep(for: .milliseconds(100))
      let now = facts.sleeps
      if now != last, !wasAwake { moments += 1 }
      wasAwake = now != last
      wakes += now.reduce(0) { $0 + $1.value - (last[$1.key] ?? 0) }
      last = now
    }
    let name = "a mirror, idle for \(seconds) s"
    Harness.report(
      "\(name): moments awake", Double(moments), .count, budget: run.budget(.atMost(Double((seconds + 19) / 20))))
    Harness.report("\(name): wake-ups of threads", Double(wakes), .count)
    Harness.report("\(name): processor time", facts.computed - computed, .milliseconds)
  }

  /// From a set to the file, beside a bare watch of the same key.
  private func changes(_ client: EtcdClient) async throws {
    let (fileBoard, bareBoard) = (Board("files were not replaced"), Board("bare watches were not notified"))
    try FileWatch.start(party.directory, name: document.scope.fileName, noting: fileBoard)
    let bare = try BareConnections(to: run.member, of: run.cluster, threads: 1)
    let watch = BareWatch(document.key(version: 1), noting: bareBoard)
    _ = try await bare.open(watch)
    await watch.opened()
    var (replaced, told): ([Double], [Double]) = ([], [])
    for round in 0...(run.isShort ? 3 : 100) {
      fileBoard.begin(1)
      bareBoard.begin(1)
      try await store(Self.text(bytes: 4 << 10, round + 1), by: client)
      let (file, noted) = (try await fileBoard.all(), try await bareBoard.all())
      guard round > 0 else { continue }
      replaced += file
      told += noted
    }
    await bare.shutdown()
    let (files50, bare50) = (Harness.Figures(replaced), Harness.Figures(told))
    for (part, title) in [(0.5, "p50"), (0.99, "p99")] {
      Harness.report(
        "set -> file replaced, 4 KB, \(title) / bare watch", files50.quantile(part) / bare50.quantile(part),
        nanoseconds: [files50.quantile(part), bare50.quantile(part)])
    }
  }

  private func store(_ text: String, by client: EtcdClient) async throws {
    // As `settings-fleet set` notes it, in a fleet of one machine.
    let note = #"{"by":"ada@desk","id":"1","machines":1,"reason":"set","time":"2026-11-23T00:00:00Z"}"#
    try await client.transaction(
      EtcdTransaction(then: [
        .put(document.key(version: 1), text),
        .put(document.key(version: 1, .change), note),
      ]))
  }

  private func wait(for text: String) async throws {
    let path = "\(party.directory)/\(document.scope.fileName)"
    let end = ContinuousClock.now + .seconds(30)
    // The directory may not be there yet: nothing reports that without more watches than this is worth.
    while (try? String(contentsOfFile: path, encoding: .utf8)) != text {
      guard .now < end else {
        let log = (try? String(contentsOfFile: party.root + "/log", encoding: .utf8)) ?? ""
        throw Run.Failure(description: "the mirror has not written '\(path)': \(log)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func text(bytes: Int, _ number: Int) -> String {
    var text = "changed = \(number)\n"
    var line = 0
    while text.utf8.count < bytes {
      line += 1
      text += "key-\(line) = \"value \(line)\"  # kept\n"
    }
    return text
  }
}
