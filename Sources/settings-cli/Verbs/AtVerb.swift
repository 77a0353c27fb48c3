import AppSettings
import ArgumentParser
import FoundationEssentials
import SettingsTools

struct AtVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "at",
    abstract: "Print the user's file, or a value in it, as it was.",
    usage: """
      settings-cli at TARGET WHEN [KEY] [--diff]
      settings-cli at TARGET '#N' [KEY] [--diff]
      """,
    discussion: """
      WHEN is an age (2d, 3h, 30m, 1w), a day such as yesterday or monday, a date, a date and time, or a time of today. '#N' or --entry N is the text \
      after that entry of 'log'; a shell takes an unquoted # for the beginning of a comment: quote it.

      Prints the text byte for byte, with '(not in the history)' in place of the values that the history does not \
      keep. With KEY, prints the value as 'get' does, under the key's present or former names; that fails with status \
      1 if the file had no value then, or if the value is not kept. --diff compares with the file as it is now.

      EXAMPLES
        settings-cli at org.example.editor '#1'
        settings-cli at org.example.editor '#1' theme
        settings-cli at org.example.editor --entry 1 --diff
        settings-cli at org.example.editor 0s theme --json
      """)

  @OptionGroup var target: TargetArgument
  @Argument(
    help: ArgumentHelp("A time, or an entry.", valueName: "when"), completion: .custom(Candidates.entries))
  var when: String?
  @Argument(help: "The dotted key.", completion: .custom(Candidates.keys)) var key: String?
  @Option(parsing: .unconditional, help: EntryArgument.help, completion: .custom(Candidates.entryNumbers))
  var entry: Int?
  @Flag(help: "Compare with the file as it is now: a unified diff.") var diff = false
  @Flag(help: "Print the value as TOML: strings are quoted.") var toml = false
  @Flag(help: "Print a JSON object: key, value, file, entry.") var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try checkAlternatives(("WHEN", key != nil), ("--entry", entry != nil))
    if entry == nil, when == nil {
      throw ValidationError(
        "Missing WHEN: an age such as 2d, a day such as yesterday, a date, '2026-11-23 09:30', or an entry of 'log' such "
          + "as '#13', with the quotes. Usage: settings-cli at TARGET WHEN [KEY]")
    }
    try EntryArgument.check(entry)
    if entry == nil { _ = try when.map(EntryArgument.parse) }
    try checkAlternatives(("--diff", diff), ("--toml", toml), ("--json", json))
    if toml || json, keyWord == nil {
      throw ValidationError("\(toml ? "--toml" : "--json") is for a value: name its KEY.")
    }
  }

  /// The key: with --entry, the first operand is it.
  private var keyWord: String? { entry == nil ? key : when }

  func answer() throws {
    let path = try keyWord.map(KeyArgument.parse)
    let target = try Target(target).orRemoved
    let opened = try target.openUnread()
    try opened.readingHistory {
      let former = FormerText(opened: opened, number: try number(in: opened.store))
      if diff {
        try former.showDifference(path)
      } else if let path {
        try former.showValue(at: path, toml ? .toml : json ? .json : nil)
      } else {
        try former.show()
      }
    }
  }

  private func number(in store: SettingsStore) throws -> Int {
    let word = when ?? ""
    if let number = try entry ?? EntryArgument.parse(word) { return number }
    let now = Date()
    let time = try Moment.parse(word)
    if let number = try store.historyNumber(at: time, asked: now) { return number }
    throw SettingsError(
      .noHistory, "The history of '\(store.location?.file ?? "")' does not go back to \(Moment.text(time)).")
  }
}

/// An earlier text of a settings file.
private struct FormerText {
  let opened: OpenedSettings
  let number: Int

  private var store: SettingsStore { opened.store }
  private var schema: SchemaLookup { opened.schema }

  private func text(after number: Int) throws -> String {
    String(
      decoding: schema.redaction(of: Array(try store.formerText(after: number).utf8)).keptText, as: UTF8.self)
  }

  func show() throws {
    let text = try text(after: number)
    Output.text(Terminal.output.shown(text))
    if text.contains(Redaction.placeholder) {
      Output.note("'\(Redaction.placeholder)' stands for values that the history does not keep.")
    }
  }

  func showValue(at path: TOMLPath, _ form: GetVerb.Form?) throws {
    let document = try store.formerDocument(after: number)
    let place = schema.names(of: path).first { document.contains($0) }
    let isHidden = schema.secret(at: path) != nil
    guard isHidden || place != nil else {
      try schema.checkKnown(path)
      throw ToolError(.noValue, "'\(opened.file)' had no value of '\(path)' after #\(number).")
    }
    guard !isHidden, let place, let value = document[place], !value.holds(Redaction.placeholder) else {
      throw ToolError(
        .noValue,
        "The value of '\(path)' is not in the history, because it is or has a secret, or because no program had "
          + "declared the key.")
    }
    if form == .json {
      let object: JSONObject = [
        "key": .text(path.description), "value": .value(value), "file": .text(opened.file), "entry": .number(number),
      ]
      return Output.line(object.text)
    }
    if form == nil, case .string(let text) = value { return Output.line(text) }
    Output.line(Self.text(value, at: place, in: document))
  }

  func showDifference(_ path: TOMLPath?) throws {
    let now = try store.history(limit: 1).first?.id ?? number
    let texts = try [number, now].map { number in
      guard let path else { return try text(after: number) }
      let document = try store.formerDocument(after: number)
      let paths = schema.places(of: path).flatMap { document.leafPaths(under: $0) }
      return paths.compactMap { path in
        document[path].map {
          "\(path) = \(schema.secret(at: path) == nil ? Self.text($0, at: path, in: document) : Shown.redacted)\n"
        }
      }.joined()
    }
    let name = PathText.shown(opened.file)
    Output.text(
      Shown.difference(
        UnifiedDiff.text(from: texts[0], to: texts[1], oldName: "\(name) (after #\(number))", newName: name)))
  }

  /// A value as TOML on one line, a number as the file had it.
  private static func text(_ value: TOMLValue, at path: TOMLPath, in document: TOMLDocument) -> String {
    value.hasFloat ? document.lineText(at: path) ?? value.tomlText : value.tomlText
  }
}
