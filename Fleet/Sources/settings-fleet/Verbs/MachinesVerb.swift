import ArgumentParser
import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import SettingsTools

struct MachinesVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machines",
    abstract: "Show which machines are there, with which apps, and which are silent or missing.",
    discussion: """
      'settings-fleet machines' is 'settings-fleet machines list'.

      EXAMPLES
        settings-fleet machines
        settings-fleet machines --expect ./hosts --json
        settings-fleet machines forget web-17
      """,
    subcommands: [List.self, Forget.self], defaultSubcommand: List.self)

  struct List: FleetVerb {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Show which machines are there, with which apps, and which are silent or missing.",
      discussion: """
        Prints for each machine what has become of its documents, the release of its mirror, its groups, and its apps \
        with the versions that they read. Below that is what is not as it should be: what it refuses, and which files \
        were changed on the machine by hand, and written again, since its mirror started. Exits as 'settings-fleet \
        status' does.

        EXAMPLES
          settings-fleet machines
          settings-fleet machines --expect ./hosts
        """)
    @OptionGroup var expectations: ExpectOptions
    @Flag(help: "Print JSON.") var json = false

    func answer(in context: Context) async throws {
      let reader = StatusReader(
        cluster: context.cluster, app: nil, expected: try expectations.hosts(in: context.settings))
      let overview = try await reader.overview().0
      if json {
        Output.line(FleetJSON.text(of: overview))
      } else {
        for line in overview.machines.flatMap(\.lines) + overview.missing.map(FleetStatus.missingLine) {
          Output.line(line)
        }
      }
      if overview.isUnanswered { throw Failure(.noValue, "No machine has answered yet.") }
      if !overview.isGood { throw Failure(.noValue, nil) }
    }
  }

  struct Forget: FleetVerb {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Forget machines that are gone for good, before a day is over.",
      discussion: """
        A machine that still answers is not forgotten: stop its mirror first. One that comes back is known again.

        EXAMPLES
          settings-fleet machines forget web-17
        """)
    @Argument(help: "The host names or ids of the machines.") var names: [String]

    func answer(in context: Context) async throws {
      let reader = StatusReader(cluster: context.cluster, app: nil)
      let (overview, acks, _) = try await reader.overview()
      for name in names {
        let machines = overview.machines.filter { $0.host == name || $0.machine == name }
        guard !machines.isEmpty else {
          throw Failure(.noValue, "No machine '\(name)' is known. 'settings-fleet machines' lists them.")
        }
        for machine in machines {
          guard machine.state == .silent else {
            throw Failure(.notWritable, "Cannot forget '\(machine.host)': it still answers. Stop its mirror first.")
          }
          try await forget(machine, acks, in: context)
          Output.line("forgot \(machine.host) (\(machine.machine))")
        }
      }
    }

    func forget(_ machine: FleetOverview.Machine, _ acks: [FleetItem], in context: Context) async throws {
      var own = acks.filter { if case .ack(_, machine.machine)? = FleetKey($0.key) { true } else { false } }[...]
      while !own.isEmpty {
        let part = own.prefix(Cluster.mostOperations).map { ack in (String(decoding: ack.key, as: UTF8.self), ack) }
        own = own.dropFirst(Cluster.mostOperations)
        let answer = try await context.cluster.client.transaction(
          EtcdTransaction(
            if: part.map { .modRevision($0.0, .equal, $0.1.modRevision) }, then: part.map { .delete(.key($0.0)) }))
        guard answer.succeeded else {
          throw Failure(.changed, "'\(machine.host)' has just answered, or was forgotten. Nothing was done.")
        }
      }
    }
  }
}

extension FleetOverview.Machine {
  /// What there is to say about it.
  fileprivate var lines: [String] {
    let what = silentSeconds.map { "silent for \($0) s" } ?? state.rawValue
    let names = apps.map { app in app.appVersion.map { "\(app.app) \($0)" } ?? app.app }
    var parts = [what, release ?? "unknown release"]
    if !groups.isEmpty { parts.append("groups \(groups.joined(separator: " "))") }
    parts.append(names.isEmpty ? "no apps" : "apps \(names.joined(separator: " "))")
    var lines = ["\(host): \(parts.joined(separator: ", "))"]
    if let problem { lines.append("  \(problem.summary)") }
    for app in apps {
      if state != .silent, app.state != .applied, app.problem != problem || problem == nil {
        let reason = [app.scope.map { "\($0)" }, app.problem?.summary].compactMap(\.self)
        lines.append("  " + (["\(app.app) \(app.state.rawValue)"] + reason).joined(separator: ": "))
      }
      if app.repairs > 0 {
        lines.append(
          "  \(app.app): changed by hand \(app.repairs) \(app.repairs == 1 ? "time" : "times"), and written again")
      }
    }
    return lines
  }
}
