import Foundation
import Testing
import TestSupport

/// Records, as the command sees them: tables like any other.
struct RecordCommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
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
