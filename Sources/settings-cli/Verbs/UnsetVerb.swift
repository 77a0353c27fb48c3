import AppSettings

enum UnsetVerb: Verb {
  static let name = "unset"
  static let aliases = ["reset"]
  static let syntax = Syntax(
    summary: "Remove the values of keys from the user's file.",
    operands: [.target, .key(.many, "The dotted keys.")],
    details: """
      What lower layers and defaults say shows again. A table goes with everything in
      it. All keys go in one write, or none. Exits 1 if none of them was there.
      """,
    examples: [
      "settings-cli unset org.example.editor editor.font-size", "settings-cli unset ./settings.toml plugins theme",
    ])

  static func run(_ arguments: Arguments) throws {
    let paths = try arguments.operands.dropFirst().map(KeyArgument.parse)
    let target = Target(arguments)
    let store = try target.open(isForWriting: true)
    let schema = target.schema
    let changed = try store.core.commit(of: paths.flatMap { schema.keepingEdits(storing: nil, at: $0) })
    if changed { return }
    for path in paths { try schema.checkKnown(path) }
    throw Failure(.noValue)
  }
}
