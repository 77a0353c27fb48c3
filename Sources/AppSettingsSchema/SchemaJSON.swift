import AppSettings

// The JSON Schema is of draft 4: the one that taplo, and so Even Better TOML for VS Code, supports by its
// documentation. Of its keywords, only 'exclusiveMaximum', a boolean there, means something else in later drafts.

extension SettingsSchema {
  /// The schema as a JSON Schema (draft 4) of the settings file, for editors that check and complete TOML with one.
  ///
  /// It reports unknown keys as errors, so that a typo shows at once. Rules that JSON Schema cannot express, such as a
  /// range of durations, are left to `settings-cli check`, and the description states them in words. The guide to
  /// schemas lists all of them.
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
      ["type": "boolean", "description": "Whether a history of the file is kept; it is if this is missing."],
      at: ["settings-history"])
    root.insert(
      [
        "type": "array",
        "items": [
          "anyOf": [
            ["type": "string"],
            [
              "type": "object", "properties": ["key": ["type": "string"], "reason": ["type": "string"]],
              "required": ["key"], "additionalProperties": false,
            ],
          ]
        ],
        "description": "The keys that users cannot set; in administrators' files only.",
      ], at: ["settings-locked"])
    root.insert(
      ["type": "string", "description": "The profile below this one; in files of profiles only."],
      at: ["settings-inherits"])
    if keys.contains(where: \.isSecret) {
      root.insert(
        ["type": "object", "description": "Sealed values of secrets; in documents of a fleet only."],
        at: ["settings-sealed"])
    }
    var result: TOMLTable = [
      "$schema": "http://json-schema.org/draft-04/schema#", "title": .string("The settings of \(app)"),
    ]
    for (name, value) in root.schema { result[name] = value }
    return PrettyJSON.text(of: .table(result)) + "\n"
  }
}

/// A table of the settings file: its members by name, or the schema of a key.
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
    if type.hasWordsOfItsOwn { words.append("Needs \(type.expectedInFull).") }
    if hasComputedDefault { words.append("The default is computed by the app.") }
    let description = words.filter { !$0.isEmpty }.joined(separator: "\n\n")
    if !description.isEmpty { schema["description"] = .string(description) }
    for (name, value) in type.jsonSchema { schema[name] = value }
    if let defaultValue, defaultValue.hasJSONForm { schema["default"] = defaultValue.forJSON }
    if let example = type.example, example.hasJSONForm { schema["examples"] = .array([example.forJSON]) }
    return schema
  }

  /// The schema of a key's former name: still read, but not offered.
  fileprivate func formerJSONSchema(_ former: TOMLPath) -> TOMLTable {
    var schema: TOMLTable = [
      "description": .string("A former name of '\(path)'."), "deprecated": true, "x-taplo": ["hidden": true],
    ]
    for (name, value) in type.jsonSchema { schema[name] = value }
    return schema
  }
}

extension SchemaType {
  /// Whether the key has rules that JSON Schema cannot express.
  fileprivate var hasWordsOfItsOwn: Bool {
    if expectedWords != nil || readsOlderForm || patterns.contains(where: { !JSONPattern.isCommon($0) }) { return true }
    switch kind {
    case .duration, .decimal, .data, .timeZone, .character: return true
    case .integer, .float, .float32: return false
    default: return minimum != nil || maximum != nil || limit != nil
    }
  }

  /// Whether two different JSON values may mean the same value of this type, such as a duration in another unit.
  private var hasSeveralForms: Bool {
    switch kind {
    case .string, .integer, .float, .boolean, .localDate: false
    default: true
    }
  }

  fileprivate var jsonSchema: TOMLTable {
    // The older form is unknown, and a value that the app can read must not be an error.
    if readsOlderForm { return TOMLTable() }
    var schema = TOMLTable()
    switch kind {
    case .any: break
    case .integer:
      schema["type"] = reachesAboveTOML ? ["integer", "string"] : "integer"
      if case .string? = minimum { schema["type"] = "string" }
    case .float, .float32: schema["type"] = "number"
    case .boolean: schema["type"] = "boolean"
    case .array: schema["type"] = "array"
    case .table, .records: schema["type"] = "object"
    case .duration, .decimal: schema["type"] = ["string", "number"]
    case .offsetDateTime, .localDateTime, .localDate, .localTime, .string, .url, .uuid, .data, .character, .timeZone:
      schema["type"] = "string"
    }
    var whole = patterns.filter(JSONPattern.isCommon).map { "^(?:\($0))$" }
    if let form = JSONPattern.form(of: self) { whole.append(form) }
    if whole.count == 1 { schema["pattern"] = .string(whole[0]) }
    if whole.count > 1 { schema["allOf"] = .array(whole.map { ["pattern": .string($0)] }) }
    if kind == .character { schema["minLength"] = 1 }
    addChoices(to: &schema)
    addRange(to: &schema)
    addCount(to: &schema)
    addParts(to: &schema)
    return schema
  }

  private func addChoices(to schema: inout TOMLTable) {
    guard let choices, choices.allSatisfy(\.hasJSONForm) else { return }
    let known: TOMLValue = .array(choices.map(\.forJSON))
    // An editor offers these; other forms of the same values are valid, too.
    if hasSeveralForms { schema["anyOf"] = [["enum": known], [:]] } else { schema["enum"] = known }
  }

  private func addRange(to schema: inout TOMLTable) {
    switch kind {
    case .integer, .float: break
    case .float32:
      // A number that rounds to the largest one is valid, too. 'check' handles what rounds into a narrower range.
      schema["minimum"] = -0x1.fffffefffffffp127
      schema["maximum"] = 0x1.fffffefffffffp127
      return
    default: return
    }
    if let minimum, minimum.isFiniteNumber { schema["minimum"] = minimum }
    let isLimited = limit != nil && !SchemaOrder(kind).isOrdered(maximum, limit)
    guard let most = isLimited ? limit : maximum, most.isFiniteNumber else { return }
    schema["maximum"] = most
    if isLimited { schema["exclusiveMaximum"] = true }
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
  }

  private func addParts(to schema: inout TOMLTable) {
    if kind == .array {
      if let element { schema["items"] = .table(element.jsonSchema) }
      return
    }
    if kind == .table, let fields, element == nil {
      var properties = TOMLTable()
      for field in fields {
        var property = field.type.jsonSchema
        if let fallback = field.fallback, fallback.hasJSONForm { property["default"] = fallback.forJSON }
        properties[field.name] = .table(property)
      }
      schema["properties"] = .table(properties)
      let required = fields.filter(\.isRequired).map { TOMLValue.string($0.name) }
      if !required.isEmpty { schema["required"] = .array(required) }
    }
    var each = element.map(\.jsonSchema)
    if kind == .records { each = SchemaType.table(fields ?? []).jsonSchema }
    if let pattern = ids.flatMap(JSONPattern.key) {
      schema["patternProperties"] = [pattern: .table(each ?? [:])]
      schema["additionalProperties"] = false
    } else if let each {
      schema["additionalProperties"] = .table(each)
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

  /// Whether JSON can express this value: it has no infinities and no not-a-number.
  fileprivate var hasJSONForm: Bool {
    switch self {
    case .float: isFiniteNumber
    case .array(let elements): elements.allSatisfy(\.hasJSONForm)
    case .table(let table): table.allSatisfy { $0.value.hasJSONForm }
    default: true
    }
  }

  /// The value with dates and times as strings, as editors that check TOML against a JSON Schema read them.
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

/// Writes indented JSON.
private enum PrettyJSON {
  static func text(of value: TOMLValue) -> String {
    var text = ""
    add(value, indent: "", to: &text)
    return text
  }

  private static func add(_ value: TOMLValue, indent: String, to text: inout String) {
    // Very deep levels are not indented further, since indentation would be most of the text.
    let inner = indent.utf8.count < 64 ? indent + "  " : indent
    func addLines<C: Collection>(of items: C, _ add: (C.Element) -> Void) {
      var separator = "\n"
      for item in items {
        text += separator + inner
        add(item)
        separator = ",\n"
      }
      text += "\n" + indent
    }
    switch value {
    case .table(let table) where !table.isEmpty:
      text += "{"
      addLines(of: Array(table)) {
        text += plain(.string($0.key)) + ": "
        add($0.value, indent: inner, to: &text)
      }
      text += "}"
    case .array(let elements) where elements.contains { $0.table != nil }:
      text += "["
      addLines(of: elements) { add($0, indent: inner, to: &text) }
      text += "]"
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += ", " }
        add(element, indent: "", to: &text)
      }
      text += "]"
    default: text += plain(value)
    }
  }

  private static func plain(_ value: TOMLValue) -> String { JSONText.text(of: value) ?? "null" }
}
