import AppSettings
import Foundation
import Testing
import TestSupport

/// Writes inside a write: a thread that would wait for itself is told at once, whichever store it is.
struct NestedWriteTests {
  let home = ScratchHome()

  private func other(_ name: String = "second") throws -> SettingsStore {
    try home.store(name: name)
  }

  private var secondFile: String { home.path + "/config/org.example.test/second.toml" }

  @Test func `another store in the same directory cannot be written inside an update, and both are named`() throws {
    let settings = try home.store()
    let second = try other()
    try settings.update { transaction in
      transaction[.counter] = 1
      let error = settingsError { try second.set(1, for: .counter) }
      #expect(error?.code == .nestedUpdate)
      #expect(
        error?.message
          == "Cannot write '\(secondFile)': this thread is writing '\(home.file)', and has locked the directory of both, "
          + "'\(home.path)/config/org.example.test', so it would wait for itself. Nothing was written. Do it before or "
          + "after the other write, not inside it.")
      #expect(settingsError { try second.update { $0[.counter] = 1 } }?.code == .nestedUpdate)
      // Nothing is to be written: no need to wait.
      try second.flush()
      second[.counter] = 5
      #expect(settingsError { try second.flush() }?.code == .nestedUpdate)
    }
    try second.flush()
    #expect(home.text() == "counter = 1\n")
    #expect(home.text(of: secondFile) == "counter = 5\n")
  }

  @Test func `a migration that reads the settings that it migrates traps, and does not hang`() async {
    await #expect(processExitsWith: .failure) {
      let home = ScratchHome()
      try home.write("counter = 1\n")
      let own = Lock<SettingsStore?>(nil)
      let settings = try home.store(
        migrations: [Migration(2, "read the counter") { _ in _ = own.withLock { $0 }?[.counter] }])
      own.withLock { $0 = settings }
      _ = settings[.counter]
    }
  }

  @Test func `the same file through another store, or a link, cannot be written inside an update`() throws {
    let settings = try home.store()
    let same = try home.store()
    try home.write("")
    try FileManager.default.createSymbolicLink(atPath: secondFile, withDestinationPath: "settings.toml")
    let linked = try other()
    try settings.update { _ in
      let error = settingsError { try same.set(1, for: .counter) }
      #expect(error?.code == .nestedUpdate)
      #expect(error?.message.contains("through another store or call") == true)
      #expect(settingsError { try linked.set(1, for: .counter) }?.code == .nestedUpdate)
      #expect(settingsError { try same.recover() }?.code == .nestedUpdate)
    }
    try same.set(2, for: .counter)
    #expect(home.text() == "counter = 2\n")
  }

  @Test func `a store in another directory can be written inside an update`() throws {
    let settings = try home.store()
    let other = try home.store(app: "org.example.other")
    try settings.update { transaction in
      try other.set(1, for: .counter)
      transaction[.counter] = 2
    }
    #expect(home.text() == "counter = 2\n")
    #expect(home.text(of: home.path + "/config/org.example.other/settings.toml") == "counter = 1\n")
  }

  @Test func `another thread waits for the update and then writes`() throws {
    let settings = try home.store()
    let second = try other()
    let done = DispatchSemaphore(value: 0)
    let error = Lock<SettingsError?>(nil)
    try settings.update { transaction in
      transaction[.counter] = 1
      Thread.detachNewThread {
        let thrown = settingsError { try second.set(2, for: .counter) }
        error.withLock { $0 = thrown }
        done.signal()
      }
    }
    done.wait()
    #expect(error.withLock { $0 } == nil)
    #expect(home.text(of: secondFile) == "counter = 2\n")
  }

  @Test func `an update that throws leaves the thread free to write`() throws {
    struct Stop: Error {}
    let settings = try home.store()
    let second = try other()
    #expect(throws: Stop.self) { try settings.update { _ in throw Stop() } }
    try second.set(1, for: .counter)
    #expect(home.text(of: secondFile) == "counter = 1\n")
  }
}
