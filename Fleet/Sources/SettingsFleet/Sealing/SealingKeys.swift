import Crypto
import FoundationEssentials

/// The public part of a key: what a writer seals secrets for.
///
/// Its file is one line: `app-settings-fleet-public-key x25519 KEY`, with the 32 bytes of the key in Base64. What follows
/// a space after it is a comment, such as the name of the machine.
public struct SealingKey: Hashable, Sendable {
  /// What sealed texts name the key by: 16 hexadecimal digits of the key's SHA-256.
  public let id: String
  /// The 32 bytes of the key.
  public let bytes: [UInt8]
  /// What the person who lists it has written beside it.
  public let comment: String
  private static let fileHeader = "app-settings-fleet-public-key x25519 "

  init(_ bytes: [UInt8], comment: String = "") {
    (self.bytes, self.comment) = (bytes, comment)
    id = KeyFile.id(of: bytes)
  }

  /// Reads the text of a key's file. Lines that are empty or begin with `#` are skipped. `nil` if it is not one.
  public init?(fileText: String) {
    guard let keys = KeyFile.keys(in: fileText, after: Self.fileHeader), keys.count == 1 else { return nil }
    self.init(keys[0].bytes, comment: keys[0].comment)
  }

  /// The text for the key's file.
  public var fileText: String { KeyFile.text(bytes, after: Self.fileHeader) }

  /// Seals bytes: the encapsulated key, then the ciphertext.
  ///
  /// - Returns: `nil` if these 32 bytes are no usable key.
  func seal(_ plain: [UInt8], info: [UInt8]) -> [UInt8]? {
    guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes), Self.isUsable(key),
      var sender = try? HPKE.Sender(recipientKey: key, ciphersuite: SealedValue.suite, info: Data(info)),
      let sealed = try? sender.seal(plain)
    else { return nil }
    return Array(sender.encapsulatedKey) + Array(sealed)
  }

  /// Whether what is sealed for a key is a secret. For a point of a small order everybody knows the shared secret: it is
  /// zero with each private key. RFC 9180, 7.1.4, demands the check, and swift-crypto leaves it out.
  private static func isUsable(_ key: Curve25519.KeyAgreement.PublicKey) -> Bool {
    guard let shared = try? Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: key) else {
      return false
    }
    return shared.withUnsafeBytes { $0.contains { $0 != 0 } }
  }
}

/// A key that opens what was sealed for its public part.
///
/// Its line in a file is `app-settings-fleet-key x25519 SECRET`, with the 32 bytes of the secret in Base64. A file may
/// have several of them: when a machine gets a new key, it still needs the earlier one for a while.
public struct UnsealingKey: Sendable {
  private let key: Curve25519.KeyAgreement.PrivateKey
  /// The part that writers get.
  public let sealingKey: SealingKey
  private static let fileHeader = "app-settings-fleet-key x25519 "

  /// The id of its public part.
  public var id: String { sealingKey.id }

  /// Makes a random key.
  public init() { self.init(Curve25519.KeyAgreement.PrivateKey()) }

  private init(_ key: Curve25519.KeyAgreement.PrivateKey) {
    self.key = key
    sealingKey = SealingKey(Array(key.publicKey.rawRepresentation))
  }

  /// Reads the keys of a file, in their order. Lines that are empty or begin with `#` are skipped. `nil` if another line
  /// is not a key.
  public static func all(fileText: String) -> [UnsealingKey]? {
    KeyFile.keys(in: fileText, after: fileHeader)?.compactMap { secret, _ in
      (try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)).map(UnsealingKey.init)
    }
  }

  /// The text for the key's file, which nobody else may read.
  public var fileText: String { KeyFile.text(Array(key.rawRepresentation), after: Self.fileHeader) }

  /// Opens what ``SealingKey/seal(_:info:)`` has made; `nil` if it is another key's, changed, or of another place.
  func open(_ sealed: [UInt8], info: [UInt8]) -> [UInt8]? {
    guard sealed.count > SealedValue.encapsulatedKeyCount,
      var recipient = try? HPKE.Recipient(
        privateKey: key, ciphersuite: SealedValue.suite, info: Data(info),
        encapsulatedKey: Data(sealed.prefix(SealedValue.encapsulatedKeyCount))),
      let plain = try? recipient.open(sealed.dropFirst(SealedValue.encapsulatedKeyCount))
    else { return nil }
    return Array(plain)
  }
}
