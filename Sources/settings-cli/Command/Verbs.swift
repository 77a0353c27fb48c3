import AppSettings

/// All verbs, in the order of the help.
enum Verbs {
  static let version = "0.1.0"

  static let all: [any Verb.Type] = [
    GetVerb.self, SetVerb.self, UnsetVerb.self, ListVerb.self, WatchVerb.self, EditVerb.self, DiffVerb.self,
    ExportVerb.self, ImportVerb.self, MigrateVerb.self, RecoverVerb.self, PathVerb.self, DescribeVerb.self,
    CheckVerb.self, AppsVerb.self, SchemaVerb.self, CompletionVerb.self,
    CandidatesVerb.self, ManualVerb.self, HelpVerb.self,
  ]

  static func named(_ name: String) throws -> any Verb.Type {
    for verb in all where verb.name == name || verb.aliases.contains(name) { return verb }
    if name.hasPrefix("-") {
      let hint = Suggestion.nearest(to: name, among: ["--help", "--version"]).map { " Did you mean '\($0)'?" } ?? ""
      throw Failure(.usage, "Unknown option '\(name)'.\(hint)")
    }
    let names = all.filter { !$0.syntax.isHidden }.flatMap { [$0.name] + $0.aliases }
    let hint = Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
    throw Failure(.usage, "Unknown verb '\(name)'. \(hint ?? "There are \(names.joined(separator: ", ")).")")
  }

  /// Does what a command line says.
  static func run(_ words: [String]) throws {
    guard let first = words.first else {
      throw Failure(.usage, "There is no verb.\nUsage: settings-cli VERB TARGET [KEY] [VALUE]")
    }
    switch first {
    case "--help", "-h": Output.text(Help.command)
    case "--version": Output.line("settings-cli \(version)")
    default:
      let verb = try named(first)
      let arguments: Arguments
      do {
        arguments = try Arguments(words.dropFirst(), of: verb.syntax)
      } catch let failure as Failure {
        throw failure.withUsage(of: verb)
      }
      Terminal.configure(color: arguments.value("color"))
      if arguments.has("help") {
        Output.text(Help.text(of: verb))
      } else {
        try verb.run(arguments)
      }
    }
  }
}

struct HelpVerb: Verb {
  static let name = "help"
  static let syntax = Syntax(
    summary: "Print the help of a verb.", operands: [.init("VERB", .optional, .verb, "The verb.")],
    examples: ["settings-cli help set"])

  static func run(_ arguments: Arguments) throws {
    Output.text(try arguments.operand(0).map { Help.text(of: try Verbs.named($0)) } ?? Help.command)
  }
}
