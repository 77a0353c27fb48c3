import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

struct SettingsCheckTests {
  let home = ScratchHome()
  private var system: String { home.path + "/etc/xdg/org.example.test/settings.toml" }

  /// What is found, as `kind line:column message`.
  private func found(_ schema: SettingsSchema? = SchemaKeys.schema) throws -> [String] {
    SettingsCheck.findings(at: try home.location(), schema: schema).map { finding in
      let place = finding.position.map { " \($0.line):\($0.column)" } ?? ""
      return "\(finding.kind.rawValue)\(place) \(finding.message)"
    }
  }

  private func write(_ text: String, to file: String? = nil) throws {
    try home.write(text, to: file)
    chmod(file ?? home.file, file == nil ? 0o600 : 0o644)
  }

  @Test func `nothing is found where there is nothing, or all is well`() throws {
    #expect(try found().isEmpty)
    #expect(home.names(in: home.path).isEmpty)
    try write(
      "settings-version = 3\ntheme = \"dark\"\n[editor]\nfont-size = 12\n[sync]\ntoken = \"t\"\n[ports]\nany = 1\n")
    #expect(try found() == [])
    #expect(try found(nil) == [])
  }

  @Test func `what a write left beside the file is found, and moved to the backups by a recovery`() throws {
    try write("theme = \"dark\"\n")
    let aside = home.file(".settings.toml.settings-aside")
    try home.write("theme = \"light\"\n", to: aside)
    let findings = SettingsCheck.findings(at: try home.location(), schema: nil)
    #expect(findings.map(\.kind) == [.overtaken] && findings.map(\.file) == [aside])
    #expect(findings.first?.isError == false && findings.first?.message.hasPrefix("Kept '\(aside)'") == true)
    let settings = try home.store()
    #expect(try settings.recover() == nil)
    let backup = try #require(try settings.backups().first)
    #expect(home.text(of: backup.path) == "theme = \"light\"\n")
    #expect(settings.currentProblems.map(\.message).contains { $0.hasPrefix("Kept '\(backup.path)'") })
    #expect(SettingsCheck.findings(at: try home.location(), schema: nil).isEmpty)
  }

  @Test func `slips are found in the order of the file`() throws {
    try write(
      """
      settings-version = 3
      settings-verison = 3
      settings-locked = ["theme"]
      font_size = 12
      theme = "red"
      plugin.x = 1
      range = [1, "2"]

      [editor]
      font-sise = 12
      ruler = 999
      [window]
      width = "wide"
      """)
    #expect(
      try found() == [
        "reserved 2:20 'settings-verison' does nothing: root keys that begin with 'settings-' are reserved. Did you mean "
          + "'settings-version'?",
        "reserved 3:19 'settings-locked' does nothing here: it locks keys in administrators' files only.",
        "former-name 4:13 'font_size' is a former name of 'editor.font-size'.",
        "invalid-value 5:9 'theme' is the string \"red\", but must be one of \"light\", \"dark\", \"system\".",
        "unknown-key 6:1 Unknown key 'plugin'.",
        "invalid-value 7:13 '[1]' in 'range' is the string \"2\", but must be an integer.",
        "unknown-key 10:13 Unknown key 'editor.font-sise'. Did you mean 'editor.font-size'?",
        "invalid-value 11:9 'editor.ruler' is the integer 999, but must be an integer below 200.",
        "invalid-value 13:9 'width' in 'window' is the string \"wide\", but must be an integer.",
      ])
  }

  @Test func `each wrong part of a table and of records is found, with the path that removes it alone`() throws {
    try write(
      """
      settings-version = 3
      ports = { http = "a", https = 70000, imap = 143 }
      tags = ["A", "b", "C"]
      [window]
      width = "wide"
      title = 3
      [hosts.1]
      address = "a"
      port = 0x20000
      [hosts.2]
      address = 5
      port = -1
      [hosts.x]
      port = -2
      """)
    let findings = SettingsCheck.findings(at: try home.location(), schema: SchemaKeys.schema)
    #expect(findings.allSatisfy { $0.kind == .invalidValue })
    #expect(
      findings.map { "\($0.position?.line ?? 0) \($0.key?.description ?? "")" } == [
        "2 ports.http", "2 ports.https", "3 tags", "5 window.width", "6 window.title", "9 hosts.1.port",
        "11 hosts.2.address", "12 hosts.2.port", "13 hosts.x", "14 hosts.x.port",
      ])
    #expect(
      findings[5].message == "'1.port' in 'hosts' is the integer 131072, but must be an integer from 0 to 65535.")
  }

  @Test func `a table that is none, and a former name beside the present, are told`() throws {
    try write("settings-version = 3\nfont_size = 99\neditor.font-size = 12\nsync = 1\n")
    #expect(
      try found() == [
        "former-name 2:13 'font_size' is a former name of 'editor.font-size', which is set as well and counts.",
        "invalid-value 4:8 'sync' is an integer, but must be a table: there are keys in it.",
      ])
  }

  @Test
  func `a file that does not parse is shown with its line unless there are secrets, and the others are looked at`()
    throws
  {
    try write("theme = \"red\"\n", to: system)
    try write("a = 1\nb = = 2\n")
    let schema = SchemaKeys.schema
    var open = schema
    open.keys.removeAll(where: \.isSecret)
    for (schema, excerpt) in [(schema, nil), (open, "  b = = 2\n      ^")] {
      let findings = SettingsCheck.findings(at: try home.location(), schema: schema)
      #expect(findings.map(\.kind) == [.invalidValue, .unparsable])
      #expect(findings[1].excerpt == excerpt)
      #expect(findings[1].position?.line == 2)
    }
  }

  @Test func `sealed values of a fleet are expected in administrators' files only`() throws {
    let text = "settings-version = 3\n[settings-sealed.editor]\nfont-size = \"v1 a b\"\n"
    try write(text, to: system)
    #expect(try found() == [])
    try write(text)
    #expect(
      try found() == [
        "reserved 2:1 'settings-sealed' does nothing here: only documents of a fleet have sealed values."
      ])
  }

  private func removal(_ key: String) -> String {
    " To remove it, run 'settings-cli unset org.example.test \(key)'."
  }

  @Test func `a value that a lock makes void is told with the lock`() throws {
    try write("settings-version = 3\nsettings-locked = [\"editor\", \"them\"]\n[editor]\nfont-size = 10\n", to: system)
    let dropIn = home.path + "/etc/xdg/org.example.test/settings.d/10.toml"
    try write("settings-version = 3\neditor.wrap = false\n", to: dropIn)
    try write("settings-version = 3\n[editor]\nfont-size = 12\n")
    #expect(
      try found() == [
        "reserved 2:19 'settings-locked' names 'them', which the app does not have. Did you mean 'theme'?",
        "locked 2:15 'editor.wrap' has no effect here: 'editor' is locked by '\(system)', line 2.",
        "locked 3:13 'editor.font-size' has no effect here: 'editor' is locked by '\(system)', line 2."
          + removal("editor.font-size"),
      ])
  }

  @Test func `a value that would hide a locked part is found, also without a schema`() throws {
    try write("settings-locked = [\"w.width\"]\n[w]\nwidth = 100\n", to: system)
    try write("# c\nw = 5\n")
    #expect(
      try found(nil) == [
        "locked 2:5 'w' has no effect here: it would hide 'w.width', which is locked by '\(system)', line 1."
          + removal("w")
      ])
  }

  @Test func `a value that hides a table of lower layers is found, and one that replaces a value is not`() throws {
    try write("a = 1\nt = { }\n[w]\nwidth = 100\nheight = 3\n", to: system)
    try write("a.b = 2\nt = 1\nw = 5\n")
    #expect(
      try found(nil) == [
        "hidden 3:5 'w' is an integer here, and hides what lower layers have there: 'w.width' of '\(system)', line 4, "
          + "and 1 more."
      ])
  }

  @Test func `a lock by a former name is found, and makes values under each name void`() throws {
    try write("settings-version = 3\nsettings-locked = [\"font_size\"]\nfont_size = 10\n", to: system)
    try write("settings-version = 3\n[editor]\nfont-size = 12\n")
    #expect(
      try found() == [
        "former-name 2:19 'settings-locked' names 'font_size', a former name of 'editor.font-size', which it locks.",
        "former-name 3:13 'font_size' is a former name of 'editor.font-size'.",
        "locked 3:13 'editor.font-size' has no effect here: 'font_size' is locked by '\(system)', line 2."
          + removal("editor.font-size"),
      ])
    // A lock of the present name holds for values under a former one, and one of a table for all keys in it.
    try write("settings-version = 3\nsettings-locked = [\"editor\"]\n", to: system)
    try write("settings-version = 3\nfont_size = 12\n")
    #expect(
      try found().contains(
        "locked 2:13 'font_size' has no effect here: 'editor' is locked by '\(system)', line 2." + removal("font_size"))
    )
  }

  @Test func `a lock of a table around former names is found with the keys that it locks`() throws {
    let text = """
      app = "org.example.test"
      keys."old.kept" = { type = "integer" }
      keys."g.x" = { type = "integer", formerly = ["old.x"] }
      keys."g.y" = { type = "integer", formerly = ["old.y"] }
      """
    try write("settings-locked = [\"old\"]\n", to: system)
    try write("[g]\nx = 12\n")
    #expect(
      try found(SettingsSchema.readText(text)) == [
        "former-name 1:19 'settings-locked' names 'old', the table of 'old.x', a former name of 'g.x': it locks 'g.x' "
          + "and 1 more key, too.",
        "locked 2:5 'g.x' has no effect here: 'old' is locked by '\(system)', line 1." + removal("g.x"),
      ])
  }

  @Test func `a secret that others may read, and a file that they may change, are told without the secret`() throws {
    try write("settings-version = 3\n[sync]\ntoken = 12345\n")
    chmod(home.file, 0o666)
    let found = try found()
    #expect(
      found == [
        "permissions Other users may change the file (mode 666). Run 'chmod go-w \(home.file)'.",
        "invalid-value 3:9 'sync.token' is an integer, but must be a string.",
        "permissions 3:9 The secret 'sync.token' is in a file that other users may open (mode 666). "
          + "Run 'chmod go= \(home.file)'.",
      ])
    #expect(!found.joined().contains("12345"))
  }

  @Test func `a file of another version is looked at as the app would see it, and is not written`() throws {
    let migrations = [Migration(2, "name the colour", [.rename("colour", to: "theme")])]
    let schema = SettingsSchema(app: "org.example.test", keys: SchemaKeys.all, migrations: migrations)
    let old = "colour = \"red\"\n"
    try write(old)
    #expect(
      try found(schema) == [
        "invalid-value 'theme' is the string \"red\", but must be one of \"light\", \"dark\", \"system\"."
      ])
    #expect(home.text() == old)
    try write("settings-version = 9\n")
    #expect(try found(schema).map { $0.prefix(18) } == ["newer-version 1:20"])
    // The keys of another version are not those of the schema.
    try write("settings-version = 9\nshade = 1\ntheme = \"red\"\n")
    #expect(try found(schema).map { $0.prefix(18) } == ["newer-version 1:20", "invalid-value 3:9 "])
    try write("settings-version = \"x\"\n")
    #expect(try found(schema).map { $0.prefix(20) } == ["migration-fails 1:20"])
  }

  @Test func `a finding in a file that a migration would change has the line of the file`() throws {
    let migrations = [Migration(2, "drop the first", [.remove("first")])]
    let schema = SettingsSchema(app: "org.example.test", keys: SchemaKeys.all, migrations: migrations)
    try write("first = 1\nplugin = 1\n[sync]\ntoken = \"a\"\n")
    chmod(home.file, 0o644)
    #expect(
      try found(schema) == [
        "unknown-key 2:10 Unknown key 'plugin'.",
        "permissions 4:9 The secret 'sync.token' is in a file that other users may open (mode 644). "
          + "Run 'chmod go= \(home.file)'.",
      ])
  }

  @Test func `what cannot be read is told`() throws {
    try FileManager.default.createDirectory(atPath: home.file, withIntermediateDirectories: true)
    #expect(try found().map { $0.prefix(22) } == ["unreadable Cannot read"])
  }

  @Test func `very many unknown keys are told up to a limit`() throws {
    try write("settings-version = 3\n" + (0..<5000).map { "key\($0) = 1\n" }.joined())
    let found = try found()
    #expect(found.count == 1001)
    #expect(found.contains("unknown-key There are 4000 unknown keys more."))
  }
}
