package import AppSettings
package import AppSettingsSchema
import Synchronization

/// The facts of a target's schema, for verbs that work with or without one.
///
/// Without a schema (for a file given by its path, or an app that has not written one) every question has an answer:
/// all keys are known, nothing has a default or is secret, and any value is valid.
package struct SchemaLookup: Sendable {
  /// `nil` if the target has no schema, or an unusable one.
  package let schema: SettingsSchema?
  /// Whether messages may show a text that does not parse: only where no key is known to be secret.
  package let showsText: Bool
  /// Whether a missing schema really does not exist.
  package let isUsable: Bool
  private let tree: PathTree
  /// What is a secret.
  package let knownKeys: KnownKeys
  let meant = MeantKeys()

  package init(schema: SettingsSchema?, isUsable: Bool = true) {
    self.schema = schema
    self.isUsable = isUsable
    showsText = isUsable && schema?.hasSecrets != true
    tree = PathTree(schema?.keys ?? [])
    knownKeys = KnownKeys(declared: tree, secrets: schema?.secretNames ?? [])
  }

  // MARK: Keys

  /// The keys, in the order of the schema.
  package var keys: [SchemaKey] { schema?.keys ?? [] }

  /// The key with a present or former name.
  package func key(_ path: TOMLPath) -> SchemaKey? { tree.key(at: path).map { keys[$0] } }

  /// The key whose value a path is, or is in.
  package func key(around path: TOMLPath) -> SchemaKey? { tree.key(around: path).map { keys[$0] } }

  /// The key whose value a path is, or is in, by which of its names, and which part of the value it is.
  func place(of path: TOMLPath) -> (key: SchemaKey, name: TOMLPath, part: TOMLPath)? {
    guard let key = key(around: path), let name = key.paths.first(where: { path.hasPrefix($0) }) else { return nil }
    return (key, name, path.rest(below: name))
  }

  /// The keys at and below a path.
  package func keys(below path: TOMLPath) -> [SchemaKey] {
    path.isRoot ? keys : named(below: path).filter { $0.path.hasPrefix(path) }
  }

  /// The keys with a present or former name at or below a path.
  package func named(below path: TOMLPath) -> [SchemaKey] { tree.keys(atOrBelow: path).map { keys[$0] } }

  // MARK: Values

  /// The type of a key's table, of a key, or of a part of its value; `nil` if unknown.
  package func type(of path: TOMLPath) -> SchemaType? {
    place(of: path).flatMap { $0.key.type.type(at: $0.part.components) }
  }

  /// Parses the VALUE of a command line: as a type that is given, as the schema's, or as that of the present value.
  ///
  /// - Parameters:
  ///   - kind: The type that the text is to have.
  ///   - current: The key's present value.
  /// - Throws: ``ToolError`` with status 4 that names the type, range or choices.
  func value(_ text: String, at path: TOMLPath, kind: ValueKind?, current: TOMLValue?) throws -> TOMLValue {
    guard kind == nil, let type = type(of: path) else {
      do throws(ValueText.Unfit) {
        return try ValueText.value(text, of: nil, as: kind, like: current, "its present value")
      } catch {
        let shown = isSecret(path, typed: text) ? "that value" : Shown.short(Shown.typed(text))
        throw refusal(path, shown, "the key needs \(error.needed).")
      }
    }
    do {
      return try type.value(of: text, like: current ?? key(path)?.defaultValue)
    } catch {
      throw refusal(error, of: type.isText ? .string(text) : Shown.typed(text), at: path, hint: hint(text, type))
    }
  }

  /// Parses the text for an element of a key's array.
  ///
  /// - Parameter sibling: Another element, for types that allow any value.
  /// - Throws: ``ToolError`` with status 4.
  func element(_ text: String, of path: TOMLPath, kind: ValueKind?, sibling: TOMLValue?) throws -> TOMLValue {
    let type = type(of: path)?.element
    do throws(ValueText.Unfit) {
      return try ValueText.value(text, of: type, as: kind, like: sibling, "the others")
    } catch {
      // A schema's type refuses the text as it is: with quotes, if it has some.
      let isSecret = isSecret(path, typed: text)
      let shown = Shown.short(kind == nil && type != nil ? .string(text) : Shown.typed(text))
      throw ToolError(
        .invalidValue,
        "Cannot use \(isSecret ? "that value" : shown) as an element of '\(path)': it needs \(error.needed). "
          + "Nothing was written.")
    }
  }

  /// Throws if the key's schema does not allow a value.
  ///
  /// - Throws: ``ToolError`` with status 4 that names the type, range or choices.
  package func check(_ value: TOMLValue, at path: TOMLPath) throws {
    if let type = type(of: path) {
      do {
        try type.check(value)
      } catch {
        let hint = if case .string(let text) = value { hint(text, type) } else { String?.none }
        throw refusal(error, of: value, at: path, hint: hint)
      }
    } else if let single = singleValue(above: path) {
      throw ToolError(
        .invalidValue,
        "Cannot set '\(path)': '\(single.path)' must be \(single.type.expected), not a table. Nothing was written."
      )
    } else if key(around: path) == nil {
      try checkTable(value, at: path)
    }
  }

  /// The value above a path that is not a table, by its type.
  func singleValue(above path: TOMLPath) -> (path: TOMLPath, type: SchemaType)? {
    guard key(around: path) != nil else { return nil }
    var above = path.parent
    while !above.isRoot {
      if let type = type(of: above) { return [.any, .table, .records].contains(type.kind) ? nil : (above, type) }
      above = above.parent
    }
    return nil
  }

  /// Why the app would refuse a value, as a clause that does not show it; `nil` if it would accept it.
  package func refusal(of path: TOMLPath, _ value: TOMLValue) -> String? {
    type(of: path).flatMap { refusal(of: path, value, by: $0) }
  }

  private func refusal(of path: TOMLPath, _ value: TOMLValue, by type: SchemaType) -> String? {
    do {
      try type.check(value)
      return nil
    } catch {
      let error = isSecret(path, value) ? error.redacted : error
      let part = error.path.isEmpty ? "'\(path)'" : "'\(error.pathDescription)' in '\(path)'"
      return "\(part) needs \(error.expected)\(error.reasonInParentheses)"
    }
  }

  /// Why the app would refuse what a change at a path makes of the settings, as a clause; `nil` if it would accept it.
  ///
  /// What is wrong beside the path already is not judged, and neither are fields that a table lacks: `unset` leaves them
  /// out, too.
  func refusal(of path: TOMLPath, from old: TOMLTable, to new: TOMLTable) -> String? {
    guard let place = place(of: path) else {
      return named(below: path).lazy.flatMap(\.paths).filter { old[path: $0] != new[path: $0] }
        .compactMap { refusal(of: $0, from: old, to: new) }.first
    }
    // The part of the key's value that has a type.
    var part = place.part.components
    while place.key.type.type(at: part) == nil, !part.isEmpty { part.removeLast() }
    guard let type = place.key.type.type(at: part)?.withoutRequiredFields else { return nil }
    let path = place.name.appending(TOMLPath(part))
    func reason(in table: TOMLTable) -> String? { table[path: path].flatMap { refusal(of: path, $0, by: type) } }
    guard let found = reason(in: new), part.count == place.part.components.count || found != reason(in: old) else {
      return nil
    }
    return found
  }

  /// A table above keys: the value of each must be valid.
  private func checkTable(_ value: TOMLValue, at path: TOMLPath) throws {
    let below = keys(below: path)
    guard !below.isEmpty else { return }
    guard case .table(let table) = value else {
      let others = below.count > 1 ? " and other keys" : ""
      throw refusal(path, shown(value, at: path), "it is the table of '\(below[0].path)'\(others).")
    }
    for key in below {
      if let value = table[path: key.path.rest(below: path)] { try check(value, at: key.path) }
    }
  }

  private func refusal(
    _ error: SettingsValueError, of value: TOMLValue, at path: TOMLPath, hint: String? = nil
  ) -> ToolError {
    let isSecret = isSecret(path, value)
    let error = isSecret ? error.redacted : error
    var needed = "the key needs \(error.expected)\(error.reasonInParentheses)"
    if error.isMissing || isSecret && !error.path.isEmpty {
      needed = error.clause(about: "it")
    } else if !error.path.isEmpty {
      let part = UnknownKey.text(of: path.appending(TOMLPath(error.path)))
      needed = "'\(part)' is \(error.found), but must be \(error.expected)\(error.reasonInParentheses)"
    }
    let advice = isSecret ? "" : hint.map { " \($0)" } ?? ""
    return refusal(path, shown(value, at: path), "\(needed).\(advice)")
  }

  private func refusal(_ path: TOMLPath, _ shown: String, _ why: String) -> ToolError {
    ToolError(.invalidValue, "Cannot set '\(path)' to \(shown): \(why) Nothing was written.")
  }

  /// What was probably meant by the text for a value that the type does not allow, as a sentence.
  private func hint(_ text: String, _ type: SchemaType) -> String? {
    if case .string(let inner)? = try? TOMLValue(parsing: text), (try? type.value(of: inner)) != nil {
      return "Leave out the quotes."
    }
    if type.kind == .array, !text.hasPrefix("[") {
      return "To add an element, use --append; to set all, write a TOML array such as [\"a\", \"b\"]."
    }
    let choices = (type.choices ?? []).map(Shown.bare)
    return Suggestion.nearest(to: text, among: choices).map { "Did you mean '\($0)'?" }
  }

  /// The possible values of a key, for completion.
  package func choices(of path: TOMLPath) -> [String] {
    guard let type = type(of: path) else { return [] }
    if let choices = type.choices { return choices.map(Shown.bare) }
    return type.kind == .boolean ? ["true", "false"] : []
  }

  /// The app's value at a path that no file sets: a key's default, a part of it, or the table of several.
  package func defaultValue(at path: TOMLPath) -> TOMLValue? {
    guard let (key, _, part) = place(of: path) else { return defaults(below: path).map { .table($0) } }
    if part.isRoot { return key.defaultValue }
    guard case .table(let table)? = key.defaultValue else { return nil }
    return table[path: part]
  }

  /// The defaults of the keys below a path as a table; `nil` if there are none.
  package func defaults(below path: TOMLPath = .root) -> TOMLTable? {
    var table = TOMLTable()
    for key in keys(below: path) where key.path != path {
      if let value = key.defaultValue { table.apply(Edit(path: key.path.rest(below: path), value: value)) }
    }
    return table.isEmpty ? nil : table
  }

  /// Whether a value is secret, is part of a secret, or contains one.
  ///
  /// - Parameter value: `nil` to go by what is declared alone.
  package func isSecret(_ path: TOMLPath, _ value: TOMLValue?) -> Bool {
    knownKeys.mayBeSecret(path) || value.map { knownKeys.hides(path, $0) } ?? false
  }

  /// Whether the text of a command line stands for a secret, as a string or as the value that it looks like.
  func isSecret(_ path: TOMLPath, typed text: String) -> Bool {
    isSecret(path, .string(text)) || isSecret(path, Shown.typed(text))
  }

  /// A value for a message.
  private func shown(_ value: TOMLValue, at path: TOMLPath) -> String {
    isSecret(path, value) ? "that value" : Shown.short(value)
  }

  /// Why a text does not parse, without what may be a secret.
  ///
  /// - Parameter file: The name of the text, to go before it, with the place and the line.
  package func message(_ error: TOMLSyntaxError, in bytes: [UInt8], of file: String? = nil) -> String {
    let isShown = showsText && Redaction.shows(lineOf: error, in: bytes)
    guard let file else { return isShown ? error.message : error.discreetMessage }
    return isShown ? error.formatted(file: file) : error.discreet(file: file)
  }

  /// A text of the target, with what must not be shown of it.
  ///
  /// - Parameter mark: For a text that is edited: what no visible comment of it may have. Its lines that do not parse are
  ///   shown if they name no secret, so that they can be mended.
  package func redaction(of bytes: [UInt8], markedBy mark: String? = nil) -> Redaction {
    var keys = knownKeys
    if let mark { keys.insert(comment: mark) }
    let migrations = schema?.migrations ?? .none
    // Where code moves a value cannot be known here.
    if keys.hasSecrets, migrations.migrations.contains(where: { $0.steps.contains(where: StepForms.needsTheApp) }) {
      let document = try? TOMLDocument(parsing: bytes)
      let version = document.flatMap { try? SettingsMigrations.version(of: $0) } ?? 1
      keys.isCautious = migrations.pending(from: version).contains { $0.steps.contains(where: StepForms.needsTheApp) }
    }
    return Redaction(of: bytes, keys, migrations, hidesFault: mark == nil && keys.hasSecrets)
  }

  // MARK: Names of earlier releases

  /// The key that contains a path, if it has former names, and the part of its value.
  func renamedKey(around path: TOMLPath) -> (key: SchemaKey, part: TOMLPath)? {
    guard let key = key(around: path), !key.formerPaths.isEmpty, let (_, _, part) = place(of: path) else { return nil }
    return (key, part)
  }

  /// The names of a path, the present one first, if its key has former names.
  package func names(of path: TOMLPath) -> [TOMLPath] {
    renamedKey(around: path).map { key, part in key.paths.map { $0.appending(part) } } ?? [path]
  }

  /// The value that the files have at a path, for a key under its present or else a former name.
  package func storedValue(of path: TOMLPath, in snapshot: SettingsSnapshot) -> TOMLValue? {
    guard let (key, part) = renamedKey(around: path) else { return snapshot[path] }
    let found = LayerLookup(snapshot.stored(for: key.settingsKey), at: part.components[...])
    return if case .value(let value) = found { value } else { nil }
  }

  /// The value that the files have for a key, under its present or else a former name, or else its default. The app may
  /// use another one; see ``usedValue(of:in:)``.
  package func effectiveValue(of path: TOMLPath, in snapshot: SettingsSnapshot) -> TOMLValue? {
    let stored = storedValue(of: path, in: snapshot)
    // A table of several keys also gets the defaults of those without a value, and values under former names.
    if case .table(let table)? = stored ?? .table(TOMLTable()), key(around: path) == nil {
      let all = (defaults(below: path) ?? TOMLTable()).merging(renamed(table, at: path, in: snapshot))
      return all.isEmpty ? stored : .table(all)
    }
    return stored ?? defaultValue(at: path)
  }

  /// What values lack after a change, so that the app cannot use them, as sentences: each may be what the next change
  /// sets.
  ///
  /// - Parameter paths: The changed places. Each value is checked once, however many of them are within it.
  package func lacks(around paths: [TOMLPath], in snapshot: SettingsSnapshot) -> [String] {
    var seen: Set<TOMLPath> = []
    return paths.compactMap { path in
      guard let (key, name, _) = place(of: path) else { return nil }
      let isRecord = key.type.kind == .records
      let place = path.prefix(name.components.count + (isRecord ? 1 : 0))
      guard isRecord ? place != name : key.type.kind == .table, seen.insert(place).inserted,
        let type = type(of: place), let value = snapshot[place]
      else { return nil }
      do throws(SettingsValueError) {
        try type.check(value, isStored: true)
        return nil
      } catch {
        return error.isMissing ? error.lack(in: place, isRecord: isRecord) : nil
      }
    }
  }

  /// A table of several keys with each value under its present name.
  func renamed(_ table: TOMLTable, at path: TOMLPath, in snapshot: SettingsSnapshot) -> TOMLTable {
    var table = table
    let renamedKeys = named(below: path).filter { !$0.formerPaths.isEmpty }
    for former in renamedKeys.flatMap(\.formerPaths) where former.hasPrefix(path) {
      table.apply(Edit(path: former.rest(below: path), value: nil))
    }
    for key in renamedKeys where key.path.hasPrefix(path) {
      guard let value = snapshot.stored(for: key.settingsKey) else { continue }
      table.apply(Edit(path: key.path.rest(below: path), value: value))
    }
    return table
  }
}
