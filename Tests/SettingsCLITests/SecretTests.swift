import Foundation
import Testing
import TestSupport

/// A secret comes out of no verb that was not asked for that very key, in whatever form the file has it.
struct SecretTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private static let schema = """
    app = "org.example.test"

    [keys.theme]
    type = "string"

    [keys."sync.user"]
    type = "string"

    [keys."sync.token"]
    type = "string"
    secret = true
    formerly = ["old-token", "before.token"]

    [keys.vault]
    type = "table"
    secret = true

    [keys.pins]
    type = "array"
    elements = { type = "string" }
    secret = true

    [[migrations]]
    version = 2
    name = "name the colour, move the pass"
    steps = [{ rename = "colour", to = "theme" }, { rename = "pass.word", to = "sync.token" }]

    """

  /// The forms of TOML that a secret may have, with CANARY where nobody is to see it.
  static let forms = [
    "sync.token = \"CANARY\"\n",
    "[sync]\nuser = \"me\"\n# CANARY was the token\ntoken = 'CANARY' # CANARY\n\n# token = \"CANARY\"\n[last]\nx = 1\n",
    "sync = { token = \"CANARY\", user = \"me\" } # CANARY\n",
    "sync = { user = \"me\", token = \"\"\"CANARY\nCANARY\n\"\"\" }\n",
    "\"sync\" . 'token' = \"\"\"\nCANARY\n# token = 1\n[x]\nCANARY\"\"\"\nlast = 1\n",
    "old-token = \"CANARY\"\n",
    "vault.CANARY = 1\nvault.b = \"CANARY\"\ntop = 2\nvault.c = [\"CANARY\"]\n",
    "vault = { CANARY = \"CANARY\", b.c = 'CANARY' }\n",
    "[vault]\n# CANARY\nk-CANARY = 1 # CANARY\n\n[vault.CANARY] # CANARY\nx = 'CANARY'\n\n"
      + "# of last\n[last]\nx = 1\n[vault.z]\ny = \"CANARY\"\n",
    "[[vault]]\na = \"CANARY\"\n\n[[vault]]\na = \"CANARY\"\n",
    "pins = [\n  \"CANARY\", # CANARY\n  # CANARY\n  \"CANARY\",\n] # CANARY\n",
    "# pins: CANARY\n\nx = 1 # the token is CANARY\nsync.token = \"CANARY\"",
    // What stands where the table around a secret would be.
    "[[sync]]\ntoken = \"CANARY\"\n", "sync = \"CANARY\"\n", "sync = [{ token = \"CANARY\" }]\n",
    "before = \"CANARY\"\n", "[before]\ntoken = \"CANARY\"\n", "[[before]]\ntoken = \"CANARY\"\n",
  ]

  private static let showing: Set<String> = ["list", "diff", "export", "migrate", "get"]

  private func run(_ words: [String], input: String? = nil, editor: String? = nil) throws -> ChildProcess.Result {
    var environment = home.environment
    environment["EDITOR"] = editor
    return try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: environment, input: input, directory: home.path)
  }

  private func write(_ text: String) throws {
    try home.write(text)
    chmod(home.file, 0o600)
  }

  @Test(arguments: forms)
  func `a secret appears in no answer and no message`(form: String) throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    let text = "settings-version = 2\ntheme = \"dark\"\n" + form
    // The forms that begin with a table or end in one take the rest of the root with them.
    let colour = "colour = \"red\"\n" + form
    try write(colour.replacingOccurrences(of: "CANARY", with: "CANARY-1"))
    let runs: [[String]] = [
      ["list", app], ["list", app, "--json"], ["list", app, "--origin"], ["describe", app],
      ["describe", app, "--json"],
      ["diff", app], ["diff", app, "--backup"], ["diff", app, "./other.toml"], ["export", app],
      ["export", app, "--json"],
      ["export", app, "--env"], ["check", app], ["check", app, "--json"], ["migrate", app, "--status"],
      ["migrate", app, "--dry-run"], ["get", app, "sync"], ["get", app, "sync", "--json"], ["get", app, "before"],
      ["get", app, "sync", "--default", "x"], ["get", app, "theme"],
      ["watch", app, "sync", "--count", "1"], ["set", app, "theme", "light"],
      ["set", app, "sync.token", "-", "--type", "integer"],
      ["set", app, "theme"], ["unset", app, "none"], ["path", app], ["apps"], ["schema", app], ["recover", app],
      ["import", app, "./refused.json"], ["import", app, "./broken.json"], ["import", app, "./broken.plist"],
      ["import", app, "./broken.toml"], ["import", app, "./other.toml", "--dry-run"],
      ["complete", "fish", "--", "settings-cli get \(app) "], ["migrate", app],
      ["migrate", app, "--undo"],
    ]
    try home.write(text.replacingOccurrences(of: "CANARY", with: "CANARY-3"), to: home.path + "/other.toml")
    try home.write(#"{"sync": {"token": ["CANARY"]}, "pins": "CANARY"}"#, to: home.path + "/refused.json")
    try home.write(#"{"sync": {"token": CANARY}}"#, to: home.path + "/broken.json")
    try home.write(
      "<plist><dict><key>pins</key><integer>CANARY</integer></dict></plist>", to: home.path + "/broken.plist")
    try home.write("sync.token = = \"CANARY\"\n", to: home.path + "/broken.toml")
    // Each form through the verbs that show texts and values; two of them through all.
    let isWhole = form == Self.forms[1] || form == Self.forms[8]
    for words in runs where isWhole || Self.showing.contains(words[0]) {
      let result = try run(words, input: "CANARY")
      #expect(!(result.output + result.error).contains("CANARY"), "\(words) \(result)")
      // A pending migration first; then the present form, with a backup of another secret.
      if words == ["migrate", app, "--dry-run"] {
        #expect(result.status == 0 && result.output.contains("+theme = \"red\""), "\(result)")
        #expect(try run(["migrate", app]).status == 0)
        try write(text.replacingOccurrences(of: "CANARY", with: "CANARY-2"))
        let difference = try run(["diff", app, "--backup"])
        #expect(
          !difference.output.contains("CANARY") && difference.output.contains("(another secret)"), "\(difference)")
        #expect(difference.output.contains("-colour = \"red\""))
      }
    }
  }

  @Test func `a difference shows that a secret is another one, and nothing of it`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    try write("settings-version = 2\ntheme = \"a\" # t\n[sync]\nuser = \"me\"\ntoken = \"CANARY\" # CANARY\n")
    let other = home.path + "/other.toml"
    try home.write("theme = \"a\" # t\n[sync]\nuser = \"CANARY\"\ntoken = 'other'\n", to: other)
    let result = try run(["diff", app, other])
    #expect(
      result.output == """
        --- \(other)
        +++ \(home.file)
        @@ -1,4 +1,5 @@
        +settings-version = 2
         theme = "a" # t
         [sync]
        -user = "CANARY"
        -token = (secret)
        +user = "me"
        +token = (another secret) # (not shown)

        """, "\(result)")
    // The same secret in another form is no other secret.
    try home.write("settings-version = 2\ntheme = \"a\" # t\n[sync]\nuser = \"me\"\ntoken = 'CANARY' # t\n", to: other)
    #expect(try run(["diff", app, other]).output == "")
    // What does not parse may hold a secret anywhere from there on.
    try home.write("theme = \"b\"\n[sync]\nuser = \"me\"\ntoken = \"CANARY\nuser = 'CANARY'\n", to: other)
    let broken = try run(["diff", app, other])
    #expect(
      !(broken.output + broken.error).contains("CANARY") && broken.output.contains("-theme = \"b\"\n"), "\(broken)")
    #expect(broken.output.contains("-# (not shown: it does not parse, and may have a secret)\n"))
  }

  @Test func `a secret comes where it is asked for`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    try write("settings-version = 2\n[sync]\nuser = \"me\"\ntoken = \"CANARY\"\n")
    #expect(try run(["get", app, "sync.token"]).output == "CANARY\n")
    #expect(try run(["export", app, "--secrets"]).output.contains("CANARY"))
    #expect(try run(["watch", app, "sync.token", "--count", "1"]).output == "CANARY\n")
    let table = try run(["get", app, "sync"])
    #expect(table.output == "{ user = \"me\" }\n" && table.status == 0)
    #expect(
      table.error
        == "settings-cli: warning: Left out because they are or may contain secrets: 'sync.token'. To print a secret, "
        + "name its key.\n"
    )
  }

  @Test func `a conflict in the editor does not show a secret`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    try write("settings-version = 2\nsync.token = \"CANARY-1\"\n")
    let editor =
      "f() { sed -i 's/CANARY-1/CANARY-2/' \"$1\"; sed -i 's/CANARY-1/CANARY-3/' '\(home.file)'; }; f"
    let result = try run(["edit", app], editor: editor)
    #expect(result.status == 5 && !(result.output + result.error).contains("CANARY"), "\(result)")
    #expect(result.error.contains("sync.token: yours is (secret), theirs is (secret)"))
  }

  @Test func `what is typed in the place of a secret, or of its table, is in no message`() throws {
    let test = try SchemaHome()
    try test.home.write("n = 3\nlist = [1]\n", to: test.home.path + "/x.toml")
    for words in [
      ["set", test.app, "sync", "hunter2"], ["set", test.app, "sync", "[1, \"hunter2\"]"],
      ["set", "./x.toml", "n", "{ password = \"hunter2\" }"],
      ["set", "./x.toml", "list", "--append", "{ password = \"hunter2\" }"],
    ] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
      #expect(
        result.status == 4 && result.error.contains("that value") && !result.error.contains("hunter"), "\(result)")
    }
  }

  private static let fields = """
    app = "org.example.test"
    [keys.theme]
    type = "string"
    [keys.vault]
    type = "table"
    secret = true
    formerly = ["oldvault"]
    [keys.vault.fields]
    user = { type = "string", required = true }
    list = { type = "array", elements = { type = "table", fields = { n = { type = "integer" } } } }
    [keys.accounts]
    type = "records"
    secret = true
    ids = { type = "string", pattern = "[a-zA-Z]+" }
    fields = { port = { type = "integer", required = true }, name = { type = "string" } }
    [keys.safe]
    type = "array"
    secret = true
    elements = { type = "table", fields = { id = { type = "integer", required = true } } }
    [keys.map]
    type = "table"
    secret = true
    elements = { type = "integer" }

    """

  @Test(arguments: [
    "vault = { user = \"u\", CANARY = 1 }", "vault = { CANARY = 1 }", "oldvault = { user = \"CANARY\", CANARY = 1 }",
    "vault = { user = 1, CANARY = \"CANARY\" }",
    "vault = { user = \"u\", list = [{ CANARY = 1 }, { n = \"CANARY\" }] }",
    "accounts.CANARY = { name = \"x\" }", "accounts.CANARY-1 = { port = 1 }", "accounts.CANARY = { port = \"CANARY\" }",
    "accounts.CANARY = { port = 1, CANARY = 2 }", "accounts.CANARY = 5", "safe = [{ CANARY = 1 }, { id = \"CANARY\" }]",
    "map = { CANARY = \"CANARY\" }", "accounts = \"CANARY\"",
  ])
  func `what is wrong within a secret is said without its names`(form: String) throws {
    try home.write(Self.fields, to: home.path + "/data/app-settings/\(app).toml")
    try write(form + "\ntheme = \"x\"\n")
    let original = home.path + "/original.toml"
    try home.write(form + "\n", to: original)
    var found = ""
    for words in [
      ["list", app], ["list", app, "--json"], ["list"], ["check", app], ["check", app, "--json"], ["describe", app],
      ["describe", app, "--json"], ["describe", app, "--document"], ["get", app, "theme", "--layers"], ["export", app],
      ["export", app, "--env"], ["export"], ["diff", app], ["find", "a"], ["adopt", app, "theme"],
      ["adopt", app, String(form.prefix { $0.isLetter })], ["rename", app, String(form.prefix { $0.isLetter }), "x.y"],
      ["import", app, original, "--dry-run"], ["set", app, "theme", "y"], ["log", app], ["undo", app],
    ] {
      let result = try run(words)
      #expect(!(result.output + result.error).contains("CANARY"), "\(words): \(result)")
      if words[0] == "check" { found += result.output }
    }
    #expect(found.contains(": "), "Nothing is found in \(form).")
    // In another file than this app's.
    try FileManager.default.removeItem(atPath: home.file)
    let imported = try run(["import", app, original])
    #expect(!(imported.output + imported.error).contains("CANARY"), "\(imported)")
  }

  @Test(arguments: ["map", "map.CANARY"]) func `what is locked within a secret is said without its names`(
    lock: String
  ) throws {
    try home.write(Self.fields, to: home.path + "/data/app-settings/\(app).toml")
    let locks = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"\(lock)\"]\nmap.CANARY = 1\n", to: locks)
    let text = "map.CANARY = 5\nmap.CANARY-2 = 6\n"
    try write(text)
    for words in [
      ["check", app], ["check", app, "--json"], ["describe", app, "--document"],
      ["import", app, "-", "--format", "toml", "--replace"],
      ["import", app, "-", "--format", "toml", "--replace", "--into", "map"], ["edit", app, "--text", "-"],
      ["edit", app, "--text", "-", "--json"], ["rename", app, "map", "map2", "--create"],
    ] {
      let input = words.contains("--into") ? "CANARY = 7\n" : "map.CANARY = 7\nmap.CANARY-3 = 1\n"
      let result = try run(words, input: input)
      #expect(!(result.output + result.error).contains("CANARY"), "\(words): \(result)")
      if words[0] == "edit" { #expect(result.status == 5, "\(result)") }
      try write(text)
    }
    let end = "it is locked by '\(locks)', line 1."
    let found =
      lock == "map"
      ? "'map' has no effect here: \(end) To remove it, run 'settings-cli unset \(app) map'.\n"
      : "A part of 'map' has no effect here: \(end)\n"
    let checked = try run(["check", app]).output
    #expect(checked.hasSuffix("\n\(home.file):1:1: warning: \(found)"), "\(checked)")
    let refused = try run(["rename", app, "map.CANARY", "map.o"])
    #expect(refused.status == 5 && refused.error.contains("Cannot set 'map': "), "\(refused)")
    try home.write("", to: locks)
    let renamed = try run(["rename", app, "map.CANARY", "o"])
    #expect(renamed.status == 4 && renamed.error.contains(": 'map' is a secret and 'o' is not"), "\(renamed)")
  }

  @Test(arguments: [
    "[\"map.CANARY\"]", "[{ key = \"oldvault.CANARY\", reason = \"why\" }]", "[\"accounts.CANARY.prt\"]",
  ])
  func `the names in a secret do not get out of a list of locks`(locks: String) throws {
    try home.write(Self.fields, to: home.path + "/data/app-settings/\(app).toml")
    let file = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = \(locks)\ntheme = \"x\"\n", to: file)
    var said = ""
    for words in [
      ["set", app, "--system", "theme", "y"], ["lock", app, "theme"], ["unlock", app, "theme"],
      ["log", app, "--system"], ["log", app, "--system", "--json"], ["undo", app, "--system"],
      ["at", app, "--system", "--entry", "1"], ["blame", app, "--system"], ["diff", app, "--system"],
      ["export", app, "--system"], ["describe", app, "--system", "--document"], ["check", app, "--system"],
      ["check", app],
    ] {
      let result = try run(words)
      #expect(result.status != 2 && !(result.output + result.error).contains("CANARY"), "\(words): \(result)")
      said += result.output
    }
    #expect(said.contains("settings-locked: (not in the history)"), "\(said)")
    let found = try FileManager.default.subpathsOfDirectory(atPath: home.path + "/state").filter { name in
      name.contains(".history/")
        && FileManager.default.contents(atPath: home.path + "/state/" + name).map {
          String(decoding: $0, as: UTF8.self).contains("CANARY")
        } == true
    }
    #expect(found.isEmpty && home.text(of: file)?.contains("CANARY") == true)
  }

  @Test(arguments: ["sync.token = 5", "sync = { token = 5 }", "vault = 5"])
  func `a comment above a secret that is not imported does not become that of the file`(secret: String) throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    for (comment, stays) in [
      ("# was CANARY\n# CANARY\n", "# mine\n"), ("# theirs\n\n# was CANARY\n", "# theirs\n\n"),
      // It gets to the top, as the key above is not imported either.
      ("theme = 5\n  # was CANARY\n\t# CANARY\n", "# mine\n"), ("\u{FEFF}# was CANARY\n", "# mine\n"),
    ] {
      try home.write("\(comment)\(secret)\n# mine\n[last]\nx = 1\n", to: home.path + "/in.toml")
      let result = try run(["import", app, "./in.toml", "--create"])
      #expect(result.status == 0 && result.output.contains("taken: last.x"), "\(result)")
      let text = try #require(home.text(of: home.file))
      #expect(text.contains(stays) && !text.contains("CANARY"), "\(text)")
      #expect(!(try run(["at", app, "0s"]).output.contains("CANARY")))
      try FileManager.default.removeItem(atPath: home.file)
    }
    // Any other comment at the top is the file's.
    try home.write("# mine\ntheme = 5\nlast = 1\n", to: home.path + "/in.toml")
    #expect(try run(["import", app, "./in.toml", "--create"]).status == 0)
    #expect(home.text(of: home.file)?.hasPrefix("# mine\n") == true)
  }
}
