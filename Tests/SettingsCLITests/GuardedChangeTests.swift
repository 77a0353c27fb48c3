import Foundation
import Testing
import TestSupport

/// Digests, changes on condition that nothing has changed, and changes that are only shown.
struct GuardedChangeTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String..., input: String? = nil) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, input: input, directory: home.path
    )
  }

  private func answer(_ output: String, status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: "")
  }

  private func digest(_ words: String...) throws -> String {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["get"] + words + ["--digest"], environment: home.environment,
      directory: home.path)
    #expect(result.status == 0, "\(result)")
    return String(result.output.dropLast())
  }

  private let schema = """
    app = "org.example.test"
    [keys.theme]
    type = "string"
    default = "light"
    [keys."sync.token"]
    type = "string"
    secret = true
    [keys."sync.host"]
    type = "string"
    [[migrations]]
    version = 2
    name = "name the colour"
    steps = [{ rename = "colour", to = "theme" }]

    """

  private func writeSchema() throws { try home.write(schema, to: home.path + "/data/app-settings/\(app).toml") }

  // MARK: Digests

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
    (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func `the digest of a file is its SHA-256, whether it is TOML or not`(_ text: String, _ digest: String) throws {
    try home.write(text, to: home.path + "/f.toml")
    #expect(try run("get", "./f.toml", "--digest") == answer(digest + "\n"))
    #expect(try run("get", "./f.toml", "--digest", "-0") == answer(digest + "\0"))
  }

  @Test func `the digest is what sha256sum prints, for every length around a block`() throws {
    for count in [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 127, 128, 129] {
      try home.write(String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "x" : ""), to: home.path + "/f.toml")
      let sum = try ChildProcess.shell("sha256sum < f.toml", environment: home.environment, directory: home.path)
      #expect(try digest("./f.toml") == sum.output.prefix(64), "\(count)")
    }
  }

  @Test func `the digest of a key is that of the value that get prints, with the key`() throws {
    try writeSchema()
    #expect(try run("get", app, "--digest") == answer("absent\n"))
    let light = try ChildProcess.shell(
      "printf '\"light\"' | sha256sum", environment: home.environment)
    #expect(try digest(app, "theme") == "theme:" + light.output.prefix(64))
    #expect(try digest(app, "sync.host") == "sync.host:absent")
    #expect(try digest("./f.toml", "a.\"b c\"") == "a.\"b c\":absent")
    try home.write("sync.token = \"t\"\nsync.host = \"h\"\n")
    // The digest of a table says nothing of a secret in it.
    let host = try digest(app, "sync")
    let token = try digest(app, "sync.token")
    try home.write("sync.token = \"u\"\nsync.host = \"h\"\n")
    #expect(try digest(app, "sync") == host)
    #expect(try digest(app, "sync.token") != token)
    #expect(try run("get", app, "thme", "--digest").status == 3)
  }

  @Test func `a digest has no other form`() throws {
    try home.write("a = 1\n", to: home.path + "/f.toml")
    #expect(try run("get", "./f.toml") == answer("a = 1\n"))
    for words in [["--json"], ["--toml"], ["--default", "x"]] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["get", "./f.toml", "a", "--digest"] + words,
        environment: home.environment, directory: home.path)
      #expect(result.status == 2 && result.error.contains("--digest cannot be combined"))
    }
  }

  // MARK: Conditions

  @Test func `the digest of a file at a path holds for no other file with the same bytes`() throws {
    for name in ["a", "b"] { try home.write("x = 1\n", to: home.path + "/\(name).toml") }
    let digest = try digest("./a.toml")
    let place = "\(home.path)/a.toml:"
    let other = try run("set", "./b.toml", "x", "2", "--if-unchanged", place + digest)
    #expect(other.status == 9 && other.error.contains("/b.toml' now, and not"), "\(other)")
    #expect(try run("set", "./b.toml", "x", "2", "--if-unchanged", place + "absent").status == 9)
    #expect(try run("set", "./a.toml", "x", "2", "--if-unchanged", place + digest).status == 0)
    #expect(try run("set", "./a.toml", "x", "3", "--if-unchanged", place + digest).status == 9)
    #expect(try run("get", "./a.toml", "x").output == "2\n")
    #expect(try run("get", "./b.toml", "x").output == "1\n")
  }

  @Test(arguments: [
    ["set", "./f.toml", "b", "2"], ["set", "./f.toml", "b=2", "c=3"], ["set", "./f.toml", "list", "--append", "x"],
    ["unset", "./f.toml", "a"], ["batch", "./f.toml"], ["import", "./f.toml", "./other.json"],
  ])
  func `a change is made if the file is the one that was read, and not otherwise`(_ words: [String]) throws {
    let file = home.path + "/f.toml"
    try home.write("{\"b\": 2}\n", to: home.path + "/other.json")
    let input = words[0] == "batch" ? "{\"set\":\"b\",\"value\":2}\n" : nil
    func change(_ digest: String) throws -> ChildProcess.Result {
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), words + ["--if-unchanged", digest], environment: home.environment,
        input: input, directory: home.path)
    }
    try home.write("a = 1 # c\n", to: file)
    let old = try digest("./f.toml")
    try home.write("a = 1 # d\n", to: file)
    let new = try digest("./f.toml")
    let refused = try change(old)
    #expect(refused.status == 9 && refused.output.isEmpty)
    #expect(
      refused.error
        == "settings-cli: '\(file)' has changed: its digest was '\(old)' and is '\(new)' now. Nothing was written. "
        + "Read it again, and repeat the change.\n")
    #expect(home.text(of: file) == "a = 1 # d\n")
    #expect(home.names(in: home.backups(of: file)).isEmpty)
    #expect(try change("absent").status == 9)
    #expect(try change(new.uppercased()).status == 0)
    #expect(home.text(of: file) != "a = 1 # d\n")
  }

  @Test func `absent creates a file once`() throws {
    #expect(try run("set", "./new.toml", "a", "1", "--if-unchanged", "absent").status == 0)
    let second = try run("set", "./new.toml", "a", "2", "--if-unchanged", "absent")
    #expect(second.status == 9 && second.error.contains("its digest was absent and is '"))
    #expect(home.text(of: home.path + "/new.toml") == "a = 1\n")
    try home.write("a = 1\n", to: home.path + "/f.toml")
    let gone = try digest("./f.toml")
    try FileManager.default.removeItem(atPath: home.path + "/f.toml")
    #expect(try run("set", "./f.toml", "a", "2", "--if-unchanged", gone).status == 9)
    #expect(home.text(of: home.path + "/f.toml") == nil)
  }

  @Test func `the digest of a key does not mind other keys`() throws {
    let file = home.path + "/f.toml"
    try home.write("a = 1\nb = 1\n", to: file)
    let a = try digest("./f.toml", "a")
    let none = try digest("./f.toml", "c")
    try home.write("a = 0x1 # the same\nb = 2\n", to: file)
    #expect(try run("set", "./f.toml", "a", "5", "--if-unchanged", a, "--if-unchanged", none).status == 0)
    let again = try run("set", "./f.toml", "c", "5", "--if-unchanged", none, "--if-unchanged", a)
    #expect(again.status == 9 && again.error.contains("'a' has changed"))
    #expect(try run("unset", "./f.toml", "b", "--if-unchanged", a).status == 9)
    #expect(home.text(of: file)?.contains("b = 2") == true)
  }

  @Test func `of many that count one up, none is lost`() throws {
    try home.write("n = 0\n", to: home.path + "/f.toml")
    let loop = """
      while :; do
        d=$("$1" get ./f.toml n --digest); n=$("$1" get ./f.toml n)
        "$1" set ./f.toml n $((n + 1)) --if-unchanged "$d" 2> /dev/null && exit
      done
      """
    DispatchQueue.concurrentPerform(iterations: 8) { [home] _ in
      _ = try? ChildProcess.run(
        "/bin/sh", ["-c", loop, "sh", ChildProcess.product("settings-cli")], environment: home.environment,
        directory: home.path)
    }
    #expect(try run("get", "./f.toml", "n") == answer("8\n"))
  }

  @Test(arguments: ["", "abc", "theme:", "theme", String(repeating: "x", count: 64), "a..b:absent"])
  func `what is not a digest is refused`(_ digest: String) throws {
    let result = try run("set", "./f.toml", "a", "1", "--if-unchanged", digest)
    #expect(result.status == 2, "\(result)")
    #expect(home.text(of: home.path + "/f.toml") == nil)
  }

  @Test func `an import takes the digest of the file only`() throws {
    try home.write("{\"b\": 2}\n", to: home.path + "/other.json")
    let result = try run("import", "./f.toml", "./other.json", "--if-unchanged", "b:absent")
    #expect(result.status == 2 && result.error.contains("use the digest of the file"))
  }

  @Test func `a pending migration is written with the change, and not without it`() throws {
    try writeSchema()
    try home.write("colour = \"red\"\n")
    let old = try digest(app)
    #expect(try run("set", app, "sync.host", "h", "--if-unchanged", "absent").status == 9)
    #expect(home.text() == "colour = \"red\"\n")
    #expect(try run("set", app, "sync.host", "h", "--if-unchanged", old) == answer(""))
    #expect(home.text()?.contains("theme = \"red\"") == true && home.text()?.contains("host = \"h\"") == true)
  }

  // MARK: Dry runs

  @Test func `a dry run of set shows a diff, and writes nothing`() throws {
    let file = home.path + "/f.toml"
    try home.write("# c\na = 1   # one\n\n[t]\nx = 1\n", to: file)
    let expected = """
      --- \(file)
      +++ \(file)
      @@ -1,5 +1,6 @@
       # c
      -a = 1   # one
      +a = 2   # one
       
       [t]
       x = 1
      +y = "new"

      """
    #expect(try run("set", "./f.toml", "a=2", "t.y=new", "--dry-run") == answer(expected))
    #expect(try run("unset", "./f.toml", "t.x", "--dry-run").output.hasSuffix("\n [t]\n-x = 1\n"))
    #expect(try run("unset", "./f.toml", "t.x", "--prune", "--dry-run").output.hasSuffix("-\n-[t]\n-x = 1\n"))
    #expect(try run("set", "./f.toml", "a", "1", "--dry-run") == answer(""))
    #expect(try run("unset", "./f.toml", "zz", "--dry-run").status == 1)
    #expect(try run("set", "./f.toml", "a", "2", "--dry-run", "--if-unchanged", "absent").status == 9)
    #expect(home.text(of: file) == "# c\na = 1   # one\n\n[t]\nx = 1\n")
    #expect(
      try run("set", "./new.toml", "a", "2", "--dry-run")
        == answer("--- /dev/null\n+++ \(home.path)/new.toml\n@@ -0,0 +1 @@\n+a = 2\n"))
    #expect(home.names(in: home.path) == ["f.toml"])
  }

  @Test func `a dry run shows the diff that patch makes`() throws {
    let file = home.path + "/f.toml"
    try home.write("a = 1\n\n[t]\nlist = [\n  1,\n]\n", to: file)
    let shown = try run("set", "./f.toml", "t.list", "--append", "2", "--dry-run")
    #expect(try run("set", "./f.toml", "t.list", "--append", "2").status == 0)
    let after = home.text(of: file)
    try home.write("a = 1\n\n[t]\nlist = [\n  1,\n]\n", to: file)
    _ = try ChildProcess.run(
      "/usr/bin/env", ["patch", "-s", "-p0", file], environment: home.environment, input: shown.output,
      directory: home.path)
    #expect(home.text(of: file) == after)
  }

  @Test func `a dry run shows no secret, refuses what set refuses, and includes a pending migration`() throws {
    try writeSchema()
    try home.write("colour = \"red\"\nsync.token = \"hunter2\"\n")
    let result = try run("set", app, "sync.token", "s3cret", "--dry-run")
    #expect(result.status == 0 && result.error.isEmpty, "\(result)")
    #expect(!result.output.contains("hunter2") && !result.output.contains("s3cret"))
    #expect(result.output.contains("+sync.token = (another secret)") && result.output.contains("+theme = \"red\""))
    #expect(try run("set", app, "theme", "1", "--type", "integer", "--dry-run").status == 4)
    #expect(try run("set", app, "thme", "x", "--dry-run").status == 3)
    #expect(home.text() == "colour = \"red\"\nsync.token = \"hunter2\"\n")
    #expect(home.names(in: home.backups).isEmpty)
  }
}
