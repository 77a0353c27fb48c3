#if SealedRecords
  import AppSettings
  import AppSettingsSealed
  import Crypto

  // The block of docs/garages.md that needs the trait, compiled.

  func openSealed(_ key: SymmetricKey) throws -> Garage {
    let garage = try Garage(app: "org.example.hotel", cipher: .chaChaPoly(key: key))
    return garage
  }
#endif
