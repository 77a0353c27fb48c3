import ArgumentParser
import SettingsFleet
import SettingsTools

struct StatusVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which machines have applied an app's documents, and which refused them and why.",
    discussion: """
      A machine is silent if it has not been heard of for a minute. It is in the status for a day after that. A machine \
      is pending until it has applied what it should, or has refused it. One whose mirror has never reached the cluster, \
      or not for a day, is not known: it is missing if it is in your setting 'expected', or named with --expect. Exits 0 \
      if no machine is missing and every one that is not silent has applied what it should, 1 otherwise, also if no \
      machine has answered about the app, and 3 if there is neither a document of the app nor a machine that answers \
      about it.

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
        let text = text(of: status)
        if text != last { Output.line(text) }
        if Output.isBroken { return }
        last = text
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
      let hint = await context.cluster.app(near: app).map { "Did you mean '\($0)'?" } ?? "Check its name."
      throw Failure(
        .unknown, "The fleet knows no app '\(app)': it has no document, and no machine answers about it. \(hint)")
    }
    Output.line(text(of: status))
    if status.isUnanswered {
      let about = app.map { " about '\($0)' yet. 'settings-fleet machines' shows which are there." }
      throw Failure(.noValue, "No machine has answered\(about ?? " yet.")")
    }
    if !status.isGood { throw Failure(.noValue, nil) }
  }

  private func text(of status: some Shown) -> String { json ? FleetJSON.text(of: status) : status.text }

  private func read(_ reader: StatusReader) async throws -> (any Shown, revision: Int64) {
    if app != nil { return try await reader.read() }
    let (overview, _, revision) = try await reader.overview()
    return (overview, revision)
  }
}

/// What to print, and what follows from it.
private protocol Shown: Encodable {
  /// The lines for people.
  var text: String { get }
  /// Whether no answer is waited for.
  var isSettled: Bool { get }
  var isGood: Bool { get }
  /// Whether nothing is known about the app.
  var isUnknown: Bool { get }
  /// Whether no machine has answered at all, although there are documents.
  var isUnanswered: Bool { get }
}

extension FleetOverview: Shown {
  fileprivate var isSettled: Bool { missing.isEmpty && apps.allSatisfy(\.isSettled) }
  fileprivate var isUnknown: Bool { false }

  fileprivate var text: String {
    let silent = machines.count { $0.state == .silent }
    let count = machines.count
    let first = "\(count) \(count == 1 ? "machine" : "machines")" + (silent > 0 ? ", \(silent) silent" : "")
    return ([first] + apps.map { "\($0.app): \($0.text)" } + missing.map(FleetStatus.missingLine))
      .joined(separator: "\n")
  }
}

extension FleetStatus: Shown {
  fileprivate var text: String {
    var lines = [line]
    for entry in refused {
      lines.append(
        "  \(entry.host) refused \(entry.scope.map { "\($0)" } ?? "everything"): \(entry.problem?.summary ?? "no reason given")"
      )
    }
    for entry in held { lines.append("  \(entry.host) changes nothing: \(entry.problem?.summary ?? "")") }
    for entry in silent { lines.append("  \(entry.host) silent for \(entry.silentSeconds ?? 0) s") }
    for entry in pending {
      let reason = entry.problem.map { [entry.scope.map { "\($0)" }, $0.summary].compactMap(\.self) } ?? []
      lines.append("  " + (["\(entry.host) pending"] + reason).joined(separator: ": "))
    }
    return (lines + missing.map(Self.missingLine)).joined(separator: "\n")
  }

  var isUnknown: Bool { revision == 0 && releases.isEmpty && unreadable == 0 }
  var isUnanswered: Bool {
    revision > 0 && applied == 0 && refused.isEmpty && held.isEmpty && silent.isEmpty && pending.isEmpty
  }

  fileprivate var isSettled: Bool { pending.isEmpty && missing.isEmpty && !isUnanswered }

  static func missingLine(_ host: String) -> String {
    "  \(host) missing: its mirror has not been there for a day, or never"
  }
}
