import AppSettings
import Foundation
import Testing
import TestSupport

/// Verbs show what the app uses: where it cannot use what a file has, the default, and say so.
struct UsedValueTests {
  let test: SchemaHome
  init() throws { test = try SchemaHome() }
  private var app: String { test.app }

  private func object(_ words: String...) throws -> [String: Any]? {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
    #expect(result.error.isEmpty, "\(result)")
    return try json(result.output) as? [String: Any]
  }

  @Test(arguments: [
    ("editor.wrap = \"no\"", "editor.wrap", "true", 15, "is the string \"no\", but must be a boolean"),
    ("theme = \"red\"", "theme", "light", 9, "is the string \"red\", but must be one of \"light\", \"dark\""),
    ("editor.font-size = 99", "editor.font-size", "12", 20, "is the integer 99, but must be an integer from 6 to 72"),
    ("font_size = 99", "editor.font-size", "12", 13, "is the integer 99, but must be an integer from 6 to 72"),
  ])
  func `get and list print the default, and say what cannot be used`(
    line: String, key: String, used: String, column: Int, reason: String
  ) throws {
    // As in the app, a lower layer's value does not take its place.
    try test.home.write("theme = \"dark\"\neditor = { font-size = 20, wrap = false }\n", to: test.systemFile)
    try test.write(line + "\n")
    let name = line.prefix { $0 != " " }
    let shown = key == "theme" ? "\"\(used)\"" : used
    let warning =
      "settings-cli: warning: \(test.file):1:\(column): '\(name)' \(reason). The app uses its default, \(shown).\n"
    #expect(try test.run("get", app, key) == SchemaHome.answer(used + "\n", warning))
    let list = try test.run("list", app, "--origin")
    #expect(list.status == 0 && list.error == warning, "\(list)")
    #expect(list.output.contains("\(key) = \(shown)  # default\n"), "\(list)")
    let got = try object("get", app, key, "--json")
    #expect("\(got?["value"] ?? "")" == (used == "true" ? "1" : used), "\(got ?? [:])")
    #expect(got?["isDefault"] as? Bool == true && got?["layer"] as? String == "default" && got?["line"] is NSNull)
    #expect((got?["problem"] as? String)?.hasPrefix("Found the ") == true)
    let described = try test.run("describe", app, key).output
    #expect(described.contains("  value     \(shown)\n  from      the app's default\n"))
    #expect(described.contains("  unusable  user \(test.file):1: "))
    #expect(described.contains("  problem   Found the "))
    let layers = try test.run("get", app, key, "--layers")
    #expect(layers.output.hasSuffix("\(shown)  # the app's default\n"), "\(layers)")
    #expect(layers.output.contains(", not usable\n") && layers.output.contains("hidden by user"))
    #expect(layers.error == warning)
    #expect(try test.run("get", app, key, "--digest").status == 0)
    let batch = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["batch", app], environment: test.home.environment,
      input: "{\"get\": \"\(key)\"}\n", directory: test.home.path)
    #expect(batch.status == 0 && batch.output.contains("\"problem\":\"Found the "), "\(batch)")
    // What cannot be used is not for another machine.
    let export = try test.run("export", app)
    #expect(export == SchemaHome.answer("", warning))
    let all = try test.run("export", app, "--all-layers", "--json")
    #expect(all.error == warning && all.output.contains(shown))
    #expect(test.home.text() == line + "\n")
  }

  @Test func `a value that cannot be used is reported where nothing takes its place`() throws {
    try test.home.write("app = \"\(app)\"\n[keys.size]\ntype = \"integer\"\n", to: test.schemaFile)
    try test.write("size = \"x\"\n")
    let json = try test.run("get", app, "size", "--json")
    #expect(json.status == 1 && json.output == "", "\(json)")
    #expect(json == (try test.run("get", app, "size")))
    #expect(json.error.hasSuffix(" The app uses no value.\n"), "\(json)")
  }

  @Test func `a value without a default is none, and a table has the others`() throws {
    try test.write("host = 3\n[editor]\nfont-size = 99\nwrap = false\n")
    let host = try test.run("get", app, "host")
    #expect(host.status == 1 && host.output.isEmpty && host.error.hasSuffix(" The app uses its default.\n"), "\(host)")
    #expect(try test.run("get", app, "host", "--default", "x").output == "x\n")
    #expect(try test.run("get", app, "editor").output == "{ font-size = 12, wrap = false }\n")
    #expect(try test.run("list", app, "-0").output == "editor.font-size\n12\0editor.wrap\nfalse\0theme\nlight\0")
    #expect(try test.run("find", "99").status == 1)
    #expect(try test.run("watch", app, "editor.font-size", "--count", "1").output == "12\n")
  }

  @Test func `a record that the app leaves out is in no list of records`() throws {
    try test.write("[hosts.a]\nport = 0\n\n[hosts.b]\nport = 2\nname = \"n\"\n")
    let get = try test.run("get", app, "hosts")
    #expect(get.output == "{ b = { port = 2, name = \"n\" } }\n")
    #expect(
      get.error == "settings-cli: warning: \(test.file):2:8: 'port' in 'hosts.a' is the integer 0, but must be an "
        + "integer from 1. The app leaves the record out.\n", "\(get)")
    #expect(try test.run("get", app, "hosts.a").status == 1)
    #expect(try test.run("get", app, "hosts.b.port").output == "2\n")
    #expect(try test.run("export", app).output == "settings-version = 1\n\n[hosts.b]\nport = 2\nname = \"n\"\n")
  }

  @Test func `a value in place of a table of keys is not shown, and its defaults are`() throws {
    try test.write("editor = 5\n")
    let list = try test.run("list", app)
    #expect(list.output == "theme = \"light\"\neditor.font-size = 12\neditor.wrap = true\n")
    #expect(
      list.error == "settings-cli: warning: \(test.file):1:10: 'editor' is the integer 5, but must be a table (there "
        + "are keys in it). The app uses the defaults of those keys.\n", "\(list)")
    #expect(try test.run("get", app, "editor").output == "{ font-size = 12, wrap = true }\n")
    #expect(try test.run("export", app).output.isEmpty)
  }

  @Test func `nothing of a secret is in what is said of it`() throws {
    try test.write("sync.token = 4711\n")
    for words in [["get", app, "sync.token"], ["list", app], ["get", app, "sync"], ["get", app, "sync", "--json"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: test.home.environment, directory: test.home.path)
      #expect(!(result.output + result.error).contains("4711"), "\(result)")
    }
    #expect(try test.run("get", app, "sync.token").error.contains("'sync.token' is an integer, but must be a string"))
  }
}
