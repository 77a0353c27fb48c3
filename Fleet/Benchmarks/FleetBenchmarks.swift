import ArgumentParser
import BenchmarkHarness
import EtcdClient
import EtcdTesting
import Foundation
import Synchronization

/// What the fleet costs: how long a change takes to reach many machines, what etcd and a mirror need, beside the same
/// without anything of ours.
///
/// Everything runs on one machine: the cluster, those who watch and those who write share its processors.
@main
struct FleetBenchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet-benchmarks",
    abstract: "Measure the fleet with a real etcd, beside bare watches and writes.")

  enum Section: String, CaseIterable, ExpressibleByArgument {
    case fanOut = "fan-out"
    case sets, mirror, status, writers, apps
  }

  @Flag(help: "Only show that everything still runs: few watchers, few rounds, no budgets.") var short = false
  @Option(
    help: ArgumentHelp(
      "The executable settings-fleet, as it is installed; with it, mirrors and the command.", valueName: "file"))
  var fleet: String?
  @Option(
    help: ArgumentHelp(
      "The executable settings-cli; by default the one beside settings-fleet or in PATH.", valueName: "file"))
  var cli: String?
  @Option(help: ArgumentHelp("How many members the cluster has.", valueName: "number")) var members = 1
  @Option(help: "One part alone: \(Section.allCases.map(\.rawValue).joined(separator: ", ")).") var only: [Section] = []

  func run() async throws {
    if let missing = EtcdCluster.missing {
      print("The fleet is not measured: \(missing)")
      return
    }
    Limits.raise()
    // On the disk of the checkout: in /tmp, fsync may be free, and every write of etcd waits for it.
    if let directory = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] { setenv("TMPDIR", directory, 1) }
    let sections = only.isEmpty ? Section.allCases : only
    Harness.begin()
    var options = EtcdCluster.Options()
    options.usesTLS = true
    for section in sections {
      // One for each, so that no part finds what another has left.
      let cluster = try await EtcdCluster.start(members: members, options: options)
      defer { cluster.stop() }
      let run = Run(cluster: cluster, isShort: short)
      switch section {
      case .fanOut: try await FanOut(run: run).measure()
      case .sets: try await Sets(run: run).measure()
      case .mirror, .status, .writers, .apps:
        guard let fleet else {
          print("\(section.rawValue): left out, since --fleet names no executable")
          continue
        }
        let party = try Party(run: run, program: fleet, cli: cli)
        defer { party.remove() }
        switch section {
        case .status: try await Status(run: run, party: party).measure()
        case .writers: try await Writers(run: run, party: party).measure()
        case .apps: try await ManyApps(run: run, party: party).measure()
        default: try await Mirror(run: run, party: party).measure()
        }
      }
    }
    if Harness.hasMissed { throw ExitCode.failure }
  }
}

/// What all parts need.
struct Run: Sendable {
  let cluster: EtcdCluster
  let isShort: Bool

  var member: EtcdMember { cluster.members[0] }

  /// What those have that make the load: they wait longer than a mirror does, because everything shares the processors.
  var patient: EtcdConfiguration {
    var configuration = cluster.configuration
    configuration.deadline = .seconds(120)
    // As a mirror does: all of them together share the members.
    configuration.endpoints.shuffle()
    return configuration
  }

  /// A short run judges nothing.
  func budget(_ budget: Harness.Budget) -> Harness.Budget? { isShort ? nil : budget }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}

/// How many files this process and those that it starts may have open.
enum Limits {
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    // More than the hard limit is for those with the privilege.
    var most = rlimit(rlim_cur: max(limit.rlim_max, 100_000), rlim_max: max(limit.rlim_max, 100_000))
    if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &most) == 0 { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  static var files: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(limit.rlim_cur)
  }
}
