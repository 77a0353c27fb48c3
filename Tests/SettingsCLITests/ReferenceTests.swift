import Foundation
import Testing
import TestSupport

/// The manual page has whatever the command takes, and what help shows works. `docs/cli.md` is made from the same text.
struct ReferenceTests {
  @Test func `the manual page has every verb and every option`() throws {
    let page = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["manual"], environment: ScratchHome().environment
    ).output.replacingOccurrences(of: "\\-", with: "-")
    for verb in try Self.verbs() {
      let name = try #require(verb["commandName"] as? String)
      let section = try #require(page.components(separatedBy: "\n.SS \"").first { $0.hasPrefix(name) }, "\(name)")
      #expect(section.contains("Examples:"), "\(name)")
      for argument in verb["arguments"] as? [[String: Any]] ?? [] {
        for option in argument["names"] as? [[String: String]] ?? [] where option["kind"] == "long" {
          let word = "--" + (option["name"] ?? "")
          #expect(["--help", "--version", "--color"].contains(word) || section.contains(word), "\(name) \(word)")
        }
      }
    }
  }

  @Test func `every verb's help has examples, and each of them works`() throws {
    for verb in try Self.verbs() {
      let name = try #require(verb["commandName"] as? String)
      let lines =
        (verb["discussion"] as? String ?? "").components(separatedBy: "EXAMPLES\n").dropFirst().first?
        .split(separator: "\n").prefix { $0.hasPrefix("  ") } ?? []
      #expect(!lines.isEmpty, "'\(name)' has no example")
      for line in lines {
        let (result, status) = try Self.run(line.trimmingCharacters(in: .whitespaces))
        #expect(result.status == status, "\(line): \(result)")
      }
    }
  }

  /// Two of the checks that ArgumentParser makes at each start of a debug build, and of no other.
  @Test(arguments: ["settings-cli", "settings-fleet"].filter { access(ChildProcess.product($0), X_OK) == 0 })
  func `no verb has two options of one name, and what takes all other words is the last`(program: String) throws {
    var commands = [try Self.command(program)]
    while let command = commands.popLast() {
      commands += command["subcommands"] as? [[String: Any]] ?? []
      let arguments = command["arguments"] as? [[String: Any]] ?? []
      let names = arguments.flatMap { $0["names"] as? [[String: String]] ?? [] }
      #expect(Set(names).count == names.count, "\(command["commandName"] ?? "")")
      let positional = arguments.filter { $0["kind"] as? String == "positional" }
      #expect(positional.dropLast().allSatisfy { $0["isRepeating"] as? Bool == false }, "\(positional)")
    }
  }

  private static func command(_ program: String) throws -> [String: Any] {
    let dump = try ChildProcess.run(
      ChildProcess.product(program), ["--experimental-dump-help"], environment: ScratchHome().environment)
    return try #require((try json(dump.output) as? [String: Any])?["command"] as? [String: Any])
  }

  /// The verbs that help lists.
  private static func verbs() throws -> [[String: Any]] {
    try #require(try command("settings-cli")["subcommands"] as? [[String: Any]]).filter {
      $0["shouldDisplay"] as? Bool == true && $0["commandName"] as? String != "help"
    }
  }

  /// Runs an example where its app, its files and the other programs in it exist.
  ///
  /// - Returns: Its result, and the status that it is to have.
  private static func run(_ example: String) throws -> (ChildProcess.Result, status: Int32) {
    let home = ScratchHome()
    let editor = home.path + "/config/org.example.editor/settings.toml"
    try home.write(schema, to: home.path + "/data/app-settings/org.example.editor.toml")
    try home.write("theme = \"dark\"\nrecent = [\"/tmp/b\"]\neditor.font-size = 12\n", to: editor)
    for (name, text) in [
      ("config/org.example.web/settings.toml", "port = 80\n"), ("config/org.example.x/settings.toml", "a = 1\n"),
      ("config/editr/settings.toml", "a = 1\n"), ("config/org.example.old/settings.toml", "a = 1\n"),
      ("all-apps.toml", "settings-apps = 1\n[\"org.example.x\"]\nb = 2\n"), ("schema.toml", schema),
      ("old.json", "{\"theme\":\"dark\"}"),
      ("settings.toml", "theme = \"dark\"\nplugins = []\n"), ("org.example.editor.toml", schema), ("fpath/a", ""),
      ("edits.jsonl", "{\"set\": \"theme\", \"value\": \"light\"}\n"), ("old.ini", "size = 12\n"),
      ("settings.toml.old", "theme = \"light\"\n"),
    ] {
      try home.write(text, to: "\(home.path)/\(name)")
      chmod("\(home.path)/\(name)", 0o600)
    }
    chmod(editor, 0o600)
    if example.contains(" rename ") {
      try home.write("colour = \"red\"\n", to: home.path + "/settings.toml")
      try home.write("draft = \"dark\"\nplugins.old = [1]\n", to: editor)
      try FileManager.default.removeItem(atPath: home.path + "/data/app-settings/org.example.editor.toml")
    }
    if example.contains(" profile ") || example.contains("profile:") {
      for name in ["work", "home"] {
        try home.write("", to: "\(home.path)/config/org.example.editor/profiles/\(name).toml")
      }
    }
    if example.contains(" unlock ") {
      let system = home.path + "/etc/xdg/org.example.editor/"
      try home.write("settings-locked = [\"update.channel\"]\n", to: system + "settings.toml")
      try home.write("settings-locked = [\"proxy\"]\n", to: system + "settings.d/50-site.toml")
    }
    for (name, text) in [
      ("pass", "echo hunter2"), ("dconf", "printf '[/]\\nx=1\\n'"), ("less", "cat"), ("code", ":"), ("logger", ":"),
      ("systemctl", ":"), ("settings-page", ":"), ("settings-fleet", ":"),
    ] {
      try home.write("#!/bin/sh\n\(text)\n", to: "\(home.path)/bin/\(name)")
      chmod("\(home.path)/bin/\(name)", 0o755)
    }
    var environment = home.environment
    environment["PATH"] =
      "\(home.path)/bin:\(ChildProcess.commandDirectory):\(environment["PATH", default: "/usr/bin:/bin"])"
    environment["EDITOR"] = "true"
    var line = example
    // What a shell other than this one has.
    var before = "umask 077; fpath=(. fpath); source() { cat > /dev/null; }; "
    if [" log ", " blame ", " undo ", " redo ", " at "].contains(where: example.contains) {
      before += "settings-cli set org.example.editor theme light; settings-cli set ./settings.toml theme light; "
    }
    if example.contains(" redo ") {
      before += "settings-cli undo org.example.editor; settings-cli undo ./settings.toml; "
    }
    if example.contains("$digest") { before += "digest=$(settings-cli get ./settings.toml --digest); " }
    if example.contains("--undo") || example.contains("diff") && example.contains("--backup") {
      before += "settings-cli migrate org.example.editor > /dev/null; "
    }
    if let backup = example.firstMatch(of: /--backup (settings\.[^ ]+)/) {
      line = line.replacingOccurrences(of: backup.1, with: "$(ls state/app-settings/files/*/config/*/*.backups)")
      before += "shopt -s globstar; cd ~; "
      line = line.replacingOccurrences(of: "files/*/config/*/*.backups", with: "files/**/settings.toml.backups")
    }
    var status: Int32 = 0
    if line.contains("--exit-code") || line.contains("--status") { status = 1 }
    line = line.replacing(/--for ('[^']*'|[^ ]+)/, with: "--for 0.1s")
    // Nobody is asked here.
    if line.hasSuffix(" forget editr") { status = 2 }
    if line.contains(" watch ") {
      if line.contains("--count") { status = 1 }
      line = line.replacingOccurrences(of: " --timeout 10", with: "")
        .replacingOccurrences(of: " watch ", with: " watch --timeout 0.2 ")
    }
    let result = try ChildProcess.run(
      "/bin/bash", ["-c", before + line], environment: environment, input: "", directory: home.path)
    return (result, status)
  }

  private static let schema = """
    app = "org.example.editor"
    keys.theme.type = "string"
    keys.recent.type = "array"
    keys."editor.font-size".type = "integer"
    keys."sync.token" = { type = "string", secret = true }
    keys.plugins.type = "array"
    keys."update.channel".type = "string"
    keys.proxy.type = "string"
    migrations = [{ version = 2, name = "name the colour", steps = [{ rename = "colour", to = "theme" }] }]

    """
}
