import ArgumentParser

/// A verb of the command.
protocol Verb: ParsableCommand {
  var common: CommonOptions { get }

  /// Runs the verb with its arguments.
  func answer() throws
}

extension Verb {
  func run() throws {
    Terminal.configure(common.color)
    try answer()
  }
}

/// The options of every verb.
struct CommonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("When to colour the output.", valueName: "when"))
  var color = Terminal.Color.auto
}

extension Terminal.Color: ExpressibleByArgument {}

/// The first operand of nearly every verb.
struct TargetArgument: ParsableArguments {
  @Argument(
    help: "An app's id, or the path of a TOML file, which contains a '/'.", completion: .custom(Candidates.targets))
  var target: String
}

extension Target {
  init(_ argument: TargetArgument) { self.init(argument.target) }
}
