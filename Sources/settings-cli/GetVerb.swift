import AppSettings
import ArgumentParser

struct GetVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the value of a key.",
    discussion: """
      Prints the bare value: a string as it is, anything else as TOML. Exits 1 if the key has no value.

      EXAMPLES
        settings-cli get org.example.editor editor.font-size
        settings-cli get ./settings.toml theme --default light
        settings-cli get org.example.editor theme --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key.") var key: String
  @Option(name: .customLong("default"), help: "What to print if the key has no value.") var fallback: String?
  @Flag(help: "Print the value as TOML: strings are quoted.") var toml = false
  @Flag(help: "Print a JSON object: key, value, layer, file, line, isDefault, isLocked.") var json = false
  @Flag(name: .customShort("0"), help: "End the value with a NUL byte, not a newline.") var nul = false

  func validate() throws {
    if toml && json { throw ValidationError("--toml and --json exclude each other.") }
  }

  func run() async throws {
    try await failing {
      let path = try KeyArgument.parse(key)
      let snapshot = try target.open().snapshot
      let terminator = nul ? "\0" : "\n"
      guard let value = snapshot[path] else {
        guard let fallback else { throw Failure(.noValue) }
        Output.line(fallback, terminator: terminator)
        return
      }
      if json {
        Output.line(Shown.record(path, in: snapshot), terminator: terminator)
      } else {
        Output.line(toml ? value.tomlText : Shown.bare(value), terminator: terminator)
      }
    }
  }
}
