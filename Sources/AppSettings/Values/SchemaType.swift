package import SettingsTOML

/// The type of a key, element or field, as far as tools need to know it: what its stored values must be.
///
/// The app itself uses a key's own type and constraint. This is the part that is written to a schema file, so that the
/// command line refuses what the app would refuse.
///
/// ```swift
/// SchemaType.array(of: .integer(1, 65535))   // what `[Int]` with `.each(.in(1...65535))` needs
/// ```
///
/// It allows what it does not mention: there, only the app can decide.
package struct SchemaType: Sendable, Hashable {
  /// The names of types in a schema file.
  package enum Kind: String, Sendable, CaseIterable {
    case string, integer, float
    /// Floats in the range and precision of `Float`.
    case float32
    case boolean
    case offsetDateTime = "offset-date-time"
    case localDateTime = "local-date-time"
    case localDate = "local-date"
    case localTime = "local-time"
    /// Strings in the form of a particular Swift type.
    case duration, url, uuid, data, decimal, character
    case timeZone = "time-zone"
    case array, table
    /// A table whose values are tables with fields.
    case records
    /// Any TOML value.
    case any
  }

  /// A field of a table.
  package struct Field: Sendable, Hashable {
    package var name: String
    package var type: SchemaType
    /// Whether a table that lacks this field is unreadable.
    package var isRequired = false
    /// The value that the app uses if a table lacks the field: from the key's default, from the record that completes
    /// others, or from the type itself; `nil` if there is none or it is not known.
    package var fallback: TOMLValue?
    /// The meaning of the field. Read from files alone.
    package var summary = ""

    package init(_ name: String, _ type: SchemaType, isRequired: Bool = false) {
      self.name = name
      self.type = type
      self.isRequired = isRequired
    }
  }

  /// The kind of the stored value.
  package var kind: Kind
  /// The least value, in the order of the type; `nil` for no limit.
  package var minimum: TOMLValue?
  /// The greatest value, in the order of the type; `nil` for no limit.
  package var maximum: TOMLValue?
  /// The value must be below this one.
  package var limit: TOMLValue?
  /// The only valid values; `nil` if they are not listed.
  package var choices: [TOMLValue]?
  /// Regular expressions, each for the whole string.
  package var patterns: [String] {
    get { compiledPatterns.map(\.text) }
    set { compiledPatterns = newValue.map { SettingsPattern($0) } }
  }
  private(set) var compiledPatterns: [SettingsPattern] = []
  /// The least number of characters, bytes of data, elements or keys; `nil` for no limit.
  package var minimumCount: Int?
  /// The greatest such number; `nil` for no limit.
  package var maximumCount: Int?
  /// Whether the app reads the elements as a set, in which equal ones count once.
  package var isUnique = false
  /// Whether each element must be equal to or above the one before it.
  package var isOrdered = false
  /// Whether the app also reads an older form, about which nothing is known here.
  package var readsOlderForm = false
  /// The description of a valid value, if the other properties do not say all: `an integer that is even`.
  package var expectedWords: String?
  /// A valid value that explains the others.
  package var example: TOMLValue?
  /// The known fields of a table, or of each of its records; `nil` if none are known.
  package var fields: [Field]?
  /// Whether the app may also read fields that ``fields`` does not list.
  package var isOpen = false
  // Arrays, because a struct cannot contain itself.
  private var elementTypes: [SchemaType] = []
  private var idTypes: [SchemaType] = []

  /// Makes a type without constraints.
  package init(_ kind: Kind) { self.kind = kind }

  /// The type of the elements of an array, or of the values of a table; `nil` if any value is allowed.
  package var element: SchemaType? {
    get { elementTypes.first }
    set { elementTypes = newValue.map { [$0] } ?? [] }
  }

  /// The type that the keys of a table, or of a table of records, represent; `nil` for any string.
  package var ids: SchemaType? {
    get { idTypes.first }
    set { idTypes = newValue.map { [$0] } ?? [] }
  }

  /// Returns the type that keys represent; `nil` if it allows any string.
  package static func ids(_ type: SchemaType) -> SchemaType? {
    type == .any || type == SchemaType(.string) ? nil : type
  }

  /// The type that every value has.
  package static let any = SchemaType(.any)

  /// Makes the type of an array from that of its elements.
  package static func array(of element: SchemaType) -> SchemaType {
    var type = SchemaType(.array)
    if element != .any { type.element = element }
    return type
  }

  /// Makes the type of a dictionary, a table with any keys, from that of its values.
  package static func table(of value: SchemaType) -> SchemaType {
    var type = SchemaType(.table)
    if value != .any { type.element = value }
    return type
  }

  /// Makes a table of tables with fields.
  package static func records(_ fields: [Field]?, ids: SchemaType? = nil) -> SchemaType {
    var type = SchemaType(.records)
    type.fields = fields
    type.ids = ids
    return type
  }

  /// Makes the type of a table with fields; `nil` if they are not known.
  package static func table(_ fields: [Field]?) -> SchemaType {
    var type = SchemaType(.table)
    type.fields = fields
    return type
  }

  /// The type of one of the records.
  package var record: SchemaType {
    var type = SchemaType.table(fields)
    type.isOpen = isOpen
    return type
  }

  /// Makes the type of an integer in a range. A bound above `Int64.max` is a string of its digits.
  package static func integer(_ minimum: TOMLValue?, _ maximum: TOMLValue?) -> SchemaType {
    var type = SchemaType(.integer)
    type.minimum = minimum
    type.maximum = maximum
    return type
  }

  /// Returns this type limited to some choices, with the type that the choices have.
  package func choosing(_ choices: [TOMLValue]) -> SchemaType {
    var type = self
    type.choices = choices
    return type
  }

  /// Whether values of this type are strings in a file.
  package var isText: Bool {
    switch kind {
    case .string, .duration, .url, .uuid, .data, .decimal, .character, .timeZone: true
    default: false
    }
  }
}

extension SchemaType {
  /// Returns this type with facts about a constraint added.
  func with(_ facts: [ConstraintFact]) -> SchemaType {
    var type = self
    for fact in facts { type.take(fact) }
    return type
  }

  /// The rules about a type, by their names in a schema file.
  package enum Rule: String, CaseIterable {
    case range = "minimum' and 'maximum"
    case pattern
    case count = "minimum-count' and 'maximum-count"
    case unique, ordered
  }

  /// Whether a rule can apply to values of this type.
  ///
  /// A schema file with a rule that cannot apply to its type is refused.
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

  /// Adds a fact. Of two limits of one kind, the stricter one applies; of two lists of choices, what both have.
  private mutating func take(_ fact: ConstraintFact) {
    switch fact {
    case .minimum where !has(.range), .maximum where !has(.range), .limit where !has(.range),
      .pattern where !has(.pattern), .count where !has(.count):
      // Only the description of such a constraint is known.
      break
    case .minimum(let value): minimum = SchemaOrder(kind).isOrdered(value, minimum) ? minimum : value
    case .maximum(let value): maximum = SchemaOrder(kind).isOrdered(maximum, value) ? maximum : value
    case .limit(let value):
      // A type's largest integer is redundant if there is a limit below it.
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
  /// The first element of an array or value of a table, as a sample of all of them.
  var firstElement: TOMLValue? {
    switch self {
    case .array(let elements): elements.first
    case .table(let table): table.lazy.map(\.value).first { _ in true }
    default: nil
    }
  }
}
