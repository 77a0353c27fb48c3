package import SettingsTOML

// What happens when a stored table lacks a field: no type declares this, so it is found by trial. Only tools need it,
// so one read for each field is acceptable.

extension SchemaType {
  /// Finds out for each field whether a table without it can be read, and which value is then used.
  ///
  /// - Parameters:
  ///   - sample: A readable table.
  ///   - reread: Reads a table and writes the result.
  mutating func learnFields(from sample: TOMLTable, _ reread: (TOMLTable) throws -> TOMLValue?) {
    learnFields(at: .root, of: sample, reread)
  }

  private mutating func learnFields(
    at path: TOMLPath, of sample: TOMLTable, _ reread: (TOMLTable) throws -> TOMLValue?
  ) {
    guard kind == .table, element == nil, var fields else { return }
    for index in fields.indices {
      let place = path.appending(fields[index].name)
      if sample[path: place]?.table != nil { fields[index].type.learnFields(at: place, of: sample, reread) }
      var lacking = sample
      lacking.apply(Edit(path: place, value: nil))
      do {
        let used = try reread(lacking)?.table?[path: place]
        // A value that differs each time, such as the current date, is unknown.
        fields[index].fallback = try reread(lacking)?.table?[path: place] == used ? used : nil
      } catch {
        fields[index].isRequired = (error as? SettingsValueError)?.isMissing == true
      }
    }
    self.fields = fields
  }

  /// Returns the table with fields of a type for which no value exists yet.
  ///
  /// Builds a table that the type can read, starting from an empty one and adding each field reported as missing.
  ///
  /// - Parameters:
  ///   - reread: Reads a table and writes the result.
  ///   - fields: Returns the fields that the type reports while it reads a sample.
  /// - Returns: The type; `nil` if it reads no table.
  static func table(
    byReading reread: (TOMLTable) throws -> TOMLValue?, _ fields: (TOMLTable) -> SchemaType
  ) -> SchemaType? {
    var sample = TOMLTable()
    var missing: [TOMLPath] = []
    var isReadable = false
    // A type that still lacks fields after this many has an unlimited number of them.
    while missing.count < 256 {
      do {
        _ = try reread(sample)
        isReadable = true
        break
      } catch {
        guard let error = error as? SettingsValueError, let found = error.missing else { break }
        let place = TOMLPath(error.path)
        guard !missing.contains(place) else { break }
        missing.append(place)
        guard let value = found.type.flatMap(TOMLValue.sample) else { break }
        sample.apply(Edit(path: place, value: value))
      }
    }
    var type = fields(sample)
    guard type.kind == .table else { return nil }
    if isReadable { type.learnFields(from: sample, reread) }
    type.learnOpenness(of: isReadable ? .table(sample) : nil) { value in
      let table = value.table ?? TOMLTable()
      return (fields(table), (try? reread(table)) != nil)
    }
    var all = type.fields ?? []
    for place in missing where place.components.count == 1 {
      let name = place.components[0]
      let index = all.firstIndex { $0.name == name } ?? all.endIndex
      if index == all.endIndex { all.append(Field(name, .any)) }
      all[index].isRequired = true
    }
    type.fields = all
    return type
  }

  /// Returns the table with missing fields set to the values that the app uses for them.
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
  package var withoutFallbacks: SchemaType {
    var type = self
    type.fields = fields?.map { field in
      var field = field
      field.fallback = nil
      field.type = field.type.withoutFallbacks
      return field
    }
    return type
  }
}

extension TOMLValue {
  /// Returns some stored value of a type; `nil` if none is known.
  fileprivate static func sample(of type: Any.Type) -> TOMLValue? {
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
