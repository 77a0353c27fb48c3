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

/// The first operand of nearly every verb, and the options that put an administrator's file in the user's place.
struct TargetArgument: ParsableArguments {
  static let help: ArgumentHelp = "An app's id, or the path of a TOML file, which contains a '/'."

  @Argument(help: help, completion: .custom(Candidates.targets)) var target: String
  @OptionGroup var layer: LayerOptions

  func validate() throws { try layer.check(target) }
}

/// The options that put an administrator's file in the user's place.
struct LayerOptions: ParsableArguments {
  @Flag(help: "Use the file that administrators have for all users, in place of the user's.") var system = false
  @Option(
    help: ArgumentHelp("Use this drop-in of administrators, in place of the user's file.", valueName: "name"),
    completion: .custom(Candidates.dropIns))
  var dropIn: String?

  var layer: Target.Layer { dropIn.map(Target.Layer.dropIn) ?? (system ? .system : .user) }

  /// Throws if the options make no sense with a target.
  func check(_ target: String) throws {
    let option = dropIn != nil ? "--drop-in" : "--system"
    if system, dropIn != nil { throw ValidationError("Use either --system or --drop-in, not both.") }
    if system || dropIn != nil, Target(target).isFile {
      throw ValidationError("\(option) takes an app's id, not the path '\(target)'.")
    }
  }
}

extension Target {
  init(_ argument: TargetArgument) { self.init(argument.target, argument.layer.layer) }
}
