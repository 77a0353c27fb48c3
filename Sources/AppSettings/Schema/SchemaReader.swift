import SettingsTOML

/// Reads a schema file. What is wrong in it is refused with its place and with what was expected there.
///
/// A file of a later `schema-version` than this release knows is read as far as that goes: members and types that it
/// does not know are left aside. In a file of a version that it knows, such a one is a slip and is refused.
struct SchemaReader {
  let document: TOMLDocument
  let file: String
  /// Whether regular expressions are compiled to see whether they are some.
  let checksPatterns: Bool

  /// Reads all of it.
  ///
  /// - Throws: ``SettingsError`` `invalidValue` with the place.
  func schema() throws(SettingsError) -> SettingsSchema {
    let app = try string(at: ["app"], "the app's id, such as \"org.example.editor\"")
    do throws(SettingsError) {
      _ = try SettingsLocation(app: app, environment: ["HOME": "/"])
    } catch {
      throw refuse("'app' is no app's id", at: ["app"])
    }
    try checkMembers(of: .root, among: ["app", "schema-version", "groups", "keys", "migrations"])
    let groups = try groups()
    var keys: [SchemaKey] = []
    let names = try names(of: ["keys"], "a table of keys, as in [keys.\"editor.font-size\"]")
    for name in names { keys.append(try key(name)) }
    if let conflict = SchemaConflict.first(in: keys) {
      throw refuse(conflict.reason, at: ["keys", names[conflict.index]])
    }
    return SettingsSchema(app: app, keys: keys, groups: groups, migrations: try migrations())
  }

  // MARK: Refusals

  func refuse(_ reason: String, at path: TOMLPath) -> SettingsError { Self.refusal(reason, at: path, document, file) }

  /// The error about a place; about the nearest table that is there, if nothing is at the place itself.
  static func refusal(
    _ reason: String, at path: TOMLPath, _ document: TOMLDocument, _ file: String
  ) -> SettingsError {
    var place = path
    while !place.isRoot, !document.contains(place) { place = place.parent }
    let position = place.isRoot ? TOMLPosition(line: 1, column: 1, byteOffset: 0) : document.position(of: place)
    return refusal(reason, position, file)
  }

  static func refusal(_ reason: String, _ position: TOMLPosition?, _ file: String) -> SettingsError {
    let place = position.map { ":\($0.line):\($0.column)" } ?? ""
    return SettingsError(
      .invalidValue, "Cannot use the schema '\(file)\(place)': \(reason).", file: file, position: position)
  }

  /// Whether the file has a form that this release does not know all of.
  var isOfLaterForm: Bool {
    guard case .integer(let version)? = document[["schema-version"]] else { return false }
    return version > SettingsSchema.formVersion
  }

  private func checkMembers(of path: TOMLPath, among known: [String]) throws(SettingsError) {
    guard !isOfLaterForm else { return }
    for name in document.childKeys(of: path) ?? [] where !known.contains(name) {
      let nearest = Suggestion.nearest(to: name, among: known)
      let hint = nearest.map { "'\($0)' may be meant" } ?? "there are \(known.joined(separator: ", "))"
      throw refuse("there is no member '\(name)'; \(hint)", at: path.appending(name))
    }
  }

  // MARK: Members

  private func string(at path: TOMLPath, _ expected: String) throws(SettingsError) -> String {
    guard case .string(let text)? = document[path] else { throw wrong(path, expected) }
    return text
  }

  private func optionalString(at path: TOMLPath, _ expected: String = "a string") throws(SettingsError) -> String? {
    document.contains(path) ? try string(at: path, expected) : nil
  }

  private func flag(at path: TOMLPath) throws(SettingsError) -> Bool {
    switch document[path] {
    case nil: return false
    case .boolean(let flag)?: return flag
    default: throw wrong(path, "true or false")
    }
  }

  private func count(at path: TOMLPath) throws(SettingsError) -> Int? {
    switch document[path] {
    case nil: return nil
    case .integer(let number)? where 0...Int64(Int32.max) ~= number: return Int(number)
    default: throw wrong(path, "a whole number that is not negative")
    }
  }

  private func elements(at path: TOMLPath, _ expected: String) throws(SettingsError) -> [TOMLValue]? {
    switch document[path] {
    case nil: return nil
    case .array(let elements)?: return elements
    default: throw wrong(path, expected)
    }
  }

  private func names(of path: TOMLPath, _ expected: String) throws(SettingsError) -> [String] {
    guard document.contains(path) else { return [] }
    guard let names = document.childKeys(of: path) else { throw wrong(path, expected) }
    return names
  }

  private func wrong(_ path: TOMLPath, _ expected: String) -> SettingsError {
    let found = document[path].map { $0.errorDescription } ?? "nothing"
    return refuse("'\(path.last ?? "")' is \(found), and has to be \(expected)", at: path)
  }

  /// A dotted key that stands as text in the file.
  private func keyPath(_ text: String, at place: TOMLPath) throws(SettingsError) -> TOMLPath {
    let path: TOMLPath
    do throws(TOMLPathError) {
      path = try TOMLPath(parsing: text)
    } catch {
      throw refuse(String(error.message.dropLast()), at: place)
    }
    guard !path.components[0].hasPrefix("settings-") else {
      throw refuse("'\(text)' cannot be a key: root keys that begin with 'settings-' are reserved", at: place)
    }
    return path
  }

  // MARK: Groups and keys

  private func groups() throws(SettingsError) -> [SchemaGroup] {
    var groups: [SchemaGroup] = []
    for name in try names(of: ["groups"], "a table of groups, as in [groups.editor]") {
      let place: TOMLPath = ["groups", name]
      guard document.isTable(at: place) else { throw wrong(place, "a table with a 'description'") }
      try checkMembers(of: place, among: ["description"])
      groups.append(
        SchemaGroup(try keyPath(name, at: place), try optionalString(at: place.appending("description")) ?? ""))
    }
    return groups
  }

  private static let keyMembers = ["default", "computed-default", "description", "group", "formerly", "secret"]
  private static let typeMembers = [
    "type", "minimum", "maximum", "below", "choices", "pattern", "minimum-count", "maximum-count", "unique",
    "ordered", "elements", "fields", "ids", "reads-older-form", "expects",
  ]

  private func key(_ name: String) throws(SettingsError) -> SchemaKey {
    let place: TOMLPath = ["keys", name]
    let path = try keyPath(name, at: place)
    guard document.isTable(at: place) else {
      throw wrong(place, "a table with a 'type'. A name with dots needs quotes, as in [keys.\"editor.font-size\"]")
    }
    if !document.contains(place.appending("type")),
      let inner = (document.childKeys(of: place) ?? []).first(where: {
        document.contains(place.appending([$0, "type"]))
      })
    {
      let whole = path.appending(inner)
      throw refuse("a key's name needs quotes where it has dots, as in [keys.\"\(whole)\"]", at: place.appending(inner))
    }
    try checkMembers(of: place, among: Self.typeMembers + Self.keyMembers)
    var key = SchemaKey(path, try type(at: place, depth: 0))
    key.summary = try optionalString(at: place.appending("description")) ?? ""
    key.isSecret = try flag(at: place.appending("secret"))
    key.hasComputedDefault = try flag(at: place.appending("computed-default"))
    let groupPlace = place.appending("group")
    if let group = try optionalString(at: groupPlace) { key.group = try keyPath(group, at: groupPlace) }
    let formerPlace = place.appending("formerly")
    for former in try elements(at: formerPlace, "an array of keys") ?? [] {
      guard case .string(let text) = former else { throw wrong(formerPlace, "an array of keys") }
      let former = try keyPath(text, at: formerPlace)
      guard !former.hasPrefix(path), !path.hasPrefix(former) else {
        throw refuse("the former name '\(former)' is at, above or below '\(path)' itself", at: formerPlace)
      }
      key.formerPaths.append(former)
    }
    let defaultPlace = place.appending("default")
    if let value = document[defaultPlace] {
      do throws(SettingsValueError) {
        try key.type.check(value)
      } catch {
        let part = error.path.isEmpty ? "" : " at '\(error.pathDescription)'"
        throw refuse("'default' is \(error.found)\(part), and has to be \(error.expected)", at: defaultPlace)
      }
      key.defaultValue = value
    }
    return key
  }

  // MARK: Types

  private func type(at place: TOMLPath, depth: Int) throws(SettingsError) -> SchemaType {
    guard depth < 32 else { throw refuse("types are nested too deeply; 32 levels are the limit", at: place) }
    guard document.isTable(at: place) else { throw wrong(place, "a table with a 'type'") }
    if depth > 0 { try checkMembers(of: place, among: Self.typeMembers) }
    let typePlace = place.appending("type")
    let known = SchemaType.Kind.allCases.map(\.rawValue)
    let name = try string(at: typePlace, "one of \(known.joined(separator: ", "))")
    let kind: SchemaType.Kind
    if let found = SchemaType.Kind(rawValue: name) {
      kind = found
    } else {
      guard isOfLaterForm else {
        throw refuse("there is no type '\(name)'; there are \(known.joined(separator: ", "))", at: typePlace)
      }
      return .any
    }
    var type = SchemaType(kind)
    let order = SchemaOrder(kind)
    func bound(_ name: String) throws(SettingsError) -> TOMLValue? {
      guard let value = document[place.appending(name)] else { return nil }
      guard order.isBelow(value, value) == false, kind == .any || (try? SchemaType(kind).check(value)) != nil else {
        throw wrong(place.appending(name), "\(SchemaType(kind).expected), as the type is '\(kind.rawValue)'")
      }
      return value
    }
    type.minimum = try bound("minimum")
    type.maximum = try bound("maximum")
    type.limit = try bound("below")
    if order.isOrdered(type.maximum, type.minimum) {
      throw refuse("'maximum' is below 'minimum'", at: place.appending("maximum"))
    }
    if let low = type.minimum, let limit = type.limit, !order.isOrdered(low, limit) {
      throw refuse("'below' is not above 'minimum'", at: place.appending("below"))
    }
    type.minimumCount = try count(at: place.appending("minimum-count"))
    type.maximumCount = try count(at: place.appending("maximum-count"))
    if let low = type.minimumCount, let high = type.maximumCount, high < low {
      throw refuse("'maximum-count' is below 'minimum-count'", at: place.appending("maximum-count"))
    }
    type.isUnique = try flag(at: place.appending("unique"))
    type.isOrdered = try flag(at: place.appending("ordered"))
    type.patterns = try patterns(at: place.appending("pattern"))
    try readParts(of: &type, at: place, depth)
    type.readsOlderForm = try flag(at: place.appending("reads-older-form"))
    type.expectedWords = try optionalString(at: place.appending("expects"))
    // Last: they are checked against all of the rest.
    type.choices = try choices(at: place.appending("choices"), of: type)
    return type
  }

  private func readParts(of type: inout SchemaType, at place: TOMLPath, _ depth: Int) throws(SettingsError) {
    let elements = place.appending("elements")
    if document.contains(elements) {
      guard type.kind == .array || type.kind == .table else {
        throw refuse("only the types 'array' and 'table' have 'elements'", at: elements)
      }
      type.element = try self.type(at: elements, depth: depth + 1)
    }
    let ids = place.appending("ids")
    if let name = try optionalString(at: ids) {
      guard type.kind == .records, let kind = SchemaType.Kind(rawValue: name),
        [.string, .integer, .uuid].contains(kind)
      else { throw refuse("only the type 'records' has 'ids', which are 'string', 'integer' or 'uuid'", at: ids) }
      type.recordIDs = kind
    }
    let fields = place.appending("fields")
    guard document.contains(fields) else { return }
    guard type.kind == .table || type.kind == .records else {
      throw refuse("only the types 'table' and 'records' have 'fields'", at: fields)
    }
    var list: [SchemaType.Field] = []
    for name in try names(of: fields, "a table of types by the names of the fields") {
      list.append(SchemaType.Field(name, try self.type(at: fields.appending(name), depth: depth + 1)))
    }
    type.fields = list
  }

  private func patterns(at place: TOMLPath) throws(SettingsError) -> [String] {
    let expected = "a regular expression as a string, or several in an array"
    let values: [TOMLValue]
    switch document[place] {
    case nil: return []
    case .array(let elements)?: values = elements
    case let value?: values = [value]
    }
    var patterns: [String] = []
    for value in values {
      guard case .string(let pattern) = value else { throw wrong(place, expected) }
      if checksPatterns {
        do {
          _ = try Regex(pattern)
        } catch {
          throw refuse("'\(pattern)' is not a regular expression: \(error)", at: place)
        }
      }
      patterns.append(pattern)
    }
    return patterns
  }

  private func choices(at place: TOMLPath, of type: SchemaType) throws(SettingsError) -> [TOMLValue]? {
    guard let choices = try elements(at: place, "an array of values") else { return nil }
    guard !choices.isEmpty else { throw wrong(place, "an array with one value at least") }
    for choice in choices {
      do throws(SettingsValueError) {
        try type.check(choice)
      } catch {
        throw refuse("the choice \(choice.errorText) is not \(error.expected)", at: place)
      }
    }
    return choices
  }
}
