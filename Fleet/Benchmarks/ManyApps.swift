import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet

/// A mirror that gets the documents of many apps at once, and one more that somebody needs meanwhile.
struct ManyApps: Sendable {
  let run: Run
  let party: Party

  private var count: Int { run.isShort ? 20 : 500 }
  private var rounds: Int { run.isShort ? 1 : 3 }
  private static let urgent = FleetDocument(app: "z.urgent", scope: .all)!

  func measure() async throws {
    let documents = (0..<count).map { FleetDocument(app: "org.example.app\($0)", scope: .all)! }
    var (all, urgent, alone): ([Double], [Double], [Double]) = ([], [], [])
    try await run.cluster.withClient(run.patient) { client in
      // It has its directories then, and what follows are changes, as on each day but the first.
      let mirror = try party.mirror()
      defer {
        mirror.send(SIGTERM)
        _ = mirror.wait()
      }
      try await store(documents + [Self.urgent], number: 0, by: client)
      try await wait(for: documents + [Self.urgent], number: 0)
      for round in 1...rounds {
        let start = ContinuousClock.now
        try await store(documents, number: round, by: client)
        let change = ContinuousClock.now
        try await store([Self.urgent], number: round, by: client)
        try await wait(for: [Self.urgent], number: round)
        urgent.append((.now - change).nanoseconds)
        try await wait(for: documents, number: round)
        all.append((.now - start).nanoseconds)
        let quiet = ContinuousClock.now
        try await store([Self.urgent], number: -round, by: client)
        try await wait(for: [Self.urgent], number: -round)
        alone.append((.now - quiet).nanoseconds)
      }
    }
    let (most, mostUrgent) = (Harness.Figures(all).quantile(1), Harness.Figures(urgent).quantile(1))
    let quiet = Harness.Figures(alone).median
    Harness.report(
      "\(count) apps changed -> all files replaced", most / 1e6, .milliseconds, budget: run.budget(.atMost(5000)))
    Harness.report("one more app, changed after those -> its file replaced", mostUrgent / 1e6, .milliseconds)
    Harness.report(
      "one more app after \(count) / alone", mostUrgent / quiet, nanoseconds: [mostUrgent, quiet])
  }

  private func text(_ number: Int) -> String {
    String(repeating: "# A line that is not changed.\n", count: 130) + "a = \(number)\n"
  }

  private func store(_ documents: [FleetDocument], number: Int, by client: EtcdClient) async throws {
    let text = text(number)
    for start in stride(from: 0, to: documents.count, by: 100) {
      try await client.transaction(
        EtcdTransaction(
          then: documents[start..<min(start + 100, documents.count)].map { .put($0.key(version: 1), text) }))
    }
  }

  private func wait(for documents: [FleetDocument], number: Int) async throws {
    let text = text(number)
    var missing = documents.map { "\(party.directory(of: $0.app))/\($0.scope.fileName)" }
    let end = ContinuousClock.now + .seconds(60)
    while true {
      // From the end, which costs little while the last one is not there: the mirror shares the processors.
      while let last = missing.last, (try? String(contentsOfFile: last, encoding: .utf8)) == text {
        missing.removeLast()
      }
      guard !missing.isEmpty else { return }
      guard .now < end else { throw Run.Failure(description: "\(missing.count) files were not replaced in a minute") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
