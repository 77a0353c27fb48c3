import AppSettings

extension SchemaReader {
  private static let kinds = SchemaType.Kind.allCases.map(\.rawValue).joined(separator: ", ")

  /// The kind with a name; `nil` for one that only a later form has.
  private func kind(_ name: String, in section: SchemaSection, at member: String) throws(SettingsError)
    -> SchemaType.Kind?
  {
    if let kind = SchemaType.Kind(rawValue: name) { return kind }
    if section.source.isOfLaterForm { return nil }
    let nearest = Suggestion.nearest(to: name, among: SchemaType.Kind.allCases.map(\.rawValue))
    let hint = nearest.map { "'\($0)' may be meant" } ?? "there are \(Self.kinds)"
    throw section.refuse("there is no type '\(name.shortened())'; \(hint)", at: member)
  }

  /// Returns the type that a table describes.
  ///
  /// - Parameter isField: Whether the type is that of a field, which has members of its own.
  func type(in section: SchemaSection, depth: Int, isField: Bool = false) throws(SettingsError) -> SchemaType {
    guard depth < 32 else { throw section.refuse("types are nested too deeply; 32 levels are the limit") }
    if depth > 0 { try section.checkMembers(among: isField ? Self.fieldMembers : Self.typeMembers) }
    let name = try section.string("type", "one of \(Self.kinds)")
    guard let kind = try kind(name, in: section, at: "type") else { return .any }
    var type = SchemaType(kind)
    // Most keys have only a default and a description.
    if section.table.count == 1 { return type }
    try readRange(of: &type, in: section)
    type.isUnique = try section.flag("unique")
    type.isOrdered = try section.flag("ordered")
    type.patterns = try patterns(in: section)
    try readParts(of: &type, in: section, depth)
    try checkRules(of: type, in: section)
    type.readsOlderForm = try section.flag("reads-older-form")
    type.expectedWords = try section.optionalString("expects")
    // Last, because choices are checked against everything else.
    type.choices = try choices(in: section, of: type)
    type.example = try value("example", of: type, in: section)
    return type
  }

  /// Rejects rules that do not apply to the type.
  private func checkRules(of type: SchemaType, in section: SchemaSection) throws(SettingsError) {
    let rules: [(SchemaType.Rule, [String])] = [
      (.pattern, ["pattern"]), (.count, ["minimum-count", "maximum-count"]), (.unique, ["unique"]),
      (.ordered, ["ordered"]),
    ]
    for (rule, members) in rules where !type.has(rule) {
      for member in members where section.table[member] != nil && section.table[member] != false {
        throw section.refuse(
          rule == .ordered && type.kind == .array
            ? "'ordered' needs elements that one can be above another"
            : "the type '\(type.kind.rawValue)' has no '\(member)'", at: member)
      }
    }
  }

  private func readRange(of type: inout SchemaType, in section: SchemaSection) throws(SettingsError) {
    let order = SchemaOrder(type.kind)
    type.minimum = try bound("minimum", type.kind, section)
    type.maximum = try bound("maximum", type.kind, section)
    type.limit = try bound("below", type.kind, section)
    if order.isOrdered(type.maximum, type.minimum) {
      throw section.refuse("'maximum' is below 'minimum'", at: "maximum")
    }
    if let low = type.minimum, let limit = type.limit, !order.isOrdered(low, limit) {
      throw section.refuse("'below' is not above 'minimum'", at: "below")
    }
    type.minimumCount = try section.count("minimum-count")
    type.maximumCount = try section.count("maximum-count")
    if let low = type.minimumCount, let high = type.maximumCount, high < low {
      throw section.refuse("'maximum-count' is below 'minimum-count'", at: "maximum-count")
    }
  }

  private func bound(
    _ member: String, _ kind: SchemaType.Kind, _ section: SchemaSection
  ) throws(SettingsError) -> TOMLValue? {
    guard let value = section.table[member] else { return nil }
    // A value that cannot be compared with itself, such as not-a-number or a table, is no bound.
    guard SchemaOrder(kind).isBelow(value, value) == false else {
      throw section.wrong(member, "\(SchemaType(kind).expected), as the type is '\(kind.rawValue)'")
    }
    return value
  }

  private func readParts(of type: inout SchemaType, in section: SchemaSection, _ depth: Int) throws(SettingsError) {
    if section.table["elements"] != nil {
      guard type.kind == .array || type.kind == .table else {
        throw section.refuse("only the types 'array' and 'table' have 'elements'", at: "elements")
      }
      type.element = try self.type(in: section.section("elements", "a table with a 'type'"), depth: depth + 1)
    }
    if section.table["ids"] != nil {
      guard type.kind == .records || type.kind == .table else {
        throw section.refuse("only the types 'table' and 'records' have 'ids'", at: "ids")
      }
      type.ids = SchemaType.ids(try ids(in: section, depth))
    }
    type.isOpen = try section.flag("other-fields")
    guard section.table["fields"] != nil else {
      if type.isOpen { throw section.refuse("'other-fields' is for a type with 'fields'", at: "other-fields") }
      return
    }
    guard type.kind == .table || type.kind == .records else {
      throw section.refuse("only the types 'table' and 'records' have 'fields'", at: "fields")
    }
    let fields = try section.section("fields", "a table of types by the names of the fields")
    var list: [SchemaType.Field] = []
    for (name, _) in fields.table {
      list.append(try field(name, in: fields.section(name, "a table with a 'type'"), depth))
    }
    type.fields = list
  }

  private func field(
    _ name: String, in section: SchemaSection, _ depth: Int
  ) throws(SettingsError) -> SchemaType.Field {
    var field = SchemaType.Field(name, try type(in: section, depth: depth + 1, isField: true))
    field.isRequired = try section.flag("required")
    field.fallback = try value("default", of: field.type, in: section)
    field.summary = try section.optionalString("description") ?? ""
    return field
  }

  /// Reads a type, which may be given by its name alone.
  private func ids(in section: SchemaSection, _ depth: Int) throws(SettingsError) -> SchemaType {
    guard case .string(let name)? = section.table["ids"] else {
      return try type(in: section.section("ids", "a type's name, or a table with a 'type'"), depth: depth + 1)
    }
    return SchemaType(try kind(name, in: section, at: "ids") ?? .any)
  }

  private func patterns(in section: SchemaSection) throws(SettingsError) -> [String] {
    let values: [TOMLValue]
    switch section.table["pattern"] {
    case nil: return []
    case .array(let elements)?: values = elements
    case let value?: values = [value]
    }
    var patterns: [String] = []
    for value in values {
      guard case .string(let pattern) = value else {
        throw section.wrong("pattern", "a regular expression as a string, or several in an array")
      }
      if checksPatterns, let fault = SettingsPattern(pattern).fault { throw section.refuse(fault, at: "pattern") }
      patterns.append(pattern)
    }
    return patterns
  }

  private func choices(in section: SchemaSection, of type: SchemaType) throws(SettingsError) -> [TOMLValue]? {
    guard let choices = try section.elements("choices", "an array of values") else { return nil }
    guard !choices.isEmpty else { throw section.wrong("choices", "an array with one value at least") }
    var type = type
    if !checksPatterns { type.patterns = [] }
    for choice in choices {
      do throws(SettingsValueError) {
        try type.check(choice)
      } catch {
        throw section.refuse("the choice \(choice.errorText) is not \(error.expected)", at: "choices")
      }
    }
    return choices
  }
}
