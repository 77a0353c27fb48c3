import AppSettings
import Foundation
import Testing
import TestSupport

/// `watch --document`: a line for each change of any file that a settings page shows.
struct WatchDocumentTests {
  let test: SchemaHome
  init() throws {
    test = try SchemaHome()
    try test.write("theme = \"dark\"\n")
  }

  private func watch() throws -> RunningProcess {
    try RunningProcess(
      ChildProcess.product("settings-cli"), ["watch", test.app, "--document"], environment: test.home.environment)
  }

  private func next(_ watching: RunningProcess) throws -> [String: Any] {
    let line = try #require(watching.nextLine())
    #expect(!line.contains("hunter"), "\(line)")
    return try #require(try json(line) as? [String: Any])
  }

  /// Which of `text`, `layers` and `schema` are true.
  private func kinds(_ line: [String: Any]) -> [String] {
    ["text", "layers", "schema"].filter { line[$0] as? Bool == true }
  }

  private func changes(_ line: [String: Any]) -> [String] {
    (line["changes"] as? [[String: Any]] ?? []).map { change in
      "\(change["key"] ?? ""): \(change["old"] ?? "") -> \(change["new"] ?? "")"
    }
  }

  private func digest() throws -> String { String(try test.run("get", test.app, "--digest").output.dropLast()) }

  @Test func `the first line is the state, and each change of the text follows with its author`() throws {
    let watching = try watch()
    var line = try next(watching)
    #expect(kinds(line) == [] && changes(line) == [] && line["entry"] is NSNull)
    #expect(try line["digest"] as? String == digest() && line["file"] as? String == test.file)

    #expect(try test.run("set", test.app, "theme", "light").status == 0)
    line = try next(watching)
    #expect(kinds(line) == ["text"] && changes(line) == ["theme: dark -> light"])
    #expect(try line["digest"] as? String == digest())
    let entry = try #require(line["entry"] as? [String: Any])
    #expect(entry["by"] as? String == "settings-cli" && entry["reason"] as? String == "set")
    #expect(entry["isUnrecorded"] as? Bool == false)

    // Comments alone, by hand.
    try test.home.write("# c\ntheme = \"light\"\n", to: test.file)
    line = try next(watching)
    #expect(kinds(line) == ["text"] && changes(line) == [])
    #expect((line["entry"] as? [String: Any])?["reason"] as? String == "outside")
    #expect(try line["digest"] as? String == digest())

    // A secret: the history does not have its value, and yet the right author.
    #expect(try test.run("set", test.app, "sync.token", "hunter2").status == 0)
    line = try next(watching)
    #expect(changes(line) == ["sync.token: <null> -> (secret)"])
    #expect((line["entry"] as? [String: Any])?["by"] as? String == "settings-cli")
    watching.signal(SIGTERM)
    #expect(watching.wait() == 0)
  }

  @Test func `a change has its author, however long its record takes to write`() throws {
    let watching = try watch()
    _ = try next(watching)
    // The new text is at its path then, and the history has nothing about it.
    let slow = Syscalls { call, _ in
      if call == .fsyncDirectory { usleep(700_000) }
      return nil
    }
    #expect(try test.home.store(system: slow).set("light", for: SettingsKey("theme", default: "")))
    let line = try next(watching)
    #expect(changes(line) == ["theme: dark -> light"])
    #expect((line["entry"] as? [String: Any])?["reason"] as? String == "set")
    watching.signal(SIGTERM)
    watching.wait()
  }

  @Test func `a text that does not parse is told, and one that does again`() throws {
    let watching = try watch()
    _ = try next(watching)
    try test.home.write("theme = = \"hunter\"\n", to: test.file)
    var line = try next(watching)
    #expect(kinds(line) == ["text"] && (line["problems"] as? [String])?.count == 1)
    #expect(try line["digest"] as? String == digest())
    try test.home.write("theme = \"dark\"\n", to: test.file)
    line = try next(watching)
    #expect(kinds(line) == ["text"] && (line["problems"] as? [String])?.isEmpty == true && changes(line) == [])
    try FileManager.default.removeItem(atPath: test.file)
    line = try next(watching)
    #expect(line["digest"] as? String == "absent" && changes(line) == ["theme: dark -> light"])
    watching.signal(SIGTERM)
    watching.wait()
  }

  @Test func `other layers, rights, profiles and the schema are told`() throws {
    let watching = try watch()
    _ = try next(watching)
    try test.home.write("[editor]\nfont-size = 20\n", to: test.systemFile)
    var line = try next(watching)
    #expect(kinds(line) == ["layers"] && changes(line) == ["editor.font-size: 12 -> 20"])
    #expect(line["entry"] is NSNull)
    try test.home.write("# only a comment\n[editor]\nfont-size = 20\n", to: test.systemFile)
    line = try next(watching)
    #expect(kinds(line) == ["layers"] && changes(line) == [])
    chmod(test.file, 0o644)
    line = try next(watching)
    #expect(kinds(line) == ["layers"])

    #expect(try test.run("profile", test.app, "new", "work").status == 0)
    line = try next(watching)
    #expect(kinds(line) == ["layers"] && line["profile"] is NSNull)
    #expect(try test.run("profile", test.app, "use", "work").status == 0)
    line = try next(watching)
    #expect(kinds(line) == ["text", "layers"] && line["profile"] as? String == "work")
    #expect(try line["digest"] as? String == digest())

    // What has become a secret is one from then on.
    try test.home.write(
      SchemaHome.schema.replacingOccurrences(of: "[keys.host]\n", with: "[keys.host]\nsecret = true\n"),
      to: test.schemaFile)
    line = try next(watching)
    #expect(kinds(line) == ["schema"] && changes(line) == [])
    #expect(try test.run("set", test.app, "host", "hunter").status == 0)
    line = try next(watching)
    #expect(kinds(line) == ["text"] && changes(line) == ["host: <null> -> (secret)"])
    watching.signal(SIGTERM)
    watching.wait()
  }

  @Test func `the watch ends with its count, its time or its reader`() throws {
    #expect(try test.run("watch", test.app, "--document", "--count", "1").status == 0)
    #expect(try test.run("watch", test.app, "--document", "--timeout", "0.05").status == 0)
    #expect(try test.run("watch", test.app, "--document", "--count", "2", "--timeout", "0.05").status == 1)
    let result = try ChildProcess.shell(
      "'\(ChildProcess.product("settings-cli"))' watch \(test.app) --document | head -n 1",
      environment: test.home.environment)
    #expect(result.status == 0 && result.output.hasPrefix("{\"digest\":"))
  }
}
