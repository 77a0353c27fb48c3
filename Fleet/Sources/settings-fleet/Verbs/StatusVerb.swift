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

      'settings-fleet status settings-fleet' shows all machines that are there.

      EXAMPLES
        settings-fleet status org.example.editor
        settings-fleet status org.example.editor --wait 10s
        settings-fleet status org.example.editor --watch
        settings-fleet status org.example.editor --json
      """)

  @Argument(help: "The app.") var app: String
  @Flag(help: "Print the status again whenever it changes.") var watch = false
  @Option(help: ArgumentHelp("Wait until no machine is pending, at most this long: 10s, 5m.", valueName: "time"))
  var wait: TimeArgument?
  @Option(
    help: ArgumentHelp(
      "A host whose mirror has to be there, beside those in the setting 'expected'. Can be repeated.", valueName: "host"
    ))
  var expect: [String] = []
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if watch, wait != nil { throw ValidationError("Use one of --watch and --wait.") }
  }

  func answer(in context: Context) async throws {
    guard FleetNames.isApp(app) else { throw Failure(.usage, "Invalid app '\(app)'.") }
    let expected = context.settings.store[.expected] + expect
    let reader = StatusReader(cluster: context.cluster, app: app, expected: expected)
    var (status, revision) = try await reader.read()
    if watch {
      var last = ""
      while true {
        let text = text(of: status)
        if text != last { Output.line(text) }
        last = text
        try await reader.change(after: revision, within: .seconds(20))
        (status, revision) = try await reader.read()
      }
    }
    if let wait {
      let end = ContinuousClock.now + wait.duration
      while !status.pending.isEmpty || !status.missing.isEmpty || status.isUnanswered, ContinuousClock.now < end {
        try await reader.change(after: revision, within: end - .now)
        (status, revision) = try await reader.read()
      }
    }
    if status.isUnknown {
      throw Failure(
        .unknown,
        "The fleet knows no app '\(app)': it has no document, and no machine answers about it. Check its name.")
    }
    Output.line(text(of: status))
    guard (status.pending + status.refused + status.held).isEmpty, status.missing.isEmpty else {
      throw Failure(.noValue, nil)
    }
  }

  private func text(of status: FleetStatus) -> String {
    if json { return String(decoding: status.json, as: UTF8.self) }
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
    for host in status.missing { lines.append("  \(host) missing: its mirror has not been there for a day, or never") }
    return lines.joined(separator: "\n")
  }
}

extension FleetStatus {
  /// Whether nothing is known about the app.
  var isUnknown: Bool { revision == 0 && releases.isEmpty && unreadable == 0 }
  /// Whether no machine has answered at all, although there are documents.
  var isUnanswered: Bool {
    revision > 0 && applied == 0 && refused.isEmpty && held.isEmpty && silent.isEmpty && pending.isEmpty
  }
}

/// Reads who has applied what.
struct StatusReader {
  let cluster: Cluster
  let app: String
  var expected: [String] = []
  /// How many leases are asked for at a time.
  private static let atOnce = 32

  /// The status, and a revision up to which nothing is missing in it.
  func read() async throws -> (FleetStatus, revision: Int64) {
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

  /// The answers of all machines, and how long their leases, and those of other answers, still live.
  func answers(adding others: [FleetItem] = []) async throws -> (
    acks: [FleetItem], leases: [LeaseID: LeaseState], revision: Int64
  ) {
    do throws(EtcdError) {
      let answer = try await cluster.client.rangeAll(EtcdRange(.prefix(FleetNames.acksPrefix(ofApp: app))))
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
      for prefix in [FleetNames.prefix(ofApp: app)] + Set([app, FleetNames.ownApp]).map(FleetNames.acksPrefix) {
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
