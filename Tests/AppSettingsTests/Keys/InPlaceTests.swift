import AppSettings
import Foundation
import Testing
import TestSupport

/// Values changed where they are.
struct InPlaceTests {
  let home = ScratchHome()

  @Test func `collections, numbers and fields of records are changed in place`() throws {
    let settings = try home.store()
    settings[.recent].append(URL(string: "file:///a")!)
    settings.recent.append(URL(string: "file:///b")!)
    settings[\.fontSize] += 3
    settings.fontSize *= 2
    settings[.limits]["a", default: 1] += 1
    settings.profile.note = "n"
    settings[.wrap].toggle()
    settings[Declared.optionalDefault]? += 1
    settings[Declared.plainOptionalDefault]?.append("!")
    try settings.flush()
    let other = try home.store()
    #expect(other[.recent].map(\.path) == ["/a", "/b"])
    #expect(other[.fontSize] == 30)
    #expect(other[.limits] == ["a": 2])
    #expect(other[.profile] == AppProfile(name: "default", note: "n"))
    #expect(other[.wrap])
    #expect(other[Declared.optionalDefault] == 6)
    #expect(other[Declared.plainOptionalDefault] == "none!")
  }

  @Test func `within update nothing is lost among threads and stores`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        let settings = try home.store()
        group.addTask { for _ in 0..<10 { try await settings.update { $0[.counter] += 1 } } }
      }
      try await group.waitForAll()
    }
    #expect(try home.store()[.counter] == 40)
  }

  @Test func `a transaction changes in place what it has set itself`() throws {
    let settings = try home.store()
    try settings.update { transaction in
      transaction[.limits]["a"] = 1
      transaction[.limits]["b"] = 2
      transaction[.profile].port += 1
      transaction[.profile].port += 1
    }
    #expect(settings[.limits] == ["a": 1, "b": 2])
    #expect(settings[.profile].port == 82)
  }
}
