import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// Where a store's own layer is kept. What a write of a file does is in `SettingsFileTests`.
struct BackingTests {
  let home = ScratchHome()

  private func file(_ text: String?) throws -> Backing {
    if let text { try home.write(text) }
    return .file(SettingsFile(path: home.file), Backups(of: try home.location(), system: Syscalls()))
  }

  private func memory(_ text: String?) -> Backing { .memory(MemoryFile(text.map { Array($0.utf8) })) }

  private func store(on text: String?, inMemory: Bool) throws -> SettingsStore {
    guard inMemory else {
      if let text { try home.write(text) }
      return try home.store()
    }
    return SettingsStore(inMemory: text ?? "", logger: .silent)
  }

  @Test(arguments: [true, false])
  func `a whole text replaces, keeps and removes alike in a file and in memory`(inMemory: Bool) throws {
    let core = try store(on: "a = 1\n", inMemory: inMemory).core
    let steps: [(old: String?, new: String?, hasChanged: Bool)] = [
      ("a = 1\n", "b = 2\n", true), ("b = 2\n", "b = 2\n", false), ("b = 2\n", nil, true), (nil, nil, false),
      (nil, "", true),
    ]
    for (old, new, hasChanged) in steps {
      let outcome = try core.commit(backingUp: "test") { bytes in
        #expect(bytes == old.map { Array($0.utf8) })
        return new.map { Array($0.utf8) }
      }
      #expect(outcome.hasChanged == hasChanged, "\(old ?? "-") to \(new ?? "-")")
      #expect(try core.backing.read().bytes == new.map { Array($0.utf8) })
    }
  }

  @Test(arguments: [true, false])
  func `a text that cannot be made leaves what there is`(inMemory: Bool) throws {
    struct Failure: Error {}
    let core = try store(on: "a = 1\n", inMemory: inMemory).core
    #expect(throws: Failure.self) { try core.commit(backingUp: "test") { _ in throw Failure() } }
    #expect(try core.backing.read().bytes == Array("a = 1\n".utf8))
  }

  @Test func `a write within a write of the same directory is refused, and memory has no directory`() throws {
    let file = try file("a = 1\n")
    try SettingsFile(path: home.file).update { contents in
      #expect(settingsError { try file.checkNotLocked() }?.code == .nestedUpdate)
      return contents.bytes
    }
    #expect(throws: Never.self) { try file.checkNotLocked() }
    #expect(throws: Never.self) { try memory("").checkNotLocked() }
  }

  @Test func `a file has backups, and memory has none`() throws {
    let file = try file("a = 1\n")
    let contents = try file.read()
    try file.beginBackup(contents, reason: "test", within: nil).finish()
    #expect(try file.backups(within: nil)?.list().count == 1)
    let memory = memory("a = 1\n")
    #expect(memory.backups(within: nil) == nil)
    try memory.beginBackup(memory.read(), reason: "test", within: nil).finish()
  }

  @Test func `there is nothing to back up where there is no file`() throws {
    let file = try file(nil)
    try file.beginBackup(file.read(), reason: "test", within: nil).finish()
    #expect(try file.backups(within: nil)?.list().isEmpty == true)
  }
}
