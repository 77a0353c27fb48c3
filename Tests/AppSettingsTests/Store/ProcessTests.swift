import AppSettings
import Foundation
import Testing
import TestSupport

/// What only real processes show: concurrent writers, and writers that are killed.
struct ProcessTests {
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

  @Test func `a process reads without an environment, and without a free key for variables of a thread`() throws {
    try home.write("name = \"kept\"\n")
    #expect(try probe(["bare", home.file]).output == "kept true\n")
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
      var last = try #require(first)
      for _ in 0..<(round % 3) { last = child.nextLine().flatMap { Int($0) } ?? last }
      // Not to wait for anything: to be killed at another place each time.
      usleep(UInt32.random(in: 0..<2000))
      child.signal(SIGKILL)
      child.wait()
      while let line = child.nextLine() { last = Int(line) ?? last }
      // A last line may have been cut by the kill, so that `last` is one too low.
      let possible = (last...last + 2).map { "# kept\ncounter = \($0)\n" }
      let text = try #require(home.text())
      #expect(possible.contains(text), "round \(round): \(last) was said to be stored: \(text)")
      #expect(try await settings.set("\(round)", for: .name))
      settings.reset(.name)
      try await settings.flush()
    }
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  @Test func `a raw reader beside a writer sees whole files only, each no older than the one before`() throws {
    try home.write("# kept\ncounter = 0\n")
    let child = try RunningProcess(
      ChildProcess.product("settings-probe"), ["loop", home.file], environment: home.environment)
    defer {
      child.signal(SIGKILL)
      child.wait()
    }
    var last = 0
    while last < 200 {
      let text = try #require(home.text())
      let value = try #require(
        text.split(separator: "\n").last.flatMap { Int($0.dropFirst("counter = ".count)) }, "\(text)")
      try #require(text == "# kept\ncounter = \(value)\n" && value >= last)
      last = value
    }
  }

  @Test func `writers that are interrupted all the time lose nothing`() async throws {
    let results = try await probes((0..<4).map { _ in ["storm", home.file, "25"] })
    #expect(results.allSatisfy { $0.status == 0 }, "\(results.map(\.error))")
    #expect(home.text() == "counter = 100\n")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  @Test func `writers that come by different paths to one file lose nothing`() async throws {
    try home.write("counter = 0\n")
    let file = home.path + "/link.toml"
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: home.file)
    let directory = home.path + "/linked"
    try FileManager.default.createSymbolicLink(
      atPath: directory, withDestinationPath: home.path + "/config/org.example.test")
    let paths = [home.file, file, directory + "/settings.toml", directory + "/../org.example.test/settings.toml"]
    let results = try await probes(paths.map { ["count", $0, "25"] })
    #expect(results.allSatisfy { $0.status == 0 }, "\(results.map(\.error))")
    #expect(home.text() == "counter = 100\n")
  }

  @Test(arguments: Syscalls.Call.allCases)
  func `a writer killed at any call of the first write leaves no file or a whole one`(call: Syscalls.Call) throws {
    for number in 1...6 {
      let home = ScratchHome()
      let result = try ChildProcess.run(
        ChildProcess.product("settings-probe"), ["die", home.file, call.rawValue, "\(number)", "new"],
        environment: home.environment)
      let text = home.text()
      #expect(text == nil || text == "name = \"new\"\n", "\(call) \(number)")
      try home.store().set("next", for: .name)
      #expect(home.text() == "name = \"next\"\n")
      #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
      if !result.wasKilled { break }
    }
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
    let backups = home.backups
    #expect(home.names(in: backups).count == 1)
  }
}
