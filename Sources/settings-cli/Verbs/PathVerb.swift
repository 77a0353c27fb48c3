import AppSettings

enum PathVerb: Verb {
  static let name = "path"
  static let syntax = Syntax(
    summary: "Print the path of the user's file, whether it exists or not.",
    examples: ["settings-cli path org.example.editor", "less \"$(settings-cli path org.example.editor)\""])

  static func run(_ arguments: Arguments) throws { Output.line(try Target(arguments).location().file) }
}
