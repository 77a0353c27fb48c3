import ArgumentParser
import FoundationEssentials
import SettingsTools

/// Prints the manual page, which is made from the library's description of the command.
struct ManualVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print the manual page, for man(1).",
    discussion: """
      EXAMPLES
        settings-cli manual > /usr/local/share/man/man1/settings-cli.1
        settings-cli manual | man -l -
      """, shouldDisplay: false)

  @OptionGroup var common: CommonOptions

  func answer() throws {
    guard let command = Self.description else { throw ToolError(.io, "Cannot describe the command.") }
    Output.text(
      ManualPage(command, sections: SettingsCLI.manualSections, version: SettingsCLI.configuration.version).text)
  }

  /// The command as the library describes it. Decoded once: a completion asks several times.
  static let description = try? JSONDecoder().decode(Description.self, from: Data(SettingsCLI._dumpHelp().utf8)).command

  /// The parts of the description that a page and completions need. It is ToolInfoV0 in the library, which does not
  /// export the type.
  struct Description: Decodable {
    struct Command: Decodable {
      var commandName: String
      var aliases: [String]?
      var abstract: String?
      var discussion: String?
      var shouldDisplay: Bool
      var subcommands: [Command]?
      var arguments: [Argument]?
    }

    struct Argument: Decodable {
      struct Name: Decodable {
        var kind: String
        var name: String
      }

      /// What completes a value. Kinds of the library that completion does not know are missing, so that the tests
      /// find the first use of one.
      enum Completion: Decodable {
        case list(values: [String])
        case file(extensions: [String])
        case directory
        case custom
      }

      var kind: String
      var shouldDisplay: Bool
      var isOptional: Bool
      var isRepeating: Bool
      var parsingStrategy: String
      var names: [Name]?
      var valueName: String?
      var allValues: [String]?
      var abstract: String?
      var completionKind: Completion?
    }

    var command: Command
  }
}
