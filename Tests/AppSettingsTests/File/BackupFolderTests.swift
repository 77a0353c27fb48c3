import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// The directory of one file's backups, and the names in it. What is kept, and for how long, is in `BackupTests`.
struct BackupFolderTests {
  let home = ScratchHome()
  private var path: String { home.path + "/state/x.backups" }
  private var names: [String] { home.names(in: path) }

  private func open(_ system: Syscalls = Syscalls(), limit: TimeLimit? = nil) throws -> BackupFolder {
    try BackupFolder.open(path, of: "settings", within: limit, system: system)
  }

  private func write(_ text: String, _ reason: String = "test", _ system: Syscalls = Syscalls()) throws -> BackupName {
    let folder = try open(system)
    return try folder.write(Array(text.utf8), reason: reason)
  }

  @Test func `opening makes the directory for its user alone, and knows what it has made`() throws {
    let folder = try open()
    #expect(folder.names == [])
    #expect(try Syscalls().status(at: path)?.permissions == 0o700)
    #expect(folder.made.all.count == 2)
  }

  @Test func `numbers grow, whatever the clock says, and the newest comes first`() throws {
    for text in ["a", "b", "c"] { _ = try write(text) }
    let folder = try open()
    #expect(folder.names.map(\.number) == [3, 2, 1])
    #expect(folder.names.map { home.text(of: folder.file($0)) } == ["c", "b", "a"])
  }

  @Test func `what killed processes left is taken away, and other files stay`() throws {
    _ = try write("a")
    for stray in [BackupFolder.temporaryName, "note.txt", "other.000001.20200101T000000Z.test.toml"] {
      try home.write("x", to: path + "/" + stray)
    }
    _ = try open()
    #expect(
      names.filter { !$0.hasPrefix("settings.000001.") } == ["note.txt", "other.000001.20200101T000000Z.test.toml"])
  }

  @Test func `a name that somebody has taken meanwhile is passed over`() throws {
    let folder = try open()
    let name = BackupName(number: 1, time: ProcessFacts.timestamp(), reason: "test")
    try home.write("taken", to: folder.file(name))
    let made = try folder.write(Array("b".utf8), reason: "test")
    // The second may have changed between the two.
    #expect(made.number == 2 || made.time != name.time)
    #expect(home.text(of: folder.file(name)) == "taken")
    #expect(home.text(of: folder.file(made)) == "b")
  }

  @Test func `after the highest number a backup is refused with what to do`() throws {
    let highest = "settings.999999999999999.20200101T000000Z.test.toml"
    try home.write("a", to: path + "/" + highest)
    let error = settingsError { _ = try write("b") }
    #expect(error?.code == .io)
    #expect(error?.message.contains("'\(highest)' has the highest number allowed. Move that file away.") == true)
    #expect(names == [highest])
  }

  @Test func `the newest is found by its reason and its text only`() throws {
    _ = try write("a", "undo")
    let newest = try write("b", "test")
    let folder = try open()
    #expect(try folder.newest("test", of: Array("b".utf8)) == newest)
    #expect(try folder.newest("test", of: Array("a".utf8)) == nil)
    #expect(try folder.newest("undo", of: Array("b".utf8)) == nil)
  }

  @Test func `a link is the file itself, under a name of its own`() throws {
    try home.write("a")
    let folder = try open()
    let made = try folder.link(home.file, reason: "test")
    let (status, linked) = (try Syscalls().status(at: home.file), try Syscalls().status(at: folder.file(made)))
    #expect(try #require(status).sameFile(#require(linked)))
  }

  @Test(arguments: [Syscalls.Call.open, .write, .fsync, .rename])
  func `a write that fails leaves no file`(call: Syscalls.Call) throws {
    _ = try write("a")
    let before = names
    #expect(throws: (any Error).self) {
      try write(
        "b", "test",
        .failing(call, with: ENOSPC) { $0.contains("settings.000002") || $0.contains("settings-new") })
    }
    #expect(names == before)
  }

  @Test func `a folder that another holds is waited for no longer than the limit`() throws {
    let held = try open()
    let path = path
    let code = Lock<SettingsError.Code?>(nil)
    let other = Aside {
      let error = settingsError {
        _ = try BackupFolder.open(
          path, of: "settings", within: TimeLimit(.milliseconds(50)), system: Syscalls())
      }
      code.withLock { $0 = error?.code }
    }
    #expect(other.ends())
    #expect(code.withLock { $0 } == .lockTimeout)
    _ = consume held
  }
}
