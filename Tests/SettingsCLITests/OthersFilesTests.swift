import Foundation
import Testing
import TestSupport

/// Files that other programs own, and what people run into with them.
struct OthersFilesTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private var file: String { home.path + "/f.toml" }

  private func run(_ arguments: String..., variables: [String: String] = [:]) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment.merging(variables) { $1 },
      directory: home.path)
  }

  private func shell(_ script: String, variables: [String: String] = [:]) throws -> ChildProcess.Result {
    let path = (ChildProcess.product("settings-cli") as NSString).deletingLastPathComponent
    var environment = home.environment.merging(variables) { $1 }
    environment["PATH"] = path + ":" + (environment["PATH"] ?? "")
    return try ChildProcess.shell(script, environment: environment, directory: home.path)
  }

  // MARK: Empty tables

  @Test(arguments: [
    ("[workspace]\nmembers = [\"a\"]\n", ["unset", "workspace.members"], "[workspace]\n", ""),
    ("[a]\nx = 1\n\n[b]\n", ["rename", "a.x", "b.x"], "[a]\n\n[b]\nx = 1\n", "[b]\nx = 1\n"),
    ("t = { x = 1 }\n", ["unset", "t.x"], "t = {}\n", ""),
    ("a = 1\nt.x = 1\n", ["unset", "t.x"], "a = 1\n", "a = 1\n"),
  ])
  func `a table that is written stays without keys, and goes with --prune`(
    _ before: String, _ words: [String], _ after: String, _ pruned: String
  ) throws {
    for (options, expected) in [([], after), (["--prune"], pruned)] as [([String], String)] {
      try home.write(before, to: file)
      let words = [words[0], "./f.toml"] + words.dropFirst() + options
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
      #expect(result == ChildProcess.Result(status: 0, output: "", error: ""), "\(words)")
      #expect(home.text(of: file) == expected, "\(words)")
    }
    // In an app's file an empty table means nothing.
    guard words[0] == "unset" else { return }
    try home.write(before)
    #expect(try run(words[0], app, words[1]).status == 0)
    #expect(home.text() == pruned)
  }

  @Test func `a batch leaves a table that is written, and goes by --prune too`() throws {
    for (option, expected) in [("", "[a]\n"), ("--prune", "")] {
      try home.write("[a]\nx = 1\n", to: file)
      let result = try shell("echo '{\"unset\": \"a.x\"}' | settings-cli batch ./f.toml \(option)")
      #expect(result.status == 0, "\(result)")
      #expect(home.text(of: file) == expected)
    }
  }

  @Test func `setting a key and removing it again gives the same bytes`() throws {
    for (text, key) in [
      ("[options]\n", "options.x"), ("[a.b]\nx = 1\n", "a.k"), ("[a.b]\nx = 1\n\n[c]\n", "a.k"), ("\n\n", "k"),
      ("# Mine.\n", "k"), ("# Mine.\n[t]\n", "k"), ("t = {}\n", "t.x"), ("[t]\na.b = 1\n", "t.a.c"),
    ] {
      try home.write(text, to: file)
      #expect(try run("set", "./f.toml", key, "1").status == 0)
      let between = home.text(of: file) ?? ""
      #expect(try run("unset", "./f.toml", key).status == 0)
      #expect(home.text(of: file) == text, "\(key)\n\(between)")
    }
  }

  // MARK: Arrays

  @Test func `adding an element and removing it again keeps the comments of a list`() throws {
    for text in [
      "exceptions = [\n    # Each entry is a crate.\n    #{ allow = [\"Zlib\"], crate = \"adler32\" },\n]\n",
      "exceptions = [\n    # Keep sorted.\n    \"MIT\",\n]\n", "exceptions = [ ]\n",
    ] {
      try home.write(text, to: file)
      #expect(try run("set", "./f.toml", "exceptions", "--append", "x").status == 0)
      #expect(try run("set", "./f.toml", "exceptions", "--remove", "x").status == 0)
      #expect(home.text(of: file) == text)
    }
    try home.write("a = [\n    # Keep sorted.\n    \"MIT\",\n    \"Apache\",\n]\n", to: file)
    #expect(try run("set", "./f.toml", "a", "--remove", "MIT").status == 0)
    #expect(home.text(of: file) == "a = [\n    # Keep sorted.\n    \"Apache\",\n]\n")
  }

  @Test func `locking a key and unlocking it keeps the comments of the list`() throws {
    let text = "settings-locked = [\n  # Ask Ada.\n]\n"
    try home.write(text, to: file)
    #expect(try run("lock", "./f.toml", "k").status == 0)
    #expect(home.text(of: file) == "settings-locked = [\n  # Ask Ada.\n  \"k\",\n]\n")
    #expect(try run("unlock", "./f.toml", "k").status == 0)
    #expect(home.text(of: file) == text)
  }

  @Test func `a value of a new key is stored as typed`() throws {
    try home.write("[deps]\na = { git = \"x\" }\n", to: file)
    #expect(try run("set", "./f.toml", "deps.new", "{ git = \"…\" }").status == 0)
    #expect(try run("set", "./f.toml", "deps.list", "[{a = 1}]").status == 0)
    #expect(home.text(of: file) == "[deps]\na = { git = \"x\" }\nnew = { git = \"…\" }\nlist = [{a = 1}]\n")
  }

  @Test func `the comment that a file begins with stays when its first key goes`() throws {
    for (words, after) in [
      (["unset", "./f.toml", "colour"], "# House rules.\nname = \"Ada\"\n"),
      (
        ["rename", "./f.toml", "colour", "theme.accent"],
        "# House rules.\nname = \"Ada\"\n\n[theme]\naccent = \"red\"\n"
      ),
      (
        ["migrate", "./f.toml", "--schema", "./schema.toml"],
        "# House rules.\n\nsettings-version = 2\nname = \"Ada\"\n\n[theme]\naccent = \"red\"\n"
      ), (["unset", "./f.toml", "--all"], "# House rules.\n"),
    ] {
      try home.write("# House rules.\ncolour = \"red\"\nname = \"Ada\"\n", to: file)
      try home.write(
        "app = \"\(app)\"\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = [{ rename = \"colour\", to = \"theme.accent\" }]\n",
        to: home.path + "/schema.toml")
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
      #expect(result.status == 0, "\(result)")
      #expect(home.text(of: file) == after)
    }
  }

  // MARK: Missing files

  @Test func `checking a file that is not there fails`() throws {
    for words in [["./setings.toml"], ["./no/dir/x.toml"], ["./setings.toml", "--json"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["check"] + words, environment: home.environment, directory: home.path)
      let path = home.path + words[0].dropFirst()
      #expect(
        result
          == ChildProcess.Result(
            status: 3, output: "", error: "settings-cli: Cannot check '\(path)': there is no such file.\n"))
    }
  }

  // MARK: Directories that are listed twice

  @Test func `a directory that is listed twice counts once, by whatever name`() throws {
    try home.write("settings-locked = [\"k\"]\nk = 1\n", to: home.systemFile("settings.toml"))
    try home.write("s = 2\n", to: home.systemFile("settings.d/10-a.toml"))
    chmod(home.systemFile("settings.toml"), 0o644)
    chmod(home.systemFile("settings.d/10-a.toml"), 0o644)
    let directory = home.path + "/etc/xdg"
    try FileManager.default.createSymbolicLink(atPath: home.path + "/link", withDestinationPath: directory)
    func all(_ directories: String) throws -> [ChildProcess.Result] {
      let variables = ["XDG_CONFIG_DIRS": directories]
      return try [
        run("list", app, "--origin", variables: variables), run("check", app, variables: variables),
        run("get", app, "k", "--layers", variables: variables), run("describe", app, "k", variables: variables),
        run("describe", app, "--document", variables: variables), run("set", app, "k", "2", variables: variables),
      ]
    }
    let once = try all(directory)
    #expect(once[1].status == 0, "\(once[1])")
    for other in [
      directory + ":" + directory, directory + "/:" + directory, directory + ":\(home.path)/link",
      (0..<30).map { _ in directory }.joined(separator: ":"), directory + ":\(home.path)/etc/./xdg//",
    ] { #expect(try all(other) == once, "\(other)") }
    // The first name counts, as its place in the list does.
    let link = try run(
      "list", app, "--origin", variables: ["XDG_CONFIG_DIRS": "\(home.path)/link:\(home.path)/none:" + directory])
    #expect(link.output.contains("# system \(home.path)/link/\(app)/settings.toml:2 (locked)\n"))
    #expect(link.output.split(separator: "\n").count == 2)
  }

  @Test func `a data directory that is listed twice counts once`() throws {
    try home.write(
      "app = \"\(app)\"\n[keys.k]\ntype = \"integer\"\n", to: home.path + "/usr/share/app-settings/\(app).toml")
    let directory = home.path + "/usr/share"
    let once = try run("apps", variables: ["XDG_DATA_DIRS": directory])
    #expect(try run("apps", variables: ["XDG_DATA_DIRS": "\(directory):\(directory)/:\(directory)"]) == once)
    #expect(try run("check", app, variables: ["XDG_DATA_DIRS": "\(directory):\(directory)"]).status == 0)
  }

  @Test func `a directory that is listed twice costs nothing`() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") else { return }
    try home.write("k = 1\n", to: home.systemFile("settings.toml"))
    let directory = home.path + "/etc/xdg"
    func calls(_ directories: String) throws -> Int {
      let result = try shell(
        "strace -f -o calls settings-cli get \(app) k && grep -c 'openat\\|stat' calls",
        variables: ["XDG_CONFIG_DIRS": directories])
      return try #require(Int(result.output.split(separator: "\n").last ?? ""), "\(result)")
    }
    let once = try calls(directory)
    #expect(try calls((0..<30).map { _ in directory }.joined(separator: ":")) == once)
  }

  // MARK: Masks

  @Test func `a link to the null device masks the files of its name in the directories below`() throws {
    let vendor = home.path + "/usr/xdg/" + app
    try home.write("settings-locked = [\"k\"]\nk = 1\nv = 1\n", to: vendor + "/settings.d/20-vendor.toml")
    try home.write("main = 1\n", to: vendor + "/settings.toml")
    try home.write("site = 1\n", to: home.systemFile("settings.d/30-site.toml"))
    for path in [
      vendor + "/settings.d/20-vendor.toml", vendor + "/settings.toml", home.systemFile("settings.d/30-site.toml"),
    ] { chmod(path, 0o644) }
    let variables = ["XDG_CONFIG_DIRS": "\(home.path)/etc/xdg:\(home.path)/usr/xdg"]
    #expect(try run("list", app, "--names", variables: variables).output == "main\nk\nv\nsite\n")
    let mask = home.systemFile("settings.d/20-vendor.toml")
    try FileManager.default.createSymbolicLink(atPath: mask, withDestinationPath: "/dev/null")
    let masked = try run("list", app, "--names", variables: variables)
    #expect(masked == ChildProcess.Result(status: 0, output: "main\nsite\n", error: ""))
    let checked = try run("check", app, variables: variables)
    #expect(checked == ChildProcess.Result(status: 0, output: "", error: ""))
    #expect(try run("set", app, "k", "2", variables: variables).status == 0)
    #expect(try run("get", app, "k", "--layers", variables: variables).output.split(separator: "\n").count == 1)
    // The main file too, and a mask with nothing to mask.
    try FileManager.default.createSymbolicLink(
      atPath: home.systemFile("settings.toml"), withDestinationPath: "/dev/null")
    try FileManager.default.createSymbolicLink(
      atPath: home.systemFile("settings.d/90-none.toml"), withDestinationPath: "/dev/null")
    let all = try run("list", app, "--names", variables: variables)
    #expect(all == ChildProcess.Result(status: 0, output: "site\nk\n", error: ""))
    #expect(try run("check", app, variables: variables) == checked)
    // A file above the mask is not masked.
    try home.write("v = 3\n", to: home.path + "/top/\(app)/settings.d/20-vendor.toml")
    let above = ["XDG_CONFIG_DIRS": "\(home.path)/top:" + (variables["XDG_CONFIG_DIRS"] ?? "")]
    #expect(try run("get", app, "v", variables: above).output == "3\n")
  }

  @Test func `a watch notices a mask`() throws {
    let vendor = home.path + "/usr/xdg/" + app
    try home.write("v = 1\n", to: vendor + "/settings.d/20-vendor.toml")
    try home.write("", to: home.systemFile("settings.d/.keep"))
    var environment = home.environment
    environment["XDG_CONFIG_DIRS"] = "\(home.path)/etc/xdg:\(home.path)/usr/xdg"
    let watching = try RunningProcess(
      ChildProcess.product("settings-cli"), ["watch", app, "v"], environment: environment)
    #expect(watching.nextLine() == "1")
    let mask = home.systemFile("settings.d/20-vendor.toml")
    try FileManager.default.createSymbolicLink(atPath: mask, withDestinationPath: "/dev/null")
    #expect(watching.nextLine() == "")
    try FileManager.default.removeItem(atPath: mask)
    #expect(watching.nextLine() == "1")
    watching.signal(SIGTERM)
    #expect(watching.wait() == 0)
  }

  // MARK: Messages

  @Test func `a file that is mounted by itself says to mount its directory`() throws {
    try home.write("a = 1\n", to: home.path + "/d/f.toml")
    try home.write("a = 1\n", to: home.path + "/source.toml")
    let result = try shell(
      "unshare -m sh -c 'mount --bind source.toml d/f.toml || exit 99; settings-cli set ./d/f.toml a 2'; echo $?; ls -A d"
    )
    guard !result.output.hasPrefix("99"), !result.error.contains("unshare") else { return }
    #expect(result.output == "7\nf.toml\n")
    #expect(
      result.error
        == "settings-cli: Cannot write '\(home.path)/d/f.toml': it is a mount of its own, as of 'docker run -v FILE:FILE', "
        + "and cannot be replaced; mount its directory instead. The file is unchanged.\n")
  }

  @Test(arguments: [
    ("{ // c\n\"a\": 1 }", "a comment begins in line 1; remove the comments, and commas before '}' and ']'"),
    ("{\n\"a\": 1 /* c */ }", "a comment begins in line 2; remove the comments, and commas before '}' and ']'"),
    ("[1,\n// c\n2]", "a comment begins in line 2; remove the comments, and commas before '}' and ']'"),
    ("{}\n// end\n", "a comment begins in line 2; remove the comments, and commas before '}' and ']'"),
    ("{\n\"a\": 1,\n}", "remove the comma before '}' in line 2"),
    ("[1,\n2,\n\n]", "remove the comma before ']' in line 2"),
  ])
  func `JSON with comments or a comma too many says what to remove`(_ text: String, _ reason: String) throws {
    try home.write(text, to: home.path + "/x.json")
    let result = try run("import", "./f.toml", "./x.json")
    #expect(result.status == 6 && result.error.contains("the text is not JSON (\(reason))"), "\(result.error)")
  }

  @Test func `a value does not take the place of a table, also with --replace`() throws {
    try home.write("[v]\nz = 1\n", to: file)
    for text in ["{\"v\": 2}", "{\"v\": {}}", "{\"v\": [1]}"] {
      try home.write(text, to: home.path + "/x.json")
      let result = try run("import", "./f.toml", "./x.json", "--replace")
      #expect(result.output == "skipped: v: 'v' is a table. Remove it first\n", "\(text) \(result)")
      #expect(home.text(of: file) == "[v]\nz = 1\n")
    }
    try home.write("{\"v\": {\"z\": 2}}", to: home.path + "/x.json")
    #expect(try run("import", "./f.toml", "./x.json", "--replace").output == "taken: v.z\n")
    #expect(home.text(of: file) == "[v]\nz = 2\n")
  }

  // MARK: Answers

  @Test func `a reader that has gone is no error`() throws {
    let text = (0..<20_000).map { "k\($0) = \($0)\n" }.joined()
    try home.write(text, to: file)
    let result = try shell("bash -o pipefail -c 'settings-cli list ./f.toml | head -n 1'; echo $?")
    #expect(result == ChildProcess.Result(status: 0, output: "k0 = 0\n0\n", error: ""))
  }

  @Test func `an answer that cannot be printed says that the change is stored`() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let stored = "settings-cli: Cannot write the answer: No space left on device. The change itself is stored.\n"
    let batch = try shell("echo '{\"set\": \"a\", \"value\": 1}' | settings-cli batch ./f.toml > /dev/full; echo $?")
    #expect(batch == ChildProcess.Result(status: 0, output: "7\n", error: stored))
    #expect(home.text(of: file) == "a = 1\n")
    for command in [
      "import ./f.toml ./x.json", "undo ./f.toml", "unset ./f.toml --all", "recover ./broken.toml",
      "profile \(app) new work",
    ] {
      try home.write("a = 1\n")
      try home.write("{\"b\": 1}", to: home.path + "/x.json")
      try home.write("a = ", to: home.path + "/broken.toml")
      let result = try shell("settings-cli \(command) > /dev/full; echo $?")
      #expect(result == ChildProcess.Result(status: 0, output: "7\n", error: stored), "\(command)")
    }
    let shown = try shell("settings-cli list ./f.toml > /dev/full; echo $?")
    #expect(!shown.error.contains("stored"))
    // What is refused is said, too.
    let refused = try shell(
      "echo '{\"set\": \"a.b\", \"value\": 1}' | settings-cli batch ./f.toml --keep-going > /dev/full; echo $?")
    #expect(refused.error.hasPrefix("settings-cli: Cannot write the answer"), "\(refused)")
  }

  @Test func `a command runs also for a value that no variable can hold`() throws {
    try home.write("k = \"a\"\n", to: file)
    let script = """
      settings-cli watch ./f.toml k --count 2 --timeout 60 --shell --exec 'echo "$KEY ${OLD-none} ${NEW-none}" | cut -c 1-40 >> out' \
        2> errors & watch=$!
      while kill -0 $watch 2> /dev/null; do
        head -c 140000 /dev/zero | tr '\\0' x | settings-cli set ./f.toml k -; sleep 0.3
        settings-cli set ./f.toml k b; sleep 0.3
      done
      wait $watch; sort -u out
      """
    let result = try shell(script)
    #expect(result.output.contains("k none b\n"), "\(result)")
    #expect(result.output.contains(" none\n"), "\(result)")
    let errors = home.text(of: home.path + "/errors") ?? ""
    #expect(
      errors.contains(
        "runs without NEW for 'k': the value is too long for an environment variable. 'settings-cli get ./f.toml \"$KEY\"' "
          + "prints the new one."), "\(errors)")
  }

  @Test func `a profile is not copied from a file of a newer release`() throws {
    try home.write(
      "app = \"\(app)\"\n[[migrations]]\nversion = 2\nname = \"x\"\nsteps = []\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write("settings-version = 3\na = 1\n")
    let result = try run("profile", app, "new", "work", "--from-current")
    #expect(result.status == 8 && result.error.contains("it has settings version 3"), "\(result)")
    #expect(home.text(of: home.file("profiles/work.toml")) == nil)
  }
}
