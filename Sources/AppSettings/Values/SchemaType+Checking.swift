package import SettingsTOML

extension SchemaType {
  /// Throws if a value is none of this type: what the app itself would refuse, as far as that is known.
  ///
  /// What a value is, which values are equal and which is above another, ``SchemaValue`` says, by the bridges of the app.
  ///
  /// - Parameter isStored: Whether the value is in a file already, where it may have an older form that the app reads.
  package func check(_ value: TOMLValue, isStored: Bool = false) throws(SettingsValueError) {
    if isStored && readsOlderForm { return }
    switch (kind, value) {
    case (.array, .array(let elements)):
      try checkConstraints(value)
      try check(elements, isStored)
    case (.table, .table(let table)), (.records, .table(let table)):
      try checkConstraints(value)
      try check(table, isStored)
    case (.array, _), (.table, _), (.records, _): throw SettingsValueError(expected: expected, found: value)
    default: try checkConstraints(value)
    }
  }

  private func checkConstraints(_ value: TOMLValue) throws(SettingsValueError) {
    let isPart = kind == .array || kind == .table || kind == .records
    // The whole of a large array is not read for nothing.
    let reading = isPart && choices == nil ? .stored(value) : self.reading(value)
    guard let reading, isChosen(value, reading), isInRange(reading), hasCount(value, reading) else {
      throw SettingsValueError(expected: expected, found: value)
    }
    guard case .string(let text) = value else { return }
    for pattern in compiledPatterns {
      switch pattern.verdict(on: text) {
      case .matches: break
      case .differs: throw SettingsValueError(expected: expected, found: value)
      case .refused(let reason): throw SettingsValueError(expected: expected, found: value, reason: reason)
      }
    }
  }

  /// Whether a value is one of the choices, in any of its forms: a duration in another unit, a float as an integer.
  private func isChosen(_ value: TOMLValue, _ reading: SchemaValue) -> Bool {
    guard let choices else { return true }
    // Not-a-number is not equal to itself.
    return reading == reading && choices.contains(value) || choices.contains { self.reading($0) == reading }
  }

  private func isInRange(_ reading: SchemaValue) -> Bool {
    guard minimum != nil || maximum != nil || limit != nil else { return true }
    func isBelow(_ bound: TOMLValue, isAbove: Bool) -> Bool? {
      guard let bound = self.reading(bound) else { return nil }
      return isAbove ? bound.isBelow(reading) : reading.isBelow(bound)
    }
    // What cannot be compared, as not-a-number, is in no range.
    if let minimum, isBelow(minimum, isAbove: false) != false { return false }
    if let maximum, isBelow(maximum, isAbove: true) != false { return false }
    if let limit, isBelow(limit, isAbove: false) != true { return false }
    return true
  }

  private func hasCount(_ value: TOMLValue, _ reading: SchemaValue) -> Bool {
    guard minimumCount != nil || maximumCount != nil else { return true }
    let count: Int
    switch (value, reading) {
    case (_, .data(let data)): count = data.count
    case (.string(let text), _): count = text.count
    case (.array(let elements), _): count = elements.count
    case (.table(let table), _): count = table.count
    default: return true
    }
    return count >= minimumCount ?? 0 && count <= maximumCount ?? .max
  }

  private func check(_ elements: [TOMLValue], _ isStored: Bool) throws(SettingsValueError) {
    if let element {
      for (index, value) in elements.enumerated() {
        do throws(SettingsValueError) {
          try element.check(value, isStored: isStored)
        } catch {
          throw error.under("[\(index)]")
        }
      }
    }
    guard isOrdered || isUnique else { return }
    let readings = elements.map { element?.reading($0) ?? .stored($0) }
    if isOrdered {
      for (reading, next) in zip(readings, readings.dropFirst()) where next.isBelow(reading) != false {
        throw SettingsValueError(expected: expected, found: .array(elements))
      }
    }
    guard isUnique else { return }
    var seen: Set<SchemaValue> = []
    // Not-a-number is not equal to itself, but has one text.
    var unequal: Set<TOMLValue> = []
    for (index, reading) in readings.enumerated() {
      let isNew = reading == reading ? seen.insert(reading).inserted : unequal.insert(elements[index]).inserted
      guard isNew else { throw SettingsValueError(duplicate: elements[index]).under("[\(index)]") }
    }
  }

  private func check(_ table: TOMLTable, _ isStored: Bool) throws(SettingsValueError) {
    var seen: Set<SchemaValue> = []
    let part = parts(of: table)
    for (name, value) in table {
      if let ids {
        guard let id = id(name) else {
          throw SettingsValueError(
            expected: "a key that stands for \(ids.expected)", foundText: "the key \(TOMLValue.quoted(name))"
          ).under(name)
        }
        guard seen.insert(id).inserted else {
          throw SettingsValueError(
            expected: "a key that differs from those before it", foundText: "the key \(TOMLValue.quoted(name))"
          ).under(name)
        }
      }
      guard let type = part(name) else { continue }
      do throws(SettingsValueError) {
        try type.check(value, isStored: isStored)
      } catch {
        throw error.under(name)
      }
    }
  }
}
