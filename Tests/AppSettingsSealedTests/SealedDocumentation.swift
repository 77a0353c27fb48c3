import AppSettingsGarage
#if SealedRecords
  import AppSettings
  import AppSettingsSealed
  import Crypto

  // The blocks of docs/garages.md that need the trait, compiled.

  func openSealed() throws -> Garage {
    let key = SymmetricKey(size: .bits256)
    let garage = try Garage(app: "org.example.hotel", cipher: .chaChaPoly(key: key))
    return garage
  }

  func sealPlain(_ key: SymmetricKey) async throws {
    let garage = try Garage(app: "org.example.hotel", cipher: .chaChaPoly(key: key), sealsPlainRecords: true)
    try await garage.update { _ in }
  }

  func changeKey(of garage: Garage) throws {
    let newKey = SymmetricKey(size: .bits256)
    try garage.changeCipher(to: .aesGCM(key: newKey))
  }
#endif
