package import SettingsTOML

// What becomes of a stored table that lacks a field: no type says it, so it is tried. Only tools ask, so that it may take
// a reading for each field.

extension SchemaType {
  /// Learns of each field whether a table without it can be read, and what is read there then.
  ///
  /// - Parameters:
  ///   - sample: A table that can be read.
  ///   - reread: Reads a table, and writes what was read.
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
        // One that is made each time, as a date of now, is not known.
        fields[index].fallback = try reread(lacking)?.table?[path: place] == used ? used : nil
      } catch {
        fields[index].isRequired = (error as? SettingsValueError)?.isMissing == true
      }
    }
    self.fields = fields
  }

  /// What is known of a type's fields without any value of it.
  ///
  /// A table is made that the type can read: of nothing at first, and then with each field that it misses.
  ///
  /// - Parameters:
  ///   - reread: Reads a table, and writes what was read.
  ///   - fields: What the type says of its fields while it reads a sample.
  /// - Returns: The fields; `nil` if the type reads no table.
  static func fields(
    byReading reread: (TOMLTable) throws -> TOMLValue?, _ fields: (TOMLTable) -> SchemaType?
  ) -> [Field]? {
    var sample = TOMLTable()
    var missing: [TOMLPath] = []
    var isReadable = false
    // A type that misses more has fields without end.
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
    guard var type = fields(sample), type.kind == .table else { return nil }
    if isReadable { type.learnFields(from: sample, reread) }
    var all = type.fields ?? []
    for place in missing where place.components.count == 1 {
      let name = place.components[0]
      let index = all.firstIndex { $0.name == name } ?? all.endIndex
      if index == all.endIndex { all.append(Field(name, .any)) }
      all[index].isRequired = true
    }
    return all
  }

  /// A table with what the app reads where it lacks a field.
  package func completed(_ value: TOMLValue) -> TOMLValue {
    guard case .table(var table) = value else { return value }
    switch kind {
    case .records:
      let record = SchemaType.table(fields)
      for (name, stored) in table { table[name] = record.completed(stored) }
    case .table where element == nil:
      for field in fields ?? [] {
        table[field.name] = table[field.name].map { field.type.completed($0) } ?? field.fallback
      }
    default: break
    }
    return .table(table)
  }

  /// The type without any value that an app reads.
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
  /// A stored value of a type; `nil` if none is known.
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
