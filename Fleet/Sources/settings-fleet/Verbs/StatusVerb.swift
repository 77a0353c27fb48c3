import AppSettings
import ArgumentParser
import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

struct StatusVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which machines have applied an app's documents, and which refused them and why.",
    discussion: """
      A machine is silent if it has not been heard of for a minute. It is in the status for a day after that. A machine \
      is pending until it has applied what it should, or has refused it. One whose mirror has never reached the cluster, \
      or not for a day, is not known: it is missing if it is in your setting 'expected', or named with --expect. Exits 0 \
      if no machine is missing and every one that is not silent has applied what it should, 1 otherwise, and 3 if there \
      is neither a document of the app nor a machine that answers about it.

      --metrics prints the whole fleet in the text format of Prometheus, and exits 0 if it could be read.

      Without an app, it has a line for each. 'settings-fleet machines' shows the same by machine.

      EXAMPLES
        settings-fleet status
        settings-fleet status org.example.editor
        settings-fleet status org.example.editor --wait 10s
        settings-fleet status org.example.editor --watch
        settings-fleet status --json --expect ./hosts
        settings-fleet status --metrics
      """)

  @Argument(help: "The app; by default all.") var app: String?
  @Flag(help: "Print the status again whenever it changes.") var watch = false
  @Option(help: ArgumentHelp("Wait until no machine is pending, at most this long: 10s, 5m.", valueName: "time"))
  var wait: TimeArgument?
  @OptionGroup var expectations: ExpectOptions
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print metrics of the whole fleet for Prometheus.") var metrics = false

  func validate() throws {
    if metrics, app != nil || watch || wait != nil || json {
      throw ValidationError("'--metrics' is about the whole fleet, and goes with '--expect' alone.")
    }
    if watch, wait != nil { throw ValidationError("Use one of --watch and --wait.") }
  }

  func answer(in context: Context) async throws {
    if let app, !FleetNames.isApp(app) { throw Failure(.usage, "Invalid app '\(app)'.") }
    let reader = StatusReader(
      cluster: context.cluster, app: app, expected: try expectations.hosts(in: context.settings))
    if metrics { return Output.bytes(Array(try await reader.overview().0.metrics.utf8)) }
    var (status, revision) = try await read(reader)
    if watch {
      var last = ""
      while true {
        if status.text != last { Output.line(status.text) }
        last = status.text
        try await reader.change(after: revision, within: .seconds(20))
        (status, revision) = try await read(reader)
      }
    }
    if let wait {
      let end = ContinuousClock.now + wait.duration
      while !status.isSettled, ContinuousClock.now < end {
        try await reader.change(after: revision, within: end - .now)
        (status, revision) = try await read(reader)
      }
    }
    if let app, status.isUnknown {
      throw Failure(
        .unknown,
        "The fleet knows no app '\(app)': it has no document, and no machine answers about it. Check its name.")
    }
    Output.line(status.text)
    if !status.isGood { throw Failure(.noValue, nil) }
  }

  /// What to print, and what follows from it.
  private struct Shown {
    var text: String
    var isSettled: Bool
    var isGood: Bool
    var isUnknown = false
  }

  private func read(_ reader: StatusReader) async throws -> (Shown, revision: Int64) {
    if app == nil {
      let (overview, revision) = try await reader.overview()
      let isSettled = overview.missing.isEmpty && overview.apps.allSatisfy { $0.pending.isEmpty && !$0.isUnanswered }
      return (
        Shown(
          text: json ? String(decoding: overview.json, as: UTF8.self) : Self.text(of: overview), isSettled: isSettled,
          isGood: overview.isGood), revision
      )
    }
    let (status, revision) = try await reader.read()
    return (
      Shown(
        text: json ? String(decoding: status.json, as: UTF8.self) : Self.text(of: status),
        isSettled: status.pending.isEmpty && status.missing.isEmpty && !status.isUnanswered, isGood: status.isGood,
        isUnknown: status.isUnknown), revision
    )
  }

  private static func text(of overview: FleetOverview) -> String {
    let silent = overview.machines.count { $0.state == .silent }
    let first = "\(overview.machines.count) machines" + (silent > 0 ? ", \(silent) silent" : "")
    return
      ([first] + overview.apps.map { "\($0.app): \(text(of: $0))" } + overview.missing.map(FleetStatus.missingLine))
      .joined(separator: "\n")
  }

  private static func text(of status: FleetStatus) -> String {
    var lines = [status.line]
    for entry in status.refused {
      lines.append(
        "  \(entry.host) refused \(entry.scope.map { "\($0)" } ?? "everything"): \(entry.problem?.summary ?? "no reason given")"
      )
    }
    for entry in status.held { lines.append("  \(entry.host) changes nothing: \(entry.problem?.summary ?? "")") }
    for entry in status.silent { lines.append("  \(entry.host) silent for \(entry.silentSeconds ?? 0) s") }
    for entry in status.pending {
      let reason = entry.problem.map { [entry.scope.map { "\($0)" }, $0.summary].compactMap(\.self) } ?? []
      lines.append("  " + (["\(entry.host) pending"] + reason).joined(separator: ": "))
    }
    return (lines + status.missing.map(FleetStatus.missingLine)).joined(separator: "\n")
  }
}

extension FleetStatus {
  /// Whether nothing is known about the app.
  var isUnknown: Bool { revision == 0 && releases.isEmpty && unreadable == 0 }
  /// Whether no machine has answered at all, although there are documents.
  var isUnanswered: Bool {
    revision > 0 && applied == 0 && refused.isEmpty && held.isEmpty && silent.isEmpty && pending.isEmpty
  }

  static func missingLine(_ host: String) -> String {
    "  \(host) missing: its mirror has not been there for a day, or never"
  }
}

/// Reads who has applied what.
struct StatusReader {
  let cluster: Cluster
  /// `nil` for all.
  let app: String?
  var expected: [String] = []
  /// How many leases are asked for at a time.
  private static let atOnce = 32

  /// All apps and machines, and a revision up to which nothing is missing in them.
  func overview() async throws -> (FleetOverview, revision: Int64) {
    do throws(EtcdError) {
      let answer = try await cluster.client.rangeAll(EtcdRange(.prefix(FleetNames.acksPrefix)))
      let acks = answer.keyValues.map(FleetItem.init)
      let documents = try await cluster.client.rangeAll(EtcdRange(.prefix(FleetNames.prefix)))
      let snapshot = FleetSnapshot(
        cluster: ClusterID(rawValue: documents.header.cluster), revision: documents.header.revision,
        items: documents.keyValues.map(FleetItem.init))
      let leases = try await leases(Array(Set(acks.compactMap(\.lease))))
      return (
        .make(snapshot: snapshot, acks: acks, leases: leases, expected: expected), answer.header.revision
      )
    } catch {
      throw Failure(error)
    }
  }

  /// The status of the app, and a revision up to which nothing is missing in it.
  func read() async throws -> (FleetStatus, revision: Int64) {
    guard let app else { preconditionFailure("Without an app there is an overview.") }
    let mirrors = try await mirrors()
    let answers = try await answers(adding: mirrors)
    let snapshot = try await cluster.snapshot(of: app)
    let status = FleetStatus.make(
      app: app, snapshot: snapshot, acks: answers.acks, mirrors: mirrors, leases: answers.leases,
      expected: expected)
    return (status, answers.revision)
  }

  /// The machines that are there. A user of an older role may not see them.
  private func mirrors() async throws -> [FleetItem] {
    do throws(EtcdError) {
      let prefix = FleetNames.acksPrefix(ofApp: FleetNames.ownApp)
      return try await cluster.client.rangeAll(EtcdRange(.prefix(prefix))).keyValues.map(FleetItem.init)
    } catch {
      if error.code == .permissionDenied { return [] }
      throw Failure(error)
    }
  }

  private var acksPrefix: String { app.map(FleetNames.acksPrefix(ofApp:)) ?? FleetNames.acksPrefix }

  /// The answers of all machines, and how long their leases, and those of other answers, still live.
  func answers(adding others: [FleetItem] = []) async throws -> (
    acks: [FleetItem], leases: [LeaseID: LeaseState], revision: Int64
  ) {
    do throws(EtcdError) {
      let answer = try await cluster.client.rangeAll(EtcdRange(.prefix(acksPrefix)))
      let acks = answer.keyValues.map(FleetItem.init)
      return (acks, try await leases(Array(Set((acks + others).compactMap(\.lease)))), answer.header.revision)
    } catch {
      throw Failure(error)
    }
  }

  private func leases(_ ids: [LeaseID]) async throws(EtcdError) -> [LeaseID: LeaseState] {
    let client = cluster.client
    do {
      return try await withThrowingTaskGroup(of: (LeaseID, LeaseState).self) { group in
        var states: [LeaseID: LeaseState] = [:]
        var rest = ids[...]
        func next() {
          guard let id = rest.popFirst() else { return }
          group.addTask {
            let state = try await client.timeToLive(id.rawValue)
            return (id, LeaseState(granted: state?.granted ?? 0, remaining: state?.remaining ?? 0))
          }
        }
        for _ in 0..<Self.atOnce { next() }
        while let (id, state) = try await group.next() {
          states[id] = state
          next()
        }
        return states
      }
    } catch {
      throw error as? EtcdError ?? EtcdError(.internal, "\(error)")
    }
  }

  /// Waits until a document or an answer changes after a revision, or the time is over.
  func change(after revision: Int64, within time: Duration) async throws {
    let client = cluster.client
    await withTaskGroup(of: Void.self) { group in
      let documents = app.map(FleetNames.prefix(ofApp:)) ?? FleetNames.prefix
      let answers = [acksPrefix, FleetNames.acksPrefix(ofApp: FleetNames.ownApp)]
      for prefix in [documents] + (app == nil || app == FleetNames.ownApp ? [acksPrefix] : answers) {
        group.addTask {
          do {
            for try await message in try await client.watch(.prefix(prefix), from: revision + 1) {
              if case .created = message { continue }
              return
            }
          } catch {
            // The time decides, then.
            try? await Task.sleep(for: time)
          }
        }
      }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
