/// What a verb takes, said once: the parser, the help, the manual page and the completions are made of it.
struct Syntax: Sendable {
  /// What may stand in a place of the command line, for completion.
  enum Candidates: Sendable, Equatable {
    case none, target, key, value, file, verb
    case words([String])
  }

  /// A word that is no option.
  struct Operand: Sendable {
    enum Count: Sendable { case one, optional, any, many }
    var name: String
    var count = Count.one
    var candidates = Candidates.none
    var help: String

    static let target = Operand(
      "TARGET", .one, .target, "An app's id, or the path of a TOML file: anything with a '/'.")

    static func key(_ count: Count = .one, _ help: String = "The dotted key.") -> Operand {
      Operand(count == .many || count == .any ? "KEY…" : "KEY", count, .key, help)
    }

    init(_ name: String, _ count: Count, _ help: String) { self.init(name, count, .none, help) }

    init(_ name: String, _ count: Count, _ candidates: Candidates, _ help: String) {
      self.name = name
      self.count = count
      self.candidates = candidates
      self.help = help
    }
  }

  /// A word that begins with `-`.
  struct Option: Sendable {
    /// Its name, without the dashes: `json`, or `0` for `-0`.
    var name: String
    /// What its value is called; `nil` for one without.
    var value: String?
    var candidates = Candidates.none
    var isRepeated = false
    var help: String

    /// The option as it is typed.
    var dashed: String { name.utf8.count == 1 ? "-\(name)" : "--\(name)" }

    static func flag(_ name: String, _ help: String) -> Option { Option(name: name, help: help) }

    static func value(_ name: String, _ value: String, isRepeated: Bool = false, _ help: String) -> Option {
      Option(name: name, value: value, isRepeated: isRepeated, help: help)
    }

    static func value(
      _ name: String, _ value: String, _ candidates: Candidates, isRepeated: Bool = false, _ help: String
    ) -> Option {
      Option(name: name, value: value, candidates: candidates, isRepeated: isRepeated, help: help)
    }
  }

  /// One line: what the verb does.
  var summary: String
  var operands: [Operand] = [.target]
  /// How the operands go together, one line for each way; made of them if it is empty.
  var usage: [String] = []
  var options: [Option] = []
  /// The help's paragraphs.
  var details = ""
  /// Commands without the program's name.
  var examples: [String] = []
  /// A word such as `-5` is an operand if it is a TOML value.
  var takesNegativeValues = false
  /// No one's to type: left out of the list of verbs.
  var isHidden = false

  /// The options that every verb has.
  static let common: [Option] = [
    .value(
      "color", "WHEN", .words(["auto", "always", "never"]), "Colour the output: auto (the default), always, never."),
    .flag("help", "Print this help."),
  ]

  var allOptions: [Option] { options + Self.common }
}

/// A verb of the command.
protocol Verb: SendableMetatype {
  static var name: String { get }
  static var aliases: [String] { get }
  static var syntax: Syntax { get }
  static func run(_ arguments: Arguments) throws
}

extension Verb {
  static var aliases: [String] { [] }
}
