package import SettingsTOML

/// Values that override those of the files for one process and are never written: from its environment and arguments.
///
/// An override is a text, read as the type of the requested key: as a TOML value if the key accepts that, else as a
/// string, else, for a boolean, as one of `yes true y t 1`, `no false n f 0` in any case.
///
/// ```swift
/// let overrides = SettingsOverrides.environment(app: "org.example.editor")
///   .adding(.arguments(Array(CommandLine.arguments.dropFirst()), keys: SettingsKeys.all))
/// let settings = try SettingsStore(app: "org.example.editor", overrides: overrides)
/// ```
///
/// Arguments win over the environment, and both win over all files. An administrator's lock disables both.
/// Setting an overridden key stores the value, but this process still reads the override.
public struct SettingsOverrides: Sendable, Hashable {
  /// Texts by variable name, for the environment.
  var environment: [String: String] = [:]
  /// The common prefix of the variables; `nil` if the environment is not used.
  var prefix: String?
  /// The arguments, by path.
  private var arguments: [TOMLPath: Argument] = [:]
  /// The service manager's credentials, for secrets; `nil` if there are none.
  package var credentials: Credentials?
  /// The reasons why some of the app's variables override nothing.
  var refusals: [String] = []
  /// The arguments of the form `--key=value`, `--key` or `-key` that name no declared key, as they were given: typing
  /// errors, or options that the app handles itself.
  ///
  /// ```swift
  /// let overrides = SettingsOverrides.arguments(Array(CommandLine.arguments.dropFirst()), keys: SettingsKeys.all)
  /// for argument in overrides.unknownArguments { print("warning: there is no setting '\(argument)'") }
  /// ```
  public private(set) var unknownArguments: [String] = []
  /// Whether nothing is overridden.
  package var isEmpty: Bool { arguments.isEmpty && environment.isEmpty && credentials == nil }

  /// No overrides.
  public static let none = SettingsOverrides()

  private struct Argument: Hashable {
    var text: String
    var key: AnySettingsKey
  }

  private init() {}

  /// Returns overrides by variables, such as `<APP>_SETTINGS__EDITOR__FONT_SIZE` for the key `editor.font-size`.
  ///
  /// The app's id and the key are in capitals, with `_` for each character that is not a letter or digit, and `__`
  /// between components. A variable whose value is not UTF-8 overrides nothing and is a problem of the store.
  ///
  /// ```console
  /// $ ORG_EXAMPLE_EDITOR_SETTINGS__EDITOR__FONT_SIZE=18 editor
  /// ```
  ///
  /// The call reads the variables; later changes of the environment have no effect.
  ///
  /// - Parameters:
  ///   - app: The app's id.
  ///   - variables: The environment; by default that of the process.
  public static func environment(app: String, variables: [String: String]? = nil) -> SettingsOverrides {
    guard let variables else { return environment(app: app, processVariables: ProcessFacts.environment) }
    var result = SettingsOverrides()
    let prefix = variableName(app) + "_SETTINGS__"
    result.prefix = prefix
    result.environment = variables.filter { $0.key.hasPrefix(prefix) }
    return result
  }

  /// Does the same as ``environment(app:variables:)``, with values in the form of ``ProcessFacts``.
  package static func environment(app: String, processVariables: [String: String]) -> SettingsOverrides {
    var result = environment(app: app, variables: processVariables)
    for (name, value) in result.environment.sorted(by: { $0.key < $1.key }) {
      result.environment[name] = PathText.utf8(value)
      guard result.environment[name] == nil else { continue }
      result.refusals.append(
        "Cannot use the variable '\(name)': it is not UTF-8. It overrides nothing. Set it to UTF-8 text, "
          + "or unset it.")
    }
    return result
  }

  /// Returns overrides by arguments: `--key=value`, `--key value`, or `-key value` as in the argument domain of
  /// `UserDefaults`.
  ///
  /// A word is the value of the key before it unless it begins with `-`: that is another key or option, and keeps
  /// its own value. A negative number is a value, unless a declared key has it as its name. Of a boolean key, only a
  /// boolean is a value. Without a value, a boolean key is `true`, and no other key is overridden. For a value that
  /// begins with `-`, use `--key=-value`.
  ///
  /// Arguments in other forms, or after `--`, are ignored. ``unknownArguments`` lists those that name no declared key.
  ///
  /// ```console
  /// $ editor --editor.font-size=18 -theme dark
  /// ```
  ///
  /// - Parameters:
  ///   - arguments: The process's arguments, without its name.
  ///   - keys: The keys that can be overridden.
  public static func arguments(_ arguments: [String], keys: [AnySettingsKey]) -> SettingsOverrides {
    var result = SettingsOverrides()
    let names = keys.map { ($0.name, $0) } + keys.flatMap { key in key.formerNames.map { ($0, key) } }
    let keysByName = Dictionary(names, uniquingKeysWith: { first, _ in first })
    var rest = arguments[...]
    while let argument = rest.popFirst(), argument != "--" {
      if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
        let name = String(argument[argument.index(argument.startIndex, offsetBy: 2)..<equals])
        if let key = keysByName[name] {
          result.arguments[key.path] = Argument(text: String(argument[argument.index(after: equals)...]), key: key)
        } else {
          result.unknownArguments.append(argument)
        }
      } else if argument.hasPrefix("-"),
        let key = keysByName[String(argument.dropFirst(argument.hasPrefix("--") ? 2 : 1))]
      {
        let isFlag = key.schemaType.kind == .boolean
        if let word = rest.first, isValue(word, keysByName),
          !isFlag || candidates(for: word).contains(where: { [true, false].contains($0) })
        {
          result.arguments[key.path] = Argument(text: word, key: key)
          rest.removeFirst()
        } else if isFlag {
          result.arguments[key.path] = Argument(text: "true", key: key)
        }
      } else if !isValue(argument, keysByName) {
        result.unknownArguments.append(argument)
      }
    }
    return result
  }

  /// Whether a word can be the value of the `-key` before it.
  private static func isValue(_ word: String, _ keys: [String: AnySettingsKey]) -> Bool {
    guard word.hasPrefix("-"), word != "-" else { return true }
    let text = word.dropFirst()
    guard keys[String(text)] == nil else { return false }
    return text.first.map { $0.isASCII && $0.isNumber } == true || ["inf", "nan"].contains(text)
  }

  /// Returns both sets of overrides. If both override a key, `other` takes precedence.
  ///
  /// - Parameter other: The overrides to add.
  public func adding(_ other: SettingsOverrides) -> SettingsOverrides {
    var result = self
    result.prefix = other.prefix ?? prefix
    result.refusals += other.refusals
    result.unknownArguments += other.unknownArguments
    result.environment.merge(other.environment) { $1 }
    result.arguments.merge(other.arguments) { $1 }
    return result
  }

  /// The text for a path in one of the three layers: arguments are `process`, which is above the environment.
  ///
  /// - Parameter isSecret: Whether the path is known to be that of a secret key.
  package func text(for path: TOMLPath, in layer: SettingsLayer.Kind, isSecret: Bool = false) -> String? {
    if layer == .process { return arguments[path]?.text }
    if layer == .credential { return credentials?.text(at: path, isSecret: isSecret) }
    guard let prefix, !environment.isEmpty, !path.isRoot else { return nil }
    return environment[prefix + Self.variableName(of: path, app: nil)]
  }

  /// The key whose type says what a text in a layer means; `nil` if that is unknown.
  func key(at path: TOMLPath, in layer: SettingsLayer.Kind) -> AnySettingsKey? {
    switch layer {
    case .process: arguments[path]?.key
    case .credential: credentials?.secrets[path]
    default: nil
    }
  }

  /// The texts for paths below a path in a layer, the outer ones first.
  ///
  /// Variables for keys that no table has are not found: a variable's name does not tell how the key is written.
  ///
  /// - Parameter values: The tables at the path.
  func texts(
    below path: TOMLPath, in layer: SettingsLayer.Kind, for values: [TOMLValue?]
  ) -> [(path: TOMLPath, text: String)] {
    let places =
      switch layer {
      case .process: Set(arguments.keys)
      case .credential: Set((credentials?.secrets ?? [:]).keys)
      default: variables(below: path, in: values)
      }
    return places.filter { $0.hasPrefix(path) && $0 != path }
      .compactMap { place in text(for: place, in: layer).map { (place, $0) } }
      .sorted { ($0.0.components.count, $0.0.description) < ($1.0.components.count, $1.0.description) }
  }

  /// The paths, in some tables at a path, that variables override.
  private func variables(below path: TOMLPath, in values: [TOMLValue?]) -> Set<TOMLPath> {
    var found: Set<TOMLPath> = []
    func collect(_ value: TOMLValue?, _ path: TOMLPath, _ start: String) {
      guard case .table(let table)? = value, environment.keys.contains(where: { $0.hasPrefix(start) }) else { return }
      for (key, value) in table {
        let name = start + Self.variableName(key)
        if environment[name] != nil { found.insert(path.appending(key)) }
        collect(value, path.appending(key), name + "__")
      }
    }
    if let prefix, !environment.isEmpty {
      let start = prefix + (path.isRoot ? "" : Self.variableName(of: path, app: nil) + "__")
      for value in values { collect(value, path, start) }
    }
    return found
  }

  /// The variable that overrides a path of an app; without an app, the part of its name for the path.
  package static func variableName(of path: TOMLPath, app: String?) -> String {
    let name = path.components.map(variableName).joined(separator: "__")
    return app.map { "\(variableName($0))_SETTINGS__\(name)" } ?? name
  }

  /// The possible values of a text, the most likely first: one of the kind of the value that it takes the place of, if
  /// it is not a table.
  package static func candidates(for text: String, like former: TOMLValue? = nil) -> [TOMLValue] {
    var values: [TOMLValue] = []
    if let parsed = try? TOMLValue(parsing: text) { values.append(parsed) }
    values.append(.string(text))
    switch text.lowercased() {
    case "yes", "true", "y", "t", "1": values.append(.boolean(true))
    case "no", "false", "n", "f", "0": values.append(.boolean(false))
    default: break
    }
    if let former, values[0].table == nil, let index = values.firstIndex(where: { $0.kindName == former.kindName }) {
      values.insert(values.remove(at: index), at: 0)
    }
    return values
  }

  /// A component as a part of a variable's name: `font-size` as `FONT_SIZE`.
  private static func variableName(_ text: String) -> String {
    String(text.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}

extension SettingsOverrides: CustomStringConvertible {
  /// The names of the variables and the keys of the arguments, without any value.
  public var description: String {
    let names = environment.keys.sorted() + arguments.keys.map { "--\($0)" }.sorted()
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
