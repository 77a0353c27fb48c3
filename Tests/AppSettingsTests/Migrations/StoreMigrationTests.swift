import AppSettings
import Foundation
import Testing
import TestSupport

/// What a store says of its migrations, and the way back.
struct StoreMigrationTests {
  let home = ScratchHome()

  private let migrations = [
    Migration(2, "rename colour", [.rename("colour", to: "theme.accent")]),
    Migration(3, "levels are numbers", [.mapValues("level", ["hi": 3, "lo": 1])]),
    Migration(7, "drop what is obsolete", [.remove("obsolete")]),
  ]

  private let old = """
    # My settings

    colour = "red"  # nice
    level = "hi"
    obsolete = 1
    unknown   =   true

    """

  private func store(_ system: Syscalls = Syscalls()) throws -> SettingsStore {
    try home.store(migrations: migrations, system: system)
  }

  // MARK: Status and preview

  @Test func `status tells current, pending and newer, and migrates nothing`() throws {
    let settings = try store()
    guard case .current = try settings.migrationStatus() else { return #expect(Bool(false)) }
    try home.write("settings-version = 2\n")
    guard case .pending(let pending) = try settings.migrationStatus() else { return #expect(Bool(false)) }
    #expect(pending.map(\.version) == [3, 7])
    try home.write("settings-version = 9\n")
    guard case .newer(found: 9, supported: 7) = try settings.migrationStatus() else { return #expect(Bool(false)) }
    try home.write("settings-version = 7\n")
    guard case .current = try settings.migrationStatus() else { return #expect(Bool(false)) }
    #expect(home.names(in: home.path) == ["config"])
  }

  @Test func `status of a file that does not parse throws with the line`() throws {
    try home.write("a = \n")
    let settings = try store()
    let error = #expect(throws: SettingsError.self) { _ = try settings.migrationStatus() }
    #expect(error?.code == .unparsable && error?.position?.line == 1)
  }

  @Test func `a preview shows a unified diff, and writes nothing`() throws {
    try home.write(old)
    let preview = try store().previewMigration()
    #expect(preview.migrations.map(\.version) == [2, 3, 7])
    #expect(
      preview.difference == """
        --- \(home.file)\tversion 1
        +++ \(home.file)\tversion 7
        @@ -1,6 +1,8 @@
         # My settings
         
        -colour = "red"  # nice
        -level = "hi"
        -obsolete = 1
        +settings-version = 7
        +level = 3
         unknown   =   true
        +
        +[theme]
        +accent = "red"  # nice

        """)
    #expect(home.text() == old)
    #expect(home.names(in: home.path) == ["config"])
  }

  @Test func `a preview of a migration that fails throws what the migration would`() throws {
    try home.write("colour = 1\ntheme = 2\n")
    let settings = try store()
    let error = #expect(throws: SettingsError.self) { try settings.previewMigration() }
    #expect(error?.code == .migrationFailed && error?.file == home.file)
  }

  @Test func `a diff is what diff -u prints`() throws {
    let texts = [
      "", "a\n", "a", "a\nb\nc\n", "b\nc\n", "x\r\ny\r\n", "x\ny\r\n", (0..<40).map { "\($0)\n" }.joined(),
      (0..<40).filter { $0 != 5 && $0 != 13 && $0 != 20 }.map { "\($0)\n" }.joined() + "end",
      (0..<40).map { $0 == 30 ? "thirty\n" : "\($0)\n" }.joined(),
    ]
    for old in texts {
      for new in texts {
        try home.write(old, to: home.path + "/a")
        try home.write(new, to: home.path + "/b")
        let expected = try ChildProcess.shell(
          "diff -u --label a --label b a b", environment: home.environment, directory: home.path)
        let own = UnifiedDiff.text(from: old, to: new, oldName: "a", newName: "b")
        // Where several scripts are shortest the two may choose otherwise: what counts is that it can be applied.
        guard own != expected.output else { continue }
        try home.write(own, to: home.path + "/p")
        let patched = try ChildProcess.shell(
          "patch -s a p && cat a", environment: home.environment, directory: home.path)
        #expect(patched.output == new, "\(own)\(patched.error)")
      }
    }
  }

  // MARK: Migrating

  @Test func `migrate(to:) stops at a version between, and each part gives the whole`() throws {
    try home.write(old)
    #expect(try store().migrate(to: 3).map(\.version) == [2, 3])
    let between = try #require(home.text())
    #expect(
      between.contains("\n\nsettings-version = 3\n") && between.contains("obsolete") && !between.contains("colour"))
    #expect(try store().migrate(to: 3).isEmpty)
    #expect(try store().migrate().map(\.version) == [7])
    let whole = home.text()
    try home.write(old)
    #expect(try store().migrate().map(\.version) == [2, 3, 7])
    #expect(home.text() == whole)
    #expect(try store().migrate().isEmpty)
  }

  @Test func `first access leaves the same as migrate`() throws {
    try home.write(old)
    try store().migrate()
    let migrated = home.text()
    try home.write(old)
    _ = try store()[.counter]
    #expect(home.text() == migrated)
  }

  @Test func `a file of an administrator is migrated in memory, each time`() throws {
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("colour = \"blue\"\n", to: system)
    for _ in 0..<2 {
      #expect(try store()[SettingsKey("theme.accent", default: "")] == "blue")
      #expect(home.text(of: system) == "colour = \"blue\"\n")
      #expect(home.names(in: home.path) == ["etc"])
    }
  }

  @Test func `the place of a value that was migrated in memory is the file's line of it, or none`() throws {
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("settings-locked = [\"unknown\"]\n" + old + "\n[table]\nlevel = 1\n", to: system)
    let unwritable = Syscalls.failing(.rename, with: EROFS) { $0 == "settings.toml" }
    try home.write("# mine\nlevel = \"lo\"\nown = 1\n[list]\na = 1\n")
    let settings = try store(unwritable)
    func line(_ path: TOMLPath) -> Int? { settings.snapshot.origin(of: path).position?.line }
    #expect(line(["unknown"]) == 7)
    #expect(line(["table", "level"]) == 10 && line(["table"]) == 9)
    #expect(settings.snapshot.origin(of: ["unknown"]).lock?.position?.line == 1)
    // Where a step has put or made a value, the file has none.
    #expect(settings.snapshot[["theme", "accent"]] == "red" && line(["theme", "accent"]) == nil)
    #expect(settings.snapshot[["level"]] == 1 && line(["level"]) == nil)
    #expect(line(["own"]) == 3 && line(["list", "a"]) == 5)
    // The same after the file was changed from outside, and once it is written.
    try home.write("\n\nown = 2\nlevel = \"lo\"\n")
    settings.core.look()
    #expect(line(["own"]) == 3 && line(["level"]) == nil)
    let writing = try store()
    #expect(writing.snapshot.origin(of: ["level"]).position?.line == 5)
    let error = #expect(throws: SettingsError.self) { try writing.set(1, for: SettingsKey("unknown", default: 0)) }
    #expect(error?.message.contains("'\(system)', line 1.") == true, "\(String(describing: error))")
  }

  @Test func `a migration that fails is one problem, which names the file`() throws {
    let migrations = [Migration(2, "count", [.convert("level", .integer)])]
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("level = \"hi\"\n", to: system)
    try home.write(old)
    let settings = SettingsStore(
      at: try home.location(), migrations: SettingsMigrations(migrations), logger: .silent, acceptsAnyVersion: false)
    settings.core.load()
    let reason = "at 'level', a string cannot be made an integer."
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot migrate '\(system)' to version 2 'count': \(reason) That file is left out.",
        "Cannot migrate '\(home.file)' to version 2 'count': \(reason) Nothing was written; the settings are used as "
          + "they are in version 1.",
      ])
    #expect(settings.currentProblems.map(\.position?.line) == [1, 4])
  }

  @Test(arguments: [EROFS, EACCES])
  func `a file that cannot be written is migrated in memory, without a backup and without complaint`(
    errno: Int32
  ) throws {
    try home.write(old)
    let system = Syscalls.failing(.rename, with: errno) { $0 == "settings.toml" }
    let settings = try store(system)
    #expect(settings[SettingsKey("theme.accent", default: "")] == "red")
    #expect(home.text() == old)
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
    #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(home.text() == old)
    #expect(home.names(in: home.backups).count <= 1)
  }

  // MARK: Faults

  @Test(arguments: [ENOSPC, EDQUOT, EACCES, EROFS, EIO], [Syscalls.Call.write, .fsync, .rename, .open, .mkdir])
  func `a backup that fails means no migration, with a report, and the next access migrates`(
    errno: Int32, call: Syscalls.Call
  ) throws {
    try home.write(old)
    let state = home.path + "/state"
    // A second name for the file would do without most of these.
    let system = Syscalls.failing(.link, with: EXDEV)
      .and(
        .failing(call, with: errno) {
          $0.hasPrefix(state) && !$0.contains("/profiles/") || $0.contains("before") || $0.contains(".backup.")
        })
    let settings = try store(system)
    // In this process the settings have their new form already.
    #expect(settings[SettingsKey("theme.accent", default: "")] == "red")
    #expect(home.text() == old)
    let problem = try #require(settings.currentProblems.first)
    #expect(problem.code == .migrationFailed)
    #expect(problem.message.contains("no backup of it could be made"), "\(problem.message)")
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.code == .migrationFailed)
    #expect(home.text() == old)
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])

    _ = try store()[.counter]
    #expect(home.text()?.contains("\n\nsettings-version = 7\n") == true)
    #expect(try store().backups().count == 1)
  }

  @Test(arguments: [Syscalls.Call.write, .fsync, .rename], [false, true])
  func `a full disk at the file itself leaves it, and no more than one backup`(
    call: Syscalls.Call, isCopied: Bool
  ) throws {
    try home.write(old)
    // The backup's own calls have its reason in their path.
    let full = Syscalls.failing(call, with: ENOSPC) { $0.contains("settings.toml") && !$0.contains("before") }
    let system = isCopied ? .failing(.link, with: EXDEV).and(full) : full
    for _ in 0..<3 {
      let settings = try store(system)
      _ = settings[.counter]
      #expect(home.text() == old)
      #expect(
        settings.currentProblems.contains { $0.message.contains("file system is full") }, "\(settings.currentProblems)")
    }
    // A second name of a file that stays would be written to with it: it is taken back.
    #expect(try store().backups().count == (isCopied ? 1 : 0))
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  // MARK: Two releases at once

  @Test func `an old release that runs on keeps reading, does not write, and says why`() throws {
    try home.write("settings-version = 1\nname = \"Ada\"\ncolour = \"red\"\n")
    let older = try home.store()
    let colour = SettingsKey("colour", default: "")
    #expect(older[colour] == "red")
    let result = try ChildProcess.run(
      ChildProcess.product("settings-probe"), ["upgrade", home.file], environment: home.environment)
    #expect(result.status == 0)
    let newer = home.text()
    #expect(newer?.contains("settings-version = 4") == true)
    // Not told yet: it sees what it saw.
    #expect(older[colour] == "red" && older[.name] == "Ada")
    let error = #expect(throws: SettingsError.self) { try older.set("Grace", for: .name) }
    #expect(error?.code == .newerVersion)
    #expect(error?.message.contains("version 4") == true && error?.message.contains("up to 1") == true)
    #expect(home.text() == newer)
    older.reload()
    #expect(older[.name] == "Ada" && older[colour] == "red")
    #expect(older.currentProblems.map(\.code) == [.newerVersion])
    older[.name] = "Grace"
    #expect(throws: SettingsError.self) { try older.flush() }
    #expect(older[.name] == "Ada")
    #expect(home.text() == newer)
  }

  // MARK: The way back

  @Test func `restore puts the text before a migration back, byte for byte, and keeps what it replaced`() throws {
    try home.write(old)
    let settings = try store()
    try settings.migrate()
    let new = home.text()
    let backup = try #require(try settings.backups().first)
    #expect(backup.reason == "before-v7-was-v1" && backup.time.hasSuffix("Z") && backup.isBeforeMigration)
    #expect(try settings.restore() == backup)
    #expect(home.text() == old)
    let backups = try settings.backups()
    #expect(backups.count == 2)
    #expect(backups.contains { $0.reason == "before-restore" && home.text(of: $0.path) == new })
    // This release reads it as its own, and migrates it when it writes.
    #expect(settings[SettingsKey("level", default: 0)] == 3)
    try settings.set(1, for: .counter)
    #expect(home.text()?.contains("\n\nsettings-version = 7\n") == true)
  }

  @Test func `restore of nothing, of what is gone, and of what does not parse is refused`() throws {
    try home.write("settings-version = 7\n")
    let settings = try store()
    #expect(settingsError { try settings.restore() }?.code == .noHistory)
    let gone = try #require(SettingsBackup(path: home.path + "/settings.000001.20261121T000000Z.before-v2-was-v1.toml"))
    #expect(settingsError { try settings.restore(gone) }?.code == .noHistory)
    try home.write("a = \n", to: gone.path)
    let error = #expect(throws: SettingsError.self) { try settings.restore(gone) }
    #expect(error?.code == .unparsable)
    #expect(home.text() == "settings-version = 7\n")
  }

  @Test func `recover moves what does not parse to the backups, and nothing else`() throws {
    let settings = try store()
    #expect(try settings.recover() == nil)
    try home.write("a = 1\n")
    #expect(try settings.recover() == nil)
    try home.write("a = \nb = 2\n")
    let backup = try #require(try settings.recover())
    #expect(home.text() == nil)
    #expect(home.text(of: backup.path) == "a = \nb = 2\n")
    try settings.set(1, for: .counter)
    #expect(home.text() == "settings-version = 7\ncounter = 1\n")
  }

  @Test func `recover follows links, and leaves them`() throws {
    let target = home.path + "/dotfiles/editor.toml"
    try home.write("a = \n", to: target)
    try FileManager.default.createDirectory(
      atPath: home.path + "/config/org.example.test", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: target)
    let settings = try store()
    _ = try #require(try settings.recover())
    #expect(home.text(of: target) == nil)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.file) == target)
    try settings.set(1, for: .counter)
    #expect(home.text(of: target) == "settings-version = 7\ncounter = 1\n")
  }

  // MARK: Hooks

  @Test func `a hook runs once after the commit, and may use the store`() throws {
    try home.write("counter = 1\nold = 2\n")
    let seen = Monitor<[String?]>([])
    let found = Monitor<[String?]>([])
    let home = home
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { file in
        seen.withLock { $0.append(file) }
        found.withLock { $0.append(home.text()) }
      },
      Migration(3, "nothing after", [.remove("x")]),
    ]
    for _ in 0..<3 {
      let settings = try home.store(migrations: migrations)
      #expect(settings[.counter] == 1)
      #expect(settings.currentProblems.isEmpty)
    }
    let files = seen.withLock { $0 }
    #expect(files == [home.file])
    let texts = found.withLock { $0 }
    #expect(texts == ["settings-version = 3\ncounter = 1\nnew = 2\n"])
  }

  @Test func `a hook runs also where the file is migrated to its version only`() throws {
    try home.write("old = 2\n")
    let runs = Recorder<String?>()
    let home = home
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in runs.note(home.text()) },
      Migration(3, "rename new", [.rename("new", to: "newest")]).afterCommit { _ in runs.note(home.text()) },
    ]
    #expect(try home.store(migrations: migrations).migrate(to: 2).map(\.version) == [2])
    #expect(runs.elements == ["settings-version = 2\nnew = 2\n"])
    #expect(try home.store(migrations: migrations).migrate().map(\.version) == [3])
    #expect(runs.elements == ["settings-version = 2\nnew = 2\n", "settings-version = 3\nnewest = 2\n"])
  }

  @Test func `a hook that throws is a problem, and is tried again at the next start`() throws {
    try home.write("old = 2\n")
    let runs = Monitor(0)
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in
        let run = runs.withLock { runs in
          runs += 1
          return runs
        }
        if run == 1 { throw MigrationStepError(path: ["new"], reason: "the cache is busy") }
      }
    ]
    let first = try home.store(migrations: migrations)
    #expect(first[SettingsKey("new", default: 0)] == 2)
    #expect(first.currentProblems.first?.message.contains("the cache is busy") == true)
    let second = try home.store(migrations: migrations)
    #expect(second[SettingsKey("new", default: 0)] == 2)
    #expect(second.currentProblems.isEmpty)
    _ = try home.store(migrations: migrations)[.counter]
    #expect(runs.withLock { $0 } == 2)
  }

  @Test func `no hook runs for a migration that failed or was made in memory`() throws {
    try home.write("old = \"x\"\n")
    let runs = Monitor(0)
    let migrations = [
      Migration(2, "rename old", [.rename("old", to: "new")]).afterCommit { _ in runs.withLock { $0 += 1 } },
      Migration(3, "fail", [.convert("new", .integer)]),
    ]
    #expect(try home.store(migrations: migrations)[SettingsKey("old", default: "")] == "x")
    #expect(runs.withLock { $0 } == 0)
    let memory = SettingsStore(inMemory: "old = \"1\"\n", migrations: migrations, logger: .silent)
    #expect(memory[SettingsKey("new", default: 0)] == 1)
    #expect(runs.withLock { $0 } == 1)
  }
}
