import AppSettings
import ArgumentParser
import SettingsTools

struct RecoverVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Move a settings file that does not parse out of the way.",
    discussion: """
      Moves the file to the backups and prints its new path; the app starts again with its defaults. With --restore \
      the newest text that parses replaces it in one write, from the history or from a backup, so that there is a \
      settings file at every moment; a file that was removed, as by 'forget', comes back. Prints from when that text is, and how it differs from the text that does not \
      parse, without secrets. A file that parses is not changed.

      The history does not keep secrets. They are taken from the text that does not parse, if they are certain there; \
      otherwise an older text that lacks nothing is restored, and a note says so.

      Exits 0 if the file was moved or replaced, parses, or does not exist; 1 if --restore finds no text that parses. \
      The file then stays.

      EXAMPLES
        settings-cli recover org.example.editor
        settings-cli recover org.example.editor --restore
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Replace the file with the newest text that parses, from its history or a backup.") var restore = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let target = try Target(target).orRemoved
    let location = try target.location()
    let opened = try target.open(target.schema, migrations: .none, acceptsAnyVersion: true)
    let store = opened.store
    try target.checkNotEndOfAnother()
    guard restore else {
      guard let moved = try opened.writing({ try store.recover() }) else { return Self.noteNothing(store, location) }
      Output.noteStored()
      return Output.path(moved.path)
    }
    switch try opened.writing({ try store.recoverNewest() }) {
    case .notNeeded: Self.noteNothing(store, location)
    case .nothingFound(let search):
      let reason =
        search.incomplete.map {
          "Its history has the text of \(Moment.text($0.time)), but not all its values; "
            + "'settings-cli at \(target.words) --entry \($0.id)' prints it."
        } ?? "Neither its history nor a backup has a text of it that parses."
      throw ToolError(
        .noValue,
        "Nothing to restore '\(location.file)' from. \(reason) The file is unchanged. To move it to the backups, omit "
          + "--restore.")
    case .restored(let source, let search, let broken, let replaced):
      Output.noteStored()
      if let replaced { Output.path(replaced.path) }
      switch source.origin {
      case .entry(let entry): Output.text("restored: \(entry.summary)\n")
      case .backup(let backup):
        Output.path(backup.path, after: "restored: ")
        Output.line("made: \(Moment.text(source.time))")
      }
      Output.text(Shown.difference(opened.difference(broken, source.bytes)))
      if let newer = search.incomplete {
        Output.note(
          "The text of \(Moment.text(newer.time)) is newer, but the history does not keep all its values: "
            + "'settings-cli at \(target.words) --entry \(newer.id)' prints the rest.")
      }
    }
  }

  private static func noteNothing(_ store: SettingsStore, _ location: SettingsLocation) {
    // What was beside the file is told at the end.
    if store.currentProblems.contains(where: \.isLoss) { return }
    let exists = (try? SettingsFile(path: location.file).read().bytes) != nil
    Output.note("Nothing to recover: '\(location.file)' \(exists ? "parses" : "does not exist").")
  }
}
