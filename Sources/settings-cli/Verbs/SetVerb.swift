import AppSettings
import AppSettingsSchema
import ArgumentParser

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

      If VALUE is '-', it is read from standard input without the last newline: for secrets, and for values of any \
      length. A terminal does not show it while you type. An empty value is refused, because it usually comes from a \
      command that failed; use --allow-empty to store it.

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
  var type: ValueText.Kind?
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
      throw ValidationError(
        "TARGET or VALUE is missing: '\(target.target)' is no known app. Usage: settings-cli set TARGET KEY VALUE")
    }
  }

  /// Throws if a word is neither a value nor an option that a verb has. The words after `--` are no options; it stays
  /// among them.
  static func checkOptions(_ words: [String], of verb: String) throws {
    for word in words.prefix(while: { $0 != "--" })
    where word.hasPrefix("-") && word != "-" && (try? TOMLValue(parsing: word)) == nil {
      let hint = UsageText.option(nearest: word, of: verb).map { "Did you mean '\($0)'?" }
      throw ValidationError(
        "Unknown option '\(word)'. \(hint ?? "Put '--' before a value that begins with '-'.")")
    }
  }

  func answer() throws {
    try Self.answer(
      Target(target), words: words, remove, append, type, creates: create, allowsEmpty: allowEmpty, change.guarded())
  }

  static func answer(
    _ target: Target, words: [String], _ removed: [String] = [], _ added: [String] = [], _ kind: ValueText.Kind? = nil,
    creates: Bool = false, allowsEmpty: Bool = false, _ guarded: GuardedChange = GuardedChange()
  ) throws {
    ProcessTitle.hide(words.dropFirst() + words.filter { $0.contains("=") } + removed + added)
    let changesElements = !(removed + added).isEmpty
    for word in removed + added { try Arguments.checkText(word, "element") }
    var changes = try SettingsChange(words, changesElements: changesElements)
    if changes.isInput {
      let key = changes.pairs[0].key
      let text = try valueFromStandardInput(of: key)
      guard !text.isEmpty || allowsEmpty else {
        throw Failure(
          .invalidValue,
          "Cannot set '\(key)': standard input is empty. Nothing was written. Use --allow-empty to store an empty value."
        )
      }
      changes.pairs[0].text = text
    }
    let store = try target.open(
      mayBeUnknown: creates, mayBeNew: true, isForWriting: true, writesLater: !guarded.isPlain)
    let schema = target.schema
    if !creates {
      for pair in changes.pairs { try schema.checkKnown(pair.key, advice: Self.advice) }
    }
    if changesElements {
      try edit(changes.pairs[0].key, removed, added, in: store, target, kind, guarded)
    } else {
      try set(changes.pairs, in: store, target, kind, guarded, creates: creates)
    }
  }

  private static let advice = "To set it anyway, use --create."

  /// A last newline ends the line and is not part of the value.
  private static func valueFromStandardInput(of key: TOMLPath) throws -> String {
    if StandardInput.isTerminal {
      guard let line = StandardInput.hiddenLine(asking: "Value of '\(key)': ") else {
        throw Failure(.usage, "Missing VALUE.")
      }
      return line
    }
    var bytes = try StandardInput.all()
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.invalidValue, "Cannot set '\(key)': standard input is not UTF-8. Nothing was written.")
    }
    return text
  }

  private static func set(
    _ pairs: [(key: TOMLPath, text: String)], in store: SettingsStore, _ target: Target, _ kind: ValueText.Kind?,
    _ guarded: GuardedChange, creates: Bool
  ) throws {
    let schema = target.schema
    let values = try values(of: pairs, in: store.snapshot, schema, kind)
    for case (let path, let value?) in values where !creates {
      try schema.checkKnown(in: value, at: path, advice: advice)
    }
    let texts = Dictionary(pairs.map { ($0.key, $0.text) }) { $1 }
    _ = try guarded.make(in: store, schema) { schema.edits(storing: values, texts: texts, in: $0) }
    if guarded.isDryRun { return }
    try checkEffective(values, in: store, target)
    schema.warnOfLacks(around: pairs.map(\.key), in: store.snapshot)
    if Terminal.error.isTerminal { noteShellHistory(pairs, schema) }
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

  /// The values to store: each as the type that its key needs.
  ///
  /// - Throws: ``Failure`` with status 4 for a text that the key does not accept; ``SettingsError`` `locked`.
  static func values(
    of pairs: [(key: TOMLPath, text: String)], in snapshot: SettingsSnapshot, _ schema: SchemaLookup,
    _ kind: ValueText.Kind? = nil
  ) throws -> [(path: TOMLPath, value: TOMLValue?)] {
    for pair in pairs { if let error = schema.lockError(of: pair.key, in: snapshot) { throw error } }
    return try pairs.map { path, text in
      let isRenamed = schema.renamedKey(around: path) != nil
      let current = isRenamed ? schema.effectiveValue(of: path, in: snapshot) : snapshot[path]
      if kind == nil, let value = try schema.value(text, at: path, current: current) {
        return (path, try schema.withoutLocked(value, at: path, in: snapshot))
      }
      let value = try ValueText.value(
        text, kind: kind, current: current, key: path, isSecret: schema.isSecret(path, .string(text)))
      try schema.check(value, at: path)
      return (path, try schema.withoutLocked(value, at: path, in: snapshot))
    }
  }

  private static func edit(
    _ path: TOMLPath, _ removed: [String], _ added: [String], in store: SettingsStore, _ target: Target,
    _ kind: ValueText.Kind?, _ guarded: GuardedChange
  ) throws {
    let schema = target.schema
    var value = TOMLValue.array([])
    // Changes the array as read under the lock, so that two appends at once lose nothing.
    _ = try guarded.make(in: store, schema) { view in
      if let error = schema.lockError(of: path, in: view) { throw error }
      let elements = try array(schema.effectiveValue(of: path, in: view), path)
      let element = { try schema.element($0, of: path, kind: kind, sibling: elements.first) }
      let unwanted = try removed.map(element)
      let texts = schema.names(of: path).lazy.compactMap { view.userDocument.elementTexts(at: $0) }.first
      let written = texts?.count == elements.count ? texts : nil
      var result = elements.indices.map { (value: elements[$0], text: written?[$0]) }
        .filter { !unwanted.contains($0.value) }
      if added.isEmpty, result.count == elements.count { throw Failure(.noValue) }
      result += try added.map { (try element($0), $0) }
      value = .array(result.map(\.value))
      try schema.check(value, at: path)
      let text = result.map { element in
        element.text.flatMap { (try? TOMLValue(parsing: $0)) == element.value ? $0 : nil } ?? element.value.tomlText
      }
      return schema.edits(storing: [(path, value)], texts: [path: "[\(text.joined(separator: ", "))]"], in: view)
    }
    if guarded.isDryRun { return }
    try checkEffective([(path, value)], in: store, target)
  }

  static func array(_ value: TOMLValue?, _ path: TOMLPath) throws -> [TOMLValue] {
    switch value {
    case nil: return []
    case .array(let elements)?: return elements
    case let other?:
      throw Failure(
        .invalidValue,
        "Cannot change the elements of '\(path)': it has \(other.kindName), not an array. Nothing was "
          + "written.")
    }
  }

  /// Throws if a higher layer hides a stored value, or a part of it. Warns of a secret that was stored for all users.
  static func checkEffective(
    _ values: [(path: TOMLPath, value: TOMLValue?)], in store: SettingsStore, _ target: Target
  ) throws {
    let snapshot = try target.effective(store)
    for (path, value) in values { try checkEffective(path, value, in: snapshot, of: store, target.schema) }
    target.warnOfExposure(of: values.map(\.path))
  }

  /// Throws if a higher layer hides the stored value, or a part of it.
  ///
  /// - Parameter snapshot: The layers that decide it.
  static func checkEffective(
    _ path: TOMLPath, _ value: TOMLValue?, in snapshot: SettingsSnapshot, of store: SettingsStore,
    _ schema: SchemaLookup
  ) throws {
    guard let part = value?.firstPart(missingIn: schema.effectiveValue(of: path, in: snapshot)) else { return }
    let hidden = path.appending(part)
    let layer = schema.origin(of: hidden, in: snapshot).layer
    let subject = part.isRoot ? "it" : "'\(hidden)' in it"
    throw Failure(
      .notWritable,
      "Stored '\(path)' in '\(store.location?.file ?? "")', but \(subject) has no effect: the value comes from the "
        + "\(layer.kind.rawValue) layer\(layer.file.map { " '\($0)'" } ?? "").")
  }
}

extension TOMLValue {
  /// The path of the first value in this one that another lacks; `nil` if it lacks none. What else the other has, as
  /// tables of several layers do, does not matter.
  fileprivate func firstPart(missingIn other: TOMLValue?) -> TOMLPath? {
    guard case .table(let table) = self, case .table(let others)? = other else { return self == other ? nil : .root }
    for (key, value) in table {
      if let part = value.firstPart(missingIn: others[key]) { return TOMLPath([key] + part.components) }
    }
    return nil
  }
}

extension ValueText.Kind: ExpressibleByArgument {
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
