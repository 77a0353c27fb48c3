#if SealedRecords
  public import AppSettingsGarage
  public import Crypto
  import FoundationEssentials

  extension GarageCipher {
    /// ChaCha20-Poly1305 (RFC 8439) with a random nonce for each write of a record.
    ///
    /// ```swift
    /// let garage = try Garage(app: "org.example.hotel", cipher: .chaChaPoly(key: key))
    /// ```
    ///
    /// - Parameter key: 256 bits, such as `SymmetricKey(size: .bits256)`. Store it apart from the file, for example in
    ///   the desktop's secret service. Without the key, the records are lost.
    public static func chaChaPoly(key: SymmetricKey) -> GarageCipher {
      precondition(key.bitCount == 256, "The key of ChaCha20-Poly1305 has 256 bits, not \(key.bitCount).")
      return GarageCipher(
        name: "chacha20-poly1305",
        seal: { plain, context in
          Array(try ChaChaPoly.seal(plain, using: key, authenticating: context).combined)
        },
        open: { sealed, context in
          Array(try ChaChaPoly.open(try ChaChaPoly.SealedBox(combined: sealed), using: key, authenticating: context))
        })
    }

    /// AES-GCM (NIST SP 800-38D) with a random nonce for each write of a record.
    ///
    /// - Parameter key: 128, 192 or 256 bits. With random nonces, write at most about four thousand million records
    ///   with one key; the same limit applies to ``chaChaPoly(key:)``.
    public static func aesGCM(key: SymmetricKey) -> GarageCipher {
      precondition(
        [128, 192, 256].contains(key.bitCount), "The key of AES has 128, 192 or 256 bits, not \(key.bitCount).")
      return GarageCipher(
        name: "aes-gcm-\(key.bitCount)",
        seal: { plain, context in
          // Not `nil` with a nonce of the standard's 96 bits, which `seal` makes.
          Array(try AES.GCM.seal(plain, using: key, authenticating: context).combined!)
        },
        open: { sealed, context in
          Array(try AES.GCM.open(try AES.GCM.SealedBox(combined: sealed), using: key, authenticating: context))
        })
    }
  }
#endif
