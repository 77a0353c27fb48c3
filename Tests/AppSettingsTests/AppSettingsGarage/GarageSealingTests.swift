import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

private struct Secret: Codable, Identifiable, Equatable {
  var id: String
  var body: String
}

private struct Memo: Codable, Hashable { var text: String }

/// What a garage with a cipher lets in and out. The cipher is a toy; `AppSettingsSealedTests` has real ones.
struct GarageSealingTests {
  private let home = GarageHome()
  private let key = GarageCipher.toy(1)

  private func garage(
    _ cipher: GarageCipher?, sealsPlainRecords: Bool = false, system: Syscalls = Syscalls()
  ) throws -> Garage {
    Garage(at: try home.location, cipher: cipher, sealsPlainRecords: sealsPlainRecords, system: system)
  }

  /// Everything that any file in the home holds.
  private func everything() -> String {
    let all = FileManager.default.enumerator(atPath: home.home.path)?.compactMap { $0 as? String } ?? []
    return all.compactMap { home.home.text(of: home.home.path + "/" + $0) }.joined(separator: "\n")
  }

  private func line(_ number: Int) -> String { "'\(home.file)', line \(number): " }

  // MARK: Plain text

  @Test func `a plain record in the place of a sealed one is an error with its line, and no write seals it`() throws {
    try garage(key).park([Secret(id: "a", body: "mine"), Secret(id: "b", body: "mine")])
    let good = try #require(home.text)
    let sealed = good.components(separatedBy: "[Secret.a]\n")[1].components(separatedBy: "\n")[0]
    try home.home.write(
      good.replacingOccurrences(of: sealed, with: "id = \"a\"\nbody = \"FORGED\""), to: home.file)
    let forged = home.text
    let garage = try garage(key)
    let reading = settingsError { _ = try garage.retrieve(Secret.self, id: "a") }
    #expect(reading?.code == .sealedRecord)
    #expect(reading?.position?.line == 3)
    #expect(reading?.message.hasPrefix("Cannot open Secret \"a\" in \(line(3))it is plain text") == true)
    #expect(reading?.message.contains("FORGED") == false)
    #expect(settingsError { _ = try garage.retrieveAll(Secret.self) }?.code == .sealedRecord)
    #expect(try garage.retrieve(Secret.self, id: "b")?.body == "mine")
    // Nothing is written beside it, over it or of it.
    #expect(settingsError { try garage.park(Secret(id: "a", body: "new")) }?.code == .sealedRecord)
    #expect(settingsError { try garage.park(Secret(id: "c", body: "new")) } == reading)
    #expect(settingsError { try garage.setSyncStatus(.synced, for: Secret(id: "b", body: "")) } == reading)
    #expect(settingsError { try garage.migrateAll(recordName: "Secret", to: Secret.self) }?.code == .sealedRecord)
    #expect(home.text == forged)
    // It can be deleted.
    try garage.delete(Secret.self, id: "a")
    try garage.park(Secret(id: "a", body: "new"))
    #expect(try garage.retrieveAll(Secret.self).map(\.body) == ["mine", "new"])
  }

  @Test(arguments: [
    "[Secret.c]\nid = \"c\"\nbody = \"FORGED\"\n", "[[Memo]]\ntext = \"FORGED\"\n", "[Other.x]\ntext = \"FORGED\"\n",
    "[Other]\nx = { text = \"FORGED\" }\n", "[Other]\nx = \"FORGED\"\n",
  ])
  func `a plain record that is appended is not accepted, and stops every write`(appended: String) throws {
    try garage(key).park(Secret(id: "a", body: "mine"))
    try garage(key).parkValue(Memo(text: "mine"))
    let sealed = try #require(home.text)
    let text = appended.hasPrefix("[[") ? sealed + appended : sealed + "\n" + appended
    try home.home.write(text, to: home.file)
    let garage = try garage(key)
    let line = text.components(separatedBy: "\n").lastIndex { $0 == appended.components(separatedBy: "\n")[0] }! + 1
    let writing = settingsError { try garage.park(Secret(id: "d", body: "new")) }
    #expect(writing?.code == .sealedRecord)
    #expect(writing?.message.contains("FORGED") == false)
    #expect([line, line + 1].contains(writing?.position?.line ?? 0))
    #expect(home.text == text)
    let accepted = (try? garage.retrieveAll(Secret.self).map(\.body)) ?? []
    #expect(!accepted.contains("FORGED"))
    let memos = (try? garage.retrieveValues(Memo.self).map(\.text)) ?? []
    #expect(!memos.contains("FORGED"))
    // Nor is it sealed by a garage that seals, unless that is asked for and it is a record.
    if !appended.contains("x = \"") {
      try self.garage(key, sealsPlainRecords: true).update { _ in }
      #expect(!everything().contains("FORGED"))
      #expect(try self.garage(key).retrieve(Secret.self, id: "a")?.body == "mine")
    } else {
      let error = settingsError { try self.garage(key, sealsPlainRecords: true).update { _ in } }
      #expect(error?.message.contains("is not a record") == true)
    }
  }

  @Test func `a sealed record that is put in the place of another is an error with its line`() throws {
    try garage(key).park([Secret(id: "a", body: "A"), Secret(id: "b", body: "B")])
    try garage(key).parkValue(Memo(text: "M"))
    var lines = try #require(home.text).components(separatedBy: "\n")
    lines[3] = lines[6]
    lines[9] = lines[6]
    try home.home.write(lines.joined(separator: "\n"), to: home.file)
    let found = settingsError { _ = try garage(key).retrieve(Secret.self, id: "a") }
    let message = line(3) + "the key is different, or the record was cut, changed, or moved"
    #expect(found?.message.contains(message) == true)
    #expect(found?.position?.line == 3)
    #expect(settingsError { _ = try garage(key).retrieveValues(Memo.self) }?.position?.line == 9)
  }

  @Test func `a plain garage becomes a sealed one with its backups, and comments in it are gone`() throws {
    try home.home.write(
      """
      # on top

      # about a: canary
      [Former.a]
      id = "a"  # canary
      body = "canary"
      settings-sync = "synced"

      [[Memo]]
      # canary
      text = "canary"

      """, to: home.file)
    let plain = try garage(nil)
    try plain.migrateAll(recordName: "Former", to: Secret.self)
    let backups = try plain.backups()
    #expect(backups.count == 1)
    let directory = home.home.backups(of: home.file)
    let names = home.home.names(in: directory)
    let sealing = try garage(key, sealsPlainRecords: true)
    #expect(try sealing.retrieve(Secret.self, id: "a")?.body == "canary")
    try sealing.update { _ in }
    #expect(!everything().contains("canary"), "\(everything())")
    #expect(home.text?.hasPrefix("# on top\n") == true)
    #expect(home.home.names(in: directory) == names)
    let sealed = try garage(key)
    #expect(try sealed.retrieveValues(Memo.self) == [Memo(text: "canary")])
    #expect(try sealed.syncStatus(of: Secret(id: "a", body: "")) == .synced)
    // The backup can be put back, as sealed as it is.
    try sealed.deleteAll()
    try sealed.restore(try #require(try sealed.backups().last))
    #expect(try sealed.migrateAll(recordName: "Former", to: Secret.self) == 1)
    #expect(try sealed.retrieve(Secret.self, id: "a")?.body == "canary")
    #expect(!everything().contains("canary"))
  }

  @Test func `a backup from before the cipher is refused, or sealed as it is put back`() throws {
    try home.home.write("[Former.a]\nid = \"a\"\nbody = \"canary\"\n", to: home.file)
    let plain = try garage(nil)
    try plain.migrateAll(recordName: "Former", to: Secret.self)
    let backup = try #require(try plain.backups().first)
    let text = try #require(home.home.text(of: backup.path))
    try garage(key, sealsPlainRecords: true).update { _ in }
    // As where an earlier release has sealed the file and not its backups.
    try home.home.write(text, to: backup.path)
    let sealed = home.text
    let found = settingsError { try garage(key).restore(backup) }
    #expect(found?.code == .sealedRecord)
    #expect(found?.file == backup.path)
    #expect(home.text == sealed)
    #expect(found?.message.contains("canary") == false)
    // Nor without the cipher: that would make the sealed file a plain one.
    #expect(settingsError { try garage(nil).restore(backup) }?.code == .sealedRecord)
    #expect(home.text == sealed)
    try garage(key, sealsPlainRecords: true).restore(backup)
    #expect(!everything().contains("canary"))
    #expect(try garage(key).retrieveAll(Secret.self).isEmpty)
    #expect(try garage(key).migrateAll(recordName: "Former", to: Secret.self) == 1)
    #expect(try garage(key).retrieve(Secret.self, id: "a")?.body == "canary")
    #expect(!everything().contains("canary"))
  }

  @Test func `a restore over a plain file keeps no plain copy of it`() throws {
    try garage(key).park(Secret(id: "a", body: "A"))
    try garage(key).migrateAll(recordName: "Secret", to: Secret.self)
    let backup = try #require(try garage(key).backups().first)
    let forged = "[Secret.a]\nid = \"a\"\nbody = \"canary\"\n"
    try home.home.write(forged, to: home.file)
    #expect(settingsError { try garage(key).restore(backup) }?.code == .sealedRecord)
    #expect(home.text == forged)
    try garage(key, sealsPlainRecords: true).restore(backup)
    #expect(!everything().contains("canary"))
    #expect(try garage(key).retrieve(Secret.self, id: "a")?.body == "A")
  }

  // MARK: Messages

  private struct Numbered: Codable, Identifiable, GarageNamed {
    static let recordName = "Secret"
    var id: String
    var body: Int
  }

  private struct Loud: Codable, Identifiable, GarageNamed {
    static let recordName = "Secret"
    var id: String
    struct Words: Error { var text: String }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(String.self, forKey: .id)
      throw Words(text: try container.decode(String.self, forKey: .body))
    }
    func encode(to encoder: any Encoder) throws { throw Words(text: "canary") }
    init() { id = "a" }
    enum CodingKeys: String, CodingKey { case id, body }
  }

  @Test func `no error says what a sealed record holds`() throws {
    let garage = try garage(key)
    try garage.park(Secret(id: "a", body: "canary"))
    try garage.parkValue(Memo(text: "canary"))
    var messages: [String] = []
    func note(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("nothing was thrown after \(messages.last ?? "the first")")
      } catch {
        messages.append("\(error)")
      }
    }
    note { _ = try self.garage(key).retrieve(Numbered.self, id: "a") }
    note { _ = try self.garage(key).retrieve(Loud.self, id: "a") }
    note { try self.garage(key).park(Loud()) }
    note { try self.garage(key).migrateAll(recordName: "Secret", to: Numbered.self) }
    note { try self.garage(key).migrateValues(from: Secret.self, to: Memo.self) { throw Loud.Words(text: $0.body) } }
    note {
      try self.garage(key).migrateValues(from: Secret.self, to: Memo.self) {
        throw SettingsError(.invalidValue, $0.body)
      }
    }
    let row = #"[{"gs_type": "A", "gs_identifier": "1", "gs_data": "{canary"}]"#
    note { _ = try self.garage(key).importGarageStorage(rows: row) }
    note {
      _ = try self.garage(key).importGarageStorage(rows: row) { _ in throw Loud.Words(text: "canary") }
    }
    note { _ = try self.garage(key).importGarageStorage(rows: #"[{"canary"#) }
    #expect(messages.allSatisfy { !$0.contains("canary") }, "\(messages)")
    #expect(messages[0].contains("Cannot read Secret \"a\" as 'Numbered'"))
    #expect(messages[0].contains("line 3"))
    #expect(messages[4].contains("the code threw 'Words'"))
  }

  @Test func `a line that does not parse is not shown, in no error, problem or log`() throws {
    try garage(key).park(Secret(id: "a", body: "A"))
    try home.home.write(try #require(home.text) + "\n[Secret.b]\nbody = \"canary\n", to: home.file)
    let garage = try garage(key)
    let found = settingsError { _ = try garage.retrieveAll(Secret.self) }
    #expect(found?.code == .unparsable)
    #expect(found?.position?.line == 7)
    #expect(found?.cause?.contains(":7:") == true)
    garage.reload()
    let all = "\(found!)" + garage.currentProblems.map(\.message).joined()
    #expect(!all.contains("canary"))
    #expect(!garage.currentProblems.isEmpty)
  }

  // MARK: Keys

  @Test func `a wrong key is refused before it writes, and writes nothing`() throws {
    try garage(key).park([Secret(id: "a", body: "A"), Secret(id: "b", body: "B")])
    let text = home.text
    for wrong in [GarageCipher.toy(2), .toy(1, name: "other")] {
      let garage = try garage(wrong)
      let parking = settingsError { try garage.park(Secret(id: "c", body: "C")) }
      #expect(parking?.code == .sealedRecord)
      let reason = wrong.name == "toy" ? "another key" : "toy, and this garage's cipher is other"
      let message = "Cannot write '\(home.file)': it is sealed with \(reason). The file is unchanged."
      #expect(parking?.message == message)
      #expect(settingsError { try garage.delete(Secret.self, id: "a") }?.code == .sealedRecord)
      #expect(settingsError { try garage.deleteAll() }?.code == .sealedRecord)
      #expect(settingsError { try garage.update { try $0.deleteAll(Secret.self) } }?.code == .sealedRecord)
      #expect(settingsError { try garage.changeCipher(to: .toy(3)) }?.code == .sealedRecord)
    }
    #expect(home.text == text)
    #expect(try garage(key).retrieveAll(Secret.self).count == 2)
  }

  @Test func `a file that was sealed before there was a check value goes on, and gets it with the next write`() throws {
    try garage(key).park([Secret(id: "a", body: "A"), Secret(id: "b", body: "B")])
    let new = try #require(home.text)
    let check = new.components(separatedBy: "\n")[0]
    let old = String(new.dropFirst(check.utf8.count + 2))
    try home.home.write(old, to: home.file)
    #expect(settingsError { try garage(.toy(2)).park(Secret(id: "c", body: "C")) }?.code == .sealedRecord)
    #expect(settingsError { try garage(nil).park(Secret(id: "c", body: "C")) }?.code == .sealedRecord)
    #expect(try garage(key).retrieveAll(Secret.self).count == 2)
    try garage(key).park(Secret(id: "a", body: "A"))
    #expect(home.text == old)
    // One that is damaged does not make the key a wrong one.
    let header = "[Secret.a]\nsettings-sealed = \"toy:"
    try home.home.write(old.replacingOccurrences(of: header, with: header + "AAAA"), to: home.file)
    try garage(key).park(Secret(id: "c", body: "C"))
    #expect(home.text?.hasPrefix("settings-seal = \"toy:") == true)
    #expect(try garage(key).retrieve(Secret.self, id: "c")?.body == "C")
  }

  @Test func `a change of the cipher seals all again, and keeps status, unknown fields and comments`() throws {
    let garage = try garage(key)
    try garage.park([Secret(id: "a", body: "A"), Secret(id: "b", body: "B")])
    try garage.parkValue(Memo(text: "M"))
    try garage.setSyncStatus(.synced, for: Secret(id: "a", body: ""))
    try garage.migrateAll(recordName: "Secret", to: Secret.self)
    let text = try #require(home.text)
    let other = text.replacingOccurrences(of: "[Secret.b]\n", with: "# b\n[Secret.b]\nsettings-other = 1\n")
    try home.home.write("# mine\n" + other, to: home.file)
    let renames = Counter()
    let changing = try self.garage(
      key,
      system: .counting(.rename, into: renames))
    try changing.changeCipher(to: .toy(7, name: "other"))
    // Those of one write.
    #expect(renames.value == 2)
    let again = try #require(home.text)
    #expect(again.hasPrefix("# mine\n"))
    #expect(again.contains("# b\n[Secret.b]\nsettings-other = 1\n"))
    #expect(!again.contains("toy:"))
    #expect(again.contains("settings-seal = \"other:"))
    // This garage goes on, others with the new cipher too, and those with the old one do not.
    #expect(try changing.retrieveAll(Secret.self).map(\.body) == ["A", "B"])
    try changing.park(Secret(id: "c", body: "C"))
    let new = try self.garage(.toy(7, name: "other"))
    #expect(try new.retrieveAll(Secret.self).map(\.body) == ["A", "B", "C"])
    #expect(try new.retrieveValues(Memo.self) == [Memo(text: "M")])
    #expect(try new.syncStatus(of: Secret(id: "a", body: "")) == .synced)
    #expect(settingsError { try garage.park(Secret(id: "d", body: "D")) }?.code == .sealedRecord)
    // The backup is sealed with the former key.
    let backup = try #require(try new.backups().first)
    #expect(settingsError { try new.restore(backup) }?.code == .sealedRecord)
    try new.restore(backup, sealedWith: key)
    #expect(try new.retrieveAll(Secret.self).map(\.body) == ["A", "B"])
    #expect(home.text?.contains("toy:") == false)
  }

  @Test func `a change of the cipher that cannot open a record, or has none, changes nothing`() throws {
    try garage(key).park([Secret(id: "a", body: "A"), Secret(id: "b", body: "B")])
    let good = try #require(home.text)
    let header = "[Secret.b]\nsettings-sealed = \"toy:"
    let damaged = good.replacingOccurrences(of: header, with: header + "AAAA")
    try home.home.write(damaged, to: home.file)
    #expect(settingsError { try self.garage(key).changeCipher(to: .toy(2)) }?.message.contains("Secret \"b\"") == true)
    #expect(settingsError { try self.garage(nil).changeCipher(to: .toy(2)) }?.code == .sealedRecord)
    let batching = try garage(key)
    let nested = settingsError { try batching.update { _ in try batching.changeCipher(to: .toy(2)) } }
    #expect(nested?.code == .nestedUpdate)
    #expect(home.text == damaged)
    // Without any record, too, the key is different from then on.
    try home.home.write(good, to: home.file)
    let garage = try garage(key)
    try garage.deleteAll()
    try garage.changeCipher(to: .toy(2))
    #expect(settingsError { try self.garage(key).park(Secret(id: "x", body: "X")) }?.code == .sealedRecord)
    try garage.park(Secret(id: "x", body: "X"))
    #expect(try self.garage(.toy(2)).retrieve(Secret.self, id: "x")?.body == "X")
  }

  @Test func `threads that read and park while the cipher changes see all records, before and after`() throws {
    let garage = try garage(key)
    try garage.park((0..<20).map { Secret(id: "\($0)", body: "B") })
    let failures = Lock<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      do {
        for round in 0..<12 {
          if thread == 0 { try garage.changeCipher(to: .toy(UInt64(round + 2))) }
          if thread == 1 { try garage.park(Secret(id: "new \(round)", body: "B")) }
          let all = try garage.retrieveAll(Secret.self)
          if all.count < 20 || all.contains(where: { $0.body != "B" }) { failures.withLock { $0.append("\(all)") } }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try self.garage(.toy(13)).retrieveAll(Secret.self).count == 32)
  }
}
