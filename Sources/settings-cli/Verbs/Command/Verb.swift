import ArgumentParser
import SettingsTools

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

/// The first operand of nearly every verb, and the options that put another file in the place of the app's own.
struct TargetArgument: ParsableArguments {
  static let help: ArgumentHelp = "An app's id, or the path of a TOML file, which contains a '/'."

  @Argument(help: help, completion: .custom(Candidates.targets)) var target: String
  @OptionGroup var layer: LayerOptions

  func validate() throws { try layer.check(target) }
}

/// The options that put another file in the place of the one that the app writes.
struct LayerOptions: ParsableArguments {
  @Flag(help: "Use the file that administrators have for all users, in place of the user's.") var system = false
  @Option(
    help: ArgumentHelp("Use this drop-in of administrators, in place of the user's file.", valueName: "name"),
    completion: .custom(Candidates.dropIns))
  var dropIn: String?
  @Option(
    name: .customLong("layer"),
    help: ArgumentHelp(
      "Use another file of yours: user, profile:NAME, drop-in:NAME, host, os or arch.", valueName: "layer"),
    completion: .custom(Candidates.layers))
  var personal: String?

  /// The options as they would be typed.
  var words: [String] {
    [system ? "--system" : nil, dropIn.map { "--drop-in=\($0)" }, personal.map { "--layer=\($0)" }].compactMap(\.self)
  }

  var layer: Target.Layer {
    get throws {
      if let personal { return .personal(try validated { try PersonalFile(parsing: personal) }) }
      return dropIn.map(Target.Layer.dropIn) ?? (system ? .system : .own)
    }
  }

  /// Throws if the options make no sense with a target; `nil` for all apps.
  func check(_ target: String?) throws {
    try checkAlternatives(("--system", system), ("--drop-in", dropIn != nil), ("--layer", personal != nil))
    if let option = system ? "--system" : dropIn != nil ? "--drop-in" : personal != nil ? "--layer" : nil {
      if let target { try Target.checkIsApp(target, for: option) }
      if target == nil, option != "--system" { throw ValidationError("\(option) needs a TARGET, an app's id.") }
    }
    _ = try layer
  }
}

extension Target {
  init(_ argument: TargetArgument) throws { try self.init(typed: argument.target, argument.layer.layer) }

  /// The target that a command line names.
  ///
  /// - Throws: ``SettingsError`` if its schema cannot be used, where that is required.
  init(typed name: String, _ layer: Layer = .own) throws {
    self.init(name, layer)
    if Self.needsSchema { try findSchema() }
  }
}
