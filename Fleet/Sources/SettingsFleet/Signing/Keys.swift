import Crypto

/// A key that signs documents.
///
/// Its file is one line: `app-settings-fleet-key ed25519 SECRET`, with the 32 bytes of the secret in Base64.
public struct SigningKey: Sendable {
  private let key: Curve25519.Signing.PrivateKey
  private static let fileHeader = "app-settings-fleet-key ed25519 "

  /// Makes a random key.
  public init() { key = Curve25519.Signing.PrivateKey() }

  /// Reads the text of a key's file. Lines that are empty or begin with `#` are skipped. `nil` if it is not one.
  public init?(fileText: String) {
    guard let secret = KeyFile.bytes(in: fileText, after: Self.fileHeader),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
    else { return nil }
    self.key = key
  }

  /// The text for the key's file, which nobody else may read.
  public var fileText: String { KeyFile.text(Array(key.rawRepresentation), after: Self.fileHeader) }

  /// The part that machines get.
  public var verificationKey: VerificationKey { VerificationKey(key.publicKey) }

  /// Signs a statement.
  ///
  /// - Parameter serial: At most ``DocumentSignature/mostSerial``; see
  ///   ``DocumentSignature/nextSerial(after:millisecondsSince1970:)``.
  public func sign(_ statement: Statement, serial: UInt64) -> DocumentSignature {
    precondition(serial <= DocumentSignature.mostSerial, "A serial is too large.")
    // Signing fails only where there is no randomness at all.
    let signature = try! key.signature(for: statement.bytes(serial: serial))
    return DocumentSignature(key: verificationKey.id, serial: serial, signature: Array(signature))!
  }
}

/// The public part of a key: what a machine trusts.
///
/// Its file is one line: `app-settings-fleet-public-key ed25519 KEY`, with the 32 bytes of the key in Base64. What follows
/// a space after it is a comment.
public struct VerificationKey: Hashable, Sendable {
  /// What signatures name the key by: 16 hexadecimal digits of the key's SHA-256.
  public let id: String
  /// The 32 bytes of the key.
  public let bytes: [UInt8]
  private static let fileHeader = "app-settings-fleet-public-key ed25519 "

  init(_ key: Curve25519.Signing.PublicKey) {
    bytes = Array(key.rawRepresentation)
    id = KeyFile.id(of: bytes)
  }

  /// Reads the text of a key's file. Lines that are empty or begin with `#` are skipped. `nil` if it is not one.
  public init?(fileText: String) {
    guard let bytes = KeyFile.bytes(in: fileText, after: Self.fileHeader),
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
    else { return nil }
    self.init(key)
  }

  /// The text for the key's file.
  public var fileText: String { KeyFile.text(bytes, after: Self.fileHeader) }

  /// Whether a signature is this key's, and of this statement.
  public func verifies(_ signature: DocumentSignature, of statement: Statement) -> Bool {
    guard signature.key == id, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
      return false
    }
    return key.isValidSignature(signature.signature, for: statement.bytes(serial: signature.serial))
  }
}

extension AppliedMark {
  /// The same mark with a signature of it.
  ///
  /// - Parameter serial: That of the text's signature, so that the mark of an earlier text cannot be put back beside it.
  func signed(by key: SigningKey, of document: FleetDocument, version: Int, serial: UInt64) -> AppliedMark {
    var signed = self
    signed.signature = key.sign(.applied(document, version: version, self), serial: serial)
    return signed
  }
}
