import Crypto

/// A document's new text that some machines, the canaries, try first.
///
/// It is in etcd under ``FleetKey/rollout(app:)`` and under its coordinator's lease. When it is gone, for
/// whatever reason, the canaries go back to the document.
public struct Rollout: Hashable, Sendable, Codable {
  /// Who the canaries are.
  public enum Target: Hashable, Sendable {
    /// A share of the document's machines, in ten-thousandths, chosen by ``Rollout/salt``: 500 is 5 %.
    case share(Int)
    /// The machines of a group.
    case group(String)
  }

  /// The plan of a rollout in steps, and how far it is. Any desk can go on with it.
  public struct Steps: Hashable, Sendable, Codable {
    /// The share of each step, in ten-thousandths, from the smallest to the largest.
    public let shares: [Int]
    /// The step that is under way, from 0.
    public internal(set) var index = 0
    /// Whether it stays at its step until it is resumed.
    public internal(set) var isPaused = false
    /// How long canaries keep the text after its coordinator is gone.
    public let graceSeconds: Int

    /// Describes the steps; `nil` if the shares do not rise, or are not in 1...10,000, or the time is not positive.
    public init?(shares: [Int], graceSeconds: Int) {
      (self.shares, self.graceSeconds) = (shares, graceSeconds)
      if !isValid { return nil }
    }

    var isValid: Bool {
      shares.indices.contains(index) && shares.allSatisfy { (1...10_000).contains($0) }
        && zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 } && (1...Rollout.longestWait).contains(graceSeconds)
    }
  }

  /// A random id, with the characters of a name.
  public let id: String
  /// The document's machines.
  public let scope: DocumentScope
  /// The document's version.
  public let version: Int
  /// The revision of the text that it replaces; 0 if there is none. If the document has another revision, the rollout is
  /// void.
  public let baseModRevision: Int64
  /// The new text.
  public let text: String
  /// The signature of the rollout.
  public internal(set) var signature: DocumentSignature?
  /// Who the canaries are.
  public internal(set) var target: Target
  /// What the share is chosen by, with the characters of a name.
  public internal(set) var salt: String
  /// How long every canary has to have had it.
  public let waitSeconds: Int
  /// Whether each canary has to run its check command and report its exit status.
  public let requiresCheck: Bool
  /// Who coordinates it, for people.
  public internal(set) var coordinator: String
  /// When it began, as in RFC 3339. For people.
  public private(set) var created: String
  /// The steps that it takes; `nil` if it takes one, and ends with its coordinator.
  public internal(set) var steps: Steps?
  /// Whether its coordinator accepted a text that no trusted key had signed; else `nil`. The change says so then.
  public let acceptedUnsigned: Bool?

  /// The digest of the text.
  public var digest: TextDigest { TextDigest(of: text.utf8) }

  /// Describes a rollout.
  ///
  /// - Returns: `nil` if a part has an impossible form: an id or salt that is not a name, a share that is not in
  ///   1...10,000, impossible steps, a version below 1, a negative
  ///   revision or time.
  public init?(
    id: String, scope: DocumentScope, version: Int, baseModRevision: Int64, text: String,
    signature: DocumentSignature? = nil, target: Target, salt: String, waitSeconds: Int, requiresCheck: Bool = false,
    coordinator: String, created: String, steps: Steps? = nil, acceptedUnsigned: Bool? = nil
  ) {
    self.id = id
    self.scope = scope
    self.version = version
    self.baseModRevision = baseModRevision
    self.text = text
    self.signature = signature
    self.target = target
    self.salt = salt
    self.waitSeconds = waitSeconds
    self.requiresCheck = requiresCheck
    (self.coordinator, self.created, self.steps) = (coordinator, created, steps)
    self.acceptedUnsigned = acceptedUnsigned
    guard isValid else { return nil }
    clean()
  }

  private var isValid: Bool {
    let isTarget =
      switch target {
      case .share(let share): (1...10_000).contains(share) && steps?.isValid ?? true
      case .group(let group): FleetNames.isGroup(group) && steps == nil
      }
    return isTarget && FleetNames.isName(id) && FleetNames.isName(salt) && version >= 1 && baseModRevision >= 0
      && (0...Self.longestWait).contains(waitSeconds)
  }

  /// Makes the texts fit to be shown.
  private mutating func clean() {
    coordinator = FleetProblem.shown(coordinator, most: 300)
    created = FleetProblem.shown(created, most: 64)
  }

  /// A year: more is a mistake.
  public static let longestWait = 366 * 86400
  /// The largest value that etcd takes, less some room.
  public static let mostBytes = 1_400_000

  /// Reads the value of a rollout's key; `nil` if it is not a rollout.
  public init?(_ json: [UInt8]) {
    // It may be hostile.
    guard let read = FleetJSON.decode(Self.self, from: json, upTo: Self.mostBytes), read.isValid else { return nil }
    self = read
    clean()
  }

  /// The value for ``FleetKey/rollout(app:)``.
  public var json: [UInt8] { FleetJSON.encode(self) }

  /// Whether a machine with these names is one that tries the text.
  ///
  /// With the same salt, the machines of a share are always the same, and those of a larger share include them.
  public func isCanary(id: String, host: String, groups: [String]) -> Bool {
    guard scope.includes(host: host, groups: groups) else { return false }
    switch target {
    case .group(let group): return groups.contains(group)
    case .share(let share): return Self.place(of: id, salt: salt) < share
    }
  }

  /// A machine's place in 0..<10,000, from the first 8 bytes of the SHA-256 of the salt, a NUL byte and the id.
  static func place(of id: String, salt: String) -> Int {
    var number: UInt64 = 0
    for byte in SHA256.hash(data: Array(salt.utf8) + [0] + Array(id.utf8)).prefix(8) {
      number = number << 8 | UInt64(byte)
    }
    return Int(number % 10_000)
  }
}

extension Rollout.Target: CustomStringConvertible, Codable {
  /// `share 500` or `group web`.
  public var description: String {
    switch self {
    case .share(let share): "share \(share)"
    case .group(let group): "group \(group)"
    }
  }

  private enum CodingKeys: CodingKey { case share, group }

  /// Reads `{"share": 500}` or `{"group": "web"}`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let share = try container.decodeIfPresent(Int.self, forKey: .share)
    let group = try container.decodeIfPresent(String.self, forKey: .group)
    switch (share, group) {
    case (let share?, nil): self = .share(share)
    case (nil, let group?): self = .group(group)
    default: throw decoder.corrupted("A target is either a share or a group.")
    }
  }

  /// Writes `{"share": 500}` or `{"group": "web"}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .share(let share): try container.encode(share, forKey: .share)
    case .group(let group): try container.encode(group, forKey: .group)
    }
  }
}
