/// A machine of a fleet, as it is configured. Nothing of it comes from the cluster.
public struct Machine: Hashable, Sendable {
  /// What tells it from all others: `/etc/machine-id` unless configured.
  public let id: String
  /// Its host name, as `uname -n` says it.
  public let host: String
  /// Its groups, sorted.
  public let groups: [String]
  /// The apps to mirror; `nil` for all. ``FleetNames/ownApp`` is never mirrored.
  public let apps: Set<String>?
  /// Whose signatures count. If it trusts nobody, signatures are not looked at: who could change the document could
  /// remove its signature, too.
  public let trust: Trust

  /// Whether it takes only what is signed by a trusted key.
  var requiresSignatures: Bool { trust.isRequired }

  /// The largest number of groups.
  public static let mostGroups = 64

  /// Describes a machine.
  ///
  /// - Throws: ``FleetProblem`` of kind `invalidName` if a name cannot be used in a fleet, or there are more than
  ///   ``mostGroups`` groups.
  public init(
    id: String, host: String, groups: [String] = [], apps: Set<String>? = nil, trustedKeys: [VerificationKey] = []
  ) throws(FleetProblem) {
    func check(
      _ isValid: Bool, _ what: String, _ name: String, _ most: Int = FleetNames.longestName
    ) throws(FleetProblem) {
      if isValid { return }
      throw FleetProblem(
        .invalidName, "'\(name)' cannot be used as \(what): \(FleetNames.rule(upTo: most)). Set another one.")
    }
    try check(FleetNames.isName(id), "the id of a machine", id)
    try check(FleetNames.isName(host), "the name of a host", host)
    for group in groups {
      try check(FleetNames.isGroup(group), "the name of a group", group, FleetNames.longestGroup)
    }
    for app in apps ?? [] { try check(FleetNames.isApp(app), "the id of an app", app, FleetNames.longestApp) }
    guard Set(groups).count <= Self.mostGroups else {
      throw FleetProblem(
        .invalidName, "The machine is in \(Set(groups).count) groups. \(Self.mostGroups) are possible.")
    }
    self.id = id
    self.host = host
    self.groups = Set(groups).sorted()
    self.apps = apps
    trust = Trust(trustedKeys)
  }

  /// The scopes whose documents are for this machine, from the lowest precedence to the highest.
  public var scopes: [DocumentScope] { [.all] + groups.map { .group($0) } + [.host(host)] }

  /// What the keys of an app's documents for this machine begin with.
  public func prefixes(of app: String) -> [String] {
    scopes.map { "\(FleetNames.prefix(ofApp: app))\($0)/" }
  }

  /// Whether the machine mirrors an app.
  public func mirrors(_ app: String) -> Bool { app != FleetNames.ownApp && apps?.contains(app) ?? true }

  /// Whether documents of a scope are for this machine.
  public func isIn(_ scope: DocumentScope) -> Bool { scope.includes(host: host, groups: groups) }

  /// Whether a key is about a document of a group or host that this machine is not.
  public func isForOthers(_ key: [UInt8]) -> Bool { FleetKey(key)?.document.map { !isIn($0.scope) } ?? false }

  /// Whether a change of a key can change anything on this machine. An event of another key needs no range.
  public func isConcerned(by key: FleetKey) -> Bool {
    switch key {
    case .part(let part, let document, _):
      part != .change && part != .applied && mirrors(document.app) && isIn(document.scope)
    case .rollout(let app): mirrors(app)
    case .accept: true
    case .ack: false
    }
  }
}

/// An app as it is installed on a machine.
public struct InstalledApp: Hashable, Sendable {
  /// The highest version that its schema's migrations lead to, at least 1; `nil` without a schema, which takes any
  /// version.
  public let version: Int?
  /// Changes whenever a check of a text might come to another result: a digest of the schema, for example.
  public let stamp: String
  /// The release of the mirror, for the answers.
  public let release: String?

  /// Describes an installed app.
  public init(version: Int? = nil, stamp: String = "", release: String? = nil) {
    self.version = version
    self.stamp = stamp
    self.release = release
  }
}

extension Rollout {
  /// Whether a machine is one that tries the text.
  public func isCanary(_ machine: Machine) -> Bool {
    isCanary(id: machine.id, host: machine.host, groups: machine.groups)
  }
}
