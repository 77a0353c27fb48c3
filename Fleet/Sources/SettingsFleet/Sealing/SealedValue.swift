import Crypto

/// A secret, sealed: a text for each key that can open it.
///
/// A text is `v1 KEY BASE64`, with the id of a key, and in Base64 what HPKE (RFC 9180) makes of the secret in its base
/// mode, with X25519, HKDF-SHA256 and ChaCha20-Poly1305: the encapsulated key and the ciphertext. HPKE's `info` is the
/// document and the key of the secret, so that a text that is moved to another one does not open. The plain text is the
/// length in four bytes, big-endian, the secret, and zeros up to a multiple of 64 bytes: the size says little about it.
public struct SealedValue: Hashable, Sendable {
  /// The texts, one for each key.
  public let texts: [String]

  /// The longest secret, in bytes.
  public static let longestSecret = 64 << 10
  static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
  static let encapsulatedKeyCount = 32
  private static let tagCount = 16
  private static let block = 64

  /// Why a sealed value does not open, or cannot be made. It has nothing of the secret.
  public enum Failure: Error, Hashable, Sendable {
    /// The machine has no keys.
    case noKeys
    /// It is sealed for other keys than the machine's.
    case otherKeys
    /// There is a text for a key of the machine, and it does not open: it was changed, or sealed for another document or
    /// key.
    case changed
    /// There are only texts of a form that this release does not know.
    case newerForm
    /// The secret is longer than ``SealedValue/longestSecret``.
    case tooLong
    /// There is nobody to seal it for.
    case noRecipients
    /// The key of this id cannot be used.
    case unusableKey(String)
  }

  private enum Text {
    case newer
    case first(key: String, sealed: [UInt8])

    init?(_ text: String) {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }), let version = parts.first, version.first == "v",
        let number = FleetKey.number(version.dropFirst())
      else { return nil }
      guard number == 1 else {
        self = .newer
        return
      }
      guard parts.count == 3, isHex(parts[1], count: 16), let sealed = FleetJSON.bytes(base64: String(parts[2])),
        sealed.count >= SealedValue.encapsulatedKeyCount + SealedValue.block + SealedValue.tagCount,
        (sealed.count - SealedValue.encapsulatedKeyCount - SealedValue.tagCount) % SealedValue.block == 0
      else { return nil }
      self = .first(key: String(parts[1]), sealed: sealed)
    }
  }

  /// Takes sealed texts; `nil` if there are none, or if one is invalid in this form and not of a newer one.
  public init?(texts: [String]) {
    guard !texts.isEmpty, texts.allSatisfy({ Text($0) != nil }) else { return nil }
    self.texts = texts
  }

  /// Seals a secret for each of some keys.
  ///
  /// - Parameters:
  ///   - secret: The plain value.
  ///   - name: The key of the secret.
  ///   - document: The document that it is for. It opens nowhere else.
  ///   - keys: Who can open it.
  public init(
    sealing secret: [UInt8], as name: SecretName, in document: FleetDocument, for keys: [SealingKey]
  ) throws(Failure) {
    guard !keys.isEmpty else { throw .noRecipients }
    guard secret.count <= Self.longestSecret else { throw .tooLong }
    var plain = (0..<4).map { UInt8(truncatingIfNeeded: secret.count >> (24 - 8 * $0)) } + secret
    plain += [UInt8](repeating: 0, count: (Self.block - plain.count % Self.block) % Self.block)
    var texts: [String] = []
    for key in keys {
      guard let sealed = key.seal(plain, info: Self.info(name, document)) else { throw .unusableKey(key.id) }
      texts.append("v1 \(key.id) \(FleetJSON.base64(sealed))")
    }
    self.texts = texts
  }

  /// Opens the text that is sealed for one of the machine's keys.
  public func open(
    as name: SecretName, in document: FleetDocument, with keys: [UnsealingKey]
  ) throws(Failure) -> [UInt8] {
    var failure = keys.isEmpty ? Failure.noKeys : .otherKeys
    for text in texts {
      switch Text(text) {
      case .first(let id, let sealed):
        for key in keys where key.id == id {
          if let plain = key.open(sealed, info: Self.info(name, document)), let secret = Self.secret(in: plain) {
            return secret
          }
          failure = .changed
        }
      case .newer: if failure == .otherKeys { failure = .newerForm }
      case nil: break
      }
    }
    throw failure
  }

  /// What the sealed text belongs to: lines of ASCII, of which none can contain a line break.
  private static func info(_ name: SecretName, _ document: FleetDocument) -> [UInt8] {
    Array("app-settings fleet secret 1\n\(document)\n\(name)\n".utf8)
  }

  private static func secret(in plain: [UInt8]) -> [UInt8]? {
    guard plain.count >= 4 else { return nil }
    let count = plain.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard count <= plain.count - 4, plain.dropFirst(4 + count).allSatisfy({ $0 == 0 }) else { return nil }
    return Array(plain[4..<(4 + count)])
  }
}
