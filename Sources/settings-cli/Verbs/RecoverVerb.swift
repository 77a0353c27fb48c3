import AppSettings
import ArgumentParser

struct RecoverVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Move a settings file that does not parse out of the way.",
    discussion: """
      The file goes to the backups, and its new path is printed; the app begins afresh, with its defaults. With \
      --restore the newest backup that parses is put in its place. A file that parses is left alone.

      Exits 0 when the file was moved, or parses, or does not exist; 1 if --restore finds no backup that parses.

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
    guard let moved = try store.recover() else {
      Output.note("'\(location.file)' does not exist, or parses: nothing is to be recovered.")
      return
    }
    Output.line(moved.path)
    guard restore else { return }
    for backup in try store.backups where backup.reason != moved.reason {
      do {
        try store.restore(backup)
      } catch let error as SettingsError where error.code == .unparsable {
        continue
      }
      Output.line("restored: \(backup.path)")
      return
    }
    throw Failure(.noValue, "There is no backup that parses: '\(location.file)' does not exist now.")
  }
}
