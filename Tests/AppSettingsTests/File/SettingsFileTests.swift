import AppSettings
import Foundation
import Testing
import TestSupport

/// Real homes: links, modes, missing directories, and things that are no files.
struct SettingsFileTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  private func mode(of path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test func `the first write makes private directories and a private file, whatever the umask`() throws {
    try home.store().set(1, for: .counter)
    #expect(try mode(of: home.file) == 0o600)
    #expect(try mode(of: directory) == 0o700)
    #expect(try mode(of: home.path + "/config") == 0o700)
    #expect(home.names(in: home.path) == ["config", "state"])
    #expect(try mode(of: home.path + "/state") == 0o700)
  }

  @Test(arguments: [0o600, 0o640, 0o664, 0o644])
  func `a write keeps the file's mode`(mode: Int) throws {
    try home.write("counter = 1\n")
    chmod(home.file, mode_t(mode))
    try home.store().set(2, for: .counter)
    #expect(try self.mode(of: home.file) == mode)
  }

  @Test func `a write keeps extended attributes`() throws {
    try home.write("counter = 1\n")
    let result = try ChildProcess.shell(
      "command -v setfattr >/dev/null || exit 9; setfattr -n user.note -v kept '\(home.file)' || exit 9",
      environment: home.environment)
    guard result.status == 0 else { return }  // no tool or no attributes on this file system
    try home.store().set(2, for: .counter)
    let read = try ChildProcess.shell(
      "getfattr --only-values -n user.note '\(home.file)'", environment: home.environment)
    #expect(read.output == "kept")
  }

  @Test func `a chain of links is kept, and the file at its end written`() throws {
    let real = home.path + "/dotfiles/real.toml"
    try home.write("counter = 1\n", to: real)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: home.path + "/dotfiles/middle.toml", withDestinationPath: "real.toml")
    try FileManager.default.createSymbolicLink(
      atPath: home.file, withDestinationPath: "../../dotfiles/middle.toml")
    let settings = try home.store()
    #expect(settings[.counter] == 1)
    try settings.set(2, for: .counter)
    #expect(home.text(of: real) == "counter = 2\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.file) == "../../dotfiles/middle.toml")
    #expect(home.names(in: home.path + "/dotfiles") == ["middle.toml", "real.toml"])
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test func `writing through a dangling link makes its target`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let target = home.path + "/elsewhere/deep/s.toml"
    try FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: target)
    try home.store().set(2, for: .counter)
    #expect(home.text(of: target) == "counter = 2\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.file) == target)
  }

  @Test func `a link loop is an error that says so, and reads give defaults`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: "settings.toml")
    let settings = try home.store()
    #expect(settings[.counter] == 0)
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.message.contains("symbolic links form a loop") == true)
  }

  @Test(arguments: ["mkdir", "mkfifo", "ln -s /dev/zero", "ln -s /dev/null"])
  func `what is no regular file is never waited for, read or replaced`(command: String) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let made = try ChildProcess.shell("\(command) '\(home.file)'", environment: home.environment)
    #expect(made.status == 0)
    let settings = try home.store()
    #expect(settings[.counter] == 0)
    #expect(settings.currentProblems.count == 1)
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == .io)
    let kept = try ChildProcess.shell("test -f '\(home.file)'", environment: home.environment)
    #expect(kept.status == 1)
  }

  @Test func `what cannot be moved is not to be moved away`() throws {
    let device = #expect(throws: SettingsError.self) { try SettingsFile(path: "/dev/null").read() }
    #expect(
      device?.message
        == "Cannot read '/dev/null': it is a device, and settings are kept in a regular file. Name a regular file instead."
    )
    try FileManager.default.createSymbolicLink(atPath: home.path + "/masked.toml", withDestinationPath: "/dev/null")
    let mask = #expect(throws: SettingsError.self) { try SettingsFile(path: home.path + "/masked.toml").read() }
    #expect(mask?.message.contains("it is a mask, which leads to '/dev/null', and settings are kept in") == true)
    let directory = #expect(throws: SettingsError.self) { try SettingsFile(path: home.path).read() }
    #expect(
      directory?.message.hasSuffix("a regular file. Name a file in it, such as '\(home.path)/settings.toml'.") == true)
    try FileManager.default.createDirectory(atPath: home.path + "/a.toml", withIntermediateDirectories: true)
    let inTheWay = #expect(throws: SettingsError.self) { try SettingsFile(path: home.path + "/a.toml").read() }
    #expect(inTheWay?.message.hasSuffix("a regular file. Move it away, or name another file.") == true)
  }

  @Test func `a directory without permission to write is an error that says so`() throws {
    guard geteuid() != 0 else { return try asNobody() }
    try home.write("counter = 1\n")
    chmod(directory, 0o500)
    let error = #expect(throws: SettingsError.self) { try home.store().set(2, for: .counter) }
    #expect(error?.code == .readOnly)
    #expect(home.text() == "counter = 1\n")
  }

  /// Root may write anywhere: the same as another user, through the command.
  private func asNobody() throws {
    try home.write("counter = 1\n")
    chmod(home.path, 0o755)
    chmod(home.path + "/config", 0o755)
    chmod(directory, 0o755)
    chmod(home.file, 0o644)
    let command =
      "setpriv --reuid=65534 --regid=65534 --clear-groups '\(ChildProcess.product("settings-probe"))' fill '\(home.file)' x 1"
    let result = try ChildProcess.shell(command, environment: home.environment)
    guard !result.error.contains("not found"), !result.error.contains("failed to execute") else { return }
    #expect(result.status != 0)
    #expect(result.error.contains("mode does not allow it"))
    #expect(home.text() == "counter = 1\n")
  }

  @Test func `bytes that are no text are refused and stay`() throws {
    let bytes = Data([0xFF, 0xFE, 0, 1, 2])
    try home.write("")
    try bytes.write(to: URL(fileURLWithPath: home.file))
    let settings = try home.store()
    #expect(settings[.counter] == 0)
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.code == .unparsable)
    #expect(FileManager.default.contents(atPath: home.file) == bytes)
  }

  @Test func `a variable that is relative, empty or unset is ignored`() throws {
    let variables = ["HOME": "/h", "XDG_CONFIG_HOME": "relative", "XDG_CONFIG_DIRS": "also/relative:"]
    let location = try SettingsLocation(app: "a", environment: variables)
    #expect(location.file == "/h/.config/a/settings.toml")
    #expect(location.systemDirectories == ["/etc/xdg/a"])
    #expect(location.backupsDirectory == "/h/.local/state/app-settings/files/h/.config/a/settings.toml.backups")
    let state = try SettingsLocation(app: "a", name: "window", scope: .state, environment: variables)
    #expect(state.file == "/h/.local/state/a/window.toml")
    #expect(state.systemDirectories == [])
  }

  @Test func `a lock that is held too long is an error after the time-out`() throws {
    try home.write("counter = 1\n")
    // As another process has it: this thread's own lock would be another error.
    let system = Syscalls()
    let lock = try system.openToLock(directory)
    defer { system.close(lock, unlocks: true) }
    #expect(try system.tryLock(lock, path: directory))
    let settings = try home.store(
      lockTimeout: .milliseconds(50))
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == .lockTimeout)
    #expect(home.text() == "counter = 1\n")
  }
}
