import AppSettings
import AppSettingsSchema
import Foundation
import SettingsTools
import TestSupport
import Testing

extension SettingsKeys {
  fileprivate static let theme = SettingsKey("theme", default: "light", .oneOf(["light", "dark"]), "Colours.")
  fileprivate static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), "Size in points.")
  fileprivate static let recent = SettingsKey<[String]>("recent", default: [], .count(0...2))
  fileprivate static let token = SettingsKey<String?>("sync.token", .secret)
}

/// What apps may do with the settings of any app.
struct OpenedSettingsTests {
  private let home = ScratchHome()
  private let app = "org.example.test"

  private func open(
    _ text: String? = nil, place: OpenedSettings.Place = .own, administrators: String? = nil
  ) throws -> OpenedSettings {
    let schema = SettingsSchema(app: app, keys: [.theme, .fontSize, .recent, .token])
    try schema.write(environment: home.environment)
    if let text { try home.write(text) }
    if let administrators { try home.write(administrators, to: home.path + "/etc/xdg/\(app)/settings.toml") }
    return try OpenedSettings(app: app, place: place, environment: home.environment)
  }

  private func text() throws -> String { try String(contentsOfFile: home.file, encoding: .utf8) }

  private func setting(_ key: String, _ settings: OpenedSettings) throws -> SettingFacts {
    try #require(try settings.facts().first { $0.key == key })
  }

  // MARK: Facts

  @Test func `facts have what a control needs, and survive JSON`() throws {
    let settings = try open(
      "theme = \"dark\"\nodd = 1\n[editor]\nfont-size = 99\n",
      administrators: "settings-locked = [{ key = \"theme\", reason = \"House rules.\" }]\ntheme = \"light\"\n")
    let facts = try settings.facts()
    #expect(facts.map(\.key) == ["theme", "editor.font-size", "recent", "sync.token", "odd"])
    let theme = facts[0]
    #expect(theme.description == "Colours." && theme.type == "string" && theme.choices == ["light", "dark"])
    #expect(theme.text == "light" && theme.value == "\"light\"" && theme.layer == "system")
    #expect(theme.isLocked && theme.lockReason == "House rules." && !theme.isDefault)
    #expect(
      theme.layers.map(\.state) == ["ignored", "used"] && theme.layers.map(\.value) == ["\"dark\"", "\"light\""])
    let size = facts[1]
    #expect(size.text == "12" && size.isDefault && size.minimum == "6" && size.maximum == "72")
    #expect(size.needs == "an integer from 6 to 72" && size.problem?.contains("99") == true)
    #expect(!facts[4].isKnown && facts[4].value == "1")
    #expect(try JSONDecoder().decode([SettingFacts].self, from: JSONEncoder().encode(facts)) == facts)
    #expect(try settings.facts(below: "editor").map(\.key) == ["editor.font-size"])
    let kinds = settings.findings().map(\.kind)
    #expect(
      kinds == ["locked", "invalid-value", "unknown-key"] || Set(kinds) == ["locked", "invalid-value", "unknown-key"])
  }

  @Test func `no fact, finding, difference, message or history shows a secret`() throws {
    let settings = try open("[sync]\ntoken = \"canary-1\"\n")
    let report = try settings.apply([.set("sync.token", to: "canary-2")], isDryRun: true)
    try settings.apply([.set("sync.token", to: "canary-3")])
    #expect(throws: ToolError.self) { try settings.apply([.append("sync.token", "canary-4")]) }
    let token = try setting("sync.token", settings)
    #expect(token.isSecret && token.value == nil && token.text == "(secret)")
    let encoder = JSONEncoder()
    let all = [
      try encoder.encode(settings.facts()), try encoder.encode(settings.findings()), try encoder.encode(report),
      try encoder.encode(settings.history()),
    ].map { String(decoding: $0, as: UTF8.self) }
    #expect(all.allSatisfy { !$0.contains("canary") })
  }

  // MARK: Changes

  @Test func `changes are made in one write, in order, and leave the rest as it is`() throws {
    let settings = try open("# mine\ntheme = \"dark\"  # at night\nrecent = [ 'a' ]\n")
    let report = try settings.apply([
      .set("editor.font-size", to: "14"), .append("recent", "b"), .remove("recent", "a"), .unset("theme"),
      .set("theme", to: "light"),
    ])
    #expect(report.hasChanged && report.problems.isEmpty)
    #expect(try settings.history().count == 1)
    #expect(try setting("recent", settings).value == "[\"b\"]")
    #expect(try text().hasPrefix("# mine\ntheme = \"light\"  # at night\nrecent = [ "))
    let again = try settings.apply([.remove("recent", "x"), .set("theme", to: "light")])
    #expect(!again.hasChanged)
  }

  @Test func `of elements, the app has to accept what is left at the end`() throws {
    let settings = try open("recent = [\n  'a', # first\n  'b',\n]\nnumbers = [1]\n")
    // Two are allowed.
    try settings.apply([.append("recent", "c"), .remove("recent", "a")])
    #expect(try setting("recent", settings).value == "[\"b\", \"c\"]")
    #expect(throws: ToolError.self) { try settings.apply([.append("recent", "d"), .remove("recent", "x")]) }
    // The type is that of the elements before.
    try settings.apply([.remove("numbers", "1"), .append("numbers", "2"), .append("numbers", "3")], creating: true)
    try settings.apply([.append("mixed", "x"), .append("mixed", "10")], creating: true)
    #expect(try text().contains("numbers = [2, 3]") && text().contains("mixed = [\"x\", 10]"))
  }

  @Test func `if one change is refused, none is made, and the error says what is needed`() throws {
    let settings = try open("theme = \"dark\"\n", administrators: "settings-locked = [\"recent\"]\n")
    let before = try text()
    let good = try SettingChange.set("editor.font-size", to: "14")
    for (change, status, words) in [
      (try SettingChange.set("theme", to: "blue"), ToolError.Status.invalidValue, "needs one of"),
      (try .set("thme", to: "dark"), .unknown, "Did you mean 'theme'?"),
      (try .append("recent", "a"), .notWritable, "locked by"),
      (try .set("editor.font-size", to: "large"), .invalidValue, "an integer from 6 to 72"),
    ] {
      let error = #expect(throws: ToolError.self) { try settings.apply([good, change]) }
      #expect(error?.status == status && error?.message?.contains(words) == true, "\(error?.message ?? "")")
      #expect(try text() == before)
    }
    try settings.apply([.set("thme", to: "dark")], creating: true)
    #expect(try text().contains("thme = \"dark\""))
  }

  @Test func `a change based on another text is refused, and one may be shown first`() throws {
    let settings = try open("theme = \"dark\"\n")
    let digest = try settings.digest()
    let report = try settings.apply([.set("theme", to: "light")], onlyIf: digest, isDryRun: true)
    #expect(report.difference?.contains("-theme = \"dark\"\n+theme = \"light\"\n") == true)
    #expect(try text() == "theme = \"dark\"\n")
    try home.write("theme = \"light\"\n")
    let error = #expect(throws: ToolError.self) { try settings.apply([.unset("theme")], onlyIf: digest) }
    #expect(error?.status == .changed)
  }

  @Test func `a stored value that a higher layer hides has a problem`() throws {
    try home.write("theme = \"dark\"\n", to: home.path + "/config/\(app)/profiles/work.toml")
    var environment = home.environment
    environment["APP_SETTINGS_PROFILE"] = "work"
    _ = try open()
    let settings = try OpenedSettings(app: app, place: .user, environment: environment)
    let problems = try settings.apply([.set("theme", to: "light"), .set("editor.font-size", to: "20")]).problems
    #expect(
      problems.count == 1
        && problems["theme"]?.contains("has no effect: the value comes from the profile layer") == true, "\(problems)")
  }

  @Test func `changes made at once by many, here and in other processes, lose nothing`() async throws {
    let settings = try open("theme = \"dark\"\n")
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask { _ = try settings.apply([.append("seen", "\(number)")], creating: true) }
        if number < 4 {
          group.addTask {
            let result = try ChildProcess.run(
              ChildProcess.product("settings-cli"), ["set", app, "seen", "--append", "\(100 + number)", "--create"],
              environment: home.environment)
            #expect(result.status == 0, "\(result)")
          }
        }
      }
      for try await _ in group {}
    }
    let seen = try #require(try setting("seen", settings).value)
    #expect(Set(seen.matches(of: #/\d+/#).compactMap { Int($0.output) }) == Set(0..<20).union(100..<104))
    #expect(try text().hasPrefix("theme = \"dark\"\n"))
  }

  @Test func `a file that is broken meanwhile is not written, and its mistake is a finding`() throws {
    let settings = try open("theme = \"dark\"\n")
    try home.write("theme = dark\n")
    #expect(try setting("theme", settings).text == "dark")
    #expect(settings.findings().map(\.kind) == ["unparsable"])
    let error = #expect(throws: ToolError.self) { try settings.apply([.set("theme", to: "light")]) }
    #expect(error?.status == .unparsable && error?.message?.contains("settings-cli recover") == true, "\(error as Any)")
    for change in [try SettingChange.append("theme", "x"), try .set("theme.inner", to: "1"), try .set("sync", to: "1")]
    {
      #expect(throws: ToolError.self) { try settings.apply([change]) }
    }
    #expect(try text() == "theme = dark\n")
    try home.write("theme = \"light\"\n")
    for change in [try SettingChange.append("theme", "x"), try .set("theme.inner", to: "1"), try .set("sync", to: "1")]
    {
      let error = #expect(throws: ToolError.self) { try settings.apply([change]) }
      #expect(error?.status == .invalidValue || error?.status == .unknown, "\(error as Any)")
    }
    #expect(try text() == "theme = \"light\"\n")
  }

  @Test func `changes survive JSON, and a key is checked where it comes in`() throws {
    let changes: [SettingChange] = [
      try .set("a.b", to: "1"), SettingChange(.set, ["c"], .toml(1.5, text: "1.50")), try .unset("d"),
      try .append("e", "x"), try .remove("f", "y"),
    ]
    let data = try JSONEncoder().encode(changes)
    #expect(try JSONDecoder().decode([SettingChange].self, from: data) == changes)
    for bad in [#"[{"action":"set","key":"a"}]"#, #"[{"action":"set","key":"a..b","text":"1"}]"#] {
      #expect(throws: (any Error).self) { try JSONDecoder().decode([SettingChange].self, from: Data(bad.utf8)) }
    }
    #expect(throws: ToolError.self) { try SettingChange.set("settings-version", to: "3") }
  }

  @Test(arguments: [
    ["set", "theme", "dark"], ["set", "theme", "blue"], ["set", "thme", "dark"], ["set", "editor.font-size", "1e3"],
    ["set", "editor.font-size", "14"], ["set", "editor", "{ font-size = 20 }"], ["set", "recent", "--append", "x"],
    ["set", "recent", "--append", "x", "--append", "y", "--append", "z"], ["set", "recent", "--remove", "gone"],
    ["set", "recent", "--append", "x", "--append", "y"],
    ["set", "sync.token", "hunter2"], ["unset", "theme"], ["set", "theme=dark", "editor.font-size=9"],
  ])
  func `the command does and says the same`(_ words: [String]) throws {
    let start = "# mine\ntheme = \"light\"\nrecent = [\n  'a', # first\n]\n"
    let command = ScratchHome()
    let settings = try open(start)
    try SettingsSchema(app: app, keys: [.theme, .fontSize, .recent, .token]).write(environment: command.environment)
    try command.write(start)
    let ending = try ChildProcess.run(
      ChildProcess.product("settings-cli"), [words[0], app] + words.dropFirst(), environment: command.environment)
    var message = ""
    do {
      let key = words[1]
      if words[0] == "unset" {
        try settings.apply([.unset(key)])
      } else if words.contains("--append") {
        try settings.apply(words.dropFirst(2).filter { $0 != "--append" }.map { try .append(key, $0) })
      } else if words.contains("--remove") {
        try settings.apply([.remove(key, words[3])])
      } else if key.contains("=") {
        try settings.apply(
          words.dropFirst().map { $0.split(separator: "=").map(String.init) }.map { try .set($0[0], to: $0[1]) })
      } else {
        try settings.apply([.set(key, to: words[2])])
      }
    } catch {
      message = "settings-cli: \(error)\n"
    }
    let theirs = try String(contentsOfFile: command.file, encoding: .utf8)
    #expect(try text() == theirs)
    // What a dialog cannot do is no advice.
    #expect(ending.error.replacing(" To set it anyway, use --create.", with: "") == message)
  }

  // MARK: History and observing

  @Test func `undo and redo step back and forth, of everything or of a key`() throws {
    let settings = try open("theme = \"light\"\n")
    #expect(throws: ToolError.self) { try settings.undo() }
    try settings.apply([.set("theme", to: "dark")])
    try settings.apply([.set("editor.font-size", to: "14")])
    #expect(try settings.undo("theme").changes.map(\.old) == ["\"light\""])
    let texts = try [setting("theme", settings), setting("editor.font-size", settings)].map(\.text)
    #expect(texts == ["light", "14"])
    #expect(try settings.redo().reason == "undo")
    #expect(try setting("theme", settings).text == "dark")
    #expect(try settings.history().map(\.reason) == ["redo", "undo", "set", "set"])
    #expect(try settings.history(of: "editor.font-size", limit: 5).count == 1)
    // Of a write of several values, only that of the key is taken back.
    try settings.apply([.set("theme", to: "light"), .set("editor.font-size", to: "20")])
    #expect(try settings.undo("theme").changes.map(\.key) == ["theme"])
    #expect(try setting("editor.font-size", settings).text == "20")
  }

  @Test func `changes of others come as keys`() async throws {
    let settings = try open("theme = \"light\"\n")
    let changes = settings.changes()
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["set", app, "theme=dark", "editor.font-size=20"],
      environment: home.environment)
    for await keys in changes {
      #expect(keys == ["theme", "editor.font-size"])
      break
    }
    #expect(try setting("theme", settings).text == "dark")
  }

  // MARK: Opening

  @Test func `what cannot be opened is said, with what to do`() throws {
    _ = try open()
    for (name, status, words) in [
      ("org.example.tset", ToolError.Status.unknown, "Did you mean 'org.example.test'?"),
      ("a/b", .usage, "init(file:)"),
      ("settings.toml", .usage, "write './settings.toml'"),
    ] {
      let error = #expect(throws: ToolError.self) { try OpenedSettings(app: name, environment: home.environment) }
      #expect(error?.status == status && error?.message?.contains(words) == true, "\(error?.message ?? "")")
    }
    let broken = #expect(throws: ToolError.self) { try open("theme = dark\n") }
    #expect(broken?.status == .unparsable && broken?.message?.contains("settings-cli recover") == true)
    #expect(try text() == "theme = dark\n")
  }

  @Test func `a file by its path is alone, and keeps its tables`() throws {
    let path = home.path + "/other.toml"
    try home.write("[a]\nb = 1\n", to: path)
    let settings = try OpenedSettings(file: path)
    try settings.apply([.unset("a.b"), .set("new", to: "12")])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "new = 12\n\n[a]\n")
    #expect(settings.file == path)
  }
}
