import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// Which thread holds the lock of which directory.
struct HeldLocksTests {
  let home = ScratchHome()
  private var directory: String { (home.file as NSString).deletingLastPathComponent }

  /// Holds the directory's lock for a file while `body` runs.
  private func whileLocked(for file: String, _ body: () throws -> Void) throws {
    let status = try #require(try Syscalls().status(at: directory))
    // No descriptor of this process has a negative number.
    let descriptor = CInt.random(in: CInt.min..<0)
    HeldLocks.add(descriptor, of: status, for: file)
    defer { HeldLocks.remove(descriptor) }
    try body()
  }

  private func refusal(of path: String) -> SettingsError? {
    settingsError { try SettingsFile(path: path, system: Syscalls()).checkNotLocked() }
  }

  init() throws { try home.write("") }

  @Test func `a thread that holds no lock may lock any directory`() {
    #expect(!HeldLocks.hasAny)
    #expect(refusal(of: home.file) == nil)
  }

  @Test func `a thread that is writing a file may not write it once more`() throws {
    try whileLocked(for: home.file) {
      #expect(HeldLocks.hasAny)
      let error = refusal(of: home.file)
      #expect(error?.code == .nestedUpdate && error?.file == home.file)
      #expect(
        error?.message.hasPrefix("Cannot write '\(home.file)': this thread is writing it already, ") == true,
        "\(String(describing: error))")
    }
    #expect(!HeldLocks.hasAny && refusal(of: home.file) == nil)
  }

  @Test func `a thread that is writing a file may write no other in its directory`() throws {
    try whileLocked(for: home.file) {
      let error = refusal(of: directory + "/other.toml")
      #expect(error?.code == .nestedUpdate)
      #expect(
        error?.message.contains(
          "this thread is writing '\(home.file)', and has locked the directory of both, '\(directory)'") == true,
        "\(String(describing: error))")
    }
  }

  @Test func `a directory is known by what it is, not by its path`() throws {
    try FileManager.default.createSymbolicLink(atPath: home.path + "/way", withDestinationPath: directory)
    try FileManager.default.createSymbolicLink(atPath: home.path + "/link.toml", withDestinationPath: home.file)
    try whileLocked(for: home.file) {
      #expect(refusal(of: home.path + "/way/settings.toml")?.code == .nestedUpdate)
      #expect(refusal(of: home.path + "/link.toml")?.code == .nestedUpdate)
    }
  }

  @Test func `a thread that is writing a file may write one in another directory, or in one yet to be made`() throws {
    try home.write("", to: home.path + "/elsewhere/settings.toml")
    try whileLocked(for: home.file) {
      #expect(refusal(of: home.path + "/elsewhere/settings.toml") == nil)
      #expect(refusal(of: home.path + "/missing/settings.toml") == nil)
    }
  }

  @Test func `another thread's lock refuses nothing: it is waited for`() throws {
    let file = home.file
    let found = Lock<SettingsError?>(nil)
    try whileLocked(for: file) {
      let other = Aside {
        let error = settingsError { try SettingsFile(path: file, system: Syscalls()).checkNotLocked() }
        found.withLock { $0 = error }
      }
      #expect(other.ends())
    }
    #expect(found.withLock { $0 } == nil)
  }
}
