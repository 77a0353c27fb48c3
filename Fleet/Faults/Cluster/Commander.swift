import EtcdClient
import EtcdTesting
import Foundation
import SettingsFleet
import Synchronization

/// Counts with the command itself: with 'set', with 'apply' of a directory, and with a rollout in steps, each in a document.
final class Commander: Sendable {
  enum Verb: String, Sendable, CaseIterable { case set, apply, rollout }

  /// One for each verb, in its order.
  let counters: [CounterWriter]
  private let client: EtcdClient
  private let home: String
  private let environment: [String: String]
  private let program: String
  private let figures: Figures
  /// Protects what accompanies a rollout.
  private let coordinator = Mutex<ChildProcess?>(nil)
  private static let counter = "w3"

  /// - Parameters:
  ///   - root: Where its settings are made, in a directory of its own.
  ///   - settings: Where the cluster is.
  ///   - client: A direct connection.
  init(
    in root: String, settings: String, programs: Programs, client: EtcdClient, key: SigningKey, figures: Figures
  ) throws {
    (self.client, self.figures, program, home) = (client, figures, programs.mirror, "\(root)/desk")
    // The last two are of machines that the other writers leave alone.
    counters = [.all, .host("m1"), .host("m2")].map {
      CounterWriter(
        Self.counter, in: FleetDocument(app: Texts.app, scope: $0)!, client: client, key: key, figures: figures)
    }
    environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "XDG_CONFIG_HOME": home,
      "XDG_CONFIG_DIRS": "\(home)/none", "XDG_STATE_HOME": "\(home)/state", "XDG_DATA_HOME": "\(home)/none",
      "XDG_DATA_DIRS": "\(home)/share", "SETTINGS_CLI": programs.cli, "TMPDIR": root,
    ]
    for directory in ["settings-fleet", "share/app-settings", "tree/\(Texts.app)/host"] {
      try Files.makeDirectory("\(home)/\(directory)")
    }
    try Files.write(key.fileText, to: "\(home)/key", mode: 0o600)
    try Files.write(
      settings + "signing-key = \"\(home)/key\"\n", to: "\(home)/settings-fleet/settings.toml")
    try Files.write(Texts.schema, to: "\(home)/share/app-settings/\(Texts.app).toml")
  }

  /// Counts once. A rollout may stay under way.
  func run(_ verb: Verb) async {
    let counter = counters[Verb.allCases.firstIndex(of: verb)!]
    let number = counter.take()
    let change = "\(Self.counter)=\(number)"
    let start = ContinuousClock.now
    let status: Int32?
    switch verb {
    case .set: status = await run(["set", Texts.app, change])
    case .apply:
      try? Files.write("\(Self.counter) = \(number)\n", to: "\(home)/tree/\(counter.document).toml")
      status = await run(["apply", "\(home)/tree"])
      // Nobody else writes it.
      if Files.end(of: log).contains("Changed by hand") { figures.count(.wrong, Files.end(of: log)) }
    case .rollout:
      let steps = ["--steps", "50,100", "--bake", "0s", "--resume-within", "1m"]
      status = await run(["rollout"] + steps + [Texts.app, "--host", "m2", "set", change], isCoordinator: true)
    }
    if status == 0 { counter.acknowledge(number) }
    figures.note {
      $0.commands += 1
      $0.goodCommands += status == 0 ? 1 : 0
      $0.longestCommand = max($0.longestCommand, .now - start)
    }
  }

  /// Kills what accompanies a rollout, if it still does.
  func killCoordinator() { coordinator.withLock { $0 }?.send(SIGKILL) }

  /// Goes on with a rollout that was left under way, to its end. Each step waits for a sign of life, which machines give when
  /// they start, and otherwise every 20 seconds.
  func finishRollout(restarting machine: Machine) async throws {
    guard let rollout = try await rollout() else { return }
    let restarts = Task {
      while true {
        try await Task.sleep(for: .seconds(2))
        machine.kill()
        try machine.start()
      }
    }
    let status = await run(["rollout", "resume", Texts.app])
    restarts.cancel()
    _ = await restarts.result
    if status == 0 { counters[2].acknowledge(Texts.number(of: Self.counter, in: Array(rollout.text.utf8))) }
    figures.note { $0.resumed += 1 }
    guard let left = try await self.rollout() else { return }
    throw Failure("the rollout \(left.id) cannot be finished: \(status ?? -1)\n\(Files.end(of: log))")
  }

  private func rollout() async throws -> Rollout? {
    try await client.range(EtcdRange(.key(FleetKey.rollout(app: Texts.app).text))).keyValues.first
      .flatMap { Rollout($0.value) }
  }

  private var log: String { "\(home)/log" }

  private func run(_ words: [String], isCoordinator: Bool = false) async -> Int32? {
    guard let child = try? ChildProcess(program, words, output: log, environment: environment) else { return nil }
    if isCoordinator { coordinator.withLock { $0 = child } }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: child.wait()) }
    }
  }
}
