import AppSettings

/// Seals and opens records: authenticated encryption with a key from the app.
///
/// `AppSettingsSealed` provides ciphers for swift-crypto's ChaCha20-Poly1305 and AES-GCM. Another algorithm must
/// encrypt and authenticate: one that does not detect a changed byte is unsuitable.
public struct GarageCipher: Sendable {
  /// The name of the algorithm stored with the records, such as `chacha20-poly1305`: letters, digits and dashes.
  package let name: String
  let seal: @Sendable (_ plain: [UInt8], _ context: [UInt8]) throws -> [UInt8]
  let open: @Sendable (_ sealed: [UInt8], _ context: [UInt8]) throws -> [UInt8]

  /// Makes a cipher.
  ///
  /// - Parameters:
  /// - name: The algorithm's name, which is written with each record. It must not contain a colon.
  /// - seal: Encrypts the first bytes, with a new nonce each time, and authenticates them together with the second
  ///   bytes, which identify the record. Returns everything that `open` needs besides the key.
  /// - open: Returns the original bytes, or throws if anything differs.
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
