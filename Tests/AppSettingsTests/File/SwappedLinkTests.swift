import AppSettings
import CSettingsSystem
import Foundation
import Testing
import TestSupport

/// Links that somebody puts in the place of what was looked at, where a privileged process is about to use it.
@Suite struct SwappedLinkTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  private func store(
    _ intercept: @escaping @Sendable (Syscalls.Call, String) throws(Errno) -> Int?
  ) throws -> SettingsStore {
    SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: false,
      system: Syscalls(intercept: intercept))
  }

  @Test func `a link that takes the place of a new directory is not followed`() throws {
    let (path, other) = (home.path + "/new", home.path + "/other")
    mkdir(other, 0o555)
    let system = Syscalls { (call, name) throws(Errno) -> Int? in
      if call == .chmod {
        rename(path, path + "-moved")
        symlink(other, path)
      }
      return nil
    }
    // Without the right to write, as some umasks leave it.
    _ = try system.makeDirectory(path, mode: 0o500)
    var status = stat()
    #expect(stat(other, &status) == 0 && status.st_mode & 0o777 == 0o555)
    #expect(stat(path + "-moved", &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func `a link that takes the place of a directory before it is looked at is an error`() throws {
    let (path, other) = (home.path + "/new", home.path + "/other")
    mkdir(other, 0o555)
    let system = Syscalls { (call, name) throws(Errno) -> Int? in
      if call == .openDirectory {
        rename(path, path + "-moved")
        symlink(other, path)
      }
      return nil
    }
    #expect(throws: Errno.self) { try system.makeDirectory(path, mode: 0o500) }
    var status = stat()
    #expect(stat(other, &status) == 0 && status.st_mode & 0o777 == 0o555)
  }

  @Test func `a link that takes the place of a file set aside is not followed`() throws {
    let secret = home.path + "/secret"
    let aside = directory + "/.settings.toml.settings-aside"
    try home.write("not = \"yours\"\n", to: secret)
    try home.write("set aside =\n", to: aside)
    let settings = try store { (call, path) throws(Errno) -> Int? in
      if call == .open, path.hasSuffix("settings-aside") {
        unlink(aside)
        symlink(secret, aside)
      }
      return nil
    }
    #expect(throws: SettingsError.self) { try settings.recover() }
    #expect(home.names(in: home.backups) == [])
  }

  @Test func `a link that takes the place of a file which was replaced is not followed`() throws {
    let secret = home.path + "/secret"
    let (file, temporary) = (home.file, directory + "/.settings.toml.settings-new")
    try home.write("not = \"yours\"\n", to: secret)
    try home.write("counter = 1\n")
    let opened = Monitor(0)
    let settings = try store { (call, path) throws(Errno) -> Int? in
      if call == .rename {
        // Another program moves its file into place.
        try? Data("counter = 2\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
      }
      guard call == .open, path.hasSuffix("settings-new") else { return nil }
      let count = opened.withLock { count in
        count += 1
        return count
      }
      // After it was made, it is opened to be read.
      if count == 2 {
        unlink(temporary)
        symlink(secret, temporary)
      }
      return nil
    }
    #expect(settings[.counter] == 1)
    #expect(throws: SettingsError.self) { try settings.set(7, for: .counter) }
    for name in home.names(in: directory) {
      let path = directory + "/" + name
      guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil else { continue }
      #expect(home.text(of: path)?.contains("yours") != true, "\(name)")
    }
  }
}
