import AppSettings
import Foundation
import TestSupport
import Testing

/// What only real processes show: concurrent writers, and writers that are killed.
@Suite struct ProcessTests {
  let home = ScratchHome()

  private func probe(_ arguments: [String]) throws -> ChildProcess.Result {
    try ChildProcess.run(ChildProcess.product("settings-probe"), arguments, environment: home.environment)
  }

  private func probes(_ commands: [[String]]) async throws -> [ChildProcess.Result] {
    try await withThrowingTaskGroup(of: ChildProcess.Result.self) { group in
      for command in commands {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
              continuation.resume(with: Result { try probe(command) })
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `eight processes setting 25 distinct keys each leave all 200`() async throws {
    try home.write("# begin\n")
    let results = try await probes((0..<8).map { ["fill", home.file, "p\($0)", "25"] })
    #expect(results.allSatisfy { $0.status == 0 })
    let settings = try home.store()
    for process in 0..<8 {
      for key in 0..<25 { #expect(settings[SettingsKey("p\(process)-\(key)", default: -1)] == key) }
    }
    #expect(home.text()?.hasPrefix("# begin\n") == true)
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  @Test func `eight processes counting to 25 each reach 200`() async throws {
    let results = try await probes((0..<8).map { _ in ["count", home.file, "25"] })
    #expect(results.allSatisfy { $0.status == 0 })
    #expect(home.text() == "counter = 200\n")
  }

  @Test func `a writer killed again and again leaves a whole file and no lock`() async throws {
    try home.write("# kept\ncounter = 0\n")
    let settings = try home.store()
    for round in 0..<100 {
      let child = try RunningProcess(
        ChildProcess.product("settings-probe"), ["loop", home.file], environment: home.environment)
      // Its first write is done: from here on it is in the middle of one almost always.
      let first = child.nextLine().flatMap { Int($0) }
      for _ in 0..<(round % 7) { _ = child.nextLine() }
      child.signal(SIGKILL)
      child.wait()
      let text = try #require(home.text())
      #expect(text.hasPrefix("# kept\ncounter = ") && text.hasSuffix("\n"), "round \(round): \(text)")
      #expect(try TOMLDocument(parsing: text)[["counter"]] != nil)
      #expect(first != nil)
      #expect(try await settings.set("\(round)", for: .name))
      settings.reset(.name)
      try await settings.flush()
    }
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  @Test(arguments: Syscalls.Call.allCases)
  func `a writer killed at any call leaves the old or the new text, and the next write works`(
    call: Syscalls.Call
  ) throws {
    for number in 1...6 {
      let home = ScratchHome()
      let old = "# kept\nname = \"old\"\n"
      try home.write(old)
      let result = try ChildProcess.run(
        ChildProcess.product("settings-probe"), ["die", home.file, call.rawValue, "\(number)", "new"],
        environment: home.environment)
      let text = home.text()
      #expect(text == old || text == "# kept\nname = \"new\"\n", "\(call) \(number)")
      let settings = try home.store()
      try settings.set("next", for: .name)
      #expect(home.text() == "# kept\nname = \"next\"\n")
      #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
      if !result.wasKilled { break }
    }
  }

  @Test func `a normal exit writes what was set in the background`() throws {
    let result = try probe(["set-and-exit", home.file, "7"])
    #expect(result.status == 0)
    #expect(home.text() == "counter = 7\n")
  }

  @Test func `twenty processes opening an old file migrate it once, with one backup`() async throws {
    try home.write("# old\nruns = 0\n")
    let results = try await probes((0..<20).map { _ in ["migrate", home.file] })
    #expect(results.allSatisfy { $0.output == "1\n" }, "\(results.map(\.output))")
    #expect(home.text() == "settings-version = 2\n# old\nruns = 1\n")
    let backups = home.path + "/state/app-settings/files\(home.file).backups"
    #expect(home.names(in: backups).count == 1)
  }
}
