package import SettingsTOML

// What happens when a stored table lacks a field.

extension SchemaType {
  /// Takes the fields of a table for those that a stored table lacks and has to have.
  ///
  /// A required field for which the table has a value is no longer required; the value becomes its fallback.
  mutating func complete(with value: TOMLValue?) {
    guard kind == .table, element == nil, var fields, let table = value?.table else { return }
    for index in fields.indices {
      guard let value = table[fields[index].name] else { continue }
      fields[index].type.complete(with: value)
      guard fields[index].isRequired else { continue }
      fields[index].isRequired = false
      fields[index].fallback = value
    }
    self.fields = fields
  }

  /// Returns the table with missing fields set to the values that the app uses for them.
  ///
  /// Tools show the result as what the app reads. Values other than tables are returned unchanged.
  package func completed(_ value: TOMLValue) -> TOMLValue {
    guard case .table(var table) = value else { return value }
    switch kind {
    case .records:
      let record = record
      for (name, stored) in table { table[name] = record.completed(stored) }
    case .table where element == nil:
      for field in fields ?? [] {
        table[field.name] = table[field.name].map { field.type.completed($0) } ?? field.fallback
      }
    default: break
    }
    return .table(table)
  }

  /// The type without any fallback values.
  package var withoutFallbacks: SchemaType { changingFields { $0.fallback = nil } }

  /// The type of tables that may lack any field. An array of tables is a value as a whole: its tables need theirs.
  package var withoutRequiredFields: SchemaType { changingFields(inArrays: false) { $0.isRequired = false } }

  /// The type with each field changed, at any depth.
  private func changingFields(inArrays: Bool = true, _ change: (inout Field) -> Void) -> SchemaType {
    var type = self
    type.fields = fields?.map { field in
      var field = field
      change(&field)
      field.type = field.type.changingFields(inArrays: inArrays, change)
      return field
    }
    if inArrays || kind == .table { type.element = element?.changingFields(inArrays: inArrays, change) }
    return type
  }
}

extension TOMLValue {
  /// Returns some stored value of a type; `nil` if none is known.
  ///
  /// With it, a `Codable` type can read past a field that a sample lacks, so that its later fields are recorded, too.
  static func sample(of type: Any.Type) -> TOMLValue? {
    func known<T: SettingsSerializable>(_ type: T.Type) -> TOMLValue? {
      let bridge = type.settingsBridge
      return bridge.choices?.first ?? sample(of: bridge.schemaType())
    }
    if let type = type as? any SettingsSerializable.Type { return known(type) }
    return rawChoices(of: type)?.first ?? .table(TOMLTable())
  }

  private static func sample(of type: SchemaType) -> TOMLValue? {
    if let choices = type.choices { return choices.first }
    let date = TOMLLocalDate(year: 2001, month: 1, day: 1)
    let time = TOMLLocalTime(hour: 0, minute: 0, second: 0)
    return switch type.kind {
    case .string, .data: ""
    case .character: "a"
    case .integer: type.minimum ?? 0
    case .float, .float32: 0.0
    case .decimal: "0"
    case .boolean: false
    case .offsetDateTime: .offsetDateTime(TOMLOffsetDateTime(date: date, time: time, offsetMinutes: 0))
    case .localDateTime: .localDateTime(TOMLLocalDateTime(date: date, time: time))
    case .localDate: .localDate(date)
    case .localTime: .localTime(time)
    case .duration: "0s"
    case .url: "https://example.org"
    case .uuid: "00000000-0000-0000-0000-000000000000"
    case .timeZone: "GMT"
    case .array: .array([])
    case .table, .records: .table(TOMLTable())
    case .any: nil
    }
  }
}
