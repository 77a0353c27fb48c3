import AppSettings
import Foundation
import Testing
import TestSupport

/// What a key cannot read stays in the file until the key is written, and is in a backup from then on.
struct UnreadableValueTests {
  let home = ScratchHome()
  private static let text = "name = \"n\"\n[editor]\nfont-size = \"twelve\"  # large\n"
  private var directory: String { home.backups }
  private var backups: [String] { home.names(in: directory) }

  @Test func `other keys are written around it, without a backup`() throws {
    try home.write(Self.text)
    let settings = try home.store()
    #expect(settings[.fontSize] == 12)
    try settings.set("m", for: .name)
    try settings.update { $0[.counter] += 1 }
    #expect(home.text()?.contains("font-size = \"twelve\"  # large") == true)
    #expect(backups.isEmpty)
  }

  enum Write: CaseIterable { case set, subscripting, update, reset }

  @Test(arguments: Write.allCases) func `a write of the key keeps the old text in a backup`(_ write: Write) throws {
    try home.write(Self.text)
    let settings = try home.store()
    switch write {
    case .set: try settings.set(14, for: .fontSize)
    case .subscripting: settings[.fontSize] = 14
    case .update: try settings.update { $0[.fontSize] = 14 }
    case .reset: settings.reset(.fontSize)
    }
    try settings.flush()
    #expect(settings[.fontSize] == (write == .reset ? 12 : 14))
    #expect(backups.count == 1)
    let backup = try #require(backups.first)
    #expect(backup.hasSuffix(".before-overwriting-editor-font-size.toml"))
    #expect(home.text(of: directory + "/" + backup) == Self.text)
    // The value is readable now.
    try settings.set(15, for: .fontSize)
    #expect(backups.count == 1)
  }

  enum Removal: CaseIterable { case named, prefix, group, all, nameWithin }

  @Test(arguments: Removal.allCases)
  func `a removal by name keeps what a key that was used cannot read in a backup`(_ removal: Removal) throws {
    let text = "name = \"n\"\n[data.people]\nnames = \"x\"  # one\n"
    try home.write(text)
    let settings = try home.store()
    #expect(settings[Declared.names] == ["a"])
    switch removal {
    case .named: try settings.reset(named: "data.people.names")
    case .prefix: try settings.reset(named: "data")
    case .group: settings.reset(Declared.group)
    case .all: settings.resetAll()
    case .nameWithin: try settings.reset(named: "data.people.names.x", "data.people")
    }
    try settings.flush()
    #expect(!settings.isSet(Declared.names))
    #expect(backups.count == 1)
    #expect(backups.first?.hasSuffix(".before-overwriting-data-people-names.toml") == true)
    #expect(backups.map { home.text(of: directory + "/" + $0) } == [text])
  }

  @Test(arguments: Removal.allCases)
  func `a removal by name of what can be read makes no backup`(_ removal: Removal) throws {
    try home.write("name = \"n\"\n[data.people]\nnames = [\"x\"]\nunknown = 1\n")
    let settings = try home.store()
    #expect(settings[Declared.names] == ["x"] && settings[.name] == "n")
    switch removal {
    case .named: try settings.reset(named: "data.people.names")
    case .prefix: try settings.reset(named: "data")
    case .group: settings.reset(Declared.group)
    case .all: settings.resetAll()
    case .nameWithin: try settings.reset(named: "data.people")
    }
    try settings.flush()
    #expect(!settings.isSet(Declared.names) && backups.isEmpty)
  }

  @Test func `a removal beside an unreadable value makes no backup`() throws {
    try home.write(Self.text)
    let settings = try home.store()
    #expect(settings[.fontSize] == 12)
    try settings.reset(named: "name")
    try settings.flush()
    #expect(home.text() == "[editor]\nfont-size = \"twelve\"  # large\n")
    #expect(backups.isEmpty)
  }

  @Test func `without a backup nothing is removed by name`() throws {
    try home.write(Self.text)
    try home.write("", to: home.path + "/state/app-settings")
    let settings = try home.store()
    #expect(throws: SettingsError.self) { try settings.value(for: .fontSize) }
    settings.resetAll()
    #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(home.text() == Self.text)
  }

  @Test func `a bad text that came after the value was set is kept as well`() throws {
    let settings = try home.store()
    try settings.set(14, for: .fontSize)
    try home.write(Self.text)
    try settings.set(15, for: .fontSize)
    #expect(home.text()?.contains("15") == true)
    #expect(backups.count == 1)
  }

  @Test func `a bad text under a former name is kept before it is taken away`() throws {
    try home.write("tab_size = \"wide\"\n")
    let settings = try home.store()
    try settings.set(2, for: Declared.width)
    #expect(home.text() == "[editor]\ntab-width = 2\n")
    #expect(backups.map { home.text(of: directory + "/" + $0) } == ["tab_size = \"wide\"\n"])
  }

  @Test func `several keys in one write take one backup`() throws {
    try home.write("name = 1\ncounter = \"x\"\n")
    let settings = try home.store()
    try settings.update { transaction in
      transaction[.name] = "n"
      transaction[.counter] = 1
    }
    #expect(backups.count == 1)
  }

  @Test func `without a backup the value is not overwritten, and others are`() throws {
    try home.write(Self.text)
    // A file where the directory of backups should be.
    try home.write("", to: home.path + "/state/app-settings")
    let settings = try home.store()
    settings[.name] = "m"
    settings[.fontSize] = 14
    #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(home.text() == Self.text.replacingOccurrences(of: "\"n\"", with: "\"m\""))
    #expect(settings[.fontSize] == 12)
  }
}
