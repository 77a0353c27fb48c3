import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct SetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set the values of keys durably.",
    usage: """
      settings-cli set TARGET KEY VALUE [--type TYPE] [--create] [--dry-run] [--if-unchanged DIGEST] ...
      settings-cli set TARGET KEY=VALUE ... [--type TYPE] [--create] ...
      settings-cli set TARGET KEY [--append VALUE] ... [--remove VALUE] ...
      """,
    discussion: """
      Exits 0 when all values are on disk and effective. A table is effective if each value in it is, whatever lower \
      layers add to it. Everything else in the file stays unchanged, byte for byte. If one value is refused, none is \
      written.

      VALUE is read as the type in the schema, or else as the type of the key's present value. For a new key it is a \
      TOML value if it parses as one (12, true, ["a"]), else a string. --type overrides this. Put '--' before a \
      VALUE that begins with '-' and is not a number. Numbers, dates and times are stored as typed: 1.10, 0x1F, 1_000.

      Values go into the active profile, or else the user's file. --layer names another file of yours. A value that the \
      app does not read from there, because a higher file has one, is stored, and the exit status is 5.

      If VALUE is '-', it is read from standard input without the last newline, also in 'KEY=-' and '--append -': for \
      secrets, and for values of any length. A terminal does not show it while you type. An empty value is refused, \
      because it usually comes from a command that failed; use --allow-empty to store it.

      EXAMPLES
        settings-cli set org.example.editor editor.font-size 14
        settings-cli set org.example.editor theme=dark editor.font-size=14
        settings-cli set org.example.editor recent --append /tmp/a --remove /tmp/b
        settings-cli set org.example.editor theme dark --layer host
        settings-cli set ./settings.toml version 12 --type string
        settings-cli set ./settings.toml theme dark --dry-run
        settings-cli set ./settings.toml theme dark --if-unchanged "$digest"
        pass show token | settings-cli set org.example.editor sync.token -
      """)

  @OptionGroup var target: TargetArgument
  // Also words such as -5; what is neither a number nor a known option is refused below.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("A key and its value, or any number of KEY=VALUE.", valueName: "key"),
    completion: .custom(Candidates.changes))
  var words: [String] = []
  @Option(help: ArgumentHelp("The type of the value.", valueName: "type"))
  var type: ValueKind?
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Add an element to the end of the key's array.", valueName: "value"),
    completion: .custom(Candidates.elements))
  var append: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Remove all elements equal to this one from the key's array.", valueName: "value"),
    completion: .custom(Candidates.elements))
  var remove: [String] = []
  @Flag(help: "Also set keys that the app's schema does not list, and make a new app.") var create = false
  @Flag(help: "Accept an empty value from standard input.") var allowEmpty = false
  @OptionGroup var change: ChangeOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Self.checkOptions(words, of: "set")
    if (append + remove).count(where: { $0 == "-" }) > 1 { throw ValidationError(SettingsChange.oneInput) }
    do {
      _ = try SettingsChange(words, changesElements: !(append + remove).isEmpty)
    } catch {
      // One word less than needed: a key in the place of the target.
      guard words.count == 1 else { throw error }
      if let target = try? Target(target), let key = try? KeyArgument.parse(words[0]), target.schema.isSecret(key, nil)
      {
        throw ValidationError(
          "Missing VALUE of '\(key)', which is a secret. To type it unseen, write '-' as the VALUE.")
      }
      guard (try? InstalledApp.find(target.target).isUnknown) == true else { throw error }
      let usage =
        AppName.withKey(target.target).map { "The app and the key are two words: 'settings-cli set \($0) VALUE'." }
        ?? "Usage: settings-cli set TARGET KEY VALUE"
      throw ValidationError("TARGET or VALUE is missing: '\(target.target)' is no known app. \(usage)")
    }
  }

  /// Throws if a word is neither a value nor an option that a verb has. The words after `--` are no options; it stays
  /// among them.
  static func checkOptions(_ words: [String], of verb: String) throws {
    for word in words.prefix(while: { $0 != "--" })
    where word.hasPrefix("-") && word != "-" && (try? TOMLValue(parsing: word)) == nil {
      // It may be a secret that begins like an option.
      let name =
        word.hasPrefix("--") ? String(word.prefix { $0.isLowercase || $0 == "-" }) : String(word.prefix(2))
      let nearest = UsageText.option(nearest: name, of: verb)
      let rest = name == word || word.hasPrefix("\(name)=") ? "" : "…"
      if nearest == name, rest.isEmpty {
        throw ValidationError("'\(name)' is behind '--', where words are no options: write it before '--'.")
      }
      let hint = nearest.map { "Did you mean '\($0)'?" }
      throw ValidationError(
        "Unknown option '\(name)\(rest)'. \(hint ?? "Put '--' before a value that begins with '-'.")")
    }
  }

  func answer() throws {
    try Self.answer(
      Target(target), words: words, remove, append, type, creates: create, allowsEmpty: allowEmpty, change.guarded())
  }

  static func answer(
    _ target: Target, words: [String], _ removed: [String] = [], _ added: [String] = [], _ kind: ValueKind? = nil,
    creates: Bool = false, allowsEmpty: Bool = false, _ guarded: GuardedChange = GuardedChange()
  ) throws {
    ProcessTitle.hide(words.dropFirst() + words.filter { $0.contains("=") } + removed + added)
    var (removed, added) = (removed, added)
    let changesElements = !(removed + added).isEmpty
    for word in removed + added { try Arguments.checkText(word, "element") }
    var changes = try SettingsChange(words, changesElements: changesElements)
    if let input = changes.input {
      changes.pairs[input].text = try StandardInput.value(of: changes.pairs[input].key, allowsEmpty: allowsEmpty)
    } else if let index = added.firstIndex(of: "-") {
      added[index] = try StandardInput.value(of: changes.pairs[0].key, allowsEmpty: allowsEmpty)
    } else if let index = removed.firstIndex(of: "-") {
      removed[index] = try StandardInput.value(of: changes.pairs[0].key, allowsEmpty: allowsEmpty)
    }
    let opened = try target.open(mayBeUnknown: creates, mayBeNew: true, isForWriting: true).keepOpen()
    if !creates, !opened.snapshot.hasSettings { try target.checkOrder(words, of: "set") }
    let list = ChangeList(
      changesElements
        ? removed.map { SettingChange(.remove, changes.pairs[0].key, .typed($0, kind)) }
          + added.map { SettingChange(.append, changes.pairs[0].key, .typed($0, kind)) }
        : changes.pairs.map { SettingChange(.set, $0.key, .typed($0.text, kind)) }, of: opened, creates: creates,
      needsChange: changesElements && added.isEmpty)
    if try list.explaining({ try list.make(guarded) }).show() { return }
    if let failure = list.failure { throw failure }
    if Terminal.error.isTerminal { noteShellHistory(changes.pairs, opened.schema) }
  }

  /// Tells a person that a secret was typed where the shell keeps it.
  private static func noteShellHistory(_ pairs: [(key: TOMLPath, text: String)], _ schema: SchemaLookup) {
    guard let pair = pairs.first(where: { schema.isSecret($0.key, nil) }),
      Arguments.words.contains(where: {
        !pair.text.isEmpty && $0.hasSuffix(pair.text)
      })
    else { return }
    Output.note("The shell's history has the secret '\(pair.key)' now. With '-' as the VALUE, it is typed unseen.")
  }
}

extension ValueKind: ExpressibleByArgument {
  /// Takes the names of other tools, too.
  init?(argument: String) {
    switch argument.lowercased() {
    case "str": self = .string
    case "int": self = .integer
    case "double", "real": self = .float
    case "bool": self = .boolean
    case "date", "time": self = .datetime
    case "list": self = .array
    case "dict": self = .table
    case let name: self.init(rawValue: name)
    }
  }
}
