/// What a machine answers about an app. It is in etcd under the machine's lease.
public struct Ack: Hashable, Sendable, Codable {
  /// What a machine has done with a document.
  public struct Document: Hashable, Sendable, Codable {
    /// The scope.
    public var scope: DocumentScope
    /// The version that the machine looked at; `nil` if there is none for it.
    public var version: Int?
    /// The revision of the text that it looked at; 0 if there is none for it.
    public var modRevision: Int64
    /// What came of it.
    public var state: State
    /// Why, if it is not applied.
    public var problem: FleetProblem?

    /// Describes what was done.
    public init(
      scope: DocumentScope, version: Int?, modRevision: Int64, state: State, problem: FleetProblem? = nil
    ) {
      self.scope = scope
      self.version = version
      self.modRevision = modRevision
      self.state = state
      self.problem = problem
    }
  }

  /// What came of a document.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// The file has this text.
    case applied
    /// The machine does not take it. The file has the last text that it took, or there is none.
    case refused
    /// The machine takes it, but could not finish. It tries again.
    case pending
    /// The file has the text of the rollout instead.
    case rollout
  }

  /// What a canary has done with a rollout.
  public struct Rollout: Hashable, Sendable, Codable {
    /// What came of a rollout.
    public enum State: String, Hashable, Sendable, Codable {
      /// The file has the rollout's text.
      case applied
      /// The machine does not take it.
      case refused
      /// The machine takes it, but could not finish. It tries again.
      case pending
      /// The document has changed since, so that the rollout is void.
      case superseded
      /// The app on this machine uses another version of the document.
      case notConcerned = "not-concerned"
    }

    /// The rollout's id.
    public var id: String
    /// What came of it.
    public var state: State
    /// Why, if it is not applied, or why the check command could not be run.
    public var problem: FleetProblem?
    /// The exit status of the check command, 127 if it could not be run; `nil` while it has none.
    public var check: Int?
  }

  /// The version of this format.
  public var format = 1
  /// The app's id.
  public var app: String
  /// The machine's id.
  public var machine: String
  /// The machine's host name.
  public var host: String
  /// The machine's groups.
  public var groups: [String]
  /// The release of the mirror, if it says so.
  public var release: String?
  /// The version that the app reads; `nil` without a schema.
  public var appVersion: Int?
  /// The revision of the snapshot that the answer is about.
  public var revision: Int64
  /// The documents that are for the machine, from the one with the lowest precedence to the one with the highest.
  public var documents: [Document]
  /// The rollout, if the machine is one of its canaries.
  public var rollout: Rollout?
  /// The apps whose documents the machine mirrors; `nil` for all. Only in the answer about ``FleetNames/ownApp``, by which
  /// a machine is known before it has answered about an app.
  public var apps: [String]?
  /// How often a file of the app was found changed by hand, and was written again, since the mirror started; `nil` for never.
  public var repairs: Int?
  /// Why the machine does nothing at all at the moment.
  public var problem: FleetProblem?
  /// The lease that the answer was published under.
  public var lease: LeaseID?

  /// Describes an answer.
  public init(
    app: String, machine: String, host: String, groups: [String] = [], release: String? = nil, appVersion: Int? = nil,
    revision: Int64, documents: [Document] = [], rollout: Rollout? = nil, problem: FleetProblem? = nil,
    lease: LeaseID? = nil
  ) {
    self.app = app
    self.machine = machine
    self.host = host
    self.groups = groups
    self.release = release
    self.appVersion = appVersion
    self.revision = revision
    self.documents = documents
    self.rollout = rollout
    self.problem = problem
    self.lease = lease
  }

  /// The largest answer that is read, in bytes.
  static let mostBytes = 512 << 10

  /// Reads an answer from etcd; `nil` if it cannot be read, has a number that no mirror writes, names another app or
  /// machine than its key, or is under another lease than it says. So nobody can answer for another machine without its
  /// role.
  public init?(_ item: FleetItem) {
    guard case .ack(let app, let machine)? = FleetKey(item.key),
      let ack = FleetJSON.decode(Ack.self, from: item.value, upTo: Self.mostBytes), ack.app == app,
      ack.machine == machine,
      ack.lease == item.lease, ack.format == 1, FleetNames.isName(ack.host), ack.groups.allSatisfy(FleetNames.isGroup),
      ack.repairs ?? 0 >= 0,
      ([ack.appVersion] + ack.documents.map(\.version)).allSatisfy({ $0 ?? 1 >= 1 })
    else { return nil }
    self = ack
    release = release.map { FleetProblem.shown($0, most: 100) }
  }

  /// The key that it is stored under.
  public var key: FleetKey { .ack(app: app, machine: machine) }

  /// The value for its key.
  public var json: [UInt8] { FleetJSON.encode(self) }
}
