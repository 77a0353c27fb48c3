import AppSettings
import ArgumentParser

struct RecoverVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Move a settings file that does not parse out of the way.",
    discussion: """
      The file goes to the backups, and its new path is printed; the app begins afresh, with its defaults. With \
      --restore the newest backup that parses takes its place, in one write: there is a settings file at every \
      moment. A file that parses is left alone.

      Exits 0 when the file was moved or replaced, or parses, or does not exist; 1 if --restore finds no backup \
      that parses, and the file stays.

      EXAMPLES
        settings-cli recover org.example.editor
        settings-cli recover org.example.editor --restore
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Put the newest backup that parses in the place of the file.") var restore = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let location = try Target(target).location()
    let store = SettingsStore(at: location, migrations: .none, logger: .silent, acceptsAnyVersion: true)
    guard restore else {
      guard let moved = try store.recover() else { return Self.noteNothing(location) }
      return Output.path(moved.path)
    }
    switch try store.recoverFromBackup() {
    case .notNeeded: Self.noteNothing(location)
    case .noBackup:
      throw Failure(
        .noValue,
        "There is no backup of '\(location.file)' that parses. The file is unchanged; without --restore it is moved away."
      )
    case .restored(let backup, let replaced):
      Output.path(replaced.path)
      Output.path(backup.path, after: "restored: ")
    }
  }

  private static func noteNothing(_ location: SettingsLocation) {
    Output.note("'\(location.file)' does not exist, or parses: nothing is to be recovered.")
  }
}
