/// What a key in etcd stands for.
public enum FleetKey: Hashable, Sendable {
  /// What there is of a version of a document, each under a key of its own.
  public enum Part: String, Hashable, Sendable {
    /// The text.
    case text = ""
    /// The signature of the text.
    case signature
    /// The version that this one was upgraded to.
    case successor
    /// Who changed it last, when and why, as the writer says it.
    case change
    /// That the text came from a directory: ``AppliedMark``.
    case applied
  }

  /// A part of a version of a document.
  case part(Part, FleetDocument, version: Int)
  /// The rollout of an app that is under way.
  case rollout(app: String)
  /// An operator's acceptance of the cluster as it is.
  case accept
  /// What a machine answers about an app.
  case ack(app: String, machine: String)

  /// Reads a key. `nil` for everything that is not exactly in the form that ``text`` has: such a key is somebody else's
  /// or hostile, and nothing of it reaches a path.
  public init?(_ bytes: some Collection<UInt8>) {
    // No key of ours is longer than its names, the fixed parts and a number of 19 digits.
    guard bytes.count < 700, bytes.first == UInt8(ascii: "/"), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false).map(
      String.init)
    guard parts.count >= 4, parts[2] == "1" else { return nil }
    switch parts[1] {
    case "app-settings-acks":
      guard parts.count == 5, FleetNames.isApp(parts[3]), FleetNames.isName(parts[4]) else { return nil }
      self = .ack(app: parts[3], machine: parts[4])
    case "app-settings":
      if parts.count == 4, parts[3] == ".accept" {
        self = .accept
      } else if parts.count == 5, parts[4] == "rollout", FleetNames.isApp(parts[3]) {
        self = .rollout(app: parts[3])
      } else {
        self.init(documentParts: Array(parts[3...]))
      }
    default: return nil
    }
  }

  /// The key as it is in etcd.
  public var text: String {
    switch self {
    case .part(let part, let document, let version): document.key(version: version, part)
    case .rollout(let app): FleetNames.prefix(ofApp: app) + "rollout"
    case .accept: FleetNames.prefix + ".accept"
    case .ack(let app, let machine): FleetNames.acksPrefix(ofApp: app) + machine
    }
  }

  /// The document that the key is about; `nil` for a rollout, an answer or an acceptance.
  public var document: FleetDocument? { if case .part(_, let document, _) = self { document } else { nil } }

  /// The app that the key is about; `nil` for an acceptance.
  public var app: String? {
    switch self {
    case .rollout(let app), .ack(let app, _): app
    default: document?.app
    }
  }

  /// Whether it is about a document for a single host.
  var isForOneHost: Bool { if case .host? = document?.scope { true } else { false } }

  /// Reads the parts after the common prefix: the app, the scope, the version and perhaps what belongs to it.
  private init?(documentParts parts: [String]) {
    guard parts.count >= 3, FleetNames.isApp(parts[0]) else { return nil }
    let scopeEnd = parts[1] == "all" ? 2 : 3
    guard parts.count > scopeEnd, let scope = DocumentScope(parts[1..<scopeEnd].joined(separator: "/")),
      let version = Self.version(parts[scopeEnd])
    else { return nil }
    let rest = parts[(scopeEnd + 1)...]
    guard rest != [""], let part = Part(rawValue: rest.joined(separator: "/")) else { return nil }
    self = .part(part, FleetDocument(valid: parts[0], scope), version: version)
  }

  /// Reads `v3`: a positive number without a sign and without zeros in front, so that a version has one key.
  private static func version(_ text: String) -> Int? {
    guard text.utf8.first == UInt8(ascii: "v") else { return nil }
    return number(text.dropFirst())
  }

  static func number(_ text: some StringProtocol) -> Int? {
    guard let first = text.utf8.first, first != UInt8(ascii: "0"),
      text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
    else { return nil }
    return Int(text)
  }
}
