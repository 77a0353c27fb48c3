import AppSettings
import Foundation
import Testing
import TestSupport

/// Two owners of one app's settings: what dotfiles declare, and what the person changes: `diff --declared`, `adopt`.
struct AdoptCommandTests {
  let test: SchemaHome
  init() throws {
    test = try SchemaHome()
    try test.write("theme = \"dark\"\neditor.font-size = 0x10   # big\neditor.wrap = false\n")
    try write("# From my dotfiles.\ntheme = \"light\"\n\n[editor]\nwrap = false\n", to: declared)
  }
  private var app: String { test.app }
  private var home: ScratchHome { test.home }
  private var declared: String { home.file("settings.d/10-dotfiles.toml") }

  private func write(_ text: String, to file: String) throws {
    try home.write(text, to: file)
    chmod(file, 0o600)
  }

  private func run(_ words: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    SchemaHome.answer(output, error, status: status)
  }

  // MARK: diff --declared

  @Test func `the difference to the declared files says what is changed, and what is redundant`() throws {
    let result = try run("diff", app, "--declared")
    #expect(
      result
        == answer(
          """
          theme = "dark"  # in place of "light" of declared \(declared):2
          editor.wrap = false  # redundant: the same as declared \(declared):5

          """))
    #expect(try run("diff", app, "--declared", "--exit-code").status == 1)
    let objects = try json(run("diff", app, "--declared", "--json").output) as? [[String: Any]]
    #expect(objects?.map { $0["key"] as? String } == ["theme", "editor.wrap"])
    #expect(objects?.map { $0["isRedundant"] as? Bool } == [false, true])
    #expect(objects?.map { $0["declaredLine"] as? Int } == [2, 5])
    #expect(objects?[0]["declared"] as? String == "light" && objects?[0]["value"] as? String == "dark")
    for line in [["--declared", "--backup"], ["--declared", "x.toml"], ["--json"]] {
      #expect(try test.run("diff", app, line[0], line.count > 1 ? line[1] : "--exit-code").status == 2)
    }
  }

  @Test func `without declared files there is no difference, and a secret is not shown`() throws {
    try test.write("sync.token = \"mine\"\nfont_size = 20\n")
    try write("sync.token = \"theirs\"\neditor.font-size = 12\n", to: declared)
    let shown = try run("diff", app, "--declared").output
    #expect(
      shown == """
        sync.token = (secret)  # in place of (secret) of declared \(declared):1
        editor.font-size = 20  # in place of 12 of declared \(declared):2

        """)
    try FileManager.default.removeItem(atPath: declared)
    #expect(try run("diff", app, "--declared", "--exit-code") == answer(""))
  }

  // MARK: adopt

  @Test func `a value moves into the declared file that has the key`() throws {
    #expect(try run("adopt", app, "theme") == answer("moved: theme -> \(declared)\n"))
    #expect(home.text(of: declared) == "# From my dotfiles.\ntheme = \"dark\"\n\n[editor]\nwrap = false\n")
    #expect(home.text() == "editor.font-size = 0x10   # big\neditor.wrap = false\n")
    #expect(try run("get", app, "theme").output == "dark\n")
    // One that is redundant only leaves the own file.
    #expect(try run("adopt", app, "editor.wrap").status == 0)
    #expect(home.text() == "editor.font-size = 0x10   # big\n")
    #expect(try run("diff", app, "--declared") == answer(""))
  }

  @Test func `a value moves into a file that is named, with its notation`() throws {
    let none = try run("adopt", app, "editor.font-size")
    #expect(none.status == 2 && none.error.contains("No declared file has 'editor.font-size'."))
    #expect(try run("adopt", app, "editor.font-size", "--layer", "drop-in:20-mine").status == 0)
    #expect(home.text(of: home.file("settings.d/20-mine.toml")) == "[editor]\nfont-size = 0x10\n")
    #expect(try run("get", app, "editor.font-size").output == "16\n")
    #expect(try run("adopt", app, "theme", "--layer", "host").status == 0)
    #expect(try run("get", app, "theme").output == "dark\n")
    #expect(home.text() == "editor.wrap = false\n")
  }

  @Test func `an array of tables moves with the notation of its numbers`() throws {
    try test.write("[[more.list]]\nn = 0x10\nd = 1979-05-27 00:32:00Z\n")
    #expect(try run("adopt", app, "more", "--layer", "drop-in:20-mine").status == 0)
    let moved = home.text(of: home.file("settings.d/20-mine.toml"))
    #expect(moved?.contains("n = 0x10") == true && moved?.contains("d = 1979-05-27 00:32:00Z") == true)
  }

  @Test func `a table moves as a whole`() throws {
    #expect(try run("adopt", app, "editor") == answer("moved: editor -> \(declared)\n"))
    #expect(home.text() == "theme = \"dark\"\n")
    #expect(home.text(of: declared)?.contains("font-size = 0x10") == true)
    #expect(try run("get", app, "editor.font-size").output == "16\n")
  }

  @Test func `what is added to a table while it moves stays in the own file`() throws {
    try test.write("[hosts.a]\nport = 1\n\n[hosts.b]\nport = 2\n")
    _ = try run("set", app, "hosts.z.port", "9", "--layer", "drop-in:10-dotfiles")
    let watch = inotify_init1(Int32(IN_CLOEXEC))
    defer { close(watch) }
    #expect(inotify_add_watch(watch, home.file("settings.d"), UInt32(IN_MOVED_TO)) >= 0)
    // Held here, the lock of the own file keeps the command between its two writes.
    let lock = try DirectoryLock.acquire(home.file(""), timeout: .seconds(Aside.endless), system: Syscalls())
    let adopt = try RunningProcess(
      ChildProcess.product("settings-cli"), ["adopt", app, "hosts"], environment: home.environment)
    var events = [UInt8](repeating: 0, count: 4096)
    #expect(read(watch, &events, events.count) > 0)
    try test.write("[hosts.a]\nport = 1\n\n[hosts.b]\nport = 2\n\n[hosts.c]\nport = 3\n")
    withExtendedLifetime(lock) {}
    release(lock)
    #expect(adopt.wait() == 0)
    #expect(home.text() == "[hosts.c]\nport = 3\n")
    #expect(home.text(of: declared)?.contains("[hosts.b]") == true)
  }

  private func release(_ lock: consuming DirectoryLock?) {}

  @Test func `nothing moves where the declared value would not be used, is locked or secret`() throws {
    try write("theme = \"light\"\n", to: home.file("settings.d/90-late.toml"))
    let before = home.text()
    let hidden = try run("adopt", app, "theme", "--layer", "drop-in:10-dotfiles")
    #expect(hidden.status == 5 && hidden.error.contains("'\(home.file("settings.d/90-late.toml"))' is above it"))
    try write("settings-version = 1\n", to: home.file("profiles/work.toml"))
    try home.profiles.choose("work")
    #expect(try run("set", app, "theme", "light").status == 0)
    let between = try run("adopt", app, "theme")
    #expect(between.status == 5 && between.error.contains("'\(home.file)' is above it"), "\(between)")
    try home.profiles.choose(nil)
    #expect(try run("adopt", app, "host", "--layer", "host").status == 1)
    #expect(try run("adopt", app, "thme", "--layer", "host").status == 3)
    #expect(try run("adopt", app, "theme", "--layer", "profile:work").status == 2)
    #expect(try run("adopt", "./x.toml", "theme").status == 2)
    _ = try run("set", app, "sync.token", "x")
    #expect(try run("adopt", app, "sync.token", "--layer", "host").status == 4)
    _ = try run("unset", app, "sync.token")
    // Nor does a value that its name calls a secret, though no schema does.
    try home.write((before ?? "") + "[plugin]\napi-key = \"x\"\nmax-tokens = 5\n")
    #expect(try run("adopt", app, "plugin", "--layer", "host").status == 4)
    try home.write(before ?? "")
    try home.write("settings-locked = [\"theme\"]\n", to: test.systemFile)
    #expect(try run("adopt", app, "theme", "--layer", "host").status == 5)
    #expect(home.text() == before)
    #expect(!home.names(in: home.file("settings.d")).contains { $0.hasPrefix("@") })
  }

  @Test func `for a declared file that another program makes, the line is printed`() throws {
    let tree = home.path + "/store"
    try home.write("theme = \"light\"\n", to: tree + "/10-hm.toml")
    try FileManager.default.removeItem(atPath: declared)
    let link = home.file("settings.d/10-hm.toml")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: tree + "/10-hm.toml")
    let product = ChildProcess.product("settings-cli")
    chmod(tree + "/10-hm.toml", 0o444)
    chmod(tree, 0o555)
    var prefix = ""
    if geteuid() == 0 {
      prefix = "setpriv --reuid=65534 --regid=65534 --clear-groups "
      let probe = try ChildProcess.shell(
        "chmod 755 .; mkdir -p state; chown -R 65534:65534 config state; \(prefix)\(product) --version",
        environment: home.environment, directory: home.path)
      guard probe.status == 0 else { return }
    }
    func adopt() throws -> ChildProcess.Result {
      try ChildProcess.shell(
        "\(prefix)\(product) adopt \(app) theme", environment: home.environment, directory: home.path)
    }
    let before = home.text()
    let result = try adopt()
    #expect(result.status == 10 && result.output == "theme = \"dark\"\n", "\(result)")
    #expect(result.error.contains("It is a link to '\(tree)/10-hm.toml'"), "\(result)")
    #expect(home.text() == before)
    // Once the other program has made it so, the own value goes.
    chmod(tree, 0o755)
    try FileManager.default.removeItem(atPath: tree + "/10-hm.toml")
    try home.write("theme = \"dark\"\n", to: tree + "/10-hm.toml")
    chmod(tree + "/10-hm.toml", 0o444)
    chmod(tree, 0o555)
    #expect(try adopt().status == 0)
    #expect(home.text()?.contains("theme") == false)
  }

  @Test func `whatever ends the move, one of the two files has the value`() throws {
    // Killed at moments that are spread over the whole run.
    for delay in stride(from: 0, to: 40, by: 2) {
      try test.write("theme = \"dark\"\n")
      try write("theme = \"light\"\n", to: declared)
      _ = try ChildProcess.shell(
        "timeout -s KILL 0.0\(delay < 10 ? "0" : "")\(delay) \(ChildProcess.product("settings-cli")) adopt \(app) theme",
        environment: home.environment, directory: home.path)
      #expect(try run("get", app, "theme").output == "dark\n")
    }
  }

  @Test func `an empty table empties none, a table is not replaced, and versions are not mixed`() throws {
    // Without a schema.
    let app = "org.example.plain"
    let file = home.file.replacing(test.app, with: app)
    let declared = home.file("settings.d/10.toml").replacing(test.app, with: app)
    func adopt(_ own: String, _ there: String) throws -> ChildProcess.Result {
      try write(own, to: file)
      try write(there, to: declared)
      return try run("adopt", app, "t", "--layer", "drop-in:10")
    }
    #expect(try adopt("[t]\n", "t.a = 1 # keep\n").status == 0 && home.text(of: declared) == "t.a = 1 # keep\n")
    #expect(try adopt("t = \"y\"\n", "t = { a = 1 }\n").status == 5 && home.text(of: declared) == "t = { a = 1 }\n")
    #expect(try adopt("settings-version = 3\nt = 1\n", "a = 1\n").status == 8 && home.text(of: declared) == "a = 1\n")
    try FileManager.default.removeItem(atPath: declared)
    #expect(try run("adopt", app, "t", "--layer", "drop-in:10").status == 0)
    #expect(home.text(of: declared) == "settings-version = 3\nt = 1\n")
  }
}
