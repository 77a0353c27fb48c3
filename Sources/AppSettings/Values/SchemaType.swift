package import SettingsTOML

/// What a stored value has to be, as far as tools are to know it: the type of a key, of an element or of a field.
///
/// A key's own type and constraint decide in the app. This is what is written of them to a schema file, so that the
/// command line refuses what the app would refuse.
package struct SchemaType: Sendable, Hashable {
  /// The names of types in a schema file.
  package enum Kind: String, Sendable, CaseIterable {
    case string, integer, float
    /// Floats of `Float`, which has fewer digits and a smaller range.
    case float32
    case boolean
    case offsetDateTime = "offset-date-time"
    case localDateTime = "local-date-time"
    case localDate = "local-date"
    case localTime = "local-time"
    /// Strings of a form that has a type in Swift.
    case duration, url, uuid, data, decimal, character
    case timeZone = "time-zone"
    case array, table
    /// A table whose values are tables with fields.
    case records
    /// Anything that TOML has.
    case any
  }

  /// A field of a table.
  package struct Field: Sendable, Hashable {
    package var name: String
    package var type: SchemaType
    /// Whether a table without it cannot be read.
    package var isRequired = false
    /// What the app reads where a table lacks it: of the key's default, of what records are completed from, or of the
    /// type's own; `nil` if that is nothing, or not known.
    package var fallback: TOMLValue?

    package init(_ name: String, _ type: SchemaType) {
      self.name = name
      self.type = type
    }
  }

  package var kind: Kind
  package var minimum: TOMLValue?
  package var maximum: TOMLValue?
  /// The value has to be below this one.
  package var limit: TOMLValue?
  package var choices: [TOMLValue]?
  /// Regular expressions, each for the whole string.
  package var patterns: [String] {
    get { compiledPatterns.map(\.text) }
    set { compiledPatterns = newValue.map { SettingsPattern($0) } }
  }
  private(set) var compiledPatterns: [SettingsPattern] = []
  /// How many characters, bytes of data, elements or keys there have to be.
  package var minimumCount: Int?
  package var maximumCount: Int?
  /// Whether the app reads the elements as a set, so that equal ones count once.
  package var isUnique = false
  /// Whether each element has to be the same as or above the one before.
  package var isOrdered = false
  /// Whether the app reads an older form, too, of which nothing is known here.
  package var readsOlderForm = false
  /// What an error says is needed, where the rest of this does not say all: `an integer that is even`.
  package var expectedWords: String?
  /// The fields of a table, or of each of its records; others may be there, too. `nil` if none are known.
  package var fields: [Field]?
  // Arrays, since a struct cannot hold itself.
  private var elementTypes: [SchemaType] = []
  private var idTypes: [SchemaType] = []

  package init(_ kind: Kind) { self.kind = kind }

  /// What the elements of an array, or the values of a table, have to be; `nil` if they may be anything.
  package var element: SchemaType? {
    get { elementTypes.first }
    set { elementTypes = newValue.map { [$0] } ?? [] }
  }

  /// What the keys of a table, or of a table of records, stand for; `nil` for any string.
  package var ids: SchemaType? {
    get { idTypes.first }
    set { idTypes = newValue.map { [$0] } ?? [] }
  }

  /// What keys of a type stand for; `nil` if that says nothing of them.
  package static func ids(_ type: SchemaType) -> SchemaType? {
    type == .any || type == SchemaType(.string) ? nil : type
  }

  package static let any = SchemaType(.any)

  package static func array(of element: SchemaType) -> SchemaType {
    var type = SchemaType(.array)
    if element != .any { type.element = element }
    return type
  }

  package static func table(of value: SchemaType) -> SchemaType {
    var type = SchemaType(.table)
    if value != .any { type.element = value }
    return type
  }

  /// A table of tables with fields.
  package static func records(_ fields: [Field]?, ids: SchemaType? = nil) -> SchemaType {
    var type = SchemaType(.records)
    type.fields = fields
    type.ids = ids
    return type
  }

  package static func table(_ fields: [Field]?) -> SchemaType {
    var type = SchemaType(.table)
    type.fields = fields
    return type
  }

  package static func integer(_ minimum: TOMLValue?, _ maximum: TOMLValue?) -> SchemaType {
    var type = SchemaType(.integer)
    type.minimum = minimum
    type.maximum = maximum
    return type
  }

  /// One of few values: the type is the one that they have.
  package func choosing(_ choices: [TOMLValue]) -> SchemaType {
    var type = self
    type.choices = choices
    return type
  }

  /// Whether a value of this type is a string in a file.
  package var isText: Bool {
    switch kind {
    case .string, .duration, .url, .uuid, .data, .decimal, .character, .timeZone: true
    default: false
    }
  }
}

extension SchemaType {
  /// This type with what is known of a constraint.
  func with(_ facts: [ConstraintFact]) -> SchemaType {
    var type = self
    for fact in facts { type.take(fact) }
    return type
  }

  /// What is said of a type, by the names that it has in a schema file.
  package enum Rule: String, CaseIterable {
    case range = "minimum' and 'maximum"
    case pattern
    case count = "minimum-count' and 'maximum-count"
    case unique, ordered
  }

  /// Whether values of this type can satisfy a rule or not.
  package func has(_ rule: Rule) -> Bool {
    switch rule {
    case .range: ![.array, .table, .records].contains(kind)
    case .pattern: isText
    case .count: isText && kind != .character || [.array, .table, .records].contains(kind)
    case .unique: kind == .array
    case .ordered:
      kind == .array && element.map { ![.array, .table, .records].contains($0.kind) } ?? true
    }
  }

  private mutating func take(_ fact: ConstraintFact) {
    switch fact {
    case .minimum where !has(.range), .maximum where !has(.range), .limit where !has(.range),
      .pattern where !has(.pattern), .count where !has(.count):
      // Of such a type no more is known than the words.
      break
    case .minimum(let value): minimum = SchemaOrder(kind).isOrdered(value, minimum) ? minimum : value
    case .maximum(let value): maximum = SchemaOrder(kind).isOrdered(maximum, value) ? maximum : value
    case .limit(let value):
      // The largest integer of a type says nothing more once there is a limit below it.
      if SchemaOrder(kind).isOrdered(value, maximum) { maximum = nil }
      limit = SchemaOrder(kind).isOrdered(limit, value) ? limit : value
    case .choices(let values): choices = choices.map { $0.filter(Set(values).contains) } ?? values
    case .pattern(let pattern): compiledPatterns.append(SettingsPattern(pattern))
    case .count(let least, let most):
      minimumCount = [minimumCount, least].compactMap { $0 }.max()
      maximumCount = [maximumCount, most].compactMap { $0 }.min()
    case .each(let fact):
      var element = element ?? .any
      element.take(fact)
      self.element = element
    }
  }
}

extension TOMLValue {
  /// The first element of an array or value of a table, as a sample of all.
  var firstElement: TOMLValue? {
    switch self {
    case .array(let elements): elements.first
    case .table(let table): table.lazy.map(\.value).first { _ in true }
    default: nil
    }
  }
}
