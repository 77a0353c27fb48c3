import Foundation
import Synchronization
import Testing
import TestSupport

/// The command as a process: exact exit status, output and errors.
struct CommandTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result { try run(arguments) }

  private func run(_ arguments: [String]) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: error)
  }

  // MARK: get

  @Test func `get prints the bare value of each type`() throws {
    try home.write("s = \"a\\nb\"\ni = 0x10\nf = 1.0\nb = true\nd = 1979-05-27T07:32:00Z\na = [1, 'x']\nt.u = 1\n")
    #expect(try run("get", app, "s") == answer("a\nb\n"))
    #expect(try run("get", app, "i") == answer("16\n"))
    #expect(try run("get", app, "f") == answer("1.0\n"))
    #expect(try run("get", app, "b") == answer("true\n"))
    #expect(try run("get", app, "d") == answer("1979-05-27T07:32:00Z\n"))
    #expect(try run("get", app, "a") == answer("[1, \"x\"]\n"))
    #expect(try run("get", app, "t") == answer("{ u = 1 }\n"))
    #expect(try run("get", app, "t.u", "-0") == answer("1\0"))
    #expect(try run("get", app, "s", "--toml") == answer("\"a\\nb\"\n"))
  }

  @Test func `get prints JSON with provenance`() throws {
    try home.write("# c\n[t]\nu = [1, 2.5, \"x\\u0001\"]\n")
    #expect(
      try run("get", app, "t.u", "--json")
        == answer(
          "{\"key\":\"t.u\",\"value\":[1,2.5,\"x\\u0001\"],\"layer\":\"user\",\"file\":\"\(home.file)\",\"line\":3,"
            + "\"isDefault\":false,\"isLocked\":false,\"problem\":null}\n"))
  }

  @Test func `get of an absent key exits 1 in silence, or prints the default`() throws {
    #expect(try run("get", "./none.toml", "x") == answer("", status: 1))
    #expect(try run("get", app, "x", "--default", "7") == answer("7\n"))
    #expect(home.names(in: home.path).isEmpty)
    try home.write("")
    #expect(try run("get", app, "x") == answer("", status: 1))
  }

  @Test func `get reads the file of a path and shows administrators' values for an app`() throws {
    try home.write("a = 1\n", to: home.path + "/x.toml")
    #expect(try run("get", "./x.toml", "a") == answer("1\n"))
    #expect(try run("get", home.path + "/x.toml", "a") == answer("1\n"))
    try home.write("a = 2\n", to: home.path + "/etc/xdg/\(app)/settings.toml")
    #expect(try run("get", app, "a") == answer("2\n"))
  }

  // MARK: set

  @Test func `set stores durably what get then prints`() throws {
    #expect(try run("set", app, "theme", "dark") == answer(""))
    #expect(try run("set", app, "editor.font-size", "14") == answer(""))
    #expect(try run("set", app, "tags", "[\"a\"]") == answer(""))
    #expect(try run("set", app, "offset", "-5") == answer(""))
    // Before the target it is no value, and never becomes a key by chance.
    let misplaced = try run("set", "-5", app, "offset")
    #expect(misplaced.status == 2, "\(misplaced)")
    #expect(try run("get", app, "offset") == answer("-5\n"))
    #expect(try run("set", app, "dash", "--", "-x") == answer(""))
    #expect(try run("set", app, "servers.\"eu.west\".url", "http://x") == answer(""))
    #expect(
      home.text()
        == """
        theme = "dark"
        tags = ["a"]
        offset = -5
        dash = "-x"

        [editor]
        font-size = 14

        [servers."eu.west"]
        url = "http://x"

        """)
  }

  @Test func `set takes the type that the key has, and --type another`() throws {
    try home.write("port = 80 # p\nname = \"n\"\nratio = 1.5\non = false\n")
    #expect(try run("set", app, "name", "12") == answer(""))
    #expect(try run("set", app, "ratio", "2") == answer(""))
    #expect(try run("set", app, "on", "yes") == answer(""))
    let refused = try run("set", app, "port", "many")
    #expect(
      refused
        == answer(
          "",
          "settings-cli: Cannot set 'port' to \"many\": the key needs an integer, like its present value; --type gives "
            + "it another type. Nothing was written.\n", status: 4))
    #expect(home.text() == "port = 80 # p\nname = \"12\"\nratio = 2.0\non = true\n")
    #expect(try run("set", app, "port", "many", "--type", "string") == answer(""))
    #expect(home.text()?.hasPrefix("port = \"many\" # p\n") == true)
    #expect(try run("set", app, "port", "x", "--type", "integer").status == 4)
  }

  @Test func `set changes only the bytes of the value`() throws {
    let before = "\u{FEFF}# first\r\n[a]\r\nx = 'one'   # kept\r\ny=2\r\n"
    try home.write(before)
    #expect(try run("set", app, "a.x", "two") == answer(""))
    #expect(home.text() == before.replacingOccurrences(of: "one", with: "two"))
  }

  // MARK: unset, list, path

  @Test func `unset removes, and exits 1 where there was nothing`() throws {
    try home.write("a = 1\nb = 2\n[t]\nc = 3\n")
    #expect(try run("unset", app, "a", "t") == answer(""))
    #expect(home.text() == "b = 2\n")
    #expect(try run("unset", app, "zz") == answer("", status: 1))
    #expect(try run("reset", app, "b") == answer(""))
    #expect(home.text() == "")
  }

  @Test func `list prints every leaf, below a prefix, with origin, as JSON`() throws {
    try home.write("settings-version = 1\na = 1\n[t]\n\"b c\" = 'x'\nd = [1, 2]\n")
    #expect(try run("list", app) == answer("a = 1\nt.\"b c\" = \"x\"\nt.d = [1, 2]\n"))
    #expect(try run("list", app, "t.d") == answer("t.d = [1, 2]\n"))
    #expect(try run("list", app, "t", "--origin").output.hasPrefix("t.\"b c\" = \"x\"  # user \(home.file):4\n"))
    let json = try run("list", app, "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(parsed?.map { $0["key"] as? String } == ["a", "t.\"b c\"", "t.d"])
    #expect(try run("list", app, "nothing").status == 1)
    #expect(try run("list", home.path + "/none.toml") == answer(""))
  }

  @Test func `path prints where the file is and makes nothing`() throws {
    #expect(try run("path", app) == answer(home.file + "\n"))
    #expect(home.names(in: home.path).isEmpty)
  }

  // MARK: Bad input

  static let verbs: [[String]] = [["get", "a"], ["set", "a", "1"], ["unset", "a"], ["list"]]

  @Test(arguments: verbs)
  func `a file that does not parse is shown with line and caret, exit 6, and stays`(verb: [String]) throws {
    let text = "a = 1\nb = = 2\n"
    try home.write(text)
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), [verb[0], app] + verb.dropFirst(), environment: home.environment)
    #expect(result.status == 6)
    #expect(result.output == "")
    #expect(result.error.contains("\(home.file):2:5: "))
    #expect(result.error.contains("\n") && result.error.contains("b = = 2") && result.error.contains("^"))
    #expect(home.text() == text)
  }

  @Test(arguments: ["org.example/../x", "..", "", "a b", "-x"])
  func `a target that is neither app nor file is refused`(target: String) throws {
    let result = try run("get", "--", target, "a")
    #expect(target.contains("/") ? result.status == 1 : result.status == 2, "\(result)")
    #expect(home.names(in: home.path).isEmpty)
  }

  @Test(arguments: ["", "a..b", ".a", "a.", "a b", "settings-version"])
  func `a key that is no key is refused`(key: String) throws {
    for verb in [["get"], ["set"], ["unset"]] {
      let arguments = [verb[0], app, key] + (verb == ["set"] ? ["1"] : [])
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), arguments, environment: home.environment)
      #expect(result.status == 2)
      #expect(result.error.hasPrefix("settings-cli: Invalid key '\(key)': "))
    }
    #expect(home.names(in: home.path).isEmpty)
  }

  @Test func `usage errors exit 2, help and version 0`() throws {
    #expect(try run("get").status == 2)
    #expect(try run("frobnicate").status == 2)
    #expect(try run("set", app, "a").status == 2)
    #expect(try run("set", app, "a", "b", "c").status == 2)
    #expect(try run("set", app, "a", "--typo").status == 2)
    #expect(try run("set", app, "a", "1", "--type", "complex").status == 2)
    #expect(try run("--help").status == 0)
    #expect(try run("--version").status == 0)
    for verb in ["get", "set", "unset", "rename", "list", "find", "watch", "migrate", "path"] {
      let help = try run(verb, "--help")
      #expect(help.status == 0 && help.output.contains("EXAMPLES") && help.error.isEmpty)
    }
  }

  @Test func `a locked key exits 5 and names file and line`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"proxy\"]\n[proxy]\nhost = \"h\"\n", to: system)
    let result = try run("set", app, "proxy.host", "x")
    #expect(
      result
        == answer(
          "",
          "settings-cli: Cannot set 'proxy.host': it is locked by '\(system)', line 1. Nothing was written.\n",
          status: 5))
    #expect(home.text() == nil)
  }

  @Test func `setting, editing or importing around a locked part exits 5, and removing the table does not`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"proxy.host\"]\n[proxy]\nhost = \"h\"\n", to: system)
    let refusal =
      "settings-cli: Cannot set 'proxy': a part of it, 'proxy.host', is locked by '\(system)', line 1, and would change. "
      + "Nothing was written.\n"
    for words in [["x", "--type", "string"], ["{ host = 'x' }"], ["{ host = 'x', port = 1 }"]] {
      #expect(try run(["set", app, "proxy"] + words) == answer("", refusal, status: 5), "\(words)")
    }
    #expect(home.text() == nil)
    let old = home.path + "/old.json"
    try home.write(#"{"proxy": "x", "a": 1}"#, to: old)
    #expect(try run("import", app, old).status == 0)
    #expect(home.text() == "a = 1\n")
    #expect(try run("set", app, "proxy", "{ host = 'h', port = 1 }").status == 0)
    #expect(home.text() == "a = 1\n\n[proxy]\nport = 1\n")
    #expect(try run("get", app, "proxy.host").output == "h\n")
    try home.write("a = 1\n[proxy]\nhost = \"mine\"\n")
    #expect(try run("unset", app, "proxy").status == 0)
    #expect(home.text() == "a = 1\n")
  }

  @Test func `an invalid entry of settings-locked is said with its line, and the others hold`() throws {
    let system = home.path + "/etc/xdg/\(app)/settings.toml"
    try home.write("settings-locked = [\"update.channel\", \"a b\", 1]\nupdate.channel = \"stable\"\n", to: system)
    let result = try run("set", app, "update.channel", "beta")
    #expect(result.status == 5 && result.error.contains("'update.channel': it is locked by '\(system)', line 1."))
    #expect(result.error.contains("entry 2 of 'settings-locked'") && result.error.contains("entry 3"))
    #expect(try run("get", app, "update.channel").output == "stable\n")
    let lines = try run("check", app).output.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("\(system):1:19: warning: Cannot use entry ") })
  }

  @Test func `setting below a value that is no table is an error and changes nothing`() throws {
    try home.write("a = 1\n")
    let result = try run("set", app, "a.b", "2")
    #expect(result.status != 0 && result.error.contains("'a"))
    #expect(home.text() == "a = 1\n")
  }

  @Test func `a directory in place of the file exits 7`() throws {
    try FileManager.default.createDirectory(atPath: home.file, withIntermediateDirectories: true)
    #expect(try run("get", app, "a").status == 7)
    #expect(try run("set", app, "a", "1").status == 7)
  }

  @Test func `a full disk exits 7 and leaves the old file`() throws {
    guard geteuid() == 0 else { return }  // mounting needs root
    let mounted = try ChildProcess.shell(
      "mkdir '\(home.path)/full' && unshare -m true && echo yes", environment: home.environment)
    guard mounted.output == "yes\n" else { return }
    let script = """
      mount -t tmpfs -o size=64k tmpfs '\(home.path)/full' || exit 99
      printf 'a = 1\\n' > '\(home.path)/full/s.toml'
      head -c 1000000 /dev/zero > '\(home.path)/full/fill' 2>/dev/null
      '\(ChildProcess.product("settings-cli"))' set '\(home.path)/full/s.toml' b "$(head -c 9000 /dev/zero | tr '\\0' x)"
      echo "status $?"
      cat '\(home.path)/full/s.toml'; ls -A '\(home.path)/full'
      """
    let result = try ChildProcess.run(
      "/usr/bin/unshare", ["-m", "/bin/sh", "-c", script], environment: home.environment)
    guard result.status != 99 else { return }
    #expect(result.output == "status 7\na = 1\nfill\ns.toml\n")
    #expect(result.error.contains("the file system is full"))
  }

  @Test func `values with newlines, quotes and control characters come back as they were`() throws {
    for value in ["a\nb", "\"q\" 'r' \\ \t", "\u{1}\u{7F}é漢😀", String(repeating: "x", count: 100_000)] {
      #expect(try run("set", app, "v", value, "--type", "string") == answer(""))
      #expect(try run("get", app, "v") == answer(value + "\n"))
    }
  }

  // MARK: watch

  private func watch(_ arguments: String...) throws -> RunningProcess {
    try RunningProcess(
      ChildProcess.product("settings-cli"), ["watch", app] + arguments, environment: home.environment)
  }

  @Test func `watch prints the value now, then each other one, and an empty line while there is none`() throws {
    try home.write("# c\ntheme = \"a\"\nother = 1\n")
    let watching = try watch("theme")
    #expect(watching.nextLine() == "a")
    #expect(try run("set", app, "theme", "b") == answer(""))
    #expect(watching.nextLine() == "b")
    try ChildProcess.shell("sed -i 's/\"b\"/\"c\"/' '\(home.file)'", environment: home.environment)
    #expect(watching.nextLine() == "c")
    #expect(try run("set", app, "other", "2") == answer(""))
    #expect(try run("unset", app, "theme") == answer(""))
    #expect(watching.nextLine() == "")
    try ChildProcess.shell(
      "printf 'theme = 12\n' > '\(home.path)/new' && mv '\(home.path)/new' '\(home.file)'",
      environment: home.environment)
    #expect(watching.nextLine() == "12")
    watching.signal(SIGTERM)
    watching.wait()
  }

  /// What is there before the watch begins: it may begin at once.
  private let before = "a = 1\nb = 1\nc = 1\n"

  /// Saves `a` and `b` with ever new numbers, both in one rename, until the watching process says something: when it
  /// has begun to watch cannot be seen from outside.
  private func lines(_ count: Int, of watching: RunningProcess) throws -> [String] {
    let isSeen = Mutex(false)
    let saver = Thread { [home] in
      var number = 10
      while !isSeen.withLock({ $0 }) {
        try? home.write("a = \(number)\nb = \(number)\nc = 1\n", to: home.path + "/new")
        rename(home.path + "/new", home.file)
        number += 1
      }
    }
    saver.start()
    let first = watching.nextLine()
    isSeen.withLock { $0 = true }
    return try [#require(first)] + (1..<count).map { _ in try #require(watching.nextLine()) }
  }

  @Test func `watch without a key prints what changed together, and a blank line`() throws {
    try home.write(before)
    let watching = try watch("--count", "1")
    let lines = try lines(3, of: watching)
    #expect(lines[0].hasPrefix("a = ") && lines[1].hasPrefix("b = ") && lines[2] == "", "\(lines)")
    #expect(lines[0].dropFirst(4) == lines[1].dropFirst(4))
    #expect(watching.wait() == 0)
  }

  @Test func `watch as JSON says key, old, new and who`() throws {
    try home.write(before)
    let watching = try watch("--json", "--count", "1")
    let lines = try lines(2, of: watching)
    let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    #expect(objects.map { $0?["key"] as? String } == ["a", "b"])
    #expect(
      objects.allSatisfy { $0?["origin"] as? String == "outside" && $0?["old"] is Int && $0?["new"] is Int },
      "\(lines)")
    #expect(watching.wait() == 0)
  }

  @Test func `watch ends after a count or a time`() throws {
    try home.write("a = 1\n")
    let watching = try watch("theme", "--count", "1", "--timeout", "20")
    #expect(watching.nextLine() == "")
    #expect(watching.wait() == 0)
    #expect(try run("watch", app, "theme", "--timeout", "0.05") == answer("\n"))
    #expect(try run("watch", app, "--count", "1", "--timeout", "0.05") == answer("", status: 1))
    #expect(try run("watch", app, "--count", "0").status == 2)
  }

  // MARK: migrate

  @Test func `migrate runs a schema's migrations, once, with status`() throws {
    try home.write(
      """
      app = "\(app)"
      [[migrations]]
      version = 2
      name = "rename colour"
      steps = [{ rename = "colour", to = "theme.accent" }]

      """, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("# c\ncolour = \"red\" # r\n")
    #expect(try run("migrate", app, "--status") == answer("pending: 2 rename colour\n", status: 1))
    #expect(try run("migrate", app) == answer("migrated: 2 rename colour\n"))
    #expect(home.text()?.contains("accent = \"red\" # r\n") == true)
    #expect(try run("migrate", app) == answer("current: version 2\n"))
    try home.write("settings-version = 3\n")
    #expect(try run("migrate", app).status == 8)
    #expect(try run("set", app, "a", "1").status == 8)
    #expect(home.text() == "settings-version = 3\n")
    #expect(try run("migrate", "org.example.other").status == 3)
  }
}
