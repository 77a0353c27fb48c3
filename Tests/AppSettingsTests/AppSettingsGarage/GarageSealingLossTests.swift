import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

private struct Secret: Codable, Identifiable, Equatable {
  var id: String
  var body: String
}

private struct Renamed: Codable, Identifiable, GarageNamed {
  static let recordName = "New"
  static let formerNames = ["Former"]
  var id: String
  var body: String
}

/// What is sealed is never lost for it, and nothing stays plain in silence.
struct GarageSealingLossTests {
  private let home = GarageHome()
  private let key = GarageCipher.toy(1)
  private var directory: String { home.home.backups(of: home.file) }

  private func garage(
    _ cipher: GarageCipher?, sealsPlainRecords: Bool = false, system: Syscalls = Syscalls()
  ) throws -> Garage {
    Garage(at: try home.location, cipher: cipher, sealsPlainRecords: sealsPlainRecords, system: system)
  }

  /// Makes a plain garage with a backup that has a plain record, "canary".
  private func makePlain() throws -> SettingsBackup {
    try home.home.write("[Former.a]\nid = \"a\"\nbody = \"canary\"\n", to: home.file)
    let plain = try garage(nil)
    try plain.migrateAll(recordName: "Former", to: Secret.self)
    return try #require(try plain.backups().first)
  }

  private func problems(_ garage: Garage) -> [String] {
    garage.currentProblems.map(\.message).filter { $0.hasPrefix("Cannot seal the backup ") }
  }

  // MARK: Backups

  @Test func `a recovered file that is plain stays in the backups, and is a problem until it is gone`() throws {
    let sealing = try garage(key, sealsPlainRecords: true)
    try sealing.park(Secret(id: "a", body: "A"))
    let text = "[Secret.b]\nid = \"b\"\nbody = \"canary\n"
    try home.home.write(text, to: home.file)
    #expect(settingsError { try sealing.update { _ in } }?.code == .unparsable)
    let backup = try #require(try sealing.recover())
    for body in ["B", "C"] {
      try sealing.park(Secret(id: "b", body: body))
      #expect(home.home.text(of: backup.path) == text)
      let found = problems(sealing)
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix("Cannot seal the backup '\(backup.path)'") == true)
      #expect(found.first?.contains("line 3 of it is not TOML") == true)
      #expect(found.first?.contains("canary") == false)
    }
    // To put it back fails, and leaves it.
    #expect(settingsError { try sealing.restore(backup) }?.code == .unparsable)
    #expect(home.home.text(of: backup.path) == text)
    // Once corrected it is sealed.
    try home.home.write(text.replacingOccurrences(of: "canary", with: "canary\""), to: backup.path)
    try sealing.update { _ in }
    #expect(problems(sealing) == [])
    #expect(home.home.text(of: backup.path)?.contains("canary") == false)
    try garage(key).restore(backup)
    #expect(try garage(key).retrieve(Secret.self, id: "b")?.body == "canary")
  }

  @Test func `a cipher that fails for a moment loses no backup`() throws {
    struct Moment: Error {}
    for number in 1...6 {
      let backup = try makePlain()
      let text = home.home.text(of: backup.path)
      let count = Lock(0)
      let failing = GarageCipher.toy(1) {
        let isNow = count.withLock {
          $0 += 1
          return $0 == number
        }
        if isNow { throw Moment() }
      }
      let sealing = try garage(failing, sealsPlainRecords: true)
      let isWritten = settingsError { try sealing.update { _ in } } == nil
      let now = home.home.text(of: backup.path)
      #expect(now != nil)
      if isWritten { #expect((now == text) == (problems(sealing).count == 1), "\(number)") }
      count.withLock { $0 = number }
      try sealing.update { _ in }
      #expect(problems(sealing) == [])
      #expect(home.home.text(of: backup.path)?.contains("canary") == false)
      #expect(home.text?.contains("canary") == false)
      try sealing.restore(backup)
      #expect(try sealing.migrateAll(recordName: "Former", to: Secret.self) == 1)
      #expect(try sealing.retrieve(Secret.self, id: "a")?.body == "canary")
      for name in home.home.names(in: directory) { try FileManager.default.removeItem(atPath: directory + "/" + name) }
    }
  }

  @Test func `a backup with a plain record beside those of another key stays as it is`() throws {
    let backup = try makePlain()
    try FileManager.default.removeItem(atPath: home.file)
    try garage(.toy(2)).park(Secret(id: "a", body: "A"))
    let mixed = try #require(home.text) + "\n[Secret.b]\nid = \"b\"\nbody = \"canary\"\n"
    try home.home.write(mixed, to: backup.path)
    try FileManager.default.removeItem(atPath: home.file)
    let sealing = try garage(key, sealsPlainRecords: true)
    try sealing.park(Secret(id: "c", body: "C"))
    #expect(home.home.text(of: backup.path) == mixed)
    #expect(problems(sealing).count == 1)
    // With the other key it can be had back, sealed.
    try sealing.restore(backup, sealedWith: .toy(2))
    #expect(try garage(key).retrieveAll(Secret.self).map(\.body) == ["A", "canary"])
    #expect(home.text?.contains("canary") == false)
  }

  @Test func `a write that fails loses no backup`() throws {
    let backup = try makePlain()
    let text = home.text
    let name = (home.file as NSString).lastPathComponent
    let sealing = try garage(
      key, sealsPlainRecords: true,
      system: .failing(.rename, with: EIO) { $0.hasSuffix(name) })
    #expect(settingsError { try sealing.update { _ in } }?.code == .io)
    #expect(home.text == text)
    #expect(home.home.text(of: backup.path) != nil)
    try garage(key, sealsPlainRecords: true).restore(backup)
    #expect(try garage(key).migrateAll(recordName: "Former", to: Secret.self) == 1)
    #expect(try garage(key).retrieve(Secret.self, id: "a")?.body == "canary")
  }

  @Test func `backups are sealed also where a directory has the temporary name`() throws {
    let backup = try makePlain()
    try FileManager.default.createDirectory(
      atPath: directory + "/.backup.settings-new", withIntermediateDirectories: false)
    try garage(key, sealsPlainRecords: true).update { _ in }
    #expect(home.home.text(of: backup.path)?.contains("settings-sealed") == true)
    #expect(home.text?.contains("canary") == false)
  }

  @Test func `a backup of another key that has no records can be put back, and the garage goes on`() throws {
    let garage = try garage(key)
    try garage.park(Secret(id: "a", body: "A"))
    try garage.migrateAll(recordName: "Secret", to: Secret.self)
    let full = try #require(try garage.backups().first)
    try garage.deleteAll()
    try garage.restore(full)
    let empty = try #require(try garage.backups().first)
    #expect(home.home.text(of: empty.path)?.contains("[") == false)
    try garage.changeCipher(to: .toy(2))
    try garage.restore(empty, sealedWith: key)
    #expect(try garage.retrieveAll(Secret.self).isEmpty)
    try garage.park(Secret(id: "b", body: "B"))
    #expect(try self.garage(.toy(2)).retrieve(Secret.self, id: "b")?.body == "B")
  }

  // MARK: Comments

  @Test func `comments in plain records go as their type gets another name`() throws {
    let text = "# canary\n[Former.a]\nid = \"a\"  # canary\nbody = \"canary\"\n"
    try home.home.write(text, to: home.file)
    try garage(key, sealsPlainRecords: true).migrateAll(recordName: "Former", to: Secret.self)
    #expect(home.text?.contains("canary") == false, "\(home.text ?? "")")
    #expect(try garage(key).retrieve(Secret.self, id: "a")?.body == "canary")
    try home.home.write(text, to: home.file)
    try garage(key, sealsPlainRecords: true).park(Renamed(id: "a", body: "canary"))
    #expect(home.text?.contains("canary") == false, "\(home.text ?? "")")
    #expect(try garage(key).retrieve(Renamed.self, id: "a")?.body == "canary")
  }

  // MARK: Programs that do not lock

  /// A garage, and what another program saves in the middle of its next write.
  private func overtaken(
    _ cipher: GarageCipher?, sealsPlainRecords: Bool = false, by text: String
  ) throws -> (Garage, arm: () -> Void) {
    let file = home.file
    let syncs = Counter(isRunning: false)
    let garage = try garage(
      cipher, sealsPlainRecords: sealsPlainRecords,
      system: .before(.fsync, at: .nth(1), counting: syncs) { _ in
        try? Data(text.utf8).write(to: URL(fileURLWithPath: file))
      })
    return (garage, { syncs.start() })
  }

  @Test(arguments: [false, true])
  func `a plain record that is saved during a write is not kept in silence`(sealsPlainRecords: Bool) throws {
    try garage(key).park(Secret(id: "a", body: "A"))
    let text = try #require(home.text) + "\n[Secret.x]\nid = \"x\"\nbody = \"canary\"\n"
    let (garage, arm) = try overtaken(key, sealsPlainRecords: sealsPlainRecords, by: text)
    _ = try garage.retrieveAll(Secret.self)
    arm()
    let found = settingsError { try garage.park(Secret(id: "b", body: "B")) }
    #expect(found?.code == .io)
    let message = "has saved plain text meanwhile. The file holds that program's text. Try again."
    #expect(found?.message.hasSuffix(message) == true)
    #expect(home.text == text)
    if sealsPlainRecords {
      try garage.park(Secret(id: "b", body: "B"))
      #expect(home.text?.contains("canary") == false)
      #expect(try garage.retrieveAll(Secret.self).map(\.body).sorted() == ["A", "B", "canary"])
    } else {
      #expect(settingsError { try garage.park(Secret(id: "b", body: "B")) }?.code == .sealedRecord)
    }
  }

  @Test func `a file of another key that is saved during a write is not written`() throws {
    try garage(.toy(2)).park(Secret(id: "x", body: "X"))
    let other = try #require(home.text)
    for cipher in [key, nil] {
      try FileManager.default.removeItem(atPath: home.file)
      let (garage, arm) = try overtaken(cipher, by: other)
      try garage.park(Secret(id: "a", body: "A"))
      arm()
      #expect(settingsError { try garage.park(Secret(id: "b", body: "B")) }?.code == .sealedRecord)
      #expect(home.text == other)
    }
  }

  @Test func `a record of the former key that is saved while the cipher changes is not kept`() throws {
    try garage(key).park([Secret(id: "a", body: "A"), Secret(id: "b", body: "B")])
    let both = try #require(home.text)
    try garage(key).delete(Secret.self, id: "b")
    let (garage, arm) = try overtaken(key, by: both)
    _ = try garage.retrieveAll(Secret.self)
    arm()
    #expect(settingsError { try garage.changeCipher(to: .toy(2)) }?.code == .io)
    #expect(home.text == both)
    try garage.changeCipher(to: .toy(2))
    #expect(try self.garage(.toy(2)).retrieveAll(Secret.self).map(\.body) == ["A", "B"])
  }

  // MARK: Threads

  @Test func `threads that change the cipher at once are refused or go on`() throws {
    let garage = try garage(key)
    try garage.park(Secret(id: "a", body: "A"))
    for round in 0..<10 {
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        do {
          try garage.changeCipher(to: .toy(UInt64(10 + round * 4 + thread)))
        } catch {
          if (error as? SettingsError)?.code != .sealedRecord { Issue.record(error) }
        }
      }
      #expect(try garage.retrieve(Secret.self, id: "a")?.body == "A")
      try garage.park(Secret(id: "\(round)", body: "B"))
    }
  }
}
