import FoundationEssentials
package import SettingsTOML

extension SchemaType {
  /// Throws if a value is none of this type: what the app itself would refuse, as far as that is known.
  ///
  /// - Parameter isStored: Whether the value is in a file already, where it may have an older form that the app reads.
  package func check(_ value: TOMLValue, isStored: Bool = false) throws(SettingsValueError) {
    if isStored && readsOlderForm { return }
    guard isOfKind(value) else { throw SettingsValueError(expected: expected, found: value) }
    if let choices, !choices.contains(where: { isSame($0, value) }) {
      throw SettingsValueError(expected: expected, found: value)
    }
    guard isInRange(value), hasCount(value), matches(value) else {
      throw SettingsValueError(expected: expected, found: value)
    }
    switch value {
    case .array(let elements): try check(elements, isStored)
    case .table(let table): try check(table, isStored)
    default: break
    }
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
    if isOrdered, let element {
      let order = SchemaOrder(element.kind)
      for (value, next) in zip(elements, elements.dropFirst()) where order.isBelow(next, value) != false {
        throw SettingsValueError(expected: expected, found: .array(elements))
      }
    }
    guard isUnique else { return }
    var seen: Set<TOMLValue> = []
    for value in elements where !seen.insert(value).inserted { throw SettingsValueError(duplicate: value) }
  }

  private func check(_ table: TOMLTable, _ isStored: Bool) throws(SettingsValueError) {
    for (name, value) in table {
      guard isRecordID(name) else {
        throw SettingsValueError(
          expected: recordIDs == .uuid ? "a UUID as a key" : "an integer as a key",
          foundText: "the key \(TOMLValue.quoted(name))")
      }
      let type = kind == .records ? SchemaType.table(fields) : element ?? fields?.first { $0.name == name }?.type
      guard let type else { continue }
      do throws(SettingsValueError) {
        try type.check(value, isStored: isStored)
      } catch {
        throw error.under(name)
      }
    }
  }

  private func isRecordID(_ name: String) -> Bool {
    switch recordIDs {
    case .integer?: Int64(name) != nil || UInt64(name) != nil
    case .uuid?: UUID(uuidString: name) != nil
    default: true
    }
  }

  /// Whether a value has the type, its constraints aside.
  private func isOfKind(_ value: TOMLValue) -> Bool {
    switch (kind, value) {
    case (.offsetDateTime, .offsetDateTime): TOMLOffsetDateTime.settingsBridge.reads(value)
    case (.any, _), (.string, .string), (.integer, .integer), (.float, .float), (.float, .integer),
      (.boolean, .boolean), (.localDateTime, .localDateTime),
      (.localDate, .localDate), (.localTime, .localTime), (.array, .array), (.table, .table), (.records, .table):
      true
    case (.integer, .string(let digits)):
      // Integers that TOML has no room for.
      UInt64(digits).map { $0 > Int64.max && digits == String($0) && minimum != nil && maximum == nil } ?? false
    case (.timeZone, .string(let name)): !name.isEmpty && !name.contains(" ")
    case (.duration, _): Duration.settingsBridge.reads(value)
    case (.url, _): URL.settingsBridge.reads(value)
    case (.uuid, _): UUID.settingsBridge.reads(value)
    case (.data, _): Data.settingsBridge.reads(value)
    case (.decimal, _): Decimal.settingsBridge.reads(value)
    case (.character, _): Character.settingsBridge.reads(value)
    default: false
    }
  }

  /// Whether a value is the one that a choice stands for: a float may be written as an integer, a duration in any unit.
  private func isSame(_ choice: TOMLValue, _ value: TOMLValue) -> Bool {
    if choice == value { return true }
    guard kind == .float || kind == .duration || kind == .decimal else { return false }
    let order = SchemaOrder(kind)
    return order.isBelow(choice, value) == false && order.isBelow(value, choice) == false
  }

  private func isInRange(_ value: TOMLValue) -> Bool {
    let order = SchemaOrder(kind)
    // What cannot be compared, as not-a-number, is in no range.
    if let minimum, order.isBelow(value, minimum) != false { return false }
    if let maximum, order.isBelow(maximum, value) != false { return false }
    if let limit, order.isBelow(value, limit) != true { return false }
    return true
  }

  private func hasCount(_ value: TOMLValue) -> Bool {
    guard minimumCount != nil || maximumCount != nil else { return true }
    let count: Int
    switch value {
    case .string(let text): count = kind == .data ? (try? Data.settingsBridge.read(value))?.count ?? 0 : text.count
    case .array(let elements): count = elements.count
    case .table(let table): count = table.count
    default: return true
    }
    return count >= minimumCount ?? 0 && count <= maximumCount ?? .max
  }

  private func matches(_ value: TOMLValue) -> Bool {
    guard !patterns.isEmpty, case .string(let text) = value else { return true }
    // A pattern that is no regular expression has been refused with the schema.
    return patterns.allSatisfy { pattern in
      guard let regex = try? Regex(pattern) else { return true }
      return (try? regex.wholeMatch(in: text)) != nil
    }
  }
}

extension SettingsBridge {
  fileprivate func reads(_ value: TOMLValue) -> Bool { (try? read(value)) != nil }
}
