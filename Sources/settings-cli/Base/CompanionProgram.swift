import AppSettings
import SettingsTools

/// A program of this project that is installed by itself, and that a verb becomes.
struct CompanionProgram {
  /// The file of this program.
  let own: String
  /// The file of the other one.
  let path: String

  /// Looks for it beside this program, where a package has its other programs, and in `PATH`.
  ///
  /// - Parameters:
  ///   - subject: What it is, as the subject of a sentence.
  ///   - option: That of `Scripts/install`.
  /// - Throws: ``ToolError`` with status 3 if it is not installed.
  init(_ name: String, for subject: String, installedBy option: String) throws {
    guard let own = InstalledProgram.own else {
      throw ToolError(.io, "Cannot find this program's own file: '/proc' is not mounted.")
    }
    guard let path = InstalledProgram.path(of: name, searching: ProcessFacts.variable("PATH")) else {
      throw ToolError(
        .unknown,
        "\(subject) is not installed: there is no program '\(name)' beside this one or in PATH. Install the Debian "
          + "package '\(name)', or run 'Scripts/install \(option)' in the sources.")
    }
    (self.own, self.path) = (own, path)
  }
}
