import AppSettings
import AppSettingsImport
import Foundation
import Testing
import TestSupport

/// A write that comes to nothing leaves no directories of its own, which would be root's in a user's home.
struct RefusedWriteTests {
  private struct Refusal: Error {}

  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  @Test func `a refused write removes the directories that it made`() throws {
    let settings = try home.store()
    #expect(throws: Refusal.self) { try settings.update { _ in throw Refusal() } }
    #expect(throws: SettingsError.self) { try settings.set(3, for: .fontSize) }
    #expect(home.names(in: home.path) == [])
    try settings.set(7, for: .fontSize)
    #expect(home.text() == "[editor]\nfont-size = 7\n")
  }

  @Test func `a write that cannot lock removes the directories that it made`() throws {
    let settings = try home.store(system: .failing(.lock, with: ENOLCK))
    #expect(throws: SettingsError.self) { try settings.set(7, for: .fontSize) }
    #expect(home.names(in: home.path) == [])
  }

  @Test func `a write without a change removes the directories that it made`() throws {
    #expect(try home.store().update { _ in 1 } == 1)
    #expect(home.names(in: home.path) == [])
  }

  @Test func `a refused write leaves directories that were there`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    #expect(throws: Refusal.self) { try home.store().update { _ in throw Refusal() } }
    #expect(home.names(in: home.path + "/config") == ["org.example.test"])
  }

  @Test func `a refused write leaves directories in which another program has put something`() throws {
    let file = home.path + "/config/other.txt"
    let settings = try home.store(
      system: .before(.rmdir) { _ in _ = FileManager.default.createFile(atPath: file, contents: nil) })
    #expect(throws: Refusal.self) { try settings.update { _ in throw Refusal() } }
    #expect(home.names(in: home.path + "/config") == ["other.txt"])
  }

  @Test func `a refused write leaves a directory that has taken the place of its own`() throws {
    let (directory, aside) = (directory, home.path + "/aside")
    #expect(throws: Refusal.self) {
      try home.store().update { _ in
        rename(directory, aside)
        mkdir(directory, 0o755)
        throw Refusal()
      }
    }
    #expect(home.names(in: home.path + "/config") == ["org.example.test"])
    #expect(home.names(in: home.path) == ["aside", "config"])
  }

  @Test func `a failed import removes the directories that were made for the first file`() throws {
    try home.write("old = [\n", to: home.path + "/old.json")
    let path = home.path + "/old.json"
    let migrations = [Migration(2, "take over", [.importFile(path, as: .json)])]
    #expect(throws: SettingsError.self) { try home.store(migrations: migrations).set(7, for: .counter) }
    #expect(home.names(in: home.path) == ["old.json"])
  }

  @Test func `a migration that cannot be written removes the directories that were made for its backup`() throws {
    try home.write("old = 5\n")
    let migrations = [Migration(2, "rename old", [.rename("old", to: "new")])]
    let settings = try home.store(migrations: migrations, system: .failing(.write, with: ENOSPC))
    #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    #expect(home.text() == "old = 5\n")
    #expect(home.names(in: home.path) == ["config"])
  }

  @Test func `directories that cannot all be made are removed`() throws {
    let settings = try home.store(system: .failing(.mkdir, with: EDQUOT) { $0.hasSuffix("org.example.test") })
    #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    #expect(home.names(in: home.path) == [])
  }
}
