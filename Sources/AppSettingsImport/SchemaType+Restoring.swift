package import AppSettings

extension SchemaType {
  /// What is known of how a value was written.
  package enum ImportedText: Sendable {
    /// As a value with a type.
    case typed
    /// Without a type.
    case untyped
    /// As this text, without a type.
    case text(String)
  }

  /// A value of this type that another form of file has as something else: a date as a string in JSON, anything as a text
  /// in an environment.
  ///
  /// - Returns: The value itself where it is of this type already, and where nothing that it may stand for is.
  package func restoring(_ value: TOMLValue, from text: ImportedText) -> TOMLValue {
    if (try? check(value)) != nil { return value }
    switch (value, text) {
    case (.string(let string), _): return (try? self.value(of: string)) ?? value
    case (.array(let items), _):
      return element.map { type in .array(items.map { type.restoring($0, from: text) }) } ?? value
    case (.table(let table), _):
      var result = TOMLTable()
      for (key, value) in table {
        let type = kind == .records ? SchemaType.table(fields) : element ?? fields?.first { $0.name == key }?.type
        result[key] = type?.restoring(value, from: text) ?? value
      }
      return .table(result)
    case (_, .text(let text)): return (try? self.value(of: text)) ?? value
    case (_, .untyped): return (try? self.value(of: value.tomlText)) ?? value
    default: return value
    }
  }
}
