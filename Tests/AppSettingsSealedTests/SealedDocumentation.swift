import AppSettingsGarage
#if SealedRecords
  import AppSettings
  import AppSettingsSealed
  import Crypto

  // The blocks of docs/garages.md that need the trait, compiled.

  func openSealed(_ key: SymmetricKey) throws -> Garage {
    let garage = try Garage(app: "org.example.hotel", cipher: .chaChaPoly(key: key))
    return garage
  }

  func sealPlain(_ key: SymmetricKey) async throws {
    let garage = try Garage(app: "org.example.hotel", cipher: .chaChaPoly(key: key), plainRecords: .seal)
    try await garage.update { _ in }
  }

  func changeKey(of garage: Garage, to newKey: SymmetricKey) throws {
    try garage.changeCipher(to: .aesGCM(key: newKey))
  }
#endif
