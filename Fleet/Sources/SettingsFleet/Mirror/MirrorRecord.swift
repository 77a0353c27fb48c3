/// What a mirror remembers, from one start to the next.
///
/// It is stored before the files that it speaks of are written: it never knows less than the files do. What it knows
/// more, the next plan finds out from the files' digests. A machine without a record takes the first cluster that it
/// meets.
public struct MirrorRecord: Hashable, Sendable, Codable {
  /// What is in a file.
  public struct File: Hashable, Sendable, Codable {
    /// The digest of the text.
    public var digest: TextDigest
    /// The document's version.
    public var version: Int
    /// The revision at which the text, or that which the rollout is based on, was written to etcd; 0 if the cluster does
    /// not know it.
    public var modRevision: Int64
    /// The serial of the signature, where the machine requires one.
    public var serial: UInt64?
    /// The id of the rollout that it is from; `nil` if it is the document.
    public var rollout: String?
  }

  /// A text that the check at the machine refused.
  public struct Refusal: Hashable, Sendable, Codable {
    /// The document.
    public var document: FleetDocument
    /// The digest of the text.
    public var digest: TextDigest
    /// The app's version and stamp at that time. With others the text is tried again.
    public var app: String
    /// What the check said.
    public var problem: FleetProblem
  }

  /// The highest serial that a version of a document had on this machine.
  public struct Floor: Hashable, Sendable, Codable {
    /// The document's version.
    public var version: Int
    /// The serial.
    public var serial: UInt64
    /// The text that had it.
    public var digest: TextDigest
  }

  /// The last signed rollout of a document that this machine took.
  public struct PastRollout: Hashable, Sendable, Codable {
    /// Its id.
    public var id: String
    /// Its serial.
    public var serial: UInt64
    /// Whether it is over, as far as the machine has seen. It does not come back then.
    public var isOver: Bool
  }

  /// The version of this format.
  public var format = 1
  /// The cluster that the machine follows; `nil` before the first.
  public var cluster: ClusterID?
  /// The highest revision that it has seen of this cluster.
  public var revision: Int64 = 0
  /// The revision at which it last read everything: the cluster had all files then; `nil` for never.
  public var wholeRevision: Int64?
  /// Why the machine changes nothing until an operator accepts the cluster; `nil` if it follows it. It is remembered because
  /// the cluster looks right again as soon as enough has been stored in it.
  public var hold: FleetProblem?
  /// The ids of the acceptances that are used up, the last one last.
  public var usedAcceptances: [String] = []
  /// What the files are meant to hold.
  public var files: [FleetDocument: File] = [:]
  /// What has been refused and is still offered.
  public var refusals: [Refusal] = []
  /// The serials that may not be undercut. They outlast files: a document that went does not come back older.
  public var floors: [FleetDocument: [Floor]] = [:]
  /// The last signed rollouts.
  public var rollouts: [FleetDocument: PastRollout] = [:]

  /// How many machines the fleet had at the last change; `nil` if nobody has counted them yet.
  public var machines: Int?

  /// How many acceptances are remembered.
  static let mostAcceptances = 256

  /// Nothing is remembered.
  public init() {}

  /// Reads the record's file.
  ///
  /// - Throws: ``FleetProblem`` of kind `invalidRecord` if it is not a record, or of a newer format.
  public init(json: [UInt8]) throws(FleetProblem) {
    struct Format: Decodable { var format: Int }
    if let format = FleetJSON.decode(Format.self, from: json, upTo: .max)?.format, format != 1 {
      throw FleetProblem(.invalidRecord, "The mirror's record has the format \(format). This release knows format 1.")
    }
    guard let read = FleetJSON.decode(Self.self, from: json, upTo: .max) else {
      throw FleetProblem(.invalidRecord, "The mirror's record is damaged: it is not the JSON that the mirror writes.")
    }
    self = read
  }

  /// The text for the record's file.
  public var json: [UInt8] { FleetJSON.encode(self) }

  mutating func use(_ acceptance: Acceptance) {
    guard !usedAcceptances.contains(acceptance.id) else { return }
    usedAcceptances.append(acceptance.id)
    if usedAcceptances.count > Self.mostAcceptances { usedAcceptances.removeFirst() }
  }
}
