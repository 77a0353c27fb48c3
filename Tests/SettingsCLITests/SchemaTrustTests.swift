import AppSettings
import Foundation
import Testing
import TestSupport

/// Root in a user's home follows nothing that the user could not do alone.
@Suite(.enabled(if: geteuid() == 0, "only root has rights to misuse")) struct SchemaTrustTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  // Nobody's numbers, so that no group of a real user interferes.
  private let user: uid_t = 54_321
  private let other: uid_t = 54_322

  private var schema: String { home.path + "/data/app-settings/\(app).toml" }
  private var source: String { home.path + "/source.ini" }

  init() throws {
    try home.write("canary = 4711\n", to: source)
    try home.write("theme = \"dark\"\n")
    try home.write(
      """
      app = "\(app)"
      [[migrations]]
      version = 2
      name = "take over"
      steps = [{ import = "\(home.path)/source.ini", format = "ini" }]

      """, to: schema)
    chmod(schema, 0o644)
    chmod(source, 0o600)
    for path in [home.path, home.path + "/config/\(app)", home.file] { chown(path, user, user) }
  }

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  @Test func `an import of a user's schema cannot read for root what the user cannot`() throws {
    chown(schema, user, user)
    for words in [
      ["migrate", app], ["get", app, "canary"], ["list", app], ["check", app], ["migrate", app, "--dry-run"],
    ] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
      #expect(result.status != 0 || words[0] == "list", "\(words)")
      #expect(!(result.output + result.error).contains("4711"), "\(result)")
      #expect(
        words[0] == "get" || result.error.contains("source.ini") || result.output.contains("source.ini"), "\(result)")
    }
    #expect(try run("set", app, "x", "1").status == 8)
    #expect(home.text() == "theme = \"dark\"\n")
    // What the user could read comes in.
    chown(source, user, user)
    #expect(try run("migrate", app).status == 0)
    #expect(home.text()?.contains("canary = 4711") == true)
    var status = stat()
    #expect(stat(home.file, &status) == 0 && status.st_uid == user)
  }

  @Test func `an import that the user may not read says whose rights were used, and why`() throws {
    chown(schema, user, user)
    let result = try run("migrate", app)
    #expect(
      result.error.contains(
        "Cannot read '\(source)': user \(user) has no permission. It is read with that user's rights, not root's, because "
          + "the schema that names it belongs to that user."), "\(result.error)")
  }

  @Test func `a group that root is in gives a user's schema no rights`() throws {
    chown(schema, user, user)
    chmod(source, 0o640)
    #expect(try run("migrate", app).status == 8)
    #expect(home.text() == "theme = \"dark\"\n")
    chmod(source, 0o644)
    #expect(try run("migrate", app).status == 0)
  }

  @Test func `a file that would be begun by an import is not begun with what the user cannot read`() throws {
    chown(schema, user, user)
    try FileManager.default.removeItem(atPath: home.path + "/config")
    let result = try run("get", app, "canary")
    #expect(result.status != 0 && !(result.output + result.error).contains("4711"))
    // Nor is a directory made, which would be root's.
    #expect(try run("set", app, "x", "1").status == 8)
    #expect(home.names(in: home.path) == ["data", "source.ini"])
  }

  @Test func `a schema of root's in a directory of root's reads what root may read`() throws {
    let system = ScratchHome()
    try FileManager.default.createDirectory(atPath: system.path + "/app-settings", withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: schema, toPath: system.path + "/app-settings/\(app).toml")
    var environment = home.environment
    environment["XDG_DATA_DIRS"] = system.path
    for (words, output) in [(["get", app, "canary"], "4711\n"), (["migrate", app], nil)] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), words, environment: environment, directory: home.path)
      #expect(result.status == 0 && (output == nil || result.output == output), "\(result)")
    }
    #expect(home.text()?.contains("canary = 4711") == true)
  }

  @Test func `what is in a user's directory is the user's, also a link to a file of root's`() throws {
    let system = ScratchHome()
    chmod(system.path, 0o755)
    let target = system.path + "/schema.toml"
    try FileManager.default.moveItem(atPath: schema, toPath: target)
    for _ in 0..<2 {
      if home.text(of: schema) == nil {
        // A link that the user made, in a directory of root's.
        try FileManager.default.createSymbolicLink(atPath: schema, withDestinationPath: target)
        lchown(schema, user, user)
      }
      #expect(try run("migrate", app).status == 8)
      #expect(try run("set", app, "x", "1").status == 8)
      #expect(home.text() == "theme = \"dark\"\n")
      // A file of root's that the user has moved there.
      try? FileManager.default.removeItem(atPath: schema)
      try FileManager.default.copyItem(atPath: target, toPath: schema)
    }
    // Also if root names it, with a path from where it is.
    try home.write("a = 1\n", to: home.path + "/plain.toml")
    #expect(try run("migrate", "./plain.toml", "--schema", "data/app-settings/\(app).toml").status == 8)
    chown(source, user, user)
    #expect(try run("migrate", app).status == 0)
    #expect(home.text()?.contains("canary = 4711") == true)
  }

  @Test func `a schema of somebody else's, or that anyone may write, is not followed`() throws {
    func expectRefused(_ reason: String) throws {
      let read = try run("get", app, "theme")
      #expect(read.status == 0 && read.output == "dark\n" && read.error.contains(reason), "\(read)")
      for words in [["set", app, "theme", "x"], ["migrate", app], ["import", app, source]] {
        let result = try ChildProcess.run(
          ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
        #expect(result.status == 5 && result.error.contains(reason), "\(result)")
      }
      #expect(home.text() == "theme = \"dark\"\n")
    }
    chown(schema, other, other)
    try expectRefused("it belongs to user 54322")
    chown(schema, 0, 0)
    chmod(schema, 0o666)
    try expectRefused("others than its owner may write it")
    for owner in [0, user] {
      chown(schema, owner, user)
      chmod(schema, 0o664)
      try expectRefused("others than its owner may write it")
    }
    chmod(schema, 0o644)
    chown(source, user, user)
    #expect(try run("migrate", app).status == 0)
  }

  @Test func `a schema that root names is followed with its owner's rights`() throws {
    chown(schema, other, other)
    let file = home.path + "/plain.toml"
    try home.write("a = 1\n", to: file)
    #expect(try run("migrate", file, "--schema", schema).status == 8)
    #expect(home.text(of: file) == "a = 1\n")
    chown(source, other, other)
    chmod(home.path, 0o755)
    #expect(try run("migrate", file, "--schema", schema).status == 0)
    #expect(home.text(of: file)?.contains("canary = 4711") == true)
  }

  @Test func `rights are those of one thread, for one call`() throws {
    let rights = UserRights(of: user)
    let path = source
    #expect(throws: (any Error).self) { try SettingsFile(path: path).read(with: rights) }
    #expect(try SettingsFile(path: path).read().bytes != nil)
    #expect(geteuid() == 0)
  }
}
