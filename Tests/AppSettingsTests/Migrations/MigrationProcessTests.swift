import AppSettings
import Foundation
import Testing
import TestSupport

/// Migrations in real processes: many at once, and killed ones.
struct MigrationProcessTests {
  private static let old = "# old\nm2 = 0\nm3 = 0  # three\nm4 = 0\n"
  private static let new = "settings-version = 4\n# old\nm2 = 1\nm3 = 1  # three\nm4 = 1\n"

  private static func backups(in home: ScratchHome) -> [String] {
    let directory = home.backups
    return home.names(in: directory).filter { $0.hasSuffix(".toml") }.map { directory + "/" + $0 }
  }

  private static func probe(_ home: ScratchHome, _ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(ChildProcess.product("settings-probe"), arguments, environment: home.environment)
  }

  @Test func `twenty processes at once: each migration takes effect once, one backup, one run of the hook`()
    async throws
  {
    let home = ScratchHome()
    try home.write(Self.old)
    let results = try await withThrowingTaskGroup(of: ChildProcess.Result.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
              continuation.resume(with: Result { try Self.probe(home, "upgrade", home.file) })
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.allSatisfy { $0.status == 0 && $0.output == "1 1 1\n" }, "\(results.map { $0.output + $0.error })")
    #expect(home.text() == Self.new)
    let backups = Self.backups(in: home)
    #expect(backups.count == 1)
    #expect(home.text(of: backups[0]) == Self.old)
    #expect(home.text(of: home.file + ".hook") == "4\n")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml", "settings.toml.hook"])
  }

  @Test(arguments: Syscalls.Call.allCases)
  func `killed at any call: the file is the old or the new one, and the next start finishes`(
    call: Syscalls.Call
  ) throws {
    for number in 1...60 {
      let home = ScratchHome()
      try home.write(Self.old)
      let first = try Self.probe(home, "upgrade", home.file, call.rawValue, "\(number)")
      let text = home.text()
      #expect(text == Self.old || text == Self.new, "\(call) \(number): \(text ?? "nothing")")
      for backup in Self.backups(in: home) { #expect(home.text(of: backup) == Self.old, "\(call) \(number)") }
      let second = try Self.probe(home, "upgrade", home.file)
      #expect(second.status == 0 && second.output == "1 1 1\n", "\(call) \(number): \(second.error)")
      #expect(home.text() == Self.new)
      #expect(Self.backups(in: home).count == 1, "\(call) \(number)")
      // At least once: a process that dies within the hook's own bookkeeping has it done again.
      let hooks = home.text(of: home.file + ".hook")
      #expect(hooks == "4\n" || hooks == "4\n4\n", "\(call) \(number): \(hooks ?? "nothing")")
      // What was replaced may still have the temporary name, which the next write takes away.
      let names = home.names(in: home.path + "/config/org.example.test")
      #expect(names.filter { !$0.hasPrefix(".settings.toml.settings-") } == ["settings.toml", "settings.toml.hook"])
      if !first.wasKilled { break }
    }
  }

  @Test(arguments: [true, false], [true, false])
  func `a process that could not migrate, as another held the lock, tries again when it ends`(
    isReleased: Bool, isFreeInTime: Bool
  ) throws {
    let home = ScratchHome()
    try home.write("old = 7\n")
    let old = try home.store()
    let child = try old.update { transaction in
      let child = try RunningProcess(
        ChildProcess.product("settings-probe"), ["migrate-and-end", home.file, isReleased ? "released" : "kept"],
        environment: home.environment)
      #expect(child.nextLine() == "7")
      #expect(home.text() == "old = 7\n")
      guard !isFreeInTime else { return child }
      // It does not wait for long.
      child.signal(SIGUSR1)
      #expect(child.wait() == 0)
      return child
    }
    #expect(home.text() == "old = 7\n")
    if isFreeInTime {
      child.signal(SIGUSR1)
      #expect(child.wait() == 0)
    } else {
      // The next one does it.
      let migrations = [Migration(2, "rename") { try $0.move(from: ["old"], to: ["new"]) }]
      #expect(try home.store(migrations: migrations)[SettingsKey("new", default: -1)] == 7)
    }
    #expect(home.text() == "settings-version = 2\nnew = 7\n")
    #expect(Self.backups(in: home).count == 1)
  }
}
