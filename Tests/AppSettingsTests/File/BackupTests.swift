import AppSettings
import Foundation
import Testing
import TestSupport

/// How the backup before a migration is made: as a second name of the old file where that can be, else as a copy.
struct BackupTests {
  let home = ScratchHome()
  private static let old = "old = 1  # kept\n"
  private static let new = "settings-version = 2\nnew = 1  # kept\n"
  private let migrations = [Migration(2, "rename old", [.rename("old", to: "new")])]
  private let value = SettingsKey("new", default: 0)
  private var directory: String { home.backups }
  private var backups: [String] { home.names(in: directory).map { directory + "/" + $0 } }

  private func store(_ system: Syscalls = Syscalls()) throws -> SettingsStore {
    try home.store(migrations: migrations, system: system)
  }

  private func inode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  @Test func `the backup is the old file itself, on disk before the new one takes its place`() throws {
    try home.write(Self.old)
    let before = try inode(home.file)
    let trace = Monitor<[String]>([])
    let backups = home.backups
    let settings = try store(
      .tracing(into: trace) { call, path in
        guard [.link, .fsync, .fsyncDirectory, .rename].contains(call) else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // The directories above that of the backups are synced before, up to the root.
        let isAbove = call == .fsyncDirectory && path.hasPrefix(backups) && path.hasSuffix("/..")
        return "\(call) \(isAbove ? "above" : name.contains("before") ? "backup" : name)"
      })
    #expect(settings[value] == 1)
    #expect(home.text() == Self.new)
    #expect(self.backups.count == 1)
    #expect(try self.backups.map(inode) == [before])
    #expect(try inode(home.file) != before)
    let calls = trace.withLock { $0 }
    #expect(calls.filter { $0 == "fsyncDirectory above" }.count >= 5)
    #expect(
      calls.drop { $0 == "fsyncDirectory above" } == [
        "link backup", "fsync settings.toml", "fsync backup", "fsyncDirectory settings.toml.backups",
        "rename .settings.toml.settings-aside", "rename settings.toml", "fsyncDirectory org.example.test",
      ])
  }

  @Test(arguments: [EXDEV, EPERM, EMLINK, EACCES, ENOSYS, EOPNOTSUPP, ENOSPC])
  func `where there can be no second name, a copy is made`(errno: Int32) throws {
    try home.write(Self.old)
    let before = try inode(home.file)
    let settings = try store(.failing(.link, with: errno))
    #expect(settings[value] == 1 && settings.currentProblems.isEmpty)
    #expect(home.text() == Self.new)
    #expect(backups.map { home.text(of: $0) } == [Self.old])
    #expect(try backups.map(inode) != [before])
  }

  @Test func `a file with other names is copied, since it can be written to through them`() throws {
    try home.write(Self.old)
    let other = home.path + "/other.toml"
    try FileManager.default.linkItem(atPath: home.file, toPath: other)
    #expect(try store()[value] == 1)
    let backup = try #require(backups.first)
    let handle = try #require(FileHandle(forWritingAtPath: other))
    try handle.write(contentsOf: Data("broken".utf8))
    try handle.close()
    #expect(home.text(of: backup) == Self.old && backups.count == 1)
    #expect(home.text() == Self.new)
  }

  @Test func `a link to the file is followed: its target is what has the second name`() throws {
    let target = home.path + "/dotfiles/editor.toml"
    try home.write(Self.old, to: target)
    try FileManager.default.createDirectory(
      atPath: home.path + "/config/org.example.test", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: target)
    #expect(try store()[value] == 1)
    #expect(home.text(of: target) == Self.new)
    let backup = try #require(try store().backups().first).path
    #expect(home.text(of: backup) == Self.old && backup.hasPrefix(home.backups(of: target) + "/editor."))
    let type = try FileManager.default.attributesOfItem(atPath: backup)[.type]
    #expect(type as? FileAttributeType == .typeRegular)
  }

  @Test(arguments: [Syscalls.Call.fsync, .fsyncDirectory, .open], [ENOSPC, EIO])
  func `a backup that cannot be made durable means no migration, and none is left`(
    call: Syscalls.Call, errno: Int32
  ) throws {
    try home.write(Self.old)
    let afterLink = Counter(isRunning: false)
    let failing = Syscalls.failing(call, with: errno, counting: afterLink) { $0.contains(".backups") }
    let settings = try store(.before(.link) { _ in afterLink.start() }.and(failing))
    #expect(settings[value] == 1)
    #expect(home.text() == Self.old)
    #expect(backups.isEmpty)
    #expect(settings.currentProblems.first?.message.contains("no backup of it could be made") == true)
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
    #expect(try store()[value] == 1)
    #expect(home.text() == Self.new && backups.count == 1)
  }

  @Test func `a file that another program puts there meanwhile is migrated in the place of the old one`() throws {
    try home.write(Self.old)
    let home = home
    let settings = try store(
      .before(.link, at: .nth(1)) { _ in
        try? Data("old = 2\n".utf8).write(to: URL(fileURLWithPath: home.file), options: .atomic)
      })
    #expect(settings[value] == 2)
    #expect(home.text()?.contains("new = 2") == true)
    #expect(backups.contains { home.text(of: $0) == "old = 2\n" })
  }

  @Test func `a disk without room for a copy still takes the backup`() throws {
    try home.write(Self.old)
    let settings = try store(.failing(.write, with: ENOSPC) { $0.contains("before") })
    #expect(settings[value] == 1)
    #expect(home.text() == Self.new)
    #expect(backups.map { home.text(of: $0) } == [Self.old])
  }
}
