import AppSettings
import ArgumentParser

struct SetVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the value of a key, durably.",
    discussion: """
      Exits 0 when the value is on disk and effective. Everything else in the file stays as it is, byte for byte.

      VALUE is read as the type that the key has now; for a new key as a TOML value if it is one (12, true, ["a"]),
      else as a string. --type decides. A VALUE that begins with '-' and is no number comes after '--'.

      EXAMPLES
        settings-cli set org.example.editor editor.font-size 14
        settings-cli set org.example.editor recent-files '["/a", "/b"]'
        settings-cli set ./settings.toml version 12 --type string
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: "The dotted key.") var key: String
  @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The value.", valueName: "value")) var values: [String]
  @Option(help: "The value's type: \(ValueText.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
  var type: String?

  mutating func validate() throws {
    // The parser leaves the terminator in.
    let isTerminated = values.first == "--"
    if isTerminated { values.removeFirst() }
    guard values.count == 1 else {
      throw ValidationError(
        values.isEmpty ? "There is no VALUE." : "There is more than one VALUE: quote one that has spaces.")
    }
    let value = values[0]
    if !isTerminated, value.hasPrefix("-"), value != "-", (try? TOMLValue(parsing: value)) == nil {
      throw ValidationError("Unknown option '\(value)'. A VALUE that begins with '-' comes after '--'.")
    }
    if let type, ValueText.Kind(rawValue: type) == nil {
      throw ValidationError(
        "Unknown type '\(type)': use one of \(ValueText.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
  }

  func run() async throws {
    try await failing {
      let path = try KeyArgument.parse(key)
      let store = try target.open()
      let kind = type.flatMap { ValueText.Kind(rawValue: $0) }
      let value = try ValueText.value(values[0], kind: kind, current: store.snapshot[path], key: path)
      try store.core.commit(of: [Edit(path: path, value: value)])
      let snapshot = store.snapshot
      guard snapshot[path] == value else {
        let layer = snapshot.layer(of: path)
        throw Failure(
          .notWritable,
          "Stored '\(path)' in '\(store.location?.file ?? target.target)', but it has no effect: the value comes from "
            + "the \(layer.kind.rawValue) layer\(layer.file.map { " '\($0)'" } ?? "").")
      }
    }
  }
}
