import ArgumentParser

/// A verb of the command.
protocol Verb: ParsableCommand {
  var common: CommonOptions { get }

  /// Does what its arguments say.
  func answer() throws
}

extension Verb {
  func run() throws {
    Terminal.configure(common.color)
    try answer()
  }
}

/// The options that every verb has.
struct CommonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("When to colour the output.", valueName: "when"))
  var color = Terminal.Color.auto
}

extension Terminal.Color: ExpressibleByArgument {}

/// The first operand of nearly every verb.
struct TargetArgument: ParsableArguments {
  @Argument(
    help: "An app's id, or the path of a TOML file: anything with a '/'.", completion: .custom(Candidates.targets))
  var target: String
}

extension Target {
  init(_ argument: TargetArgument) { self.init(argument.target) }
}
