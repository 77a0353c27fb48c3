import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet

/// Many people who change one document at the same time, each with a command of their own.
struct Writers: Sendable {
  let run: Run
  let party: Party

  private var rounds: Int { run.isShort ? 1 : 5 }
  private var writers: Int { run.isShort ? 4 : 32 }

  func measure() async throws {
    // The first one makes the document.
    party.command("set", party.app, "--create", "first=0").run()
    var (single, middle, last): ([Double], [Double], [Double]) = ([], [], [])
    for round in 0..<rounds {
      single.append(Harness.nanoseconds { party.command("set", party.app, "--create", "first=\(round)").run() })
      let times = try await together(round)
      middle.append(times.quantile(0.5))
      last.append(times.quantile(1))
    }
    try await check()
    let (one, half, all) = (
      Harness.Figures(single).median, Harness.Figures(middle).median, Harness.Figures(last).quantile(1)
    )
    Harness.report("set by one, processes included", one / 1e6, .milliseconds)
    Harness.report(
      "set by \(writers) at once, p50", half / 1e6, .milliseconds, budget: run.budget(.atMost(1000)))
    Harness.report(
      "set by \(writers) at once, the longest", all / 1e6, .milliseconds, budget: run.budget(.atMost(5000)))
    Harness.report(
      "the longest of \(writers) at once / \(writers) one after another", all / (one * Double(writers)),
      nanoseconds: [all, one * Double(writers)])
  }

  /// Has all of them set a key of their own, and waits for each.
  private func together(_ round: Int) async throws -> Harness.Figures {
    let start = ContinuousClock.now
    let processes = try (0..<writers).map { number in
      try party.start("set", party.app, "--create", "round-\(round).key-\(number)=\(number)")
    }
    return try await withThrowingTaskGroup(of: Double.self) { group in
      for process in processes {
        group.addTask {
          let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: process.wait()) }
          }
          guard status == 0 else { throw Run.Failure(description: "a writer ended with status \(status)") }
          return (.now - start).nanoseconds
        }
      }
      return Harness.Figures(try await group.reduce(into: []) { $0.append($1) })
    }
  }

  /// Nothing of what was set may be lost.
  private func check() async throws {
    let document = FleetDocument(app: party.app, scope: .all)!
    let stored = try await run.cluster.withClient(run.patient) { client in
      try await client.range(EtcdRange(.key(document.key(version: 1)))).keyValues.first
    }
    let lines = String(decoding: stored?.value ?? [], as: UTF8.self).split(separator: "\n")
    let count = lines.count { $0.contains("key-") }
    guard count == rounds * writers else {
      throw Run.Failure(description: "\(count) of \(rounds * writers) values are in the document")
    }
  }
}
