import Testing

@testable import AppSettings

/// The names of backups: which are, whose, and in which order.
struct BackupNameTests {
  private static let time = "20261121T093000Z"

  @Test(arguments: [(1, "000001"), (12, "000012"), (999_999, "999999"), (1_000_000, "1000000")])
  func `a name has a number of six digits or more, and is read again`(number: Int, digits: String) throws {
    let name = BackupName(number: number, time: Self.time, reason: "before-v3-was-v1")
    let text = name.text(of: "settings")
    #expect(text == "settings.\(digits).20261121T093000Z.before-v3-was-v1.toml")
    #expect(BackupName(text, of: "settings") == name)
  }

  @Test func `a settings file's name may have dots, and looks like a part of a backup's`() throws {
    let name = BackupName(number: 7, time: Self.time, reason: "test")
    for file in ["a.b", "settings.000001", "settings.20261121T093000Z"] {
      #expect(BackupName(name.text(of: file), of: file) == name)
      #expect(BackupName(name.text(of: file), of: nil) == name)
    }
  }

  @Test(arguments: [
    "", ".toml", "settings.toml", "settings.000001.20261121T093000Z.toml", "settings.000001.20261121T093000Z..toml",
    "settings.00001.20261121T093000Z.test.toml", "settings.1000000000000000.20261121T093000Z.test.toml",
    "settings.00000x.20261121T093000Z.test.toml", "settings.000001.20261121T093000.test.toml",
    "settings.000001.20261121093000Z.test.toml", "settings.000001.2026112T093000Z.test.toml",
    "settings.000001.20261121T09300Z.test.toml", "settings.000001.20261121T093000T00Z.test.toml",
    "settings.000001.20261121T093000Z.te_st.toml", "settings.000001.20261121T093000Z.tést.toml",
    "settings.000001.20261121T093000Z.test.tom", "settings.20261121T093000Z-01.test.toml",
    "settings.20261121T093000Z-.test.toml", "settings.20261121T093000Z-0123456789.test.toml",
    "000001.20261121T093000Z.test.toml", ".000001.20261121T093000Z.test.toml",
    "settings-2.000001.20261121T093000Z.test.toml", "settings.x.000001.20261121T093000Z.test.toml",
    "Settings.000001.20261121T093000Z.test.toml",
  ])
  func `a name of another form, or of another file's backup, is none`(text: String) {
    #expect(BackupName(text, of: "settings") == nil)
  }

  @Test func `the number says which is newer, whatever the clock said`() throws {
    let texts = [
      "settings.000001.20301121T093000Z.test.toml", "settings.000002.20201121T093000Z.test.toml",
      "settings.1000000.20101121T093000Z.test.toml",
    ]
    let names = texts.compactMap { BackupName($0, of: "settings") }
    #expect(names.count == texts.count)
    for (index, name) in names.enumerated() {
      for (other, older) in names.enumerated() { #expect(name.isNewer(than: older) == (index > other)) }
    }
  }

  @Test(arguments: [
    ("before-v3-was-v1", 3), ("before-v12", 12), ("before-v", nil), ("before-import", nil), ("unparsable", nil),
  ])
  func `a backup before a migration says to which version`(reason: String, version: Int?) {
    #expect(BackupName(number: 1, time: Self.time, reason: reason).migratedTo == version)
  }

  @Test(arguments: ["2147483648", "4294966000", "00002026", "99999999999999999999"])
  func `a time of any year has a date`(year: String) throws {
    let backup = try #require(
      SettingsBackup(path: "/b/settings.000001.\(year)0305T010203Z.before-edit.toml"))
    #expect(backup.time.hasPrefix(year))
    _ = backup.date
  }
}
