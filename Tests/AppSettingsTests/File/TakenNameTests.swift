import AppSettings
import Foundation
import Testing
import TestSupport

/// Others may have the names that a write takes for a moment.
struct TakenNameTests {
  private let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }
  private var temporary: String { directory + "/.settings.toml.settings-new" }
  private var aside: String { directory + "/.settings.toml.settings-aside" }

  @Test func `a directory of the temporary name hinders no write, and nothing piles up`() throws {
    try home.write("counter = 1\n")
    try FileManager.default.createDirectory(atPath: temporary + "/x", withIntermediateDirectories: true)
    let store = try home.store()
    for number in 2...4 {
      // As a writer that was killed would leave it.
      try home.write("stray", to: temporary + "-0123456789abcdef")
      try store.set(number, for: .counter)
      #expect(home.text() == "counter = \(number)\n")
      #expect(home.names(in: directory) == [".settings.toml.settings-new", "settings.toml"])
    }
    try FileManager.default.removeItem(atPath: temporary)
    try store.set(5, for: .counter)
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test(arguments: [ENOSPC, EIO]) func `a write that fails beside it leaves nothing either`(errno: Int32) throws {
    try home.write("counter = 1\n")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    let system = Syscalls.failing(.fsync, with: errno)
    let store = try home.store(system: system)
    #expect(throws: SettingsError.self) { try store.set(2, for: .counter) }
    #expect(home.text() == "counter = 1\n")
    #expect(home.names(in: directory) == [".settings.toml.settings-new", "settings.toml"])
  }

  @Test func `a directory of the name for files set aside hinders no recovery, and what was set aside is found`() throws
  {
    try home.write("counter = \n")
    try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
    try home.write("set aside", to: aside + "-0123456789abcdef")
    let store = try home.store()
    #expect(try store.recover() != nil)
    #expect(home.names(in: directory) == [".settings.toml.settings-aside"])
    let texts = try store.backups().map { home.text(of: $0.path) }
    #expect(texts == ["counter = \n", "set aside"])
    try store.set(1, for: .counter)
    #expect(home.text() == "counter = 1\n")
  }

  @Test func `a directory of the name of a backup in the making hinders none`() throws {
    try home.write("counter = 1\n")
    let store = try home.store()
    try store.core.commit(backingUp: "before-test") { _ in Array("counter = 2\n".utf8) }
    try FileManager.default.createDirectory(
      atPath: home.backups + "/.backup.settings-new", withIntermediateDirectories: true)
    try store.core.commit(backingUp: "before-test") { _ in Array("counter = 3\n".utf8) }
    #expect(try store.backups().count == 2)
  }

  @Test(.enabled(if: geteuid() == 0, "it takes another user"))
  func `another user's files in a sticky directory hinder no write, and are not taken for one's own`() throws {
    // Of all who may run it.
    let command = home.path + "/cli"
    try ChildProcess.shell(
      "install -m 755 '\(ChildProcess.product("settings-cli"))' '\(command)'", environment: home.environment)
    let shared = home.path + "/shared"
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    chmod(home.path, 0o755)
    chmod(shared, 0o1777)
    for name in [".x.toml.settings-new", ".x.toml.settings-aside"] {
      try home.write("counter = 666\n", to: "\(shared)/\(name)")
    }
    let script = """
      set -e
      '\(command)' set ./x.toml counter 1
      '\(command)' set ./x.toml counter 2
      echo 'counter =' > x.toml
      sleep 0.6
      '\(command)' recover ./x.toml
      '\(command)' set ./x.toml counter 3
      cat x.toml
      """
    var variables = home.environment
    variables["XDG_STATE_HOME"] = shared + "/state"
    let result = try ChildProcess.run(
      "/usr/bin/setpriv", ["--reuid", "65534", "--regid", "65534", "--clear-groups", "/bin/sh", "-c", script],
      environment: variables, directory: shared)
    #expect(result.status == 0 && result.output.hasSuffix("\ncounter = 3\n"), "\(result)")
    #expect(home.names(in: shared) == [".x.toml.settings-aside", ".x.toml.settings-new", "state", "x.toml"])
    let backups = home.names(in: "\(shared)/state/app-settings/files\(shared)/x.toml.backups")
    #expect(backups.count == 1)
    chmod(home.path, 0o700)
  }
}
