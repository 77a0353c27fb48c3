import AppSettings

enum SetVerb: Verb {
  static let name = "set"
  static let syntax = Syntax(
    summary: "Set the values of keys, durably.",
    operands: [
      .target,
      .init("KEY", .one, .key, "The dotted key. With KEY=VALUE, any number of keys are set in one write."),
      .init("VALUE", .any, .value, "The value; - reads it from standard input, up to a last newline."),
    ],
    usage: [
      "TARGET KEY VALUE [--type TYPE]", "TARGET KEY=VALUE… [--type TYPE]",
      "TARGET KEY [--append VALUE]… [--remove VALUE]…",
    ],
    options: [
      .value(
        "type", "TYPE", .words(ValueText.Kind.allCases.map(\.rawValue)),
        "The value's type: \(ValueText.Kind.allCases.map(\.rawValue).joined(separator: ", "))."),
      .value("append", "VALUE", .value, isRepeated: true, "Add an element to the end of the key's array."),
      .value("remove", "VALUE", .value, isRepeated: true, "Take all elements like this out of the key's array."),
      .flag("create", "Set a key that the app's schema does not have."),
    ],
    details: """
      Exits 0 when all values are on disk and effective. Everything else in the file
      stays as it is, byte for byte. If one value is refused, none is written.

      VALUE is read as the type that the schema says, else that the key has now; for a
      new key as a TOML value if it is one (12, true, ["a"]), else as a string. --type
      decides. A VALUE that begins with '-' and is no number comes after '--'.

      A VALUE that no one is to see comes from standard input; at a terminal it is not
      shown as it is typed. Values of any length do.
      """,
    examples: [
      "settings-cli set org.example.editor editor.font-size 14",
      "settings-cli set org.example.editor theme=dark editor.font-size=14",
      "settings-cli set org.example.editor recent-files --append /tmp/a --remove /tmp/b",
      "settings-cli set ./settings.toml version 12 --type string",
      "pass show token | settings-cli set org.example.editor sync.token -",
    ],
    takesNegativeValues: true)

  static func run(_ arguments: Arguments) throws {
    ProcessTitle.hide(
      arguments.operands.dropFirst(2) + arguments.operands.dropFirst().filter { $0.contains("=") }
        + arguments.all("append") + arguments.all("remove"))
    let change = try Change(arguments)
    let target = Target(arguments)
    let store = try target.open(mayBeUnknown: true, isForWriting: true)
    let schema = target.schema
    if !arguments.has("create") {
      for path in change.paths { try schema.checkKnown(path, advice: "--create sets it all the same.") }
    }
    switch change {
    case .values(let pairs): try set(pairs, in: store, schema, arguments)
    case .elements(let path, let removed, let added): try edit(path, removed, added, in: store, schema, arguments)
    }
  }

  /// What a command line asks for.
  private enum Change {
    case values([(key: TOMLPath, text: String)])
    case elements(TOMLPath, removed: [String], added: [String])

    var paths: [TOMLPath] {
      switch self {
      case .values(let pairs): pairs.map(\.key)
      case .elements(let path, _, _): [path]
      }
    }

    init(_ arguments: Arguments) throws {
      let words = arguments.operands.dropFirst()
      let first = words[words.startIndex]
      if arguments.has("append") || arguments.has("remove") {
        guard words.count == 1 else { throw SetVerb.usage("--append and --remove take one KEY, and no VALUE.") }
        self = .elements(
          try KeyArgument.parse(first), removed: arguments.all("remove"), added: arguments.all("append"))
        return
      }
      guard let assignment = try KeyArgument.assignment(first) else {
        let key = try KeyArgument.parse(first)
        guard words.count < 3 else {
          throw SetVerb.usage(
            "There is more than one VALUE: quote one that has spaces. Several keys are set by KEY=VALUE each.")
        }
        guard words.count == 2, let text = words.last else { throw SetVerb.usage("There is no VALUE.") }
        let isStandardInput = text == "-" && arguments.terminated.isEmpty
        self = .values([(key, isStandardInput ? try SetVerb.valueFromStandardInput(of: key) : text)])
        return
      }
      var pairs = [assignment]
      for word in words.dropFirst() {
        guard let pair = try KeyArgument.assignment(word) else {
          throw SetVerb.usage("'\(word)' is no KEY=VALUE, as '\(first)' before it is.")
        }
        guard !pairs.contains(where: { $0.key == pair.key }) else {
          throw SetVerb.usage("'\(pair.key)' is there more than once.")
        }
        pairs.append(pair)
      }
      self = .values(pairs.map { ($0.key, $0.value) })
    }
  }

  private static func usage(_ message: String) -> Failure { Failure(.usage, message).withUsage(of: SetVerb.self) }

  /// A last newline is the end of the line, not part of the value.
  private static func valueFromStandardInput(of key: TOMLPath) throws -> String {
    if StandardInput.isTerminal {
      guard let line = StandardInput.hiddenLine(asking: "Value of '\(key)': ") else {
        throw Failure(.usage, "There is no VALUE.")
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
    _ pairs: [(key: TOMLPath, text: String)], in store: SettingsStore, _ schema: SchemaLookup, _ arguments: Arguments
  ) throws {
    let snapshot = store.snapshot
    let kind = arguments.value("type").flatMap(ValueText.Kind.init(rawValue:))
    let values = try pairs.map { path, text in
      let current = snapshot[path]
      if kind == nil, let value = try schema.value(text, at: path, current: current) { return value }
      let value = try ValueText.value(text, kind: kind, current: current, key: path)
      try schema.check(value, at: path)
      return value
    }
    try store.core.commit(of: zip(pairs, values).flatMap { schema.keepingEdits(storing: $1, at: $0.key) })
    for (pair, value) in zip(pairs, values) { try checkEffective(pair.key, value, in: store, schema) }
  }

  private static func edit(
    _ path: TOMLPath, _ removed: [String], _ added: [String], in store: SettingsStore, _ schema: SchemaLookup,
    _ arguments: Arguments
  ) throws {
    let kind = arguments.value("type").flatMap(ValueText.Kind.init(rawValue:))
    let key = schema.key(path)?.settingsKey ?? SettingsKey<TOMLValue?>(path.description)
    // On what the file has under its lock: two that append at once lose nothing.
    let value = try store.update { transaction -> TOMLValue in
      let elements = try array(transaction[key] ?? schema.defaultValue(at: path), path)
      let element = { try schema.element($0, of: path, kind: kind, sibling: elements.first) }
      let unwanted = try removed.map(element)
      var result = elements.filter { !unwanted.contains($0) }
      if added.isEmpty, result.count == elements.count { throw Failure(.noValue) }
      result += try added.map(element)
      try schema.check(.array(result), at: path)
      transaction[key] = .array(result)
      return .array(result)
    }
    try checkEffective(path, value, in: store, schema)
  }

  private static func array(_ value: TOMLValue?, _ path: TOMLPath) throws -> [TOMLValue] {
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

  /// Throws if a higher layer hides what was stored.
  private static func checkEffective(
    _ path: TOMLPath, _ value: TOMLValue, in store: SettingsStore, _ schema: SchemaLookup
  ) throws {
    let snapshot = store.snapshot
    guard schema.effectiveValue(of: path, in: snapshot) != value else { return }
    let layer = schema.origin(of: path, in: snapshot).layer
    throw Failure(
      .notWritable,
      "Stored '\(path)' in '\(store.location?.file ?? "")', but it has no effect: the value comes from the "
        + "\(layer.kind.rawValue) layer\(layer.file.map { " '\($0)'" } ?? "").")
  }
}
