import AppSettings
import ArgumentParser

struct RecoverVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Move a settings file that does not parse out of the way.",
    discussion: """
      Moves the file to the backups and prints its new path; the app starts again with its defaults. With --restore \
      the newest backup that parses replaces it in one write, so that there is a settings file at every moment. A \
      file that parses is not changed.

      Exits 0 if the file was moved or replaced, parses, or does not exist; 1 if --restore finds no backup that \
      parses. The file then stays.

      EXAMPLES
        settings-cli recover org.example.editor
        settings-cli recover org.example.editor --restore
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Replace the file with the newest backup that parses.") var restore = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let target = try Target(target)
    let location = try target.location()
    let store = try target.store(target.schema, migrations: .none, acceptsAnyVersion: true)
    guard restore else {
      guard let moved = try store.recover() else { return Self.noteNothing(store, location) }
      Output.noteStored()
      return Output.path(moved.path)
    }
    switch try store.recoverFromBackup() {
    case .notNeeded: Self.noteNothing(store, location)
    case .noBackup:
      throw Failure(
        .noValue,
        "No backup of '\(location.file)' parses. The file is unchanged. To move it to the backups, omit --restore."
      )
    case .restored(let backup, let replaced):
      Output.noteStored()
      Output.path(replaced.path)
      Output.path(backup.path, after: "restored: ")
    }
  }

  private static func noteNothing(_ store: SettingsStore, _ location: SettingsLocation) {
    // What was beside the file is told at the end.
    if store.currentProblems.contains(where: \.isLoss) { return }
    let exists = (try? SettingsFile(path: location.file).read().bytes) != nil
    Output.note("Nothing to recover: '\(location.file)' \(exists ? "parses" : "does not exist").")
  }
}
