import Foundation
import Testing
import TestSupport

/// `watch` knows what `get` knows: defaults, unknown keys, former names.
struct WatchCommandTests {
  let test: SchemaHome

  init() throws {
    test = try SchemaHome()
    // What it begins with is there: an app without a file is reported.
    try test.write("[editor]\n")
  }

  private func watch(_ arguments: String...) throws -> RunningProcess {
    try RunningProcess(
      ChildProcess.product("settings-cli"), ["watch", test.app] + arguments, environment: test.home.environment)
  }

  @Test func `a key that the schema does not have ends the watch with status 3 and a suggestion`() throws {
    for rest in [[], ["--json"], ["--exec", "true"]] as [[String]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["watch", test.app, "thme", "--timeout", "20"] + rest,
        environment: test.home.environment)
      #expect(
        result == SchemaHome.answer("", "settings-cli: Unknown key 'thme'. Did you mean 'theme'?\n", status: 3),
        "\(rest)")
    }
    // As with 'get', a value in a file is printed, whatever the schema says.
    try test.write("plugin = 1\n")
    #expect(try test.run("watch", test.app, "plugin", "--count", "1") == SchemaHome.answer("1\n"))
  }

  @Test func `a default is printed while no file has a value, and again when the value goes`() throws {
    let watching = try watch("theme")
    #expect(watching.nextLine() == "light")
    #expect(try test.run("set", test.app, "theme", "dark").status == 0)
    #expect(watching.nextLine() == "dark")
    #expect(try test.run("unset", test.app, "theme").status == 0)
    #expect(watching.nextLine() == "light")
    watching.signal(SIGTERM)
    #expect(watching.wait() == 0)
  }

  @Test func `a value under a former name counts, and so does a lower layer's`() throws {
    try test.write("font_size = 20\n")
    let watching = try watch("editor.font-size")
    #expect(watching.nextLine() == "20")
    try test.write("font_size = 21\n")
    #expect(watching.nextLine() == "21")
    #expect(try test.run("set", test.app, "editor.font-size", "22").status == 0)
    #expect(watching.nextLine() == "22")
    #expect(try test.run("unset", test.app, "editor.font-size").status == 0)
    #expect(watching.nextLine() == "12")
    watching.signal(SIGTERM)
    watching.wait()
  }

  @Test func `a table of several keys has their defaults`() throws {
    let watching = try watch("editor")
    let first = watching.nextLine()
    #expect(try first == test.run("get", test.app, "editor").output.dropLast(1).description)
    #expect(first == "{ font-size = 12, wrap = true }")
    #expect(try test.run("set", test.app, "editor.wrap", "no").status == 0)
    #expect(watching.nextLine() == "{ font-size = 12, wrap = false }")
    watching.signal(SIGTERM)
    watching.wait()
  }

  /// Makes two changes in turn until a watch has seen both, and returns what it printed, sorted.
  private func lines(_ arguments: String, _ first: String, _ second: String) throws -> [String] {
    let script = """
      settings-cli watch \(test.app) \(arguments) --count 2 --timeout 60 > out & watch=$!
      while kill -0 $watch 2> /dev/null; do \(first); sleep 0.2; \(second); sleep 0.2; done
      wait $watch; cat out
      """
    let result = try shell(script)
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n").map(String.init).sorted()
  }

  private func shell(_ script: String) throws -> ChildProcess.Result {
    var environment = test.home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    return try ChildProcess.shell(script, environment: environment, directory: test.home.path)
  }

  @Test func `old and new are what get prints, with defaults, in JSON and for a program`() throws {
    let (set, unset) = ("settings-cli set \(test.app) theme dark", "settings-cli unset \(test.app) theme")
    #expect(
      try lines("theme --json", set, unset) == [
        "{\"key\":\"theme\",\"old\":\"dark\",\"new\":\"light\",\"origin\":\"outside\"}",
        "{\"key\":\"theme\",\"old\":\"light\",\"new\":\"dark\",\"origin\":\"outside\"}",
      ])
    #expect(
      try lines("theme --shell --exec 'echo \"$KEY: $OLD -> $NEW\"'", set, unset)
        == ["theme: dark -> light", "theme: light -> dark"])
    #expect(try lines("", set, unset) == ["theme = \"dark\"", "theme = \"light\""])
    // So that the first change is not of two keys.
    try test.write("theme = \"dark\"\n")
    #expect(
      try lines(
        "--json", "printf 'theme = \"dark\"\\nfont_size = 20\\n' > new; mv new '\(test.file)'",
        "settings-cli unset \(test.app) editor.font-size")
        == [
          "{\"key\":\"editor.font-size\",\"old\":12,\"new\":20,\"origin\":\"outside\"}",
          "{\"key\":\"editor.font-size\",\"old\":20,\"new\":12,\"origin\":\"outside\"}",
        ])
  }

  @Test(arguments: [[], ["--json"], ["--exec", "sh", "--", "-c", "echo $KEY = $NEW"]])
  func `the names in a secret table are not shown`(words: [String]) throws {
    let schema = SchemaHome.schema + "\n[keys.vault]\ntype = \"table\"\nsecret = true\n"
    try test.home.write(schema, to: test.home.path + "/data/app-settings/\(test.app).toml")
    try test.write("")
    let result = try shell(
      """
      change() { settings-cli set \(test.app) vault.CANARY-$1 CANARY-$1; }
      settings-cli watch \(test.app) --count 1 \(words.map { "'\($0)'" }.joined(separator: " ")) > out & watch=$!
      until grep -q secret out; do kill -0 $watch || break; change $((n += 1)); done
      wait; cat out
      """)
    #expect(!result.output.contains("CANARY") && result.output.contains("vault"), "\(result)")
  }

  @Test func `a key that an upgrade has made a secret is not shown any more`() throws {
    let schema = SchemaHome.schema.replacing("[keys.host]\n", with: "[keys.host]\nsecret = true\n")
    try test.home.write(schema, to: test.home.path + "/new")
    let script = """
      settings-cli watch \(test.app) > out & watch=$!
      change() { settings-cli set \(test.app) host $1; sleep 0.1; }
      until [ -s out ]; do change a; change b; done
      cp new '\(test.schemaFile)'
      until grep -q secret out; do kill -0 $watch || break; change hunter2; change hunter3; done
      kill $watch; wait $watch; cat out
      """
    let result = try shell(script)
    #expect(result.output.contains("host = (secret)\n") && !result.output.contains("hunter"), "\(result)")
  }

  @Test func `an app or a file that does not exist yet is reported, and then watched`() throws {
    let app = try test.run("watch", "org.example.tst", "theme", "--count", "1")
    #expect(
      app
        == SchemaHome.answer(
          "\n",
          "settings-cli: Unknown app 'org.example.tst': it has neither settings nor a schema. Did you mean "
            + "'org.example.test'? Waiting for its first settings.\n"))
    let file = try test.run("watch", "./none.toml", "a", "--count", "1")
    #expect(
      file
        == SchemaHome.answer(
          "\n", "settings-cli: '\(test.home.path)/none.toml' does not exist yet. Waiting for it.\n"))
    let watching = try RunningProcess(
      ChildProcess.product("settings-cli"), ["watch", test.home.path + "/new.toml", "a"],
      environment: test.home.environment)
    #expect(watching.nextLine() == "")
    #expect(try test.run("set", "./new.toml", "a", "1").status == 0)
    #expect(watching.nextLine() == "1")
    watching.signal(SIGTERM)
    watching.wait()
  }

  @Test func `a file that stops parsing later is reported on standard error, once`() throws {
    try test.write("theme = \"dark\"\n")
    let result = try shell(
      """
      settings-cli watch \(test.app) theme --count 2 --timeout 60 > out 2> error & watch=$!
      until grep -qs dark out; do sleep 0.05; done
      echo 'theme = = 1' > '\(test.file)'
      until test -s error; do sleep 0.05; done
      sleep 0.5
      echo 'theme = "light"' > '\(test.file)'
      wait $watch; cat out; cat error >&2
      """)
    #expect(result.output == "dark\nlight\n")
    #expect(result.error.hasPrefix("settings-cli: warning: "), "\(result)")
    #expect(result.error.components(separatedBy: "warning:").count == 2, "\(result)")
  }
}
