import AppSettings
import CSettingsSystem
import Foundation
import Testing
import TestSupport

/// Links that somebody puts in the place of what was looked at, where a privileged process is about to use it.
struct SwappedLinkTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }

  @Test func `a link that takes the place of a new directory is not followed`() throws {
    let (path, other) = (home.path + "/new", home.path + "/other")
    mkdir(other, 0o555)
    let system = Syscalls.before(.chmod) { _ in
      rename(path, path + "-moved")
      symlink(other, path)
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
    let system = Syscalls.before(.openDirectory) { _ in
      rename(path, path + "-moved")
      symlink(other, path)
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
    let settings = try home.store(
      system: .before(.open, where: { $0.hasSuffix("settings-aside") }) { _ in
        unlink(aside)
        symlink(secret, aside)
      })
    #expect(try settings.recover() == nil)
    #expect(home.names(in: home.backups) == [])
    #expect(settings.currentProblems.map(\.message).contains { $0.hasPrefix("Kept '\(aside)'") })
  }

  @Test func `a link that takes the place of a file which was replaced is not followed`() throws {
    let secret = home.path + "/secret"
    let (file, aside) = (home.file, directory + "/.settings.toml.settings-aside")
    try home.write("not = \"yours\"\n", to: secret)
    try home.write("counter = 1\n")
    // Another program moves its file into place.
    let system = Syscalls.before(.rename) { _ in
      try? Data("counter = 2\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
    .and(
      .before(.open, where: { $0.hasSuffix("settings-aside") }) { _ in
        unlink(aside)
        symlink(secret, aside)
      })
    let settings = try home.store(system: system)
    #expect(settings[.counter] == 1)
    #expect(try settings.set(7, for: .counter))
    #expect(home.text() == "counter = 7\n" && home.names(in: home.backups) == [])
    for name in home.names(in: directory) {
      let path = directory + "/" + name
      guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil else { continue }
      #expect(home.text(of: path)?.contains("yours") != true, "\(name)")
    }
  }
}
