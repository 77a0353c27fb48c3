import AppSettings
import Foundation
import Testing
import TestSupport

/// Which backup is the newest is a matter of which was made last, not of the clock.
struct BackupOrderTests {
  let home = ScratchHome()
  private static let future = "20991231T000000Z"

  private func backups() throws -> Backups { Backups(of: try home.location(), system: Syscalls()) }

  private func texts() throws -> [String?] { try backups().list().map { home.text(of: $0.path) } }

  @Test func `a clock that was ahead neither prunes the newest backup nor comes before it`() throws {
    for number in 1...11 {
      let name = "settings.\(String(format: "%06d", number)).\(Self.future).unparsable.toml"
      try home.write("future \(number)", to: home.backups + "/" + name)
    }
    try home.write("now =\n")
    let kept = try #require(try home.store().recover())
    #expect(home.text(of: kept.path) == "now =\n")
    #expect(kept.path.contains("/settings.000012."))
    #expect(try texts() == ["now =\n"] + (3...11).reversed().map { "future \($0)" })
  }

  @Test func `undo takes the newest backup that was made, whatever its time`() throws {
    try home.write("made first\n= 1", to: home.backups + "/settings.000001.\(Self.future).before-v2-was-v1.toml")
    try home.write("a = 2\n", to: home.backups + "/settings.000002.20200101T000000Z.before-v2-was-v1.toml")
    try home.write("settings-version = 2\nb = 2\n")
    let settings = try home.store(acceptsAnyVersion: true)
    try settings.restore()
    #expect(home.text() == "a = 2\n")
  }

  @Test func `undo goes back from the version that the file has, and leaves a newer release's file`() throws {
    try home.write("a = 1\n", to: home.backups + "/settings.000001.20200101T000000Z.before-v2-was-v1.toml")
    try home.write(
      "settings-version = 2\na = 2\n", to: home.backups + "/settings.000002.20200101T000001Z.before-v3-was-v2.toml")
    let settings = try home.store(acceptsAnyVersion: true)
    for text in ["settings-version = 9\nnew = 1\n", "never = \"migrated\"\n"] {
      try home.write(text)
      let error = #expect(throws: SettingsError.self) { try settings.restore() }
      #expect(error?.message.contains("it has version \(text.contains("9") ? 9 : 1)") == true, "\(error!.message)")
      #expect(home.text() == text)
    }
    // By name it is done, and what was there is kept.
    try settings.restore(try settings.backups()[0])
    #expect(home.text() == "settings-version = 2\na = 2\n")
    #expect(try texts()[0] == "never = \"migrated\"\n")
    try settings.restore()
    #expect(home.text() == "a = 1\n")
  }

  @Test(arguments: [
    "settings.99999999999999999999.20200101T000000Z.x.toml", "settings.000001.2020.x.toml", "settings.1.x.toml",
    "settings.000009.20200101T000000Z.a b.toml", "settings.extra.000009.20200101T000000Z.x.toml", "settings.toml",
    "other.000009.20200101T000000Z.x.toml", ".settings.000009.20200101T000000Z.x.toml",
    "settings.-00009.20200101T000000Z.x.toml", "settings.000009.20200101T000000Z.x.toml.bak",
  ])
  func `a name of another form is no backup, and stays`(name: String) throws {
    try home.write("other", to: home.backups + "/" + name)
    for number in 1...12 { try backups().save(Array("\(number)".utf8), reason: "test") }
    #expect(try texts() == (3...12).reversed().map { "\($0)" })
    #expect(home.text(of: home.backups + "/" + name) == "other")
  }

  @Test func `an equal text is kept once if it is the newest, and is synced`() throws {
    let synced = Monitor<[String]>([])
    let system = Syscalls.tracing(into: synced) { call, path in
      call == .fsync || call == .fsyncDirectory ? "\(call) \((path as NSString).pathExtension)" : nil
    }
    let backups = Backups(of: try home.location(), system: system)
    let first = try backups.save(Array("a".utf8), reason: "test")
    synced.withLock { $0 = [] }
    #expect(try backups.save(Array("a".utf8), reason: "test") == first)
    #expect(synced.withLock { $0 } == ["fsync toml", "fsyncDirectory backups"])
    try backups.save(Array("b".utf8), reason: "test")
    // To be the newest it is made again.
    try backups.save(Array("a".utf8), reason: "test")
    #expect(try texts() == ["a", "b", "a"])
  }

  @Test func `what killed writers left is gone with the next backup`() throws {
    try home.write("stray", to: home.backups + "/.backup.settings-new")
    try backups().save([], reason: "test")
    #expect(home.names(in: home.backups).count == 1)
  }
}
