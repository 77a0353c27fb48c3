import AppSettings

/// Seals and opens records: authenticated encryption with a key that the app brings.
///
/// `AppSettingsSealed` makes ones of swift-crypto's ChaCha20-Poly1305 and AES-GCM. Another algorithm has to encrypt and
/// authenticate: one that does not notice a changed byte is none for this.
public struct GarageCipher: Sendable {
  /// What the records say of how they were sealed, such as `chacha20-poly1305`: letters, digits and dashes.
  public let name: String
  let seal: @Sendable (_ plain: [UInt8], _ context: [UInt8]) throws -> [UInt8]
  let open: @Sendable (_ sealed: [UInt8], _ context: [UInt8]) throws -> [UInt8]

  /// Makes a cipher.
  ///
  /// - Parameters:
  ///   - name: The algorithm's name, which is written with each record. It must not have a colon.
  ///   - seal: Encrypts bytes, with a nonce of its own each time, and authenticates them together with the second
  ///     bytes, which say what record they are. Returns all that `open` needs besides the key.
  ///   - open: Gives the bytes back, or throws if anything differs.
  public init(
    name: String,
    seal: @escaping @Sendable (_ plain: [UInt8], _ context: [UInt8]) throws -> [UInt8],
    open: @escaping @Sendable (_ sealed: [UInt8], _ context: [UInt8]) throws -> [UInt8]
  ) {
    precondition(
      !name.isEmpty && !name.contains(":"), "Invalid name '\(name)' of a cipher: it must not be empty or contain ':'.")
    self.name = name
    self.seal = seal
    self.open = open
  }
}
