package import SettingsTOML

extension SchemaType {
  /// Throws if a value is not of this type. As far as the type is known, the check refuses what the app would refuse.
  ///
  /// ``SchemaValue`` decides what a value is, which values are equal and how they are ordered, using the app's bridges.
  ///
  /// Fields that the type does not list are accepted; ``unknownFields(in:)`` finds them.
  ///
  /// - Parameter isStored: Whether the value is already in a file, where it may have an older form that the app reads.
  /// - Throws: ``SettingsValueError`` with the path of the first invalid part.
  package func check(_ value: TOMLValue, isStored: Bool = false) throws(SettingsValueError) {
    try TypeCheck(self, isStored: isStored).check(value)
  }

  /// What keeps each entry of a table from being valid: its key, or the first invalid part of its value.
  ///
  /// These are the records that the app leaves out, and the entries that make another table unreadable.
  package func entryErrors(in table: TOMLTable) -> [SettingsValueError] {
    TypeCheck(self, isStored: true).entryErrors(in: table)
  }

  /// Whether one more entry, which is valid by itself, can make a table of this type invalid.
  package var limitsEntries: Bool {
    (kind == .table || kind == .records) && (ids != nil || maximumCount != nil) && !readsOlderForm
  }

  /// The keys of a table that stand for nothing, or for the same as another one, which is the owner.
  package func keyErrors(in table: TOMLTable) -> [(name: ExactKey, owner: ExactKey?, error: SettingsValueError)] {
    TypeCheck(self, isStored: true).keyErrors(in: table)
  }

  /// The places within a value that no field of the type has, with array elements as `[3]`: most often typos.
  ///
  /// The app keeps them and does not read them. A place within one of them is not listed.
  package func unknownFields(in value: TOMLValue) -> [[String]] {
    var found: [[String]] = []
    TypeCheck(self, isStored: true).findUnknown(in: value, at: [], &found)
    return found
  }

  /// An error for each required field that a table of this type lacks.
  package func missingFields(in table: TOMLTable) -> [SettingsValueError] {
    guard kind == .table, element == nil else { return [] }
    return (fields ?? []).filter { $0.isRequired && table[$0.name] == nil }
      .map { SettingsValueError(missing: $0.type.expected, at: [$0.name]) }
  }

  /// Whether a value of this type may have something at a path within it, with array elements as `[3]`.
  ///
  /// `true` also where the type is not known in detail.
  package func mayHave(_ part: some Sequence<String>) -> Bool {
    var type = self
    for name in part {
      if type.readsOlderForm { return true }
      switch type.kind {
      case .any: return true
      case .records: type = type.record
      case .table:
        guard type.element != nil || type.hasKnownFields else { return true }
        guard let inner = type.element ?? type.field(name)?.type else { return type.isOpen }
        type = inner
      case .array where SettingsValueError.isIndex(name):
        guard let element = type.element else { return true }
        type = element
      default: return false
      }
    }
    return true
  }

  /// The type at a path within a value; `nil` if it is unknown.
  package func type(at part: some Sequence<String>) -> SchemaType? {
    var type: SchemaType? = self
    for name in part {
      switch type?.kind {
      case .records: type = type?.record
      case .table: type = type?.element ?? type?.field(name)?.type
      case .array: type = SettingsValueError.isIndex(name) ? type?.element : nil
      default: return nil
      }
    }
    return type
  }

  /// The field with a name.
  package func field(_ name: String) -> Field? { fields?.first { ExactKey($0.name) == ExactKey(name) } }

  /// Whether this is a table with a list of its fields, which may be incomplete if ``isOpen``.
  fileprivate var hasKnownFields: Bool { element == nil && fields?.isEmpty == false }
}

/// Checks values by a type. It derives data from the type only once, for all elements and records.
///
/// Fields and choices are found by their hashes, so a check takes time in proportion to the value.
private final class TypeCheck {
  private let type: SchemaType
  private let isStored: Bool

  init(_ type: SchemaType, isStored: Bool) {
    self.type = type
    self.isStored = isStored
  }

  /// The check for the elements of an array, the values of a table, or records.
  private lazy var element =
    (type.kind == .records ? type.record : type.element).map { TypeCheck($0, isStored: isStored) }

  private lazy var ids = type.ids.map { TypeCheck($0, isStored: false) }
  private lazy var fields = Dictionary(
    (type.fields ?? []).map { (ExactKey($0.name), TypeCheck($0.type, isStored: isStored)) },
    uniquingKeysWith: { first, _ in first })

  private lazy var choices = Set(type.choices ?? [])
  private lazy var choiceReadings = Set((type.choices ?? []).compactMap(type.reading))

  func check(_ value: TOMLValue) throws(SettingsValueError) {
    if isStored && type.readsOlderForm { return }
    switch (type.kind, value) {
    case (.array, .array(let elements)):
      try checkConstraints(value)
      try check(elements)
    case (.table, .table(let table)), (.records, .table(let table)):
      try checkConstraints(value)
      try check(table)
    case (.array, _), (.table, _), (.records, _): throw SettingsValueError(expected: type.expected, found: value)
    default: try checkConstraints(value)
    }
  }

  /// Adds the places that no field has, in the order of the file.
  func findUnknown(in value: TOMLValue, at place: [String], _ found: inout [[String]]) {
    if type.readsOlderForm { return }
    switch (type.kind, value) {
    case (.array, .array(let elements)):
      guard let element else { return }
      for (index, value) in elements.enumerated() { element.findUnknown(in: value, at: place + ["[\(index)]"], &found) }
    case (.table, .table(let table)), (.records, .table(let table)):
      for (name, value) in table {
        if let part = element ?? fields[ExactKey(name)] {
          part.findUnknown(in: value, at: place + [name], &found)
        } else if type.kind == .table, type.hasKnownFields, !type.isOpen {
          found.append(place + [name])
        }
      }
    default: return
    }
  }

  /// Throws if a value has another kind, or breaks a rule about the value as a whole.
  private func checkConstraints(_ value: TOMLValue) throws(SettingsValueError) {
    let isPart = type.kind == .array || type.kind == .table || type.kind == .records
    // Without choices to compare, reading all of a large array would be wasted.
    let reading = isPart && type.choices == nil ? .stored(value) : type.reading(value)
    guard let reading, isChosen(value, reading), isInRange(reading), hasCount(value, reading) else {
      // A float that is no reading is too large: it is a number.
      if reading == nil, type.kind == .float32, case .float = value {
        throw SettingsValueError(expected: Float.expectedRange, found: value)
      }
      throw SettingsValueError(expected: type.expected, found: value)
    }
    guard case .string(let text) = value else { return }
    for pattern in type.compiledPatterns {
      switch pattern.verdict(on: text) {
      case .matches: break
      case .differs: throw SettingsValueError(expected: type.expected, found: value)
      case .refused(let reason): throw SettingsValueError(expected: type.expected, found: value, reason: reason)
      }
    }
  }

  /// Whether a value is one of the choices in any form: a duration in another unit, a float as an integer.
  private func isChosen(_ value: TOMLValue, _ reading: SchemaValue) -> Bool {
    if type.choices == nil { return true }
    // Not-a-number is not equal to itself.
    return reading == reading && choices.contains(value) || choiceReadings.contains(reading)
  }

  /// Whether a value is within the bounds. One that cannot be compared with a bound is not.
  private func isInRange(_ reading: SchemaValue) -> Bool {
    let (minimum, maximum, limit) = (type.minimum, type.maximum, type.limit)
    guard minimum != nil || maximum != nil || limit != nil else { return true }
    func isBelow(_ bound: TOMLValue, isAbove: Bool) -> Bool? {
      guard let bound = type.reading(bound) else { return nil }
      return isAbove ? bound.isBelow(reading) : reading.isBelow(bound)
    }
    // A value that cannot be compared, such as not-a-number, is in no range.
    if let minimum, isBelow(minimum, isAbove: false) != false { return false }
    if let maximum, isBelow(maximum, isAbove: true) != false { return false }
    if let limit, isBelow(limit, isAbove: false) != true { return false }
    return true
  }

  /// Whether the number of characters, bytes, elements or keys is allowed. In a set, equal elements are one.
  private func hasCount(_ value: TOMLValue, _ reading: SchemaValue) -> Bool {
    guard type.minimumCount != nil || type.maximumCount != nil else { return true }
    let count: Int
    switch (value, reading) {
    case (_, .data(let data)): count = data.count
    case (.string(let text), _): count = text.count
    case (.array(let elements), _): count = type.isUnique ? distinctCount(of: elements) : elements.count
    case (.table(let table), _): count = table.count
    default: return true
    }
    return count >= type.minimumCount ?? 0 && count <= type.maximumCount ?? .max
  }

  /// Throws if an element is not valid or, where they must be ordered, is below the one before it.
  private func check(_ elements: [TOMLValue]) throws(SettingsValueError) {
    if let element {
      for (index, value) in elements.enumerated() {
        do throws(SettingsValueError) {
          try element.check(value)
        } catch {
          throw error.under("[\(index)]")
        }
      }
    }
    guard type.isOrdered else { return }
    let readings = readings(of: elements)
    for (reading, next) in zip(readings, readings.dropFirst()) where next.isBelow(reading) != false {
      throw SettingsValueError(expected: type.expected, found: .array(elements))
    }
  }

  private func readings(of elements: [TOMLValue]) -> [SchemaValue] {
    elements.map { type.element?.reading($0) ?? .stored($0) }
  }

  /// Returns the number of elements in a set of these.
  private func distinctCount(of elements: [TOMLValue]) -> Int {
    var seen: Set<SchemaValue> = []
    // Not-a-number is not equal to itself, but always has the same text.
    var unequal: Set<TOMLValue> = []
    for (reading, element) in zip(readings(of: elements), elements) {
      if reading == reading { seen.insert(reading) } else { unequal.insert(element) }
    }
    return seen.count + unequal.count
  }

  /// Returns the value that a table's key represents; `nil` if it is not of this type.
  private func reading(ofKey name: String) -> SchemaValue? {
    let forms = [TOMLValue.string(name)] + TableKeyForms.stored(name)
    return forms.first { (try? check($0)) != nil }.flatMap(type.reading)
  }

  /// Throws if a key or a value of a table is not valid, or a required field is missing.
  private func check(_ table: TOMLTable) throws(SettingsValueError) {
    try visitErrors(in: table) { error throws(SettingsValueError) in throw error }
    if let error = type.missingFields(in: table).first { throw error }
  }

  func entryErrors(in table: TOMLTable) -> [SettingsValueError] {
    var errors: [SettingsValueError] = []
    try? visitErrors(in: table) { errors.append($0) }
    return errors
  }

  func keyErrors(in table: TOMLTable) -> [(name: ExactKey, owner: ExactKey?, error: SettingsValueError)] {
    guard let ids else { return [] }
    var errors: [(ExactKey, ExactKey?, SettingsValueError)] = []
    var owners: [SchemaValue: String] = [:]
    for (name, _) in table {
      do throws(SettingsValueError) {
        guard let owner = try owner(of: name, in: table, ids, &owners) else { continue }
        errors.append((ExactKey(name), ExactKey(owner), error(about: name, sameAs: owner).under(name)))
      } catch {
        errors.append((ExactKey(name), nil, error.under(name)))
      }
    }
    return errors
  }

  private func visitErrors(
    in table: TOMLTable, _ body: (SettingsValueError) throws(SettingsValueError) -> Void
  ) throws(SettingsValueError) {
    var owners: [SchemaValue: String] = [:]
    for (name, value) in table {
      do throws(SettingsValueError) {
        if let ids, let owner = try owner(of: name, in: table, ids, &owners) {
          throw error(about: name, sameAs: owner)
        }
        try (element ?? fields[ExactKey(name)])?.check(value)
      } catch {
        try body(error.under(name))
      }
    }
  }

  /// The key that the app takes for the same as this one, and in its place; `nil` if it takes this one. Of the keys of one
  /// record, it takes the one in the id's own form, or else the first.
  ///
  /// - Throws: ``SettingsValueError`` if the key stands for nothing.
  private func owner(
    of name: String, in table: TOMLTable, _ ids: TypeCheck, _ owners: inout [SchemaValue: String]
  ) throws(SettingsValueError) -> String? {
    guard let id = ids.reading(ofKey: name) else {
      throw SettingsValueError(key: name, standingFor: ids.type)
    }
    if type.kind == .records, let own = id.ownKey, !own.hasSameCodeUnits(as: name), table[own] != nil { return own }
    if let owner = owners[id] { return owner }
    owners[id] = name
    return nil
  }

  private func error(about name: String, sameAs owner: String) -> SettingsValueError {
    type.kind == .records
      ? SettingsValueError(key: name, sameRecordAs: owner)
      : SettingsValueError(key: name, expected: "a key that differs from those before it")
  }
}
