import AppSettings
import ArgumentParser

struct ListVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print all keys and values.",
    discussion: """
      One line for each key, as 'key = value' with the value as TOML, in the order of the file.

      EXAMPLES
        settings-cli list org.example.editor
        settings-cli list org.example.editor editor --origin
        settings-cli list ./settings.toml --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "Only the keys at and below this one.") var prefix: String?
  @Flag(help: "Say after each value which layer, file and line it comes from.") var origin = false
  @Flag(help: "Print a JSON array of objects, as 'get --json' prints them.") var json = false

  func run() async throws {
    try await failing {
      let below = try prefix.map(KeyArgument.parse) ?? .root
      let snapshot = try target.open().snapshot
      var paths: [TOMLPath] = []
      below.collectDifferences(nil, snapshot[below], into: &paths)
      paths.removeAll(where: \.isRoot)
      if json {
        Output.line("[" + paths.map { Shown.record($0, in: snapshot) }.joined(separator: ",\n ") + "]")
        return
      }
      for path in paths {
        guard let value = snapshot[path] else { continue }
        Output.line("\(path) = \(value.tomlText)\(origin ? "  # \(place(of: path, in: snapshot))" : "")")
      }
      if paths.isEmpty, prefix != nil { throw Failure(.noValue) }
    }
  }

  private func place(of path: TOMLPath, in snapshot: SettingsSnapshot) -> String {
    let layer = snapshot.layer(of: path)
    var text = layer.kind.rawValue
    if let file = layer.file { text += " \(file)" }
    if let position = snapshot.position(of: path) { text += ":\(position.line)" }
    return snapshot.lock(of: path) == nil ? text : text + " (locked)"
  }
}
