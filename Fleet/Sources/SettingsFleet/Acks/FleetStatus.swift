/// How long a lease is still good, as etcd says it.
public struct LeaseState: Hashable, Sendable {
  /// The seconds that the lease lives for if it is not kept alive.
  public var granted: Int
  /// The seconds that are left; 0 or less if the lease is gone.
  public var remaining: Int

  /// Takes over what etcd says.
  public init(granted: Int, remaining: Int) {
    self.granted = granted
    self.remaining = remaining
  }

  /// The seconds since it was last kept alive.
  package var silence: Int { max(0, granted - remaining) }
}

/// Who has applied an app's documents, who refused them and why, and who is silent.
public struct FleetStatus: Hashable, Sendable, Codable {
  /// A machine and what is known about it.
  public struct Entry: Hashable, Sendable, Codable {
    /// The machine's id.
    public var machine: String
    /// The machine's host name.
    public var host: String
    /// What it reports.
    public var problem: FleetProblem?
    /// The document that the problem is about; `nil` if it is about all.
    public var scope: DocumentScope?
    /// For how many seconds it has been silent.
    public var silentSeconds: Int?
  }

  /// How far the rollout is that is under way.
  public struct RolloutCounts: Hashable, Sendable, Codable {
    /// The rollout's id.
    public var id: String
    /// How many canaries have applied it.
    public var applied = 0
    /// The canaries that refused it.
    public var refused: [Entry] = []
    /// How many canaries have not answered yet.
    public var pending = 0
  }

  /// The app's id.
  public var app: String
  /// The revision of the last change of the app's documents; 0 if there are none.
  public var revision: Int64
  /// The machines that have what they should have.
  public var applied = 0
  /// The machines that have not answered for the last change yet, or could not finish it, by machine.
  public var pending: [Entry] = []
  /// The machines that refuse, with each one's first problem, by machine.
  public var refused: [Entry] = []
  /// The machines that change nothing until an operator accepts the cluster, by machine.
  public var held: [Entry] = []
  /// The machines that do not keep their lease alive, by machine. Nothing is known of them.
  public var silent: [Entry] = []
  /// The hosts that are expected and of whose mirrors nothing is known.
  public var missing: [String] = []
  /// How many machines have which release of the mirror. `unknown` for those that do not say.
  public var releases: [String: Int] = [:]
  /// How many machines read which version. `none` for those without a schema.
  public var appVersions: [String: Int] = [:]
  /// The rollout that is under way.
  public var rollout: RolloutCounts?
  /// How many answers cannot be read.
  public var unreadable = 0

  /// Compares what machines answer with what the cluster has.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - snapshot: The app's documents.
  ///   - acks: What is below ``FleetNames/acksPrefix(ofApp:)``.
  ///   - mirrors: What is below that prefix of ``FleetNames/ownApp``: the machines that are there. Those that should have a
  ///     document of the app, and have not answered about it, are pending.
  ///   - leases: How long each answer's lease is still good. A machine whose lease is not in it counts as alive.
  ///   - expected: The hosts whose mirrors have to be there.
  public static func make(
    app: String, snapshot: FleetSnapshot, acks: [FleetItem], mirrors: [FleetItem] = [],
    leases: [LeaseID: LeaseState], expected: [String] = []
  ) -> FleetStatus {
    make(
      app: app, FleetContents(snapshot).apps[app] ?? AppDocuments(), acks.map { Ack($0) },
      mirrors: mirrors.compactMap { Ack($0) }, leases, expected: expected)
  }

  /// The same of what has been read; `nil` is an answer that cannot be read.
  static func make(
    app: String, _ documents: AppDocuments, _ acks: [Ack?], mirrors: [Ack], _ leases: [LeaseID: LeaseState],
    expected: [String] = []
  ) -> FleetStatus {
    var (documents, answers) = (documents, acks.filter { $0?.app == app }.compactMap(\.self))
    // One whose document was changed is over, whether or not anybody is there to remove it.
    documents.rollout = documents.rollout.flatMap { documents.openRollout(of: $0.scope) }
    let revisions = documents.documents.values.flatMap(\.values).map(\.modRevision) + [documents.rolloutRevision]
    var status = FleetStatus(app: app, revision: revisions.max() ?? 0)
    status.unreadable = acks.count - answers.count
    if let rollout = documents.rollout { status.rollout = RolloutCounts(id: rollout.id) }
    let alive = machines(keptAliveIn: mirrors, leases)
    answers.removeAll { isLeft($0, by: alive, leases) }
    let known = Set(answers.map(\.machine))
    status.missing = missing(of: expected, among: (answers + mirrors).map(\.host))
    for mirror in mirrors
    where !known.contains(mirror.machine) && (mirror.apps?.contains(app) ?? true) && documents.concern(mirror) {
      var missing = mirror
      missing.app = app
      missing.problem =
        mirror.problem ?? FleetProblem(.unanswered, "it has not answered about '\(app)' yet.")
      answers.append(missing)
    }
    for ack in answers.sorted(by: { $0.machine < $1.machine }) {
      status.count(ack, documents, silence: silence(of: ack, leases))
    }
    return status
  }

  /// The seconds without a sign of life after which a machine is silent.
  private static let silentAfter = 60

  private static func silence(of ack: Ack, _ leases: [LeaseID: LeaseState]) -> Int {
    ack.lease.flatMap { leases[$0] }?.silence ?? 0
  }

  /// The machines that are not silent, by their answers about ``FleetNames/ownApp``.
  static func machines(keptAliveIn mirrors: [Ack], _ leases: [LeaseID: LeaseState]) -> Set<String> {
    Set(mirrors.filter { silence(of: $0, leases) <= silentAfter }.map(\.machine))
  }

  /// Whether an answer is one that an earlier run of a mirror has left under its lease: it says nothing of the machine,
  /// which is alive, and does not mirror the app any more.
  static func isLeft(_ ack: Ack, by alive: Set<String>, _ leases: [LeaseID: LeaseState]) -> Bool {
    alive.contains(ack.machine) && silence(of: ack, leases) > silentAfter
  }

  private mutating func count(_ ack: Ack, _ documents: AppDocuments, silence: Int) {
    if ack.problem?.kind != .unanswered {
      releases[ack.release ?? "unknown", default: 0] += 1
      appVersions[ack.appVersion.map(String.init) ?? "none", default: 0] += 1
    }
    func entry(_ problem: FleetProblem? = nil, _ scope: DocumentScope? = nil) -> Entry {
      Entry(machine: ack.machine, host: ack.host, problem: problem, scope: scope)
    }
    if silence > Self.silentAfter {
      var silent = entry()
      silent.silentSeconds = silence
      self.silent.append(silent)
      return
    }
    var waiting: Entry?
    if let current = documents.rollout, current.isCanary(ack), current.canApply(to: ack) {
      let answer = ack.rollout?.id == current.id ? ack.rollout : nil
      switch answer?.state {
      case .applied: rollout?.applied += 1
      case .refused: rollout?.refused.append(entry(answer?.problem, current.scope))
      case .pending, nil:
        rollout?.pending += 1
        waiting = entry(answer?.problem, answer?.problem == nil ? nil : current.scope)
      case .superseded, .notConcerned: break
      }
    } else if ack.documents.contains(where: { $0.state == .rollout }) {
      waiting = entry()
    }
    if let problem = ack.problem {
      switch problem.kind {
      case .unanswered: pending.append(entry(problem))
      case .otherCluster, .revisionWentBack: held.append(entry(problem))
      default: refused.append(entry(problem))
      }
      return
    }
    for scope in [.all] + ack.groups.sorted().map({ .group($0) }) + [.host(ack.host)] as [DocumentScope] {
      switch documents.state(of: scope, in: ack) {
      case .refused(let problem):
        refused.append(entry(problem, scope))
        return
      case .pending(let problem):
        if waiting?.problem == nil { waiting = entry(problem, problem == nil ? nil : scope) }
      case .applied: break
      }
    }
    if let waiting { pending.append(waiting) } else { applied += 1 }
  }
}

extension AppDocuments {
  fileprivate enum State {
    case applied
    case refused(FleetProblem?)
    case pending(FleetProblem?)
  }

  /// Whether a machine should have one of the documents, by its answer about ``FleetNames/ownApp``.
  fileprivate func concern(_ mirror: Ack) -> Bool {
    documents.keys.contains { $0.includes(host: mirror.host, groups: mirror.groups) }
  }

  /// What an answer says about a document as it is now.
  fileprivate func state(of scope: DocumentScope, in ack: Ack) -> State {
    let oldest = documents[scope]?.min { $0.key < $1.key }.map { (version: $0.key, stored: $0.value) }
    let answer = ack.documents.first { $0.scope == scope }
    guard let (version, stored) = readable(scope, upTo: ack.appVersion) ?? oldest else {
      guard let answer else { return .applied }
      return answer.state == .refused && answer.modRevision == 0 ? .refused(answer.problem) : .pending(nil)
    }
    guard let answer, answer.modRevision == stored.modRevision, answer.version == version else { return .pending(nil) }
    switch answer.state {
    case .applied: return .applied
    case .rollout: return rollout.map { $0.id == ack.rollout?.id } ?? false ? .applied : .pending(nil)
    case .refused: return .refused(answer.problem)
    case .pending: return .pending(answer.problem)
    }
  }
}
