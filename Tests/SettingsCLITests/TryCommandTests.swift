import Foundation
import Testing
import TestSupport

/// `try`: a value for a while.
struct TryCommandTests {
  let test: SchemaHome
  private var notes: String { test.home.path + "/state/app-settings/page" }

  init() throws {
    test = try SchemaHome()
    try test.write("theme = \"light\"  # by day\n")
  }

  private func run(_ words: String..., input: String = "") throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: test.home.environment, input: input,
      directory: test.home.path)
  }

  /// A trial that goes on until a signal, once its value is stored.
  private func start() throws -> RunningProcess {
    let trial = try RunningProcess(
      ChildProcess.product("settings-cli"), ["try", test.app, "theme", "dark", "--for", "1000s"],
      environment: test.home.environment, directory: test.home.path)
    #expect(trial.nextLine()?.hasPrefix("trying: #1 ") == true)
    #expect(try test.done("get", test.app, "theme") == "dark\n")
    return trial
  }

  private func expectNothingLeft() {
    #expect(test.home.text() == "theme = \"light\"  # by day\n" && test.home.names(in: notes).isEmpty)
  }

  @Test func `Enter puts the earlier value back, and the word keep keeps the new one`() throws {
    let result = try run("try", test.app, "theme", "dark", input: "\n")
    #expect(
      SchemaHome.timeless(result.output) == """
        trying: #1 TIME set by settings-cli
          theme: "light" -> "dark"
        taken back: #1 TIME set by settings-cli
          theme: "dark" -> "light"

        """, "\(result)")
    #expect(result.status == 0 && result.error == "settings-cli: The earlier value comes back on Enter.\n")
    expectNothingLeft()
    let kept = try run("try", test.app, "theme=dark", input: "keep\n")
    #expect(kept.status == 0 && kept.output.hasSuffix("kept: theme\n"), "\(kept)")
    #expect(try test.done("get", test.app, "theme") == "dark\n" && test.home.names(in: notes).isEmpty)
    let same = try run("try", test.app, "theme", "dark")
    #expect(same.status == 0 && same.error.contains("'theme' has that value already"), "\(same)")
  }

  @Test func `the earlier value comes back after the time, also where there was none, and in another layer`() throws {
    let result = try run("try", test.app, "editor.font-size", "20", "--for", "0.1s")
    #expect(result.status == 0 && result.output.contains("editor.font-size: 20 -> (none)"), "\(result)")
    expectNothingLeft()
    let layer = try run("try", test.app, "theme", "dark", "--layer", "host")
    // The user's file hides it.
    #expect(layer.status == 5 && layer.error.hasSuffix(" The earlier value is back.\n"), "\(layer)")
    expectNothingLeft()
    #expect(try run("try", "./x.toml", "a.b", "-5", "--for", "0.1s").status == 0)
    #expect(test.home.text(of: test.home.path + "/x.toml") == nil)
  }

  @Test func `a file that a trial makes goes with it, and what others put there stays`() throws {
    let directory = (test.file as NSString).deletingLastPathComponent
    try FileManager.default.removeItem(atPath: directory)
    #expect(try run("try", test.app, "theme", "dark", "--for", "0.1s").status == 0)
    #expect(!FileManager.default.fileExists(atPath: directory) && test.home.names(in: notes).isEmpty)
    #expect(try run("try", "./new/deep/x.toml", "a.b", "1", "--for", "0.1s").status == 0)
    #expect(!FileManager.default.fileExists(atPath: test.home.path + "/new"))
    // Files that were there stay, however empty.
    let empty = test.home.path + "/empty.toml"
    try test.home.write("", to: empty)
    #expect(try run("try", "./empty.toml", "a", "1", "--for", "0.1s").status == 0 && test.home.text(of: empty) == "")
    let backups = FileManager.default.enumerator(atPath: test.home.path + "/state")?.compactMap { $0 as? String } ?? []
    #expect(!backups.contains { $0.contains(".backups/") }, "\(backups)")
  }

  @Test func `a file that a trial makes goes with the version that a migration writes into it`() throws {
    let steps = "[[migrations]]\nversion = 2\nname = \"a\"\nsteps = [{ rename = \"colour\", to = \"theme\" }]\n"
    try test.home.write(SchemaHome.schema + steps, to: test.schemaFile)
    try FileManager.default.removeItem(atPath: test.file)
    #expect(try run("try", test.app, "theme", "dark", "--for", "0.1s").status == 0)
    #expect(test.home.text() == nil)
  }

  @Test func `what others put into the file of a trial stays`() throws {
    try FileManager.default.removeItem(atPath: (test.file as NSString).deletingLastPathComponent)
    let trial = try start()
    try test.done("set", test.app, "editor.font-size", "20")
    trial.signal(SIGTERM)
    #expect(trial.wait() == 0 && test.home.text()?.hasSuffix("[editor]\nfont-size = 20\n") == true)
    #expect(test.home.text()?.contains("theme") == false)
  }

  @Test(arguments: [SIGINT, SIGHUP, SIGTERM])
  func `a signal puts the earlier value back`(_ number: Int32) throws {
    let trial = try start()
    let open = try test.done("try")
    #expect(open == "org.example.test theme: process \(trial.id) is trying it\n")
    let second = try run("try", test.app, "editor.font-size", "20", input: "\n")
    #expect(second.status == 5 && second.error.contains("Process \(trial.id) is trying 'theme'"), "\(second)")
    trial.signal(number)
    #expect(trial.wait() == (number == SIGTERM ? 0 : number) && trial.wasKilled == (number != SIGTERM))
    expectNothingLeft()
  }

  @Test func `what a killed trial left is put back by the next one, which says so`() throws {
    let trial = try start()
    trial.signal(SIGKILL)
    trial.wait()
    #expect(try test.done("get", test.app, "theme") == "dark\n")
    let note =
      "settings-cli: A trial of 'theme' in 'org.example.test' was not ended. To put the earlier value back, use "
      + "'settings-cli try'.\n"
    for verb in ["list", "log", "describe", "check"] { #expect(try run(verb, test.app).error == note) }
    let result = try run("try")
    #expect(
      result
        == SchemaHome.answer(
          "  theme: \"dark\" -> \"light\"\n",
          "settings-cli: A trial of 'theme' in 'org.example.test' was not ended. It is taken back:\n"))
    expectNothingLeft()
    #expect(try run("try").error == "settings-cli: Nothing is being tried.\n")
  }

  @Test func `a profile that is chosen meanwhile keeps no trial from being taken back`() throws {
    try test.done("profile", test.app, "new", "work")
    let trial = try start()
    try test.done("profile", test.app, "use", "work")
    let second = try run("try", test.app, "theme", "dark", "--layer", "user", input: "\n")
    #expect(second.status == 5 && second.error.contains("Process \(trial.id) is trying 'theme'"), "\(second)")
    trial.signal(SIGTERM)
    #expect(trial.wait() == 0)
    expectNothingLeft()
  }

  @Test func `what cannot be taken back for now is taken back later`() throws {
    let trial = try start()
    let text = try #require(test.home.text())
    try test.write(text + "x = = 1\n")
    trial.signal(SIGTERM)
    #expect(trial.wait() == 6 && test.home.names(in: notes).count == 1)
    let result = try run("try")
    #expect(result.status == 6 && result.error.contains("'theme' in 'org.example.test' back later, use"), "\(result)")
    try test.write(text)
    #expect(try run("try").status == 0)
    expectNothingLeft()
  }

  @Test func `a trial that was killed before its change was recorded is taken back`() throws {
    let trial = try start()
    trial.signal(SIGKILL)
    trial.wait()
    try FileManager.default.removeItem(atPath: test.home.path + "/state/app-settings/files")
    #expect(try test.done("try") == "  theme: \"dark\" -> \"light\"\n")
    expectNothingLeft()
  }

  private var journal: String {
    get throws {
      let files = test.home.path + "/state/app-settings/files"
      let journal = FileManager.default.enumerator(atPath: files)?.lazy.compactMap { $0 as? String }
        .first { $0.hasSuffix(".history/journal") && $0.contains(test.app) }
      return files + "/" + (try #require(journal))
    }
  }

  /// Loses the history of the app's file in some way.
  private func lose(_ way: String) throws {
    let (journal, manager) = (try journal, FileManager.default)
    let folder = (journal as NSString).deletingLastPathComponent
    var lines = try #require(test.home.text(of: journal)).split(separator: "\n", omittingEmptySubsequences: false)
    func damage(_ number: Int) throws {
      lines[number] = "x" + lines[number].dropFirst()
      try test.home.write(lines.joined(separator: "\n"), to: journal)
    }
    switch way {
    case "all": try manager.removeItem(atPath: test.home.path + "/state/app-settings/files")
    case "journal": try manager.removeItem(atPath: journal)
    case "emptied": try test.home.write("", to: journal)
    case "garbage": try test.home.write("garbage\n", to: journal)
    case "directory":
      try manager.removeItem(atPath: journal)
      try manager.createDirectory(atPath: journal, withIntermediateDirectories: false)
    case "file":
      try manager.removeItem(atPath: folder)
      try test.home.write("", to: folder)
    case "header": try damage(0)
    case "checkpoint": try damage(1)
    default: try damage(lines.count - 2)
    }
  }

  private static let losses = [
    "all", "journal", "emptied", "garbage", "directory", "file", "header", "checkpoint", "entry",
  ]

  @Test(arguments: losses) func `the earlier value comes back where the history is lost`(_ way: String) throws {
    for isKilled in [false, true] {
      let trial = try start()
      try lose(way)
      trial.signal(isKilled ? SIGKILL : SIGTERM)
      #expect(trial.wait() == (isKilled ? SIGKILL : 0))
      if isKilled {
        let result = try run("try")
        #expect(result.status == 0 && result.output.hasSuffix("  theme: \"dark\" -> \"light\"\n"), "\(result)")
      }
      expectNothingLeft()
      try FileManager.default.removeItem(atPath: test.home.path + "/state/app-settings/files")
    }
  }

  @Test(arguments: losses) func `what somebody else has set stays where the history is lost`(_ way: String) throws {
    let trial = try start()
    try lose(way)
    try test.write("theme = \"blue\"\n")
    trial.signal(SIGTERM)
    #expect(trial.wait() == 9)
    #expect(test.home.text() == "theme = \"blue\"\n" && test.home.names(in: notes).isEmpty)
  }

  @Test func `of the page's trial whose history is lost, nothing is promised`() throws {
    try test.done("set", test.app, "theme", "dark")
    try test.home.write(
      "{\"target\":\"\(test.app)\",\"options\":[\"--layer=user\"],\"keys\":[\"theme\"],\"after\":1,\"pid\":1}",
      to: notes + "/trial-1.json")
    try lose("all")
    let result = try run("try")
    #expect(result.status == 1, "\(result)")
    #expect(result.error.contains("'theme' in 'org.example.test' may still have the value that was tried"), "\(result)")
    #expect(test.home.names(in: notes).isEmpty)
  }

  @Test func `the page's trial that no history has is not said to be taken back if the value has changed`() throws {
    try test.done("set", test.app, "editor.font-size", "20")
    let note =
      "{\"target\":\"\(test.app)\",\"options\":[\"--layer=user\"],\"keys\":[\"theme\"],\"after\":1,\"pid\":1}"
    try test.home.write(note, to: notes + "/trial-1.json")
    let unmade = try run("try")
    #expect(unmade.status == 0 && unmade.error.hasSuffix("The earlier value is back.\n"), "\(unmade)")
    try test.home.write(note, to: notes + "/trial-1.json")
    try test.write("theme = \"dark\"\n[editor]\nfont-size = 20\n")
    let made = try run("try")
    #expect(made.status == 9 && made.error.contains("'theme' in 'org.example.test' stays as it is"), "\(made)")
    #expect(test.home.names(in: notes).isEmpty)
  }

  @Test func `a trial that was killed after it was taken back is not taken back again`() throws {
    let trial = try start()
    let note = notes + "/" + test.home.names(in: notes)[0]
    let text = try #require(test.home.text(of: note))
    trial.signal(SIGTERM)
    trial.wait()
    for value in ["light", "dark"] {
      try test.done("set", test.app, "theme", value)
      try test.home.write(text, to: note)
      #expect(try test.done("try") == "" && test.done("get", test.app, "theme") == value + "\n")
    }
    #expect(test.home.names(in: notes).isEmpty)
  }

  @Test func `a migration that the trial begins with is not taken back`() throws {
    try test.home.write(
      "schema-version = 1\napp = \"\(test.app)\"\n[keys.theme]\ntype = \"string\"\n"
        + "[[migrations]]\nversion = 2\nname = \"n\"\nsteps = [{ rename = \"colour\", to = \"theme\" }]\n",
      to: test.schemaFile)
    try test.write("colour = \"light\"\n")
    let result = try run("try", test.app, "theme", "dark", input: "\n")
    #expect(result.status == 0 && result.output.hasSuffix("  theme: \"dark\" -> \"light\"\n"), "\(result)")
    #expect(test.home.text() == "settings-version = 2\ntheme = \"light\"\n")
    try test.write("colour = \"light\"\n")
    let same = try run("try", test.app, "theme", "light", input: "\n")
    #expect(same.status == 0 && same.error.contains("'theme' has that value already"), "\(same)")
  }

  @Test func `a value that somebody else has changed meanwhile stays`() throws {
    let trial = try start()
    try test.done("unset", test.app, "theme")
    try test.done("set", test.app, "editor.font-size", "20")
    trial.signal(SIGTERM)
    #expect(trial.wait() == 9)
    #expect(try test.done("get", test.app, "theme") == "light\n" && test.home.text()?.contains("theme") == false)
    #expect(try test.done("get", test.app, "editor.font-size") == "20\n" && test.home.names(in: notes).isEmpty)
  }

  @Test func `a trial in a profile that was removed meanwhile is over`() throws {
    try test.done("profile", test.app, "new", "work")
    try test.done("profile", test.app, "use", "work")
    let trial = try start()
    try test.done("profile", test.app, "remove", "work", "--force")
    trial.signal(SIGTERM)
    #expect(trial.wait() == 9)
    expectNothingLeft()
  }

  @Test func `of a trial whose profile was removed, nothing is said to stay`() throws {
    try test.done("profile", test.app, "new", "work")
    try test.done("profile", test.app, "use", "work")
    let trial = try start()
    trial.signal(SIGKILL)
    _ = trial.wait()
    try test.done("profile", test.app, "remove", "work", "--force")
    let next = try test.run("try")
    let words = "is gone with its file. The profile 'work' of '\(test.app)' was removed."
    #expect(next.status == 9 && next.error.contains(words), "\(next)")
    expectNothingLeft()
  }

  @Test func `what cannot be put back is not tried`() throws {
    for (words, status, message) in [
      (["sync.token", "x"], 4, "it is a secret"), (["theme", "drak"], 4, "Did you mean 'dark'?"),
      (["thme", "dark"], 3, "Did you mean 'theme'?"), (["theme"], 2, "Missing VALUE of 'theme'."),
      (["theme", "-"], 2, "waits for Enter"), (["theme=a", "editor.wrap=true"], 2, "one KEY"),
      (["theme", "dark", "--for", "soon"], 2, "is not a length of time"),
      (["theme", "dark", "--for", "999999999 years"], 2, "is not a length of time"),
      (["theme", "dark", "--fro", "1s"], 2, "'--for'"),
      ([], 2, "Missing KEY."),
    ] as [([String], Int32, String)] {
      let result = try ChildProcess.run(
        ChildProcess.product("settings-cli"), ["try", test.app] + words, environment: test.home.environment,
        input: "\n", directory: test.home.path)
      #expect(result.status == status && result.error.contains(message), "\(words): \(result)")
      expectNothingLeft()
    }
    try test.write("plan = { password = \"a\" }\n")
    let secret = try run("try", test.app, "plan", "{ name = \"b\" }", input: "\n")
    #expect(secret.status != 0 && test.home.text() == "plan = { password = \"a\" }\n", "\(secret)")
    try test.home.write("plan = { password = \"a\" }\n", to: test.home.path + "/x.toml")
    for value in ["{ name = \"b\" }", "{ password = \"b\" }"] {
      let result = try run("try", "./x.toml", "plan", value, input: "\n")
      #expect(result.status == 4 && result.error.contains("it is a secret or has one"), "\(result)")
      #expect(test.home.text(of: test.home.path + "/x.toml") == "plan = { password = \"a\" }\n")
    }
    // No trial makes an app.
    #expect(try run("try", "org.example.none", "a", "1", input: "\n").status == 3)
    try test.write("settings-history = false\ntheme = \"light\"\n")
    let off = try run("try", test.app, "theme", "dark", input: "\n")
    #expect(off.status == 5 && off.error.contains("keeps no history"), "\(off)")
    #expect(try test.done("get", test.app, "theme") == "light\n")
  }

  @Test(.enabled(if: TerminalSession.isPossible, "script(1) is not installed"))
  func `a terminal that is closed, and Ctrl-C, put the earlier value back`() throws {
    let command = "\(ChildProcess.product("settings-cli")) try \(test.app) theme dark"
    let session = try TerminalSession(command, environment: test.home.environment, directory: test.home.path)
    session.wait(for: "type 'keep' and Enter.")
    session.type("\u{3}")
    #expect(session.end().status != 0)
    expectNothingLeft()
  }

  @Test func `a value that the history would not keep is not tried`() throws {
    try test.done("set", test.app, "sync.token", "PRECIOUS")
    // By the path of the file, no schema says that it is a secret.
    for (key, reason) in [("sync.token", "it is a secret"), ("other", "no program has declared")] {
      let text = test.home.text()
      let result = try run("try", test.file, key, "1234", input: "\n")
      #expect(result.status == 4 && result.error.contains(reason), "\(result)")
      #expect(test.home.text() == text)
    }
  }
}
