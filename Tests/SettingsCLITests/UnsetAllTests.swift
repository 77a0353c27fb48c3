import Foundation
import Testing
import TestSupport

/// `unset --all`: a whole app back to its defaults.
struct UnsetAllTests {
  let home = ScratchHome()
  private let app = "org.example.test"

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private var backup: String { home.backups + "/" + (home.names(in: home.backups).last ?? "none") }

  @Test func `every key goes, the header comment and reserved keys stay, and a backup is made`() throws {
    let text =
      "# My settings.\n\nsettings-version = 1\n# the colour\ntheme = \"dark\"\n[editor]\na = 1\nb = 2\n[[r]]\nx = 1\n"
    try home.write(text)
    let result = try run("unset", app, "--all")
    #expect(result == SchemaHome.answer("removed: 4 keys\nbackup: \(backup)\n"))
    #expect(backup.hasSuffix(".before-unset.toml") && home.text(of: backup) == text)
    #expect(home.text() == "# My settings.\n\nsettings-version = 1\n")
    #expect(try run("unset", app, "--all") == SchemaHome.answer("", status: 1))
    #expect(home.names(in: home.backups).count == 1)
  }

  @Test func `undo names the backup if the history lacks a part of what was removed`() throws {
    let text = "x = 1\ntoken = \"hunter2\"\n"
    try home.write(text)
    #expect(try run("unset", app, "--all").status == 0)
    let refused = try run("undo", app)
    #expect(refused.status == 1 && refused.error.contains("'token' is not in the history"), "\(refused)")
    #expect(refused.error.hasSuffix(" use 'settings-cli recover \(app) --restore'.\n"), "\(refused)")
    try home.write("# mine\n\n" + text, to: home.path + "/x.toml")
    #expect(try run("unset", "./x.toml", "--all").status == 0)
    let backups = home.path + "/state/app-settings/files\(home.path)/x.toml.backups"
    let restore = ["migrate", "./x.toml", "--undo", "--backup", home.names(in: backups).last ?? "none"]
    let other = try run("undo", "./x.toml")
    let command = "settings-cli \(restore.joined(separator: " "))"
    #expect(other.error.hasSuffix(" To bring back all that was removed, use '\(command)'.\n"), "\(other)")
    let restored = try ChildProcess.run(
      ChildProcess.product("settings-cli"), restore, environment: home.environment, directory: home.path)
    #expect(restored.status == 0, "\(restored)")
    #expect(home.text(of: home.path + "/x.toml") == "# mine\n\n" + text)
    #expect(try !run("undo", "./x.toml", "token").error.contains("--backup"))
  }

  @Test func `locked keys stay, under each of their names, and are named`() throws {
    try home.write(
      "app = \"\(app)\"\n[keys.new]\ntype = \"integer\"\nformerly = [\"old\"]\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write(
      "settings-locked = [\"proxy.host\", \"old\"]\nproxy.host = \"h\"\n",
      to: home.path + "/etc/xdg/\(app)/settings.toml")
    try home.write("a = 1\nnew = 2\n[proxy]\nhost = \"mine\"\nport = 1\n")
    let result = try run("unset", app, "--all")
    #expect(
      result.output == "removed: 2 keys\nkept: new (locked)\nkept: proxy.host (locked)\nbackup: \(backup)\n",
      "\(result)")
    #expect(home.text() == "new = 2\n[proxy]\nhost = \"mine\"\n")
    #expect(
      try run("unset", app, "--all")
        == SchemaHome.answer("kept: new (locked)\nkept: proxy.host (locked)\n", status: 1))
  }

  @Test func `a file without keys, or none, exits 1, and a key beside --all is refused`() throws {
    try home.write("", to: home.path + "/x.toml")
    #expect(try run("unset", "./x.toml", "--all") == SchemaHome.answer("", status: 1))
    #expect(try run("unset", "./none.toml", "--all") == SchemaHome.answer("", status: 1))
    #expect(home.text(of: home.path + "/none.toml") == nil)
    #expect(try run("unset", app, "a", "--all").status == 2)
    #expect(try run("unset", app).error.contains("To remove every key, use --all."))
  }

  @Test func `what a link leads to is emptied, and stays`() throws {
    let test = try SchemaHome()
    let file = test.home.path + "/dotfiles.toml"
    try test.home.write("theme = \"dark\"\n", to: file)
    try? FileManager.default.removeItem(atPath: test.file)
    try test.home.write("", to: test.file)
    try FileManager.default.removeItem(atPath: test.file)
    try FileManager.default.createSymbolicLink(atPath: test.file, withDestinationPath: file)
    try test.done("unset", test.app, "--all")
    #expect(test.home.text(of: file) == "")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: test.file) == file)
  }
}
