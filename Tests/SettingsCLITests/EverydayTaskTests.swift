import Foundation
import Testing
import TestSupport

/// Everyday tasks, as people type them who have not seen the command: guess after guess, until one does it.
struct EverydayTaskTests {
  private struct Task {
    let name: String
    /// What is typed, in this order. Before the last one each has to say what to type next.
    let tries: [String]
    /// A part of what the last one prints, or the value of `theme` or of the size that it leaves.
    let shows: String

    init(_ name: String, _ tries: String..., shows: String) {
      (self.name, self.tries, self.shows) = (name, tries, shows)
    }
  }

  private static let id = "org.example.editor"

  private static let tasks = [
    Task("what is this", "", shows: "SUBCOMMANDS"),
    Task("which apps are there", "list", shows: "org.example.editor theme"),
    Task(
      "change the font size", "set font-size 14", "find font-size", "set ID font-size 14",
      "set ID editor.font-size 14", shows: "14"),
    Task(
      "two points larger", "set ID editor.font-size +2", "get ID editor.font-size", "set ID editor.font-size 16",
      shows: "16"),
    Task("show my settings", "show ID", shows: "theme = \"dark\""),
    Task("set a choice, with a typo", "set ID theme ligth", "set ID theme light", shows: "light"),
    Task("switch something off", "toggle ID editor.wrap", "set ID editor.wrap off", shows: "wrap = false"),
    Task("what did I change last week", "log ID --since 'last week'", shows: "theme: \"light\" -> \"dark\""),
    Task("what did I change in all apps", "log", shows: "org.gnome.maps #1"),
    Task("take that back", "undo", shows: "undone: org.gnome.maps #1"),
    Task("and the one before", "undo; settings-cli undo", shows: "undone: org.example.editor #3"),
    Task("which file is this from", "where ID theme", shows: "settings.toml:1"),
    Task(
      "take my settings to another machine", "export ID > f.toml; settings-cli import ./f2.toml f.toml", shows: "theme"),
    Task(
      "back up everything", "backup > all.toml; settings-cli import --all all.toml --dry-run",
      shows: "org.gnome.maps: 0"),
    Task("reset one setting", "reset ID theme", shows: "light"),
    Task("reset everything", "reset ID", "reset ID --all", shows: "removed: 2 keys"),
    Task("why does it not apply", "why ID theme", shows: "from      user"),
    Task("try it for a while", "try ID theme light --for 0.1s", shows: "taken back:"),
    Task("a window to click", "gui --help", shows: "Open the settings of apps as a page"),
    Task("edit it by hand", "edit ID", shows: "theme = \"dark\""),
    Task("search", "search dark", shows: "org.example.editor theme = \"dark\""),
    Task("which values are allowed", "options ID theme", shows: "one of \"light\", \"dark\""),
    Task(
      "add to a list", "add ID recent /tmp/x", "set ID recent /tmp/x", "set ID recent --append /tmp/x", shows: "/tmp/x"),
    Task("remove a value", "remove ID theme", "unset ID theme", shows: "light"),
    Task("the file as it was", "restore ID '#1'", "recover ID --restore", "at ID '#1'", shows: "theme = \"light\""),
  ]

  private func home() throws -> ScratchHome {
    let home = ScratchHome()
    try home.write(
      """
      app = "\(Self.id)"
      [keys.theme]
      type = "string"
      choices = ["light", "dark"]
      default = "light"
      [keys."editor.font-size"]
      type = "integer"
      minimum = 6
      maximum = 72
      [keys."editor.wrap"]
      type = "boolean"
      default = true
      [keys.recent]
      type = "array"
      elements = { type = "string" }

      """, to: home.path + "/data/app-settings/\(Self.id).toml")
    for words in [
      [Self.id, "theme", "light"], [Self.id, "theme", "dark"], [Self.id, "editor.font-size", "14"],
      ["org.gnome.maps", "zoom", "4"],
    ] {
      try ChildProcess.run(ChildProcess.product("settings-cli"), ["set"] + words, environment: home.environment)
    }
    return home
  }

  @Test func `of 25 everyday tasks most work at the first try, and none is impossible`() throws {
    #expect(Self.tasks.count == 25)
    var first = 0
    for task in Self.tasks {
      let home = try home()
      var environment = home.environment
      environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
      environment["EDITOR"] = "true"
      for (index, line) in task.tries.enumerated() {
        let line = line.replacingOccurrences(of: "ID", with: Self.id)
        let result = try ChildProcess.shell(
          "settings-cli \(line)", environment: environment, directory: home.path)
        guard index == task.tries.count - 1 else {
          // A sentence that says what to do, or an answer.
          #expect(result.error.hasPrefix("settings-cli: ") || result.status == 0, "\(task.name): \(line): \(result)")
          continue
        }
        #expect(result.status == 0 || line.isEmpty, "\(task.name): \(line): \(result)")
        let left = try ChildProcess.run(
          ChildProcess.product("settings-cli"), ["list", Self.id], environment: home.environment)
        #expect((result.output + left.output).contains(task.shows), "\(task.name): \(line): \(result)")
      }
      if task.tries.count == 1 { first += 1 }
    }
    #expect(first >= 15, "\(first)")
  }
}
