import AppSettings
import Foundation
import Testing
import TestSupport

/// Several edits as one.
struct SettingsStoreUpdateTests {
  let home = ScratchHome()

  @Test func `update works on fresh values in one write and returns the closure's result`() throws {
    let settings = try home.store()
    settings[.counter] = 1
    try settings.flush()
    try home.write("counter = 41\n")
    let result = try settings.update { transaction in
      transaction[.counter] += 1
      transaction[.name] = "n"
      return transaction[.counter]
    }
    #expect(result == 42)
    #expect(settings[.counter] == 42)
    #expect(home.text() == "counter = 42\nname = \"n\"\n")
  }

  @Test func `a throw inside update changes nothing`() throws {
    struct Stop: Error {}
    try home.write("counter = 1\n")
    let settings = try home.store()
    #expect(throws: Stop.self) {
      try settings.update { transaction in
        transaction[.counter] = 2
        throw Stop()
      }
    }
    #expect(settings[.counter] == 1)
    #expect(home.text() == "counter = 1\n")
    try settings.set(3, for: .counter)
  }

  @Test func `a refused value inside update makes all of it fail`() throws {
    let settings = try home.store()
    let error = #expect(throws: SettingsError.self) {
      try settings.update { transaction in
        transaction[.counter] = 2
        transaction[.fontSize] = 100
      }
    }
    #expect(error?.code == .invalidValue)
    #expect(home.text() == nil)
  }

  @Test func `update, set and flush inside update are an error and no deadlock`() throws {
    let settings = try home.store()
    try settings.update { _ in
      #expect(throws: SettingsError.self) { try settings.update { _ in } }
      let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
      #expect(error?.code == .nestedUpdate)
      #expect(throws: SettingsError.self) { try settings.flush() }
    }
  }
}
