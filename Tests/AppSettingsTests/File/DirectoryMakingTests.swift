import AppSettings
import Foundation
import Testing
import TestSupport

/// The directories of a new file: links that lead nowhere, and what makes them durable.
struct DirectoryMakingTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  private func link(_ path: String, to target: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  private func store(_ system: Syscalls = Syscalls()) throws -> SettingsStore {
    try home.store(
      system: system,
      lockTimeout: .seconds(2))
  }

  @Test(arguments: ["config/org.example.test", "config"], ["dotfiles", "../dotfiles/", "second"])
  func `a dangling link to a directory is followed, and the directory made`(name: String, target: String) throws {
    let path = home.path + "/" + name
    let target = target.hasPrefix(".") && name == "config" ? "dotfiles" : target
    let parent = (path as NSString).deletingLastPathComponent
    try link(path, to: target)
    try link(parent + "/second", to: "dotfiles")
    try store().set(2, for: .counter)
    #expect(home.text() == "counter = 2\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
    #expect(try FileManager.default.attributesOfItem(atPath: directory + "/")[.posixPermissions] as? Int == 0o700)
  }

  @Test(arguments: ["config/org.example.test", "config"])
  func `a dangling link whose target has no parent is an error that names both`(name: String) throws {
    try link(home.path + "/" + name, to: "/media/none/settings")
    let settings = try store()
    let error = #expect(throws: SettingsError.self) { try settings.set(2, for: .counter) }
    #expect(error?.code == .io)
    let message = """
      Cannot make the directory '\(directory)': '\(home.path)/\(name)' is a symbolic link to '/media/none/settings', \
      whose directory '/media/none' does not exist. Nothing was written. Create it, mount its disk, or correct the link.
      """
    #expect(error?.message == message)
    settings[.counter] = 3
    #expect(throws: SettingsError.self) { try settings.flush() }
    #expect(settings[.counter] == 0)
  }

  @Test func `a directory that cannot be made through a link names the link`() throws {
    try link(home.path + "/config", to: "elsewhere")
    let system = Syscalls.failing(.mkdir, with: EACCES)
    let error = #expect(throws: SettingsError.self) { try store(system).set(2, for: .counter) }
    #expect(
      error?.message
        == "Cannot make the directory '\(home.path)/elsewhere': this process has no permission. The symbolic link "
        + "'\(home.path)/config' leads there. Nothing was written.")
  }

  @Test func `where nothing can be made, a write fails at once`() throws {
    let file = SettingsFile(path: "/proc/none/settings.toml")
    let error = #expect(throws: SettingsError.self) { try file.update { _ in Array("a = 1\n".utf8) } }
    #expect(error?.code == .io)
    #expect(
      error?.message == "Cannot make the directory '/proc/none': No such file or directory. Nothing was written.")
  }

  @Test func `a file in the place of a directory is an error`() throws {
    try home.write("", to: home.path + "/config")
    let error = #expect(throws: SettingsError.self) { try store().set(2, for: .counter) }
    #expect(error?.code == .io)
    #expect(home.text(of: home.path + "/config") == "")
  }

  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// System calls without proc(5), with a mask that keeps the owner from writing to a new directory.
  private func withoutProc(meanwhile: @escaping @Sendable () -> Void = {}) -> Syscalls {
    let directory = directory
    let isMade = Lock(false)
    return Syscalls { (call, path) throws(Errno) -> Int? in
      if call == .mkdir, path == directory { isMade.withLock { $0 = true } }
      if call == .openDirectory, path == directory, isMade.withLock({ $0 }) {
        isMade.withLock { $0 = false }
        chmod(path, 0o500)
      }
      if call == .chmod, path.hasPrefix("/proc/") {
        meanwhile()
        throw Errno(ENOENT)
      }
      return nil
    }
  }

  @Test func `a directory made where there is no proc can be used by its owner`() throws {
    try store(withoutProc()).set(2, for: .counter)
    #expect(home.text() == "counter = 2\n")
    #expect(try mode(of: directory) == 0o700)
  }

  @Test func `what a link in the place of a new directory leads to keeps its mode where there is no proc`() throws {
    let (directory, other) = (directory, home.path + "/other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    #expect(chmod(other, 0o500) == 0)
    let system = withoutProc {
      rename(directory, directory + ".made")
      symlink(other, directory)
    }
    // Where the link leads is the directory from then on, whether or not this user may write there.
    _ = try? store(system).set(2, for: .counter)
    #expect(try mode(of: other) == 0o500)
  }

  /// What was synced and renamed, by physical path, in order.
  private final class Trace: Sendable {
    private let events = Lock<[String]>([])
    private let failing = Lock(false)
    var all: [String] { events.withLock { $0 } }
    func clear() { events.withLock { $0 = [] } }
    func failParents() { failing.withLock { $0 = true } }

    var system: Syscalls {
      Syscalls { [self] (call, path) throws(Errno) -> Int? in
        if call == .rename { events.withLock { $0.append("rename") } }
        guard call == .fsyncDirectory else { return nil }
        if path.hasSuffix(".."), failing.withLock({ $0 }) { throw Errno(EIO) }
        let physical = realpath(path, nil)!
        defer { free(physical) }
        events.withLock { $0.append(String(cString: physical)) }
        return nil
      }
    }
  }

  @Test(arguments: [false, true])
  func `the first write of a file syncs the parents of its directory before the rename`(isDirectoryThere: Bool) throws {
    // As it is after a writer that was killed when it had made the directory.
    if isDirectoryThere {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }
    let trace = Trace()
    let settings = try store(trace.system)
    try settings.set(2, for: .counter)
    #expect(Array(trace.all.prefix(2)) == [home.path + "/config", home.path])
    #expect(Array(trace.all.suffix(2)) == ["rename", directory])
    trace.clear()
    try settings.set(3, for: .counter)
    // The first one gives the new file the name that what it displaces will have.
    #expect(trace.all == ["rename", "rename", directory])
  }

  @Test func `a first write whose directory is removed under its lock makes it again`() throws {
    let directory = directory
    let isRemoved = Monitor(false)
    let system = Syscalls { call, path in
      guard call == .open, path.hasSuffix(".settings-new") else { return nil }
      isRemoved.withLock { done in
        if !done { rmdir(directory) }
        done = true
      }
      return nil
    }
    try store(system).set(2, for: .counter)
    #expect(isRemoved.withLock { $0 })
    #expect(home.text() == "counter = 2\n")
  }

  @Test func `parents are synced where a link has led to`() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/dotfiles", withIntermediateDirectories: true)
    try link(home.path + "/config", to: "dotfiles/config")
    let trace = Trace()
    try store(trace.system).set(2, for: .counter)
    #expect(
      Array(trace.all.prefix(3)) == [home.path + "/dotfiles/config", home.path + "/dotfiles", home.path])
  }

  @Test func `parents that cannot be synced are an error, nothing is written, and the next write syncs them`() throws {
    let trace = Trace()
    trace.failParents()
    let error = #expect(throws: SettingsError.self) { try store(trace.system).set(2, for: .counter) }
    #expect(error?.code == .io)
    #expect(error?.message.hasSuffix("Nothing was written.") == true)
    #expect(home.names(in: directory) == [])
    let next = Trace()
    try store(next.system).set(2, for: .counter)
    #expect(next.all.contains(home.path + "/config") && next.all.contains(home.path))
  }
}
