/// What says that the text of a document came from a directory, so that an edit made by hand is noticed later, and only
/// what came from the directory is removed with it.
///
/// It is beside the text, in the same transaction. Whoever signs the text signs the mark, too, with the same serial: a text
/// that is signed later has another one. Nothing proves the mark of a document that is not signed: everyone who may write
/// the document may write it.
public struct AppliedMark: Hashable, Sendable, Codable {
  /// The text that came from the directory. If the document has another one, it was edited since.
  public let digest: TextDigest
  /// The name of the directory: several can supply a fleet, and each removes only its own documents.
  public let source: String
  /// The signature of the mark.
  public internal(set) var signature: DocumentSignature?

  /// Describes a text from a directory.
  public init(digest: TextDigest, source: String) { (self.digest, self.source) = (digest, source) }

  /// Reads the value of a mark's key; `nil` if it is none.
  public init?(json: [UInt8]) {
    guard let read = FleetJSON.decode(Self.self, from: json), FleetNames.isName(read.source) else { return nil }
    self = read
  }

  /// The value for ``FleetKey/Part/applied``.
  public var json: [UInt8] { FleetJSON.encode(self) }
}
