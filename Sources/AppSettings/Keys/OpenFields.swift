import SettingsTOML

// Whether the list of a table's fields is complete: no type declares this, so it is found by trial.

extension SchemaType {
  /// What a type does with a sample: the type that it requests while it reads it, and whether it can read it.
  typealias Probe = (TOMLValue) -> (type: SchemaType, isReadable: Bool)

  /// Marks the tables of which the app may read other fields than those listed.
  ///
  /// A type with its own `init(from:)` may decide by one field which others it reads, and so shows only some of them at
  /// a time. So each field that such a decision may depend on gets other values: the list is complete if none of them
  /// makes the type request another field, or fail.
  ///
  /// - Parameters:
  ///   - sample: A readable value of this type.
  ///   - probe: Reads a whole value.
  mutating func learnOpenness(of sample: TOMLValue?, _ probe: Probe) {
    learnOpenness(of: sample, whole: { $0 }, part: { $0 }, probe)
  }

  /// - Parameters:
  ///   - whole: Makes the whole value with another value in this place.
  ///   - part: Returns the type of this place in the type of a whole value.
  private mutating func learnOpenness(
    of sample: TOMLValue?, whole: (TOMLValue) -> TOMLValue, part: (SchemaType) -> SchemaType?, _ probe: Probe
  ) {
    switch (kind, sample) {
    case (.array, .array(let elements)?):
      element?.learnOpenness(of: elements.first, whole: { whole(.array([$0])) }, part: { part($0)?.element }, probe)
    case (.table, .table(let table)?) where element != nil:
      guard let name = table.keys.first else { break }
      element?.learnOpenness(
        of: table[name], whole: { whole(.table([name: $0])) }, part: { part($0)?.element }, probe)
    case (.table, .table(let table)?):
      guard var fields, !fields.isEmpty else { return }
      for index in fields.indices {
        let name = fields[index].name
        func changed(_ value: TOMLValue) -> TOMLValue {
          var changed = table
          changed[name] = value
          return whole(.table(changed))
        }
        fields[index].type.learnOpenness(of: table[name], whole: changed, part: { part($0)?.field(name)?.type }, probe)
        for value in fields[index].type.otherValues where !isOpen {
          let (type, isReadable) = probe(changed(value))
          let requested = part(type)?.fields ?? []
          isOpen = !isReadable || !requested.allSatisfy { field($0.name) != nil }
        }
      }
      self.fields = fields
      return
    default: break
    }
    // Nothing was read that could show more.
    if sample == nil { open() }
  }

  /// Marks all tables with fields in this type as open.
  private mutating func open() {
    element?.open()
    guard var fields, !fields.isEmpty else { return }
    for index in fields.indices { fields[index].type.open() }
    self.fields = fields
    isOpen = true
  }

  /// Values by which a type may decide what else it reads.
  private var otherValues: [TOMLValue] {
    if let choices { return choices }
    return switch kind {
    case .boolean: [true, false]
    case .string, .any: ["?"]
    default: []
    }
  }
}
