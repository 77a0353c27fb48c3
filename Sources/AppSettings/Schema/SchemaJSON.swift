import SettingsTOML

// The JSON Schema is of draft 4: the one that taplo, and with it Even Better TOML for VS Code, says it reads. It has no
// keyword that later drafts gave another meaning but 'exclusiveMaximum', a boolean there.

extension SettingsSchema {
  /// The schema as a JSON Schema (draft 4) of the settings file, for editors that check and complete TOML with one.
  ///
  /// Keys that the app does not have are errors in it, so that a slip shows while it is made. What JSON Schema has no word
  /// for, a range of durations or the rule that `expects` states, is left to `settings-cli check`; the words are in the
  /// description.
  public var jsonSchema: String {
    var root = JSONSchemaNode()
    for key in keys {
      root.insert(key.jsonSchema, at: key.path.components[...])
      for former in key.formerPaths { root.insert(key.formerJSONSchema(former), at: former.components[...]) }
    }
    for group in groups { root.describe(group.summary, at: group.path.components[...]) }
    root.insert(
      ["type": "integer", "minimum": 1, "description": "The version of this file's form."], at: ["settings-version"])
    root.insert(
      [
        "type": "array", "items": ["type": "string"],
        "description": "The keys that users cannot set; in administrators' files only.",
      ], at: ["settings-locked"])
    var result: TOMLTable = [
      "$schema": "http://json-schema.org/draft-04/schema#", "title": .string("The settings of \(app)"),
    ]
    for (name, value) in root.schema { result[name] = value }
    return PrettyJSON.text(of: .table(result)) + "\n"
  }
}

/// A table of the settings file: what is in it by name, or the schema of a key.
private struct JSONSchemaNode {
  private var own: TOMLTable?
  private var summary = ""
  private var names: [String] = []
  private var children: [String: JSONSchemaNode] = [:]

  mutating func insert(_ schema: TOMLTable, at path: ArraySlice<String>) {
    guard let name = path.first else {
      own = own ?? schema
      return
    }
    if children[name] == nil { names.append(name) }
    children[name, default: JSONSchemaNode()].insert(schema, at: path.dropFirst())
  }

  mutating func describe(_ text: String, at path: ArraySlice<String>) {
    guard let name = path.first else {
      summary = text
      return
    }
    children[name]?.describe(text, at: path.dropFirst())
  }

  var schema: TOMLTable {
    if let own, children.isEmpty { return own }
    var properties = TOMLTable()
    for name in names { properties[name] = children[name].map { .table($0.schema) } }
    var result: TOMLTable = ["type": "object"]
    if !summary.isEmpty { result["description"] = .string(summary) }
    result["properties"] = .table(properties)
    result["additionalProperties"] = false
    return result
  }
}

extension SchemaKey {
  fileprivate var jsonSchema: TOMLTable {
    var schema = TOMLTable()
    var words = [summary]
    if type.hasWordsOfItsOwn { words.append("Needs \(type.expected).") }
    if hasComputedDefault { words.append("The default is computed by the app.") }
    let description = words.filter { !$0.isEmpty }.joined(separator: "\n\n")
    if !description.isEmpty { schema["description"] = .string(description) }
    for (name, value) in type.jsonSchema { schema[name] = value }
    if let defaultValue, defaultValue.hasJSONForm { schema["default"] = defaultValue.forJSON }
    return schema
  }

  /// The schema of a name of an earlier release: still read, but not offered.
  fileprivate func formerJSONSchema(_ former: TOMLPath) -> TOMLTable {
    var schema: TOMLTable = [
      "description": .string("A former name of '\(path)'."), "deprecated": true, "x-taplo": ["hidden": true],
    ]
    for (name, value) in type.jsonSchema { schema[name] = value }
    return schema
  }
}

extension SchemaType {
  /// Whether there is more to say of it than JSON Schema can.
  fileprivate var hasWordsOfItsOwn: Bool {
    if expectedWords != nil || readsOlderForm { return true }
    switch kind {
    case .duration, .decimal, .data, .timeZone, .character: return true
    case .integer, .float: return false
    default: return minimum != nil || maximum != nil || limit != nil
    }
  }

  fileprivate var jsonSchema: TOMLTable {
    // Nothing is known of the older form, and what the app reads is no error.
    if readsOlderForm { return TOMLTable() }
    var schema = TOMLTable()
    switch kind {
    case .any: break
    case .integer: schema["type"] = "integer"
    case .float: schema["type"] = "number"
    case .boolean: schema["type"] = "boolean"
    case .array: schema["type"] = "array"
    case .table, .records: schema["type"] = "object"
    case .duration, .decimal: schema["type"] = ["string", "number"]
    case .offsetDateTime, .localDateTime, .localDate, .localTime, .string, .url, .uuid, .data, .character, .timeZone:
      schema["type"] = "string"
    }
    switch kind {
    case .offsetDateTime: schema["format"] = "date-time"
    case .localDate: schema["format"] = "date"
    case .url: schema["format"] = "uri"
    case .uuid: schema["pattern"] = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
    case .character: schema["minLength"] = 1
    default: break
    }
    if let choices, choices.allSatisfy(\.hasJSONForm) { schema["enum"] = .array(choices.map(\.forJSON)) }
    addRange(to: &schema)
    addCount(to: &schema)
    let whole = patterns.map { TOMLValue.string("^(?:\($0))$") }
    if whole.count == 1 { schema["pattern"] = whole[0] }
    if whole.count > 1 { schema["allOf"] = .array(whole.map { ["pattern": $0] }) }
    addParts(to: &schema)
    return schema
  }

  private func addRange(to schema: inout TOMLTable) {
    guard kind == .integer || kind == .float else { return }
    if let minimum, minimum.isFiniteNumber { schema["minimum"] = minimum }
    if let maximum, maximum.isFiniteNumber { schema["maximum"] = maximum }
    guard let limit, limit.isFiniteNumber, maximum == nil else { return }
    schema["maximum"] = limit
    schema["exclusiveMaximum"] = true
  }

  private func addCount(to schema: inout TOMLTable) {
    let words: (least: String, most: String)
    switch kind {
    case .string: words = ("minLength", "maxLength")
    case .array: words = ("minItems", "maxItems")
    case .table, .records: words = ("minProperties", "maxProperties")
    default: return
    }
    if let minimumCount { schema[words.least] = .integer(Int64(minimumCount)) }
    if let maximumCount { schema[words.most] = .integer(Int64(maximumCount)) }
    if isUnique { schema["uniqueItems"] = true }
  }

  private func addParts(to schema: inout TOMLTable) {
    if let element {
      schema[kind == .array ? "items" : "additionalProperties"] = .table(element.jsonSchema)
    }
    guard let fields = kind == .records ? fields ?? [] : fields else { return }
    var properties = TOMLTable()
    for field in fields { properties[field.name] = .table(field.type.jsonSchema) }
    if kind == .records {
      let record: TOMLTable = ["type": "object", "properties": .table(properties)]
      switch recordIDs {
      case .integer?:
        schema["patternProperties"] = ["^-?[0-9]+$": .table(record)]
        schema["additionalProperties"] = false
      case .uuid?:
        schema["patternProperties"] = ["^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$": .table(record)]
        schema["additionalProperties"] = false
      default: schema["additionalProperties"] = .table(record)
      }
    } else {
      schema["properties"] = .table(properties)
    }
  }
}

extension TOMLValue {
  fileprivate var isFiniteNumber: Bool {
    switch self {
    case .integer: true
    case .float(let number): number.isFinite
    default: false
    }
  }

  /// Whether JSON has this value: infinities and not-a-number it has not.
  fileprivate var hasJSONForm: Bool {
    switch self {
    case .float: isFiniteNumber
    case .array(let elements): elements.allSatisfy(\.hasJSONForm)
    case .table(let table): table.allSatisfy { $0.value.hasJSONForm }
    default: true
    }
  }

  /// The value with dates and times as strings, as editors that check TOML against a JSON Schema have them.
  fileprivate var forJSON: TOMLValue {
    switch self {
    case .offsetDateTime, .localDateTime, .localDate, .localTime: return .string(tomlText)
    case .array(let elements): return .array(elements.map(\.forJSON))
    case .table(let table):
      var result = TOMLTable()
      for (key, value) in table { result[key] = value.forJSON }
      return .table(result)
    default: return self
    }
  }
}

/// JSON on several lines, as people like to read it.
private enum PrettyJSON {
  static func text(of value: TOMLValue, indent: String = "") -> String {
    let inner = indent + "  "
    switch value {
    case .table(let table) where !table.isEmpty:
      let members = table.map { "\(inner)\(plain(.string($0.key))): \(text(of: $0.value, indent: inner))" }
      return "{\n" + members.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let elements) where elements.contains { $0.table != nil }:
      return "[\n" + elements.map { inner + text(of: $0, indent: inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .array(let elements): return "[" + elements.map { text(of: $0, indent: inner) }.joined(separator: ", ") + "]"
    default: return plain(value)
    }
  }

  private static func plain(_ value: TOMLValue) -> String { JSONText.text(of: value) ?? "null" }
}
