import AppSettingsGarage
#if SealedRecords
  import AppSettings
  import AppSettingsSealed
  import Crypto
  import Foundation
  import TestSupport
  import Testing

  private struct Login: Codable, Identifiable, Equatable, GarageNamed {
    static let recordName = "Login"
    static let formerNames = ["OldLogin"]
    var id: String
    var password: String
  }

  private struct OldLogin: Codable, Identifiable, GarageNamed {
    static let recordName = "OldLogin"
    var id: String
    var password: String
  }

  private struct Token: Codable, Hashable, GarageNamed {
    static let recordName = "Token"
    var password: String
  }

  /// What is sealed for one type and id cannot be opened for another: a record that moves is sealed anew.
  struct SealedMigrationTests {
    private let home = ScratchHome()
    private let cipher = GarageCipher.chaChaPoly(key: SymmetricKey(size: .bits256))

    private func garage(_ cipher: GarageCipher?) throws -> Garage {
      Garage(
        at: try SettingsLocation(file: home.path + "/garage.toml", environment: home.environment), cipher: cipher,
        system: Syscalls())
    }

    private var text: String { home.text(of: home.path + "/garage.toml") ?? "" }

    private func filled() throws -> Garage {
      let garage = try garage(cipher)
      try garage.park([OldLogin(id: "a", password: "hunter2"), OldLogin(id: "b", password: "hunter3")])
      try garage.setSyncStatus(.synced, for: OldLogin(id: "a", password: ""))
      return garage
    }

    @Test func `a record of a former name is found, and sealed anew when it is parked under the present one`() throws {
      let garage = try filled()
      #expect(try garage.retrieve(Login.self, id: "a")?.password == "hunter2")
      try garage.park(Login(id: "a", password: "hunter2"))
      #expect(text.contains("[Login.a]\n") && text.contains("[OldLogin.b]\n") && !text.contains("[OldLogin.a]"))
      let again = try self.garage(cipher)
      #expect(try again.retrieveAll(Login.self).map(\.password).sorted() == ["hunter2", "hunter3"])
      #expect(try again.syncStatus(of: Login(id: "a", password: "")) == .synced)
      #expect(!text.contains("hunter"))
    }

    @Test func `a migration seals what it has made, with and without ids, and its backup is sealed`() throws {
      let garage = try filled()
      #expect(try garage.migrateAll(from: OldLogin.self, to: Login.self) == 2)
      #expect(try self.garage(cipher).retrieveAll(Login.self).map(\.password) == ["hunter2", "hunter3"])
      #expect(try garage.retrieveAll(Login.self, withStatus: .synced).map(\.id) == ["a"])
      #expect(try garage.migrateValues(from: Login.self, to: Token.self) { Token(password: $0.password) } == 2)
      #expect(try self.garage(cipher).retrieveValues(Token.self).map(\.password) == ["hunter2", "hunter3"])
      #expect(!text.contains("hunter") && text.components(separatedBy: "[[Token]]").count == 3)
      for backup in try garage.backups() { #expect(home.text(of: backup.path)?.contains("hunter") == false) }
      #expect(try garage.backups().count == 2)
    }

    @Test func `a migration without the key writes nothing, and names each record`() throws {
      _ = try filled()
      let before = text
      let file = home.path + "/garage.toml"
      for cipher in [nil, GarageCipher.chaChaPoly(key: SymmetricKey(size: .bits256))] {
        let found = settingsError { try garage(cipher).migrateAll(from: OldLogin.self, to: Login.self) }
        let reason =
          cipher == nil
          ? "it is sealed with chacha20-poly1305, and this garage has no cipher. Open it with 'cipher:'. The record is unchanged."
          : "the key is different, or the record was cut, changed, or moved here from another type or id. The record is unchanged."
        #expect(found?.code == .sealedRecord)
        #expect(found?.message == "Cannot open OldLogin \"a\" in '\(file)', line 3: \(reason)")
        #expect(text == before)
      }
    }

    @Test func `rows that are taken over are sealed, and nothing of them is plain at any time`() throws {
      let garage = try garage(cipher)
      try garage.importGarageStorage(
        rows: #"[{"gs_type": "OldLogin", "gs_identifier": "a", "gs_data": "{\"id\":\"a\",\"password\":\"hunter2\"}"}]"#)
      try garage.migrateAll(from: OldLogin.self, to: Login.self)
      #expect(try self.garage(cipher).retrieve(Login.self, id: "a")?.password == "hunter2")
      #expect(!text.contains("hunter"))
    }

    @Test func `threads that park sealed records at once share a write, and each can be opened`() throws {
      let garage = try garage(cipher)
      DispatchQueue.concurrentPerform(iterations: 24) { number in
        try? garage.park(Login(id: "\(number)", password: "hunter\(number)"))
      }
      let all = try self.garage(cipher).retrieveAll(Login.self)
      #expect(all.count == 24 && all.allSatisfy { $0.password == "hunter\($0.id)" })
      #expect(!text.contains("hunter"))
    }
  }
#endif
