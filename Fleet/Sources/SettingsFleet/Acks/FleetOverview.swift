/// All apps and all machines of a fleet: who is there, with what, and who is not.
public struct FleetOverview: Hashable, Sendable, Codable {
  /// What has become of documents on a machine, from the best to the worst.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// It has what it should have.
    case applied
    /// It has not answered for the last change yet, or could not finish it.
    case pending
    /// It refuses a document.
    case refused
    /// It changes nothing until an operator accepts the cluster.
    case held
    /// It does not keep its lease alive.
    case silent
  }

  /// An app on a machine.
  public struct App: Hashable, Sendable, Codable {
    /// The app's id.
    public var app: String
    /// The version that it reads; `nil` without a schema.
    public var appVersion: Int?
    /// What has become of its documents.
    public var state: State
    /// The document that the problem is about.
    public var scope: DocumentScope?
    /// What the machine reports.
    public var problem: FleetProblem?
    /// How often a file was found changed by hand, and was written again, since the mirror started.
    public var repairs: Int
  }

  /// A machine.
  public struct Machine: Hashable, Sendable, Codable {
    /// The machine's id.
    public var machine: String
    /// The machine's host name.
    public var host: String
    /// The machine's groups.
    public var groups: [String]
    /// The release of its mirror, if it says so.
    public var release: String?
    /// The worst of what it has to say.
    public var state: State
    /// For how many seconds it has been silent.
    public var silentSeconds: Int?
    /// Why it does nothing at all.
    public var problem: FleetProblem?
    /// Its apps, by id.
    public var apps: [App]
  }

  /// The status of each app that has a document or an answer, by id.
  public var apps: [FleetStatus] = []
  /// The machines that are known, by host name.
  public var machines: [Machine] = []
  /// The hosts that are expected and of whose mirrors nothing is known.
  public var missing: [String] = []

  /// Whether every machine that is not silent has what it should have, and none is missing.
  public var isGood: Bool {
    missing.isEmpty && !isUnanswered && apps.allSatisfy(\.isGood) && !machines.contains { $0.state == .held }
  }

  /// Whether no machine has answered at all, although there are documents.
  public var isUnanswered: Bool { machines.isEmpty && apps.contains { $0.revision > 0 } }

  /// Compares what machines answer with what the cluster has.
  ///
  /// - Parameters:
  ///   - snapshot: All documents.
  ///   - acks: What is below ``FleetNames/acksPrefix``.
  ///   - leases: How long each answer's lease is still good.
  ///   - expected: The hosts whose mirrors have to be there.
  public static func make(
    snapshot: FleetSnapshot, acks: [FleetItem], leases: [LeaseID: LeaseState], expected: [String] = []
  ) -> FleetOverview {
    let contents = FleetContents(snapshot)
    let answers = Dictionary(grouping: acks) { FleetKey($0.key)?.app }.mapValues { $0.map { Ack($0) } }
    let apps = Set(snapshot.items.map { FleetKey($0.key)?.app }).union(answers.keys).compactMap(\.self)
    var overview = FleetOverview()
    var machines: [String: Machine] = [:]
    let mirrors = answers[FleetNames.ownApp] ?? []
    let present = FleetStatus.make(app: FleetNames.ownApp, AppDocuments(), mirrors, mirrors: [], leases).findings
    let running = mirrors.compactMap(\.self)
    let alive = FleetStatus.machines(keptAliveIn: running, leases)
    for ack in running { machines[ack.machine] = Machine(ack, present[ack.machine]) }
    for app in apps.sorted() where app != FleetNames.ownApp {
      let status = FleetStatus.make(
        app: app, contents.apps[app] ?? AppDocuments(), answers[app] ?? [], mirrors: running, leases)
      overview.apps.append(status)
      let findings = status.findings
      for case let ack? in answers[app] ?? [] where !FleetStatus.isLeft(ack, by: alive, leases) {
        var machine = machines[ack.machine] ?? Machine(ack, findings[ack.machine])
        machine.release = machine.release ?? ack.release
        machine.add(app, version: ack.appVersion, repairs: ack.repairs, findings[ack.machine])
        machines[ack.machine] = machine
      }
      for entry in status.pending where !(machines[entry.machine]?.apps.contains { $0.app == app } ?? true) {
        machines[entry.machine]?.add(app, version: nil, repairs: nil, (.pending, entry))
      }
    }
    overview.machines = machines.values.sorted { ($0.host, $0.machine) < ($1.host, $1.machine) }
    overview.missing = FleetStatus.missing(of: expected, among: overview.machines.map(\.host))
    return overview
  }
}

extension FleetOverview.Machine {
  fileprivate init(_ ack: Ack, _ found: FleetStatus.Finding?) {
    let state = found?.state ?? .applied
    self.init(
      machine: ack.machine, host: ack.host, groups: ack.groups, release: ack.release,
      state: state == .silent || state == .held ? state : .applied, silentSeconds: found?.entry.silentSeconds,
      problem: ack.problem, apps: [])
  }

  fileprivate mutating func add(_ app: String, version: Int?, repairs: Int?, _ found: FleetStatus.Finding?) {
    let state = found?.state ?? .applied
    apps.append(
      FleetOverview.App(
        app: app, appVersion: version, state: state, scope: found?.entry.scope, problem: found?.entry.problem,
        repairs: repairs ?? 0))
    // Of a silent machine, nothing else is known.
    let order = FleetOverview.State.allCases
    if order.firstIndex(of: state)! > order.firstIndex(of: self.state)! { self.state = state }
  }
}

extension FleetStatus {
  /// What there is to say about a machine that has not applied everything.
  fileprivate typealias Finding = (state: FleetOverview.State, entry: Entry)

  /// By machine, the worst.
  fileprivate var findings: [String: Finding] {
    var findings: [String: Finding] = [:]
    let lists: [(FleetOverview.State, [Entry])] = [
      (.pending, pending), (.refused, refused), (.held, held), (.silent, silent),
    ]
    for (state, entries) in lists { for entry in entries { findings[entry.machine] = (state, entry) } }
    return findings
  }

  /// Whether every machine that is not silent has applied what it should, and none is missing. What cannot be read says
  /// nothing of the kind.
  public var isGood: Bool {
    pending.isEmpty && refused.isEmpty && held.isEmpty && missing.isEmpty && unreadable == 0
  }

  /// The hosts that are expected, and are not among those that are known.
  static func missing(of expected: [String], among hosts: some Sequence<String>) -> [String] {
    Set(expected).subtracting(hosts).sorted()
  }
}
