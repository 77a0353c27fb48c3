import AppSettings
import CSettingsSystem
import Foundation
import Testing
import TestSupport

/// Who may open a file before and after a write, and while it is written.
struct RightsTests {
  private static let access = "system.posix_acl_access"
  private static let initial = "system.posix_acl_default"
  private let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  /// An access control list: rights of the owner, of a user, of the group, at the most, and of others.
  private func list(owner: UInt8 = 6, user: UInt32, may: UInt8, group: UInt8, mask: UInt8, others: UInt8) -> [UInt8] {
    func entry(_ tag: UInt8, _ rights: UInt8, _ id: UInt32 = .max) -> [UInt8] {
      [tag, 0, rights, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
    }
    return [2, 0, 0, 0] + entry(1, owner) + entry(2, may, user) + entry(4, group) + entry(16, mask)
      + entry(32, others)
  }

  private func set(_ name: String, _ value: [UInt8], on path: String) -> Bool {
    setxattr(path, name, value, value.count, 0) == 0
  }

  private func attribute(_ name: String, of path: String) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 1024)
    let count = getxattr(path, name, &value, value.count)
    return count < 0 ? nil : Array(value[..<count])
  }

  private func mode(of path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  /// Sets the counter, and looks at the temporary file before each call.
  private func write(_ look: @escaping @Sendable (String) -> Void = { _ in }) throws -> SettingsStore {
    let directory = directory
    let system = Syscalls { (_, _) throws(Errno) -> Int? in
      look(directory + "/" + BesideName.temporary(for: "settings.toml"))
      return nil
    }
    let store = try home.store(system: system)
    try store.set(2, for: .counter)
    return store
  }

  @Test func `a file without an access list does not take its directory's, nor does the temporary file`() throws {
    try home.write("counter = 1\n")
    chmod(home.file, 0o660)
    // Whoever may, by default, in new files.
    guard set(Self.initial, list(user: 65_534, may: 6, group: 6, mask: 6, others: 0), on: directory) else { return }
    let seen = Monitor(false)
    _ = try write { path in
      guard let list = attribute(Self.access, of: path) else { return }
      // While it has the list of the directory, it allows nothing by it.
      if list[4 + 8 * 3 + 2] != 0 { seen.withLock { $0 = true } }
    }
    #expect(!seen.withLock { $0 })
    #expect(attribute(Self.access, of: home.file) == nil)
    #expect(mode(of: home.file) == 0o660)
  }

  @Test func `an access list, attributes and every bit of the mode are kept`() throws {
    try home.write("counter = 1\n")
    chmod(home.file, 0o640)
    let own = list(user: 65_534, may: 4, group: 0, mask: 4, others: 0)
    guard set(Self.access, own, on: home.file), set("user.note", Array("kept".utf8), on: home.file),
      set("user.empty", [], on: home.file)
    else { return }
    _ = set(Self.initial, list(user: 65_533, may: 6, group: 6, mask: 6, others: 4), on: directory)
    let store = try write()
    #expect(attribute(Self.access, of: home.file) == own)
    #expect(attribute("user.note", of: home.file) == Array("kept".utf8))
    #expect(attribute("user.empty", of: home.file) == [])
    #expect(store.currentProblems.isEmpty)
    for permissions: UInt32 in [0o600, 0o444 | 0o200, 0o4755, 0o2750, 0o606] {
      removexattr(home.file, Self.access)
      chmod(home.file, permissions)
      _ = try home.store().set(Int.random(in: 3...1_000_000), for: .counter)
      #expect(mode(of: home.file) == permissions)
    }
  }

  @Test(arguments: [ENOSPC, EIO, EPERM])
  func `a write fails where the rights cannot be read or kept, and the file is unchanged`(errno: Int32) throws {
    try home.write("counter = 1\n")
    let system = Syscalls.failing(.xattr, with: errno)
    let store = try home.store(system: system)
    #expect(throws: SettingsError.self) { try store.set(2, for: .counter) }
    #expect(home.text() == "counter = 1\n")
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root may give files away"),
    arguments: [(65_534, 65_533), (65_534, getegid()), (geteuid(), 65_533)] as [(uid_t, gid_t)])
  func `owner and group are kept by root`(owner: uid_t, group: gid_t) throws {
    try home.write("counter = 1\n")
    chown(home.file, owner, group)
    chmod(home.file, 0o6640)
    let store = try write()
    var status = stat()
    stat(home.file, &status)
    #expect(status.st_uid == owner && status.st_gid == group && status.st_mode & 0o7777 == 0o6640)
    #expect(store.currentProblems.isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0, "it takes another user"))
  func `who cannot keep owner and group is told, and the new group may do what everyone may`() throws {
    try home.write("counter = 1\n")
    chown(home.file, 0, 0)
    // Another user may write it by its list.
    let own = list(user: 65_534, may: 6, group: 6, mask: 6, others: 4)
    guard set(Self.access, own, on: home.file) else { return }
    for path in [home.path, home.path + "/config", directory] { chmod(path, 0o777) }
    let result = try ChildProcess.run(
      "/usr/bin/setpriv",
      [
        "--reuid", "65534", "--regid", "65534", "--clear-groups", ChildProcess.product("settings-cli"), "set",
        "./settings.toml", "counter", "2",
      ], environment: home.environment, directory: directory)
    #expect(result.status == 0, "\(result)")
    #expect(result.error.contains("could not keep the group 0 (it is 65534 now), the owner 0 (it is 65534 now)"))
    // The entry of the owning group: no more than others have.
    #expect(attribute(Self.access, of: home.file)?[4 + 8 * 2 + 2] == 4)
    chmod(home.path, 0o700)
  }

  @Test(arguments: [0o177, 0o277, 0o777, 0o000] as [UInt32])
  func `what is made is for its owner, whatever the umask`(mask: UInt32) throws {
    let command = ChildProcess.product("settings-cli")
    let script = """
      umask 0\(String(mask, radix: 8))
      '\(command)' set org.example.test a 1 && EDITOR='echo a = 2 >' '\(command)' edit org.example.test
      """
    var variables = home.environment
    variables["XDG_CONFIG_HOME"] = home.path + "/new/config"
    variables["XDG_STATE_HOME"] = home.path + "/new/state"
    variables["XDG_RUNTIME_DIR"] = home.path
    let result = try ChildProcess.shell(script, environment: variables)
    #expect(result.status == 0, "\(result)")
    let made = try ChildProcess.shell("find '\(home.path)/new' -printf '%y%m\\n' | sort -u", environment: variables)
    #expect(made.output == "d700\nf600\n")
  }
}
