/// One version of a document as it is stored.
public struct StoredDocument: Hashable, Sendable {
  /// What is known of its signature.
  public enum Signature: Hashable, Sendable {
    /// The document is not signed.
    case absent
    /// There is one, but it cannot be read.
    case unreadable
    /// It can be read. Nothing is said about whether it is right.
    case present(DocumentSignature)
  }

  /// The TOML text.
  public let text: [UInt8]
  /// The digest of the text.
  public let digest: TextDigest
  /// The revision at which the text was last written.
  public let modRevision: Int64
  /// The signature, and the revision at which it was written.
  public let signature: Signature
  /// The revision at which the signature was last written; 0 without a signature.
  public let signatureRevision: Int64
  /// The version that it was upgraded to, if it was.
  public let successor: Int?
  /// The revision at which the successor was last written; 0 without a successor.
  public let successorRevision: Int64
  /// What says that the text came from a directory; `nil` if nothing does.
  public let applied: AppliedMark?

  /// The serial of its signature, whoever has made that; `nil` without one that can be read.
  package var serial: UInt64? { if case .present(let signature) = signature { signature.serial } else { nil } }
}
