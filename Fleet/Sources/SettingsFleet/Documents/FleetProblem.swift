/// Why something of a fleet is not as it should be, as machines report it in their answers.
///
/// Texts come from other machines, so a terminal may show them: a problem has no control characters, and its texts are
/// bounded.
public struct FleetProblem: Error, Hashable, Sendable {
  /// The kind of a problem. Newer releases may report kinds that this one does not know.
  public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
    /// The name in JSON.
    public let rawValue: String
    /// Takes a name.
    public init(rawValue: String) { self.rawValue = String(FleetProblem.shown(rawValue, most: 64)) }

    /// The cluster is not the one that the machine has followed so far.
    public static let otherCluster = Kind(rawValue: "other-cluster")
    /// The cluster's history is older than what the machine has seen: a backup was restored.
    public static let revisionWentBack = Kind(rawValue: "revision-went-back")
    /// There are only versions that the app on this machine cannot read.
    public static let newerVersion = Kind(rawValue: "newer-version")
    /// The machine requires signatures, and the document has none.
    public static let unsigned = Kind(rawValue: "unsigned")
    /// The signature is of a key that the machine does not trust, or it is not of this text.
    public static let badSignature = Kind(rawValue: "bad-signature")
    /// The document is correctly signed, but older than one that the machine has had.
    public static let replayed = Kind(rawValue: "replayed")
    /// The machine requires signatures, and a document that it had is gone.
    public static let missingDocument = Kind(rawValue: "missing-document")
    /// The text is not one: not UTF-8, with a NUL byte, or larger than a document may be.
    public static let invalidText = Kind(rawValue: "invalid-text")
    /// The check at the machine refused the text.
    public static let refused = Kind(rawValue: "refused")
    /// The check could not be carried out. It is tried again.
    public static let notChecked = Kind(rawValue: "not-checked")
    /// The machine has no check command, or its program cannot be run.
    public static let noCheck = Kind(rawValue: "no-check")
    /// What the mirror remembers cannot be read.
    public static let invalidRecord = Kind(rawValue: "invalid-record")
    /// The file could not be written. It is tried again.
    public static let notWritten = Kind(rawValue: "not-written")
    /// Another machine has the same id.
    public static let duplicateMachine = Kind(rawValue: "duplicate-machine")
    /// The machine is there, and has not answered about the app yet.
    public static let unanswered = Kind(rawValue: "unanswered")
    /// A sealed value cannot be opened with the keys of the machine.
    public static let notOpened = Kind(rawValue: "not-opened")
    /// A name that is configured cannot be used in a fleet.
    public static let invalidName = Kind(rawValue: "invalid-name")
  }

  /// What kind of problem it is.
  public let kind: Kind
  /// The line, from 1.
  public let line: Int?
  /// The column, from 1.
  public let column: Int?
  /// The key in the document.
  public let key: String?
  /// The serial that the machine has had, if the text has an older one.
  public let serial: UInt64?
  /// What is wrong, and what to do, in full sentences.
  public let message: String

  /// Describes a problem. Control characters become U+FFFD, and long texts are cut: the message after 1,000 characters,
  /// the others after 300.
  public init(
    _ kind: Kind, _ message: String, line: Int? = nil, column: Int? = nil, key: String? = nil, serial: UInt64? = nil
  ) {
    self.kind = kind
    self.line = line
    self.column = column
    self.serial = serial
    self.key = key.map { Self.shown($0, most: 300) }
    self.message = Self.shown(message, most: 1000)
  }

  /// Where and what, in one line: `line 7: 'port' must be at most 65535.`
  public var summary: String { line.map { "line \($0): \(message)" } ?? message }

  /// A text of somebody else, fit to be shown in a line: without control characters, and cut after so many characters.
  package static func shown(_ text: String, most: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for (count, scalar) in text.unicodeScalars.enumerated() {
      if count == most {
        scalars.append("…")
        break
      }
      switch scalar.properties.generalCategory {
      // Line breaks, escape sequences, and what changes the direction of writing.
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

extension FleetProblem: Codable {
  private enum CodingKeys: CodingKey { case kind, line, column, key, serial, message }

  /// Reads a problem, which may come from a hostile machine.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind), try container.decode(String.self, forKey: .message),
      line: try container.decodeIfPresent(Int.self, forKey: .line),
      column: try container.decodeIfPresent(Int.self, forKey: .column),
      key: try container.decodeIfPresent(String.self, forKey: .key),
      serial: try container.decodeIfPresent(UInt64.self, forKey: .serial))
  }
}
