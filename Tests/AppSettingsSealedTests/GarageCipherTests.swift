import AppSettingsGarage
#if SealedRecords
  import AppSettings
  import AppSettingsSealed
  import Crypto
  import Foundation
  import TestSupport
  import Testing

  struct Account: Codable, Identifiable, Equatable {
    var id: String
    var password: String
  }

  struct Note: Codable, Hashable { var text: String }

  struct GarageCipherTests {
    private let home = ScratchHome()
    private let key = SymmetricKey(size: .bits256)
    private let account = Account(id: "work", password: "hunter2")

    private func garage(_ cipher: GarageCipher?, sealsPlainRecords: Bool = false) throws -> Garage {
      Garage(
        at: try SettingsLocation(file: home.path + "/garage.toml", environment: home.environment), cipher: cipher,
        sealsPlainRecords: sealsPlainRecords, system: Syscalls())
    }

    private var text: String { home.text(of: home.path + "/garage.toml") ?? "" }

    /// Everything that any file in the home holds.
    private func everything() -> String {
      let all = FileManager.default.enumerator(atPath: home.path)?.compactMap { $0 as? String } ?? []
      return all.compactMap { home.text(of: home.path + "/" + $0) }.joined(separator: "\n")
    }

    @Test(arguments: ["chacha20-poly1305", "aes-gcm-256"])
    func `a sealed record comes back, and its fields stand nowhere in plain text`(name: String) throws {
      let cipher: GarageCipher = name.hasPrefix("aes") ? .aesGCM(key: key) : .chaChaPoly(key: key)
      try garage(cipher).park(account)
      try garage(cipher).setSyncStatus(.synced, for: account)
      #expect(text.hasPrefix("settings-seal = \"\(name):"))
      #expect(text.contains("\"\n\n[Account.work]\nsettings-sealed = \"\(name):"))
      #expect(text.hasSuffix("\"\nsettings-sync = \"synced\"\n"))
      #expect(!text.contains("hunter2") && !text.contains("password"))
      #expect(try garage(cipher).retrieve(Account.self, id: "work") == account)
      try garage(cipher).parkValue(Note(text: "secret"))
      try garage(cipher).parkValue(Note(text: "secret"))
      #expect(try garage(cipher).retrieveValues(Note.self) == [Note(text: "secret")])
      #expect(!everything().contains("secret"))
    }

    @Test func `sealing the same object again writes nothing`() throws {
      let garage = try garage(.chaChaPoly(key: key))
      try garage.park(account)
      let before = text
      try garage.park(account)
      #expect(text == before)
      try garage.park(Account(id: "home", password: "x"))
      #expect(text.hasPrefix(before))
    }

    @Test func `without a cipher a sealed record is not read, not written, and kept`() throws {
      try garage(.chaChaPoly(key: key)).park(account)
      let before = text
      let plain = try garage(nil)
      let reading = settingsError { _ = try plain.retrieve(Account.self, id: "work") }
      #expect(reading?.code == .sealedRecord)
      #expect(reading?.message.contains("Account \"work\"") == true && reading?.message.contains("no cipher") == true)
      #expect(settingsError { try plain.park(account) }?.code == .sealedRecord)
      #expect(text == before)
      // Nothing plain comes beside what is sealed, and nothing goes.
      let writing = settingsError { try plain.park(Account(id: "home", password: "open")) }
      #expect(writing?.code == .sealedRecord && writing?.message.contains("no cipher") == true)
      #expect(settingsError { try plain.deleteAll() }?.code == .sealedRecord)
      #expect(text == before)
    }

    @Test func `a wrong key, another cipher, a cut, a change and a swap are clear errors`() throws {
      try garage(.chaChaPoly(key: key)).park([account, Account(id: "home", password: "other")])
      let good = text
      func sealed(_ id: String) -> String {
        good.components(separatedBy: "[Account.\(id)]\nsettings-sealed = \"")[1].components(separatedBy: "\"")[0]
      }
      func failure(_ text: String, _ cipher: GarageCipher? = nil) throws -> String {
        try home.write(text, to: home.path + "/garage.toml")
        let found = settingsError { _ = try garage(cipher ?? .chaChaPoly(key: key)).retrieve(Account.self, id: "work") }
        #expect(found?.code == .sealedRecord)
        // Nothing writes over what cannot be opened.
        #expect(settingsError { try garage(cipher ?? .chaChaPoly(key: key)).park(account) }?.code == .sealedRecord)
        #expect(self.text == text)
        #expect(!"\(found!)".contains("hunter2"))
        return found?.message ?? ""
      }
      #expect(try failure(good, .chaChaPoly(key: SymmetricKey(size: .bits256))).contains("the key is different"))
      #expect(
        try failure(good, .aesGCM(key: key)).contains("sealed with chacha20-poly1305, and this garage's cipher is aes"))
      #expect(
        try failure(good.replacingOccurrences(of: sealed("work"), with: sealed("home"))).contains("another type or id"))
      #expect(
        try failure(good.replacingOccurrences(of: sealed("work"), with: String(sealed("work").dropLast(8)))).contains(
          "cut"))
      #expect(try failure(good.replacingOccurrences(of: sealed("work"), with: "chacha20-poly1305:")).contains("cut"))
      #expect(
        try failure(good.replacingOccurrences(of: sealed("work"), with: "nothing")).contains(
          "its sealed text is damaged"))
      #expect(
        try failure(good.replacingOccurrences(of: "[Account.work]\n", with: "[Account.work]\npassword = \"mine\"\n"))
          .contains("fields beside"))
      #expect(
        try failure(
          good.replacingOccurrences(of: "Account.", with: "Other.")
            + "[Account.work]\nsettings-sealed = \"\(sealed("work").replacingOccurrences(of: "chacha", with: "CHACHA"))\"\n"
        ).contains("cipher"))
    }

    @Test func `records of a plain garage are sealed with the first write, in backups and temporary files too`() throws
    {
      try garage(nil).park([account, Account(id: "home", password: "hunter3")])
      try garage(nil).parkValues([Note(text: "hunter4")])
      try home.write(
        "# on top\n\n"
          + text.replacingOccurrences(
            of: "[Account.home]", with: "[Account.home]\n# the password is hunter5"), to: home.path + "/garage.toml")
      // Looks at all other files before each call of the system: temporary ones and backups as they are being made.
      // The plain file itself has the temporary name for a moment when it is replaced.
      let leaks = Lock<[String]>([])
      let directory = home.path
      let plain = FileManager.default.contents(atPath: directory + "/garage.toml")
      let system = Syscalls { (_, _) throws(Errno) -> Int? in
        for name in FileManager.default.enumerator(atPath: directory)?.compactMap({ $0 as? String }) ?? [] {
          guard name != "garage.toml", let data = FileManager.default.contents(atPath: directory + "/" + name) else {
            continue
          }
          if data != plain, String(decoding: data, as: UTF8.self).contains("hunter") {
            leaks.withLock { $0.append(name) }
          }
        }
        return nil
      }
      let sealed = Garage(
        at: try SettingsLocation(file: home.path + "/garage.toml", environment: home.environment),
        cipher: .chaChaPoly(key: key), sealsPlainRecords: true, system: system)
      #expect(try sealed.retrieve(Account.self, id: "work") == account)
      try sealed.migrateValues(recordName: "Note", to: Note.self)
      #expect(!everything().contains("hunter"), "\(everything())")
      #expect(leaks.withLock { $0 } == [])
      #expect(text.hasPrefix("# on top\n\nsettings-seal = "))
      #expect(
        try garage(.chaChaPoly(key: key)).retrieveAll(Account.self).map(\.password).sorted() == ["hunter2", "hunter3"])
      #expect(try garage(.chaChaPoly(key: key)).retrieveValues(Note.self) == [Note(text: "hunter4")])
      #expect(try sealed.backups().count == 1)
      // A backup can be put back, and is as sealed.
      try sealed.deleteAll()
      try sealed.restore(try sealed.backups()[0])
      #expect(try sealed.retrieveAll(Account.self).count == 2)
    }

    @Test func `sealed records refer to each other`() throws {
      final class Node: Codable, Identifiable {
        let id: Int
        @Reference var next: Node?
        init(_ id: Int) { self.id = id }
      }
      let (a, b) = (Node(1), Node(2))
      a.next = b
      b.next = a
      try garage(.aesGCM(key: key)).park(a)
      let again = try #require(try garage(.aesGCM(key: key)).retrieve(Node.self, id: 1))
      #expect(again.next?.id == 2 && again.next?.next === again)
      #expect(!text.contains("next"))
      again.next?.next = nil
      a.next = nil
    }
  }
#endif
