import AppSettings
import Foundation
import Testing
import TestSupport

/// Paths with bytes that are not UTF-8, on the command line and in the environment.
struct BytesCommandTests {
  let home = ScratchHome()
  private let command = ChildProcess.product("settings-cli")

  /// Runs a script in which `$E` is the byte 0xE9 and `$CLI` the command.
  private func run(_ script: String) throws -> ChildProcess.Result {
    try ChildProcess.shell(
      "E=$(printf '\\351'); CLI='\(command)'\n" + script, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String, _ error: String = "", status: Int32 = 0) -> ChildProcess.Result {
    ChildProcess.Result(status: status, output: output, error: error)
  }

  @Test func `a target, a link and a variable lead to exactly that file`() throws {
    let target = try run("$CLI set ./t$E.toml k 3; $CLI get ./t$E.toml k; cat t$E.toml; ls *.toml | wc -l")
    #expect(target == answer("3\nk = 3\n1\n"))
    #expect(
      try run("ln -s t$E.toml link.toml; $CLI set ./link.toml k 4; cat t$E.toml; $CLI get ./link.toml k")
        == answer("k = 4\n4\n"))
    #expect(
      try run("export XDG_CONFIG_HOME=$PWD/c$E; $CLI set org.example.test a 1; cat c$E/org.example.test/settings.toml")
        == answer("a = 1\n"))
    #expect(try run("test \"$($CLI path ./t$E.toml)\" = \"$PWD/t$E.toml\" && echo same") == answer("same\n"))
    let json = try run("$CLI get ./t$E.toml k --json")
    #expect(json.output.contains("/t\u{10FFE9}.toml\""))
  }

  @Test func `a copy to edit, a backup and what is imported are found`() throws {
    let edited = try run(
      """
      mkdir run$E; export XDG_RUNTIME_DIR=$PWD/run$E
      echo 'k = 1' > t$E.toml; echo 'k = 5' > o$E.toml
      EDITOR='echo k = 2 >' $CLI edit ./t$E.toml && cat t$E.toml
      $CLI diff ./t$E.toml o$E.toml > /dev/null && $CLI import ./t$E.toml o$E.toml --replace && cat t$E.toml
      ls state/app-settings/files$PWD/t$E.toml.backups | wc -l
      echo 'k = ' > t$E.toml; sleep 0.6; cat "$($CLI recover ./t$E.toml)"
      """)
    #expect(edited.status == 0 && edited.error.isEmpty, "\(edited)")
    #expect(edited.output == "k = 2\ntaken: k\nk = 5\n2\nk = \n")
  }

  @Test func `a backup that was restored is printed as its bytes`() throws {
    let restored = try run(
      """
      echo 'k = 1' > t$E.toml; echo 'k = 5' > o.toml; $CLI import ./t$E.toml o.toml --replace > /dev/null
      backup=$(ls -d "$PWD/state/app-settings/files$PWD/t$E.toml.backups/"*)
      test "$($CLI migrate ./t$E.toml --undo --backup "$backup")" = "restored: $backup" && cat t$E.toml
      """)
    #expect(restored == answer("k = 1\n"))
  }

  @Test func `a watch tells of changes of exactly that file and of drop-ins`() throws {
    let watched = try run(
      """
      echo 'k = 1' > w$E.toml
      : > out; $CLI watch ./w$E.toml k --count 2 --timeout 20 >> out & watch=$!
      while ! grep -q 1 out; do sleep 0.01; done
      echo 'k = 2' > new; mv new w$E.toml; wait $watch; cat out
      mkdir -p etc/xdg/org.example.test/settings.d; echo 'q = 7' > etc/xdg/org.example.test/settings.d/z$E.toml
      : > out; $CLI watch org.example.test q --count 2 --timeout 20 >> out & watch=$!
      while ! grep -q 7 out; do sleep 0.01; done
      echo 'q = 8' > new; mv new etc/xdg/org.example.test/settings.d/z$E.toml; wait $watch; cat out
      """)
    #expect(watched == answer("1\n2\n7\n8\n"))
  }

  @Test(arguments: [
    "set ./a.toml k $E", "set ./a.toml k=$E", "set ./a.toml k$E 1", "set ./a.toml l --append $E", "get ./a.toml k$E",
  ])
  func `a key or a value that is not UTF-8 is refused, and nothing is written`(words: String) throws {
    let result = try run("$CLI \(words)")
    // What follows 'KEY=' may be a secret.
    let shown = words.contains("k=") ? "'k=…'" : "\\xE9'"
    #expect(result.status == 2 && result.error.contains("\(shown): it is not UTF-8"), "\(result)")
    #expect(home.names(in: home.path) == [])
  }

  @Test func `a value with the scalar that stands for a byte stays what it is`() throws {
    #expect(try run("$CLI set ./a.toml k '\u{10FFE9}'; $CLI get ./a.toml k") == answer("\u{10FFE9}\n"))
    #expect(try run("$CLI set './\u{10FFE9}.toml' k 1; cat '\u{10FFE9}.toml'") == answer("k = 1\n"))
    #expect(
      try run(
        "echo 'app = \"org.example.test\"' > 's\u{10FFE9}.toml'; $CLI check ./a.toml --schema 's\u{10FFE9}.toml'; "
          + "$CLI migrate ./a.toml --status --schema 's\u{10FFE9}.toml'") == answer("current: version 1\n"))
  }

  @Test func `a message shows the byte escaped`() throws {
    let broken = try run("echo 'k = ' > b$E.toml; $CLI get ./b$E.toml k")
    #expect(broken.status == 6 && broken.error.contains("Cannot parse '\(home.path)/b\\xE9.toml'"))
  }

  @Test func `a value that no environment variable can hold runs no command, and says so`() throws {
    let result = try run(
      """
      echo 'k = "a"' > w.toml
      $CLI watch ./w.toml k --exec sh --count 2 --timeout 20 -- -c 'echo "$OLD>$NEW" >> ran' 2> error & watch=$!
      while ! test -e /proc/$watch; do :; done; sleep 0.5
      printf 'k = "a\\\\u0000b"\\n' > new; mv new w.toml
      while ! grep -q U+0000 error; do sleep 0.01; done
      echo 'k = "c"' > new; mv new w.toml
      wait $watch; cat error; test -e ran && echo ran
      """)
    let reason = "which no environment variable can hold. 'settings-cli get --json' prints such a value.\n"
    #expect(
      result.output.hasPrefix(
        "settings-cli: warning: 'sh' was not run for 'k': its new value has the character U+0000, "))
    #expect(result.output.contains(reason) && !result.output.contains("ran\n"))
  }
}
