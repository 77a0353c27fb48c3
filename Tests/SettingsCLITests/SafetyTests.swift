import Foundation
import Testing
import TestSupport

/// What must hold for every value, and for every way to end.
struct SafetyTests {
  let home = ScratchHome()
  private let app = "org.example.test"
  private let command = ChildProcess.product("settings-cli")

  private func run(_ arguments: String..., input: String? = nil) throws -> ChildProcess.Result {
    try ChildProcess.run(command, arguments, environment: home.environment, input: input, directory: home.path)
  }

  private func answer(_ output: String, status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: "")
  }

  @Test(arguments: [
    "a\nb", "\"q\" 'r' \\ \t \"\"\" '''", "\u{1}\u{7F}\u{1B}[31m", "é漢😀e\u{301}", " ", "\r\n", "a=b", "# no comment",
    "$(x) `y` %s %n", "\u{FEFF}", "[1, 2]", "nan", "-",
  ])
  func `a string comes back as it was, by argument, by input, and through every form`(_ value: String) throws {
    #expect(try run("set", app, "v", "--type", "string", "--", value) == answer(""))
    #expect(try run("get", app, "v", "-0") == answer(value + "\0"))
    #expect(try run("set", app, "w", "-", "--type", "string", input: value + "\n") == answer(""))
    #expect(try run("get", app, "w") == answer(value + "\n"))
    for form in ["toml", "json", "env"] {
      let exported = try run("export", app, "v", "--\(form)")
      #expect(exported.status == 0 && exported.error.isEmpty)
      let taken = try run("import", "./\(form).toml", "-", "--format", form, input: exported.output)
      #expect(taken == answer("taken: v\n"), "\(form)")
      #expect(try run("get", "./\(form).toml", "v") == answer(value + "\n"), "\(form): \(exported.output)")
    }
    let shell = try ChildProcess.shell(
      "eval \"$('\(command)' export \(app) v --env)\"; printf %s \"$ORG_EXAMPLE_TEST_SETTINGS__V\"",
      environment: home.environment)
    #expect(shell.output == value)
  }

  @Test func `a dash is read from standard input in every form of a value, once`() throws {
    #expect(try run("set", app, "a=1", "b=-", input: "x\n") == answer(""))
    #expect(try run("set", app, "list", "--append", "-", "--append", "y", input: "x\n") == answer(""))
    #expect(home.text() == "a = 1\nb = \"x\"\nlist = [\"x\", \"y\"]\n")
    #expect(try run("set", app, "list", "--remove", "-", input: "x\n") == answer(""))
    #expect(try run("set", app, "--", "b=-", input: "x\n") == answer(""))
    #expect(home.text() == "a = 1\nb = \"-\"\nlist = [\"y\"]\n")
    for words in [["a=-", "b=-"], ["list", "--append", "-", "--remove", "-"]] {
      let result = try ChildProcess.run(
        command, ["set", app] + words, environment: home.environment, input: "x\n", directory: home.path)
      #expect(result.status == 2 && result.error.contains("write '-' once"), "\(result)")
    }
    #expect(try run("set", app, "b=-", input: "").status == 4)
    #expect(home.text() == "a = 1\nb = \"-\"\nlist = [\"y\"]\n")
  }

  /// Each input is a whole one, too, as a longer one is that was cut off.
  @Test(arguments: [
    (["set", "a", "-"], "text"), (["edit", "--text", "-"], "a = 1"), (["import", "-", "--format", "toml"], "a = 1"),
    (["batch", "--create"], "{\"set\": \"a\", \"value\": 1}\n"),
  ]) func `input that is not as long as its program says is refused`(_ verb: [String], _ input: String) throws {
    func run(_ bytes: String) throws -> ChildProcess.Result {
      var environment = home.environment
      environment["SETTINGS_CLI_INPUT_BYTES"] = bytes
      return try ChildProcess.run(
        command, [verb[0], "./f.toml"] + verb[1...], environment: environment, input: input, directory: home.path)
    }
    try home.write("# mine\n", to: home.path + "/f.toml")
    let result = try run("\(input.utf8.count + 1)")
    #expect(result.status == 7 && result.output.isEmpty, "\(result)")
    let message = "Standard input ended after \(input.utf8.count) bytes"
    #expect(result.error.hasPrefix("settings-cli: \(message)") && result.error.hasSuffix("Nothing was written.\n"))
    #expect(home.text(of: home.path + "/f.toml") == "# mine\n")
    #expect(try run("\(input.utf8.count)").status == 0)
  }

  @Test func `a value of ten megabytes goes in by input and comes out`() throws {
    let value = String(repeating: String(repeating: "0123456789", count: 20) + "\n\"\\é", count: 50_000)
    #expect(value.utf8.count > 10_000_000)
    #expect(try run("set", app, "v", "-", input: value + "\n") == answer(""))
    #expect(try run("get", app, "v") == answer(value + "\n"))
    #expect(try run("set", app, "v", "-", input: "\u{0}").status == 0)
    #expect(try run("get", app, "v", "-0") == answer("\0\0"))
    let bytes = try ChildProcess.shell(
      "printf '\\377' | '\(command)' set \(app) v -", environment: home.environment)
    #expect(bytes.status == 4 && bytes.error.contains("not UTF-8"))
  }

  @Test func `a value is not in the title of a process that waits`() throws {
    try home.write("")
    // A lock that is held keeps the command waiting while its title is read.
    let script = """
      exec 9<'\(home.path)/config/\(app)'
      flock 9
      '\(command)' set \(app) token=hunter2 other=correct-horse 9<&- & process=$!
      while ! grep -q settings-lock /proc/$process/task/*/comm; do :; done
      tr '\\0' ' ' < /proc/$process/cmdline
      flock -u 9
      wait $process
      """
    // Not dash: its 'wait' hangs where SIGCHLD is blocked, as it is in some threads of a test.
    guard FileManager.default.isExecutableFile(atPath: "/bin/bash") else { return }
    let result = try ChildProcess.run("/bin/bash", ["-c", script], environment: home.environment)
    guard result.status != 127 else { return }  // flock(1) is not installed
    #expect(result.output.contains("set \(app) *") && !result.output.contains("hunter2"))
    #expect(!result.output.contains("correct-horse"))
    #expect(home.text() == "token = \"hunter2\"\nother = \"correct-horse\"\n")
  }

  @Test func `a secret is in no message and no list`() throws {
    try home.write(MatrixHome.schema, to: home.path + "/data/app-settings/\(app).toml")
    #expect(try run("set", app, "sync.token", "hunter2") == answer(""))
    for arguments in [
      ["list", app], ["list", app, "--json"], ["diff", app], ["describe", app], ["export", app],
      ["set", app, "sync.token", "[\"hunter2\"]", "--type", "array"], ["check", app],
      ["set", app, "sync.token", "--append", "hunter2"], ["set", app, "sync.token", "hunter2", "--type", "integer"],
      ["set", app, "sync", "hunter2"],
      ["complete", "fish", "--", "settings-cli set \(app) sync.token "],
    ] {
      let result = try ChildProcess.run(command, arguments, environment: home.environment)
      #expect(!result.output.contains("hunter2") && !result.error.contains("hunter2"), "\(arguments): \(result)")
    }
    #expect(try run("get", app, "sync.token") == answer("hunter2\n"))
  }

  @Test func `watch of all keys and a conflict of an edit show no secret, watch of its key does`() throws {
    try home.write(MatrixHome.schema, to: home.path + "/data/app-settings/\(app).toml")
    #expect(try run("set", app, "sync.token", "hunter1") == answer(""))
    for (arguments, shown) in [
      ([], "sync.token = (secret)"), (["--json"], "\"old\":\"(secret)\",\"new\":\"(secret)\""),
      (["sync.token", "--json"], "\"new\":\"hunter"),
    ] {
      let watching = try RunningProcess(
        command, ["watch", app, "--count", "1"] + arguments, environment: home.environment)
      let line = try firstLine(of: watching) { round in _ = try run("set", app, "sync.token", "hunter-\(round)") }
      #expect(line.contains(shown))
    }
    var environment = home.environment
    let script = "sed -i s/hunter/mine/ \"$1\"; '\(command)' set \(app) sync.token hunter3\n"
    try home.write(script, to: home.path + "/editor")
    environment["EDITOR"] = "sh \(home.path)/editor"
    // Its copy is kept.
    environment["XDG_RUNTIME_DIR"] = home.path
    let edited = try ChildProcess.run(command, ["edit", app], environment: environment, input: "")
    #expect(edited.status == 5)
    #expect(
      edited.error.contains("sync.token: yours is (secret), theirs is (secret)\nYour text is in '"), "\(edited)")
  }

  @Test func `what the app cannot read is kept in a backup before set overwrites it`() throws {
    try home.write(MatrixHome.schema, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("settings-version = 2\neditor.font-size = \"large\"\n")
    #expect(try run("set", app, "editor.font-size", "13") == answer(""))
    let backups = home.names(in: home.backups)
    #expect(backups.count == 1 && backups[0].hasSuffix(".before-overwriting-editor-font-size.toml"))
    #expect(try run("set", app, "editor.font-size", "14") == answer(""))
    #expect(home.names(in: home.backups) == backups)
  }

  @Test func `two processes that append at once lose nothing`() throws {
    let all = try (0..<20).map { number in
      try RunningProcess(command, ["set", app, "list", "--append", "\(number)"], environment: home.environment)
    }
    for process in all { #expect(process.wait() == 0) }
    let list = try run("get", app, "list").output
    #expect((0..<20).allSatisfy { list.contains("[\($0),") || list.contains(" \($0),") || list.contains(" \($0)]") })
  }

  @Test func `an answer that cannot be written is no success`() throws {
    try home.write("a = \"\(String(repeating: "x", count: 100_000))\"\n")
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let full = try ChildProcess.shell("'\(command)' get \(app) a > /dev/full", environment: home.environment)
    #expect(full.status == 7 && full.error.contains("Cannot write the answer: No space left on device"))
    let gone = try ChildProcess.shell(
      "{ '\(command)' get \(app) a; echo $? >&2; } | true", environment: home.environment)
    #expect(gone.error == "7\n" || gone.error == "0\n")
  }

  @Test func `a pipe that does not block is waited for`() throws {
    let value = String(repeating: "x", count: 10_000_000)
    try home.write("a = \"\(value)\"\n")
    let answer = try ChildProcess.shell(
      "{ dd oflag=nonblock count=0 status=none; '\(command)' get \(app) a; echo $? >&2; } | cat",
      environment: home.environment)
    #expect(answer.error == "0\n" && answer.output == value + "\n")
    let stored = try ChildProcess.shell(
      "tr x y < '\(home.file)' | { dd iflag=nonblock count=0 status=none; '\(command)' set \(app) b -; }",
      environment: home.environment)
    #expect(stored.status == 0 && stored.error == "" && home.text()?.utf8.count ?? 0 > 20_000_000)
  }

  // MARK: watch

  private func watch(_ arguments: String...) throws -> RunningProcess {
    try RunningProcess(command, ["watch", app] + arguments, environment: home.environment)
  }

  @Test func `watch ends with status 0 by SIGTERM and as a signal does by SIGINT`() throws {
    try home.write("a = 1\n")
    for (signal, status, isKilled) in [(SIGTERM, Int32(0), false), (SIGHUP, 0, false), (SIGINT, SIGINT, true)] {
      let watching = try watch("a")
      #expect(watching.nextLine() == "1")
      watching.signal(signal)
      #expect(watching.wait() == status)
      #expect(watching.wasKilled == isKilled)
    }
  }

  @Test func `watch ends with status 0 when no one reads any more, before the next change`() throws {
    try home.write("a = 1\n")
    let result = try ChildProcess.shell(
      "{ '\(command)' watch \(app) a; echo $? >&2; } | head -n 1", environment: home.environment)
    #expect(result == ChildProcess.Result(status: 0, output: "1\n", error: "0\n"))
  }

  @Test func `watch runs a program at each change, with key, old and new in its environment`() throws {
    try home.write("a = \"one two\"\n")
    // No shell: a shell would take the name apart.
    let program = home.path + "/note it"
    try home.write("#!/bin/sh\necho \"$# $1 $KEY:${OLD-none}:${NEW-none}\"\n", to: program)
    chmod(program, 0o700)
    let watching = try watch("a", "--exec", program, "--", "$HOME; x")
    // When it has begun to watch cannot be seen from outside: until the first change is seen, make more.
    let seen = try firstLine(of: watching) { try home.write("a = \"\($0)\"\n", to: home.path + "/new") }
    #expect(seen.hasPrefix("1 $HOME; x a:"))
    try home.write("b = 1\n", to: home.path + "/new")
    rename(home.path + "/new", home.file)
    // Of those that were made in between, one may come first.
    var last = seen
    while !last.hasSuffix(":none") {
      last = try #require(watching.nextLine())
      #expect(last.hasPrefix("1 $HOME; x a:"), "\(last)")
    }
    watching.signal(SIGTERM)
    #expect(watching.wait() == 0)
  }

  @Test func `watch passes a secret to a program only if it is asked for by its name`() throws {
    let schema = "app = \"\(app)\"\n[keys.\"sync.token\"]\ntype = \"string\"\nsecret = true\n"
    try home.write(schema, to: home.path + "/data/app-settings/\(app).toml")
    try home.write("[sync]\ntoken = \"CANARY\"\n")
    for (key, seen) in [
      (nil, "sync.token:(secret)"), ("sync", "sync:{ user = "), ("sync.token", "sync.token:CANARY"),
    ] {
      let program = ["--exec", "echo \"$KEY:$NEW\"; env | grep -c CANARY", "--shell", "--count", "1"]
      let watching = try RunningProcess(
        command, ["watch", app] + (key.map { [$0] } ?? []) + program, environment: home.environment)
      let line = try firstLine(of: watching) {
        let user = key == "sync" ? "user = \($0)\n" : ""
        try home.write("[sync]\ntoken = \"CANARY\($0)\"\n\(user)", to: home.path + "/new")
      }
      #expect(line.hasPrefix(seen), "\(line)")
      let found = watching.nextLine()
      #expect((found == "0") == (key != "sync.token"), "\(key ?? ""): \(found ?? "")")
      #expect(watching.wait() == 0)
    }
  }

  @Test func `watch runs a line of shell if asked, says that it failed, and goes on`() throws {
    try home.write("a = 1\n")
    let watching = try watch("--exec", "echo \"$KEY=$NEW\" | tr a A; exit 3", "--shell", "--count", "1")
    let seen = try firstLine(of: watching) { try home.write("a = \($0 + 1)\n", to: home.path + "/new") }
    #expect(seen.hasPrefix("A="))
    #expect(watching.wait() == 0)
  }

  private func firstLine(of watching: RunningProcess, _ write: (Int) throws -> Void) throws -> String {
    let done = DispatchSemaphore(value: 0)
    let box = LineBox()
    Thread.detachNewThread {
      box.line = watching.nextLine()
      done.signal()
    }
    var number = 1
    repeat {
      try write(number)
      rename(home.path + "/new", home.file)
      number += 1
    } while done.wait(timeout: .now() + .milliseconds(20)) == .timedOut
    return try #require(box.line)
  }

  private final class LineBox: @unchecked Sendable {  // written before the semaphore is signalled and read after
    var line: String?
  }
}
