import Foundation
import Testing
import TestSupport

/// Records, as the command sees them: tables like any other.
struct RecordCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result { try run(arguments) }

  private func run(_ arguments: [String]) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  @Test func `get and set reach a field of a record, and list all of them`() throws {
    try home.write("[servers.work]\nregion = \"us\"  # c\n\n[servers.\"eu.west\"]\nregion = \"eu\"\nport = 80\n")
    #expect(try run("get", app, "servers.work.region").output == "us\n")
    #expect(try run("get", app, "servers.\"eu.west\".port").output == "80\n")
    #expect(try run("get", app, "servers.none.port").status == 1)
    let list = try run("list", app, "servers")
    #expect(list.status == 0)
    #expect(
      list.output == """
        servers.work.region = "us"
        servers."eu.west".region = "eu"
        servers."eu.west".port = 80

        """)
    #expect(try run("set", app, "servers.work.region", "ap").status == 0)
    #expect(try run("unset", app, "servers.\"eu.west\"").status == 0)
    #expect(home.text() == "[servers.work]\nregion = \"ap\"  # c\n")
  }

  private static let schema = """
    app = "org.example.test"

    [keys.servers]
    type = "records"
    fields = { host = { type = "string", required = true }, port = { type = "integer", required = true } }

    [keys."delivery.retry"]
    type = "table"
    default = { attempts = 3, delay = 1.5, label = "x" }
    fields = { attempts = { type = "integer", default = 3 }, delay = { type = "float", default = 1.5 }, label = { type = "string" } }

    """

  @Test func `set and check say what a record lacks`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    let lack =
      "The record 'servers.a' lacks 'port', which must be an integer. The app leaves the record out until that is set."
    let set = try run("set", app, "servers.a.host", "localhost")
    #expect(set.status == 0 && set.error == "settings-cli: warning: \(lack)\n", "\(set.error)")
    chmod(home.file, 0o600)
    let check = try run("check", app)
    #expect(check.status == 4 && check.output == "\(home.file):1:1: error: \(lack)\n", "\(check.output)")
    #expect(try run("set", app, "servers.a.port", "22") == ChildProcess.Result(status: 0, output: "", error: ""))
    #expect(try run("check", app).status == 0)
    #expect(try run("unset", app, "servers.a.port").error == "settings-cli: warning: \(lack)\n")
    let whole = try run("set", app, "servers.b", "{ host = \"b\" }")
    #expect(whole.status == 4 && whole.error.contains("has no 'port', which must be an integer"), "\(whole.error)")
  }

  @Test func `undo judges what it puts back, and neither other records nor fields that are lacking`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    #expect(try run("set", app, "servers.a", "{ host = \"a\", port = 1 }").status == 0)
    #expect(try run("set", app, "servers.a.port", "2").status == 0)
    // Somebody else's record, which the app leaves out.
    try home.write((home.text() ?? "") + "\n[servers.other]\nport = \"x\"\n")
    let field = try run("undo", app, "servers.a.port")
    #expect(field.status == 0 && field.output.hasSuffix("  servers.a.port: 2 -> 1\n"), "\(field)")

    #expect(try run("unset", app, "servers.a.port").status == 0)
    #expect(try run("unset", app, "servers.a").status == 0)
    let record = try run("undo", app)
    #expect(record.status == 0 && record.error.contains("The record 'servers.a' lacks 'port'"), "\(record)")
    let next = try run("undo", app)
    #expect(next.status == 0 && next.output.hasSuffix("  servers.a.port: (none) -> 1\n"), "\(next)")
    #expect(try run("get", app, "servers.a.port").output == "1\n")

    // A value that is put back is judged also where another one is in its place that is not valid either.
    for port in ["\"x\"", "true"] {
      try home.write("servers.a = { host = \"a\", port = \(port) }\n")
      #expect(try run("set", app, "servers.b.host", port).status == 0)
    }
    let refused = try run("undo", app, "servers.a.port")
    #expect(refused.status == 4 && refused.error.contains("'servers.a.port' needs an integer"), "\(refused)")
  }

  @Test func `the layers of a field that the files lack have its default`() throws {
    try home.write(
      """
      app = "\(app)"
      [keys.servers]
      type = "records"
      fields = { host = { type = "string" }, port = { type = "integer", default = 22 } }

      """, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("servers.a.host = \"h\"\nservers.b.port = 80\n")
    #expect(try run("get", app, "servers.a.port", "--layers") == SchemaHome.answer("22  # the app's default\n"))
    #expect(try run("get", app, "servers.a.port", "--layers", "--json").output.contains("\"value\":22"))
    #expect(try run("get", app, "servers.b.port", "--layers").output == "80  # user \(home.file):2\n")
    #expect(try run("get", app, "servers.c.port", "--layers") == SchemaHome.answer("", status: 1))
    // Of a value that the file sets without a field, the default of the whole says nothing.
    try home.write(
      "app = \"\(app)\"\n[keys.size]\ntype = \"table\"\ndefault = { w = 1, h = 2 }\nelements = { type = \"integer\" }\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("size.w = 5\n")
    #expect(try run("get", app, "size.h") == SchemaHome.answer("", status: 1))
    #expect(try run("get", app, "size.h", "--layers") == SchemaHome.answer("", status: 1))
    #expect(try run("get", app, "size.w", "--layers").output.hasSuffix(":1\n1  # the app's default, hidden\n"))
  }

  @Test func `a list of a part of a value has what get shows of it, also what the files lack`() throws {
    try home.write(
      """
      app = "\(app)"
      [keys.servers]
      type = "records"
      fields = { host = { type = "string" }, port = { type = "integer", default = 22 } }
      [keys.window]
      type = "table"
      formerly = ["frame"]
      fields = { width = { type = "integer" }, height = { type = "integer", default = 25 } }

      """, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("servers.a.host = \"h\"\nservers.b = {}\n[frame]\nwidth = 80\n")
    let lists = [
      "servers.a": "servers.a.host = \"h\"\nservers.a.port = 22\n", "servers.b": "servers.b = { port = 22 }\n",
      "servers.a.port": "servers.a.port = 22\n", "window.height": "window.height = 25\n",
      "window.width": "window.width = 80\n", "window": "window = { width = 80, height = 25 }\n",
      "frame": "frame = { width = 80, height = 25 }\n", "frame.height": "frame.height = 25\n",
    ]
    for (key, list) in lists { #expect(try run("list", app, key) == SchemaHome.answer(list)) }
    #expect(try run("list", app, "servers.a", "--names").output == "servers.a.host\nservers.a.port\n")
    #expect(try run("list", app, "servers.a", "--changed").output == "servers.a.host = \"h\"\n")
    #expect(
      try run("list", app, "servers.a", "--origin").output.hasSuffix("servers.a.port = 22  # default\n"))
    #expect(try run("list", app, "servers.c") == SchemaHome.answer("", status: 1))
    // What is set is the same as before.
    #expect(try run("export", app, "servers.a").output.hasSuffix("[servers.a]\nhost = \"h\"\n"))
    #expect(try run("export", app, "servers.b").output.hasSuffix("[servers.b]\n"))
    #expect(try run("export", app, "servers.a.port") == SchemaHome.answer("", status: 1))
    #expect(try run("export", app, "servers.a", "--all-layers").output.hasSuffix("host = \"h\"\nport = 22\n"))
    // Under two names, the earlier one is hidden, also with what the present one lacks.
    try home.write("servers.a.host = \"h\"\nservers.b = {}\n[frame]\nwidth = 80\n[window]\nheight = 3\n")
    #expect(try run("get", app, "window.width") == SchemaHome.answer("", status: 1))
    #expect(
      try run("get", app, "window.width", "--layers").output
        == "80  # user \(home.file):4, as 'frame.width', hidden by user \(home.file):5\n")
    // Where only earlier names were, a value is that of an unknown key.
    try home.write(
      "app = \"\(app)\"\n[keys.size]\ntype = \"integer\"\nformerly = [\"old.size\"]\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("old = \"x\"\n")
    #expect(try run("get", app, "old") == SchemaHome.answer("x\n"))
    #expect(try run("list", app, "old") == SchemaHome.answer("old = \"x\"\n"))
  }

  private static let keyed = """
    app = "org.example.test"
    [keys.servers]
    type = "records"
    ids = "uuid"
    fields = { port = { type = "integer", minimum = 1 } }
    [keys.counts]
    type = "table"
    ids = "integer"
    elements = { type = "integer" }
    maximum-count = 3
    [keys.theme]
    type = "string"

    """
  private static let own = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"

  @Test func `of two keys of one record, the verbs show the one that the app uses`() throws {
    try home.write(Self.keyed, to: home.path + "/data/app-settings/\(app).toml")
    let other = Self.own.lowercased()
    for names in [[Self.own, other], [other, Self.own]] {
      try home.write(names.map { "[servers.\($0)]\nport = \($0 == other ? 2 : 1)\n" }.joined())
      chmod(home.file, 0o600)
      let line = names[0] == other ? 1 : 3
      let clash =
        "'servers.\(other)' is the key \"\(other)\", which is the same id as \"\(Self.own)\", but must be an id that no "
        + "other record has."
      let warning = "settings-cli: warning: \(home.file):\(line):10: \(clash) The app leaves the record out.\n"
      #expect(
        try run("get", app, "servers") == SchemaHome.answer("{ \(Self.own) = { port = 1 } }\n", warning), "\(names)")
      #expect(
        try run("list", app, "servers")
          == SchemaHome.answer("servers = { \(Self.own) = { port = 1 } }\n", warning))
      #expect(try run("get", app, "servers.\(other).port") == SchemaHome.answer("", warning, status: 1))
      #expect(try run("get", app, "servers.\(Self.own).port") == SchemaHome.answer("1\n"))
      let check = try run("check", app)
      #expect(check.status == 4 && check.output.contains("no other record has"), "\(check)")
    }
    try home.write("[servers.\(other)]\nport = 2\n")
    #expect(try run("get", app, "servers").output == "{ \(other) = { port = 2 } }\n")
  }

  @Test func `what is wrong with one record is not said of another`() throws {
    try home.write(Self.keyed, to: home.path + "/data/app-settings/\(app).toml")
    let (good, bad) = (Self.own, "00000000-0000-0000-0000-000000000000")
    try home.write("[servers.\(good)]\nport = 1\n[servers.\(bad)]\nport = 0\n")
    #expect(try run("get", app, "servers.\(good).port") == SchemaHome.answer("1\n"))
    #expect(try run("get", app, "servers.\(good)", "--json").output.contains("\"problem\":null"))
    #expect(try run("get", app, "servers.\(bad).port").error.contains("'port' in 'servers.\(bad)' is the integer 0"))
    #expect(try run("get", app, "servers").error.contains("'port' in 'servers.\(bad)' is the integer 0"))
  }

  @Test(arguments: [
    ("servers.x.port", "'x' in 'servers' is the key \"x\", but must be a key that stands for a UUID as a string"),
    ("servers.x", "'x' in 'servers' is the key \"x\", but must be a key that stands for a UUID as a string"),
    ("counts.01", "'01' in 'counts' is the key \"01\", but must be a key that stands for an integer"),
    (
      "servers.\(own.lowercased()).port",
      "'\(own.lowercased())' in 'servers' is the key \"\(own.lowercased())\", which is the same id as \"\(own)\", but must be "
        + "an id that no other record has"
    ),
  ])
  func `a part with which the app would not accept the table is refused`(key: String, reason: String) throws {
    try home.write(Self.keyed, to: home.path + "/data/app-settings/\(app).toml")
    #expect(try run("set", app, "counts.1=1", "counts.2=2", "servers.\(Self.own).port=1") == SchemaHome.answer(""))
    let text = home.text()
    let value = key == "servers.x" ? "{ port = 1 }" : "1"
    let message = "Cannot set '\(key)': \(reason). Nothing was written."
    #expect(try run("set", app, key, value) == SchemaHome.answer("", "settings-cli: \(message)\n", status: 4))
    #expect(try run("set", app, "counts.1=5", "\(key)=\(value)").status == 4)
    let batch = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["batch", app, "--keep-going"], environment: home.environment,
      input: "{\"set\": \"\(key)\", \"toml\": \"\(value)\"}\n{\"set\": \"theme\", \"value\": \"x\"}\n",
      directory: home.path)
    #expect(batch.status == 4 && batch.output.contains(key), "\(batch)")
    #expect(home.text() == "theme = \"x\"\n\n" + (text ?? ""))
    if key.hasPrefix("servers") {
      let name = try run("rename", app, "servers.\(Self.own)", "servers.x")
      #expect(name.status == 4 && name.error.contains("'x' in 'servers' is the key"), "\(name)")
      #expect(try run("rename", app, "servers.\(Self.own)", "servers.\(Self.own.lowercased())").status == 0)
    }
  }

  @Test func `a table that the app does not accept can be put right step by step`() throws {
    try home.write(Self.keyed, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[counts]\n1 = 1\n2 = 2\n3 = 3\n4 = 4\nx = 5\n")
    for key in ["x", "4"] { #expect(try run("unset", app, "counts.\(key)") == SchemaHome.answer("")) }
    #expect(try run("get", app, "counts").output == "{ 1 = 1, 2 = 2, 3 = 3 }\n")
    let set = try run("set", app, "counts.4", "4")
    #expect(
      set.error == "settings-cli: Cannot set 'counts.4': 'counts' needs a table of integers with at most 3 elements. "
        + "Nothing was written.\n", "\(set)")
    #expect(try run("set", app, "counts.3", "4") == SchemaHome.answer(""))
  }

  private static let limited =
    keyed + """
      [keys.least]
      type = "table"
      elements = { type = "integer" }
      minimum-count = 2
      [keys.groups]
      type = "table"
      elements = { type = "table", elements = { type = "integer" }, ids = "integer", maximum-count = 2 }

      """

  /// - Returns: The status, and the lines that were refused.
  private func batch(_ lines: String...) throws -> (status: Int32, refused: [Int]) {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["batch", app, "--keep-going"], environment: home.environment,
      input: lines.joined(separator: "\n"), directory: home.path)
    let answers = result.output.split(separator: "\n")
    #expect(answers.count == lines.count, "\(result)")
    return (result.status, answers.indices.filter { answers[$0].contains("\"ok\":false") }.map { $0 + 1 })
  }

  @Test func `a table is judged as all layers and all changes make it`() throws {
    try home.write(Self.limited, to: home.path + "/data/app-settings/\(app).toml")
    try home.write(
      "[counts]\n1 = 1\n2 = 2\n3 = 3\n[least]\na = 1\nb = 2\n", to: home.systemFile("settings.toml"))
    let text = "[counts]\n1 = 9\n[least]\nc = 3\n"
    try home.write(text)
    for words in [
      ["rename", app, "counts.1", "counts.7"], ["set", app, "counts", "{ 5 = 5 }"], ["set", app, "counts.4=4"],
    ] {
      let result = try run(words)
      #expect(result.status == 4 && result.error.contains("at most 3"), "\(words): \(result)")
    }
    #expect(try batch("{\"unset\": \"counts.1\"}", "{\"set\": \"counts.4\", \"value\": 4}") == (4, [2]))
    #expect(home.text() == "[counts]\n[least]\nc = 3\n")
    try home.write(text)
    // What a removal uncovers is in a lower layer.
    #expect(try batch("{\"unset\": \"least\"}", "{\"set\": \"least.a\", \"value\": 5}") == (0, []))
    #expect(try run("get", app, "least").output == "{ a = 5, b = 2 }\n")
    #expect(try batch("{\"set\": \"counts.4\", \"value\": 4}", "{\"unset\": \"counts.4\"}") == (0, []))
  }

  @Test func `only the changes with which the app would not accept a table are refused`() throws {
    try home.write(Self.limited, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[counts]\n1 = 1\n2 = 2\n")
    func set(_ key: String, _ value: Int) -> String { "{\"set\": \"\(key)\", \"value\": \(value)}" }
    #expect(try batch(set("counts.1", 11), set("counts.3", 3), set("counts.4", 4)) == (4, [3]))
    #expect(try run("get", app, "counts").output == "{ 1 = 11, 2 = 2, 3 = 3 }\n")
    let (good, other) = ("servers.\(Self.own).port", "servers.\(Self.own.lowercased()).port")
    #expect(try batch(set("servers.x.port", 1), set(good, 2), set("servers.x.port", 3)) == (4, [1, 3]))
    #expect(try batch(set("servers.x.port", 1), "{\"get\": \"servers.x.port\"}") == (4, [1, 2]))
    #expect(try batch(set(good, 3), set(other, 4)) == (4, [2]))
    #expect(try run("get", app, "servers").output == "{ \(Self.own) = { port = 3 } }\n")
    try home.write("[servers.\(Self.own.lowercased())]\nport = 1\n")
    #expect(try batch(set(good, 2), set(other, 3)) == (4, [1]))
  }

  @Test func `an entry stays without which there were too few, and the whole table can go`() throws {
    try home.write(Self.limited, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[least]\na = 1\nb = 2\nc = 3\n")
    for words in [["unset", app, "least.a", "least.b"], ["unset", app, "least.a", "least.b", "--dry-run"]] {
      let result = try run(words)
      #expect(
        result.status == 4
          && result.error.contains("Cannot unset 'least.b': 'least' needs a table of integers with 2 or more"),
        "\(result)")
    }
    #expect(try batch("{\"unset\": \"least.a\"}", "{\"unset\": \"least.b\"}") == (4, [2]))
    #expect(home.text() == "[least]\nb = 2\nc = 3\n")
    #expect(try run("rename", app, "least.b", "counts.1").status == 4)
    #expect(try batch("{\"unset\": \"least.b\"}", "{\"set\": \"least.d\", \"value\": 4}") == (0, []))
    #expect(try run("unset", app, "least") == SchemaHome.answer(""))
    // One that is wrong already, and one below which a lower layer has enough.
    try home.write("[least]\na = 1\n")
    #expect(try run("unset", app, "least.a") == SchemaHome.answer(""))
    try home.write("[least]\na = 1\nb = 2\n", to: home.systemFile("settings.toml"))
    try home.write("[least]\na = 3\n")
    #expect(try run("unset", app, "least.a") == SchemaHome.answer(""))
  }

  @Test func `no more changes are refused than have to be`() throws {
    try home.write(
      Self.limited + "[keys.teams]\ntype = \"table\"\nmaximum-count = 2\n"
        + "elements = { type = \"table\", elements = { type = \"integer\" }, ids = \"integer\" }\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[teams.a]\n1 = 1\n")
    func set(_ key: String) -> String { "{\"set\": \"\(key)\", \"value\": 1}" }
    // What is refused by itself takes no place from another.
    #expect(try batch(set("teams.b.x"), set("teams.c.1")) == (4, [1]))
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["batch", app], environment: home.environment,
      input: [set("theme"), set("teams.d.1"), set("teams.d.2")].joined(separator: "\n"), directory: home.path)
    let refused = result.output.split(separator: "\n").map { $0.contains("\"status\":4") }
    #expect(result.status == 4 && refused == [true, true, false], "\(result)")
  }

  @Test func `tables within a key's value have their rules`() throws {
    try home.write(Self.limited, to: home.path + "/data/app-settings/\(app).toml")
    #expect(try run("set", app, "groups.a.1=1", "groups.a.2=2", "groups.b.1=1").status == 0)
    for (key, reason) in [
      ("groups.a.x", "'x' in 'groups.a' is the key \"x\", but must be"), ("groups.a.3", "'groups.a' needs a table"),
    ] {
      let result = try run("set", app, key, "1")
      #expect(result.status == 4 && result.error.contains(reason), "\(result)")
    }
    // One that is wrong already does not let others in.
    try home.write("[counts]\nx = 1\n")
    #expect(try run("set", app, "counts.y", "1").status == 4)
    #expect(try run("set", app, "counts.1", "1").status == 0)
  }

  @Test func `tables within a value, and keys below a path, are judged with the lower layers`() throws {
    try home.write(
      Self.limited + "[keys.\"net.ports\"]\ntype = \"table\"\nelements = { type = \"integer\" }\nmaximum-count = 2\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[groups.a]\n1 = 1\n2 = 2\n[net.ports]\na = 1\nb = 2\n", to: home.systemFile("settings.toml"))
    for (key, value, place) in [
      ("groups.a", "{ 3 = 3 }", "groups.a"), ("groups", "{ a = { 3 = 3 } }", "groups.a"),
      ("net", "{ ports = { c = 4 } }", "net.ports"),
    ] {
      let result = try run("set", app, key, value)
      #expect(result.status == 4 && result.error.contains("'\(place)' needs a table"), "\(key): \(result)")
    }
    try home.write("[draft]\nports = { c = 4 }\n")
    let renamed = try run("rename", app, "draft", "net")
    #expect(renamed.status == 4 && renamed.error.contains("'net.ports' needs a table"), "\(renamed)")
    #expect(try run("set", app, "net", "{ ports = { b = 4 } }").status == 0)
    #expect(try run("get", app, "net.ports").output == "{ a = 1, b = 4 }\n")
  }

  @Test(arguments: [
    ("float", "1", "1.0"), ("decimal", "1.50", "1.5"), ("duration", "60s", "1m"),
    ("offset-date-time", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00Z"),
  ])
  func `of two keys of one record, the app uses the one in the id's own form, for ids of each type`(
    _ type: String, _ other: String, _ own: String
  ) throws {
    try home.write(
      "app = \"\(app)\"\n[keys.rates]\ntype = \"records\"\nids = \"\(type)\"\nfields = { x = { type = \"integer\" } }\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[rates.\"\(other)\"]\nx = 1\n[rates.\"\(own)\"]\nx = 2\n")
    let result = try run("get", app, "rates", "--json")
    #expect(result.output.contains("\"value\":{\"\(own)\":{\"x\":2}}"), "\(result)")
    #expect(result.output.contains("which is the same id as \\\"\(own)\\\""), "\(result)")
  }

  @Test func `get prints what the app uses where a table lacks a field`() throws {
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[delivery.retry]\nattempts = 9\n")
    #expect(try run("get", app, "delivery.retry").output == "{ attempts = 9, delay = 1.5 }\n")
    #expect(try run("get", app, "delivery.retry.delay").output == "1.5\n")
    // A field that is absent and need not be there is absent for the app, too.
    #expect(try run("get", app, "delivery.retry.label").status == 1)
    #expect(try run("get", app, "delivery").output == "{ retry = { attempts = 9, delay = 1.5 } }\n")
    #expect(home.text() == "[delivery.retry]\nattempts = 9\n")
    #expect(try run("unset", app, "delivery.retry").status == 0)
    #expect(try run("get", app, "delivery.retry").output == "{ attempts = 3, delay = 1.5, label = \"x\" }\n")
  }
}
