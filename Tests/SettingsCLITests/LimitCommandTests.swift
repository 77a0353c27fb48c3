import Foundation
import Testing
import TestSupport

/// Limits of the system are errors that say what to do.
struct LimitCommandTests {
  let home = ScratchHome()
  private let command = ChildProcess.product("settings-cli")

  private func run(_ script: String) throws -> ChildProcess.Result {
    try ChildProcess.shell(
      "CLI='\(command)'\n" + script, environment: home.environment, directory: home.path)
  }

  @Test func `a limit on the size of files is an error, and the file is unchanged`() throws {
    try home.write("k = \"old\"\n")
    let value = String(repeating: "n", count: 3000)
    let result = try run("ulimit -f 1; $CLI set org.example.test k \(value)")
    #expect(result.status == 7 && !result.wasKilled)
    #expect(
      result.error.contains(
        "the file would exceed this process's limit on file sizes; raise it, 'ulimit -f'. The file is"))
    #expect(home.text() == "k = \"old\"\n")
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
    try home.write("k = \"\(value)\"\n")
    let answer = try run("ulimit -f 1; $CLI get org.example.test k > out")
    #expect(answer.status == 7 && answer.error == "settings-cli: Cannot write the answer: File too large.\n")
  }

  @Test func `a limit on open files is an error, and the file is unchanged`() throws {
    try home.write("k = 1\n")
    for limit in 4...12 {
      let result = try run("ulimit -n \(limit); $CLI set org.example.test k 2")
      // The program itself cannot be loaded with less.
      guard result.status != 127 else { continue }
      if result.status == 0 { break }
      #expect(result.status == 7 && result.error.contains("raise it, 'ulimit -n'"), "\(limit): \(result)")
      #expect(home.text() == "k = 1\n")
    }
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
  }

  @Test(.enabled(if: geteuid() == 0, "it takes another user"), )
  func `a limit on threads ends a watch with a message, or leaves it enough`() throws {
    chmod(home.path, 0o777)
    defer { chmod(home.path, 0o700) }
    try home.write("k = 1\n", to: home.path + "/x.toml")
    // Of all who may run it.
    try ChildProcess.shell("install -m 755 '\(command)' cli", environment: home.environment, directory: home.path)
    var statuses: Set<Int32> = []
    for limit in 1...8 {
      // A user that runs nothing else.
      let result = try run(
        """
        exec setpriv --reuid \(70_000 + limit) --clear-groups prlimit --nproc=\(limit) \
          ./cli watch ./x.toml k --count 1 --timeout 20
        """)
      statuses.insert(result.status)
      if result.status == 0 {
        #expect(result.output == "1\n")
      } else {
        #expect(
          result.status == 7 && result.error.contains("Cannot watch settings: no thread could be started"), "\(result)")
        #expect(result.error.contains("'ulimit -u'"))
      }
    }
    #expect(statuses == [0, 7])
  }

  /// Whether this process may have a mount namespace of its own.
  private static let canUnmount =
    (try? ChildProcess.run("/usr/bin/unshare", ["-m", "/bin/umount", "-l", "/proc"], environment: [:]).status) == 0

  @Test(.enabled(if: canUnmount, "it takes a mount namespace"))
  func `everything works where /proc is not mounted`() throws {
    try home.write("k = 1\n")
    let script = """
      umount -l /proc
      set -e
      $CLI set org.example.test k 2
      $CLI get org.example.test k
      EDITOR='echo k = 3 >' $CLI edit org.example.test
      $CLI list org.example.test
      > out
      $CLI watch org.example.test k --count 2 --timeout 20 > out & watch=$!
      while ! grep -q 3 out; do sleep 0.01; done
      $CLI set org.example.test k 4
      wait $watch
      cat out
      """
    let result = try ChildProcess.run(
      "/usr/bin/unshare", ["-m", "/bin/sh", "-c", "CLI='\(command)'\n" + script], environment: home.environment,
      directory: home.path)
    #expect(result == ChildProcess.Result(status: 0, output: "2\nk = 3\n3\n4\n", error: ""))
  }

  @Test func `an edit makes no more suggestions than a check`() throws {
    try home.write(
      "app = \"org.example.test\"\n[keys.configuration]\ntype = \"integer\"\n",
      to: home.path + "/data/app-settings/org.example.test.toml")
    let other = home.path + "/other.toml"
    try home.write((0..<150).map { "configuration\($0) = 1\n" }.joined(), to: other)
    let result = try ChildProcess.run(
      command, ["edit", "org.example.test"],
      environment: home.environment.merging(["EDITOR": "cp '\(other)'"]) { $1 }, directory: home.path)
    #expect(result.status == 0)
    #expect(result.error.components(separatedBy: "Unknown key").count == 151)
    #expect(result.error.components(separatedBy: "Did you mean").count == 101)
  }

  // MARK: Secrets

  @Test func `with a secret in the schema, text that does not parse is told by its place alone`() throws {
    let test = try SchemaHome()
    let place = "\(test.file):1:14: The string is not closed on its line."
    for verb in [
      ["get", "theme"], ["set", "theme", "dark"], ["list"], ["check"], ["export"], ["describe"], ["watch"],
      ["unset", "theme"], ["migrate"], ["diff"],
    ] {
      try test.write("sync.token = \"hunter2\n")
      let result = try ChildProcess.run(
        command, [verb[0], test.app] + verb.dropFirst() + (verb == ["watch"] ? ["--timeout", "0.1"] : []),
        environment: test.home.environment)
      let said = result.output + result.error
      #expect(!said.contains("hunter2"), "\(verb): \(said)")
      #expect(said.contains(place) || said.contains("1:14") || verb == ["migrate"], "\(verb): \(said)")
    }
    try test.write("sync.token = \"x\"\n")
    let edited = try ChildProcess.run(
      command, ["edit", test.app],
      environment: test.home.environment.merging(["EDITOR": "printf 'sync.token = \"hunter2\\n' >"]) { $1 })
    #expect(edited.status == 6 && !edited.error.contains("hunter2") && edited.error.contains(":1:14:"), "\(edited)")
    // A schema that cannot be used says nothing of secrets.
    try test.home.write("broken =", to: test.schemaFile)
    try test.write("sync.token = \"hunter2\n")
    let blind = try test.run("get", test.app, "theme")
    #expect(blind.status == 6 && !blind.error.contains("hunter2") && blind.error.contains("1:14"), "\(blind)")
  }
}
