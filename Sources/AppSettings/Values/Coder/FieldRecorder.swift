/// Notes what a type asks for while it reads a value, which is what it knows of it.
///
/// A class, since the containers that write to it are values; used by the one thread that reads.
final class FieldRecorder {
  private enum Kind { case whole, record, entries, elements }

  private var kind = Kind.whole
  private var fields: [String: FieldRecorder] = [:]
  private var elements: [FieldRecorder] = []
  /// What a bridge said of the value, instead of what was noted.
  private var replacement: KnownFields?
  /// What types were asked for, in the order in which they were; `nil` where only the names matter. One without a type
  /// says what it knows as it reads.
  private var types: [(name: String, type: SchemaType?)]?

  /// Whether something else than a table was asked for: a type may read several forms.
  private var asksForOthers = false

  /// Runs something that reads with a recorder, and returns what it has noted.
  static func record(_ body: (FieldRecorder) -> Void) -> KnownFields {
    let recorder = FieldRecorder()
    body(recorder)
    return recorder.knownFields
  }

  /// What a value's type is known to be by what it asks for while something reads a sample of it.
  static func schemaType(of sample: TOMLValue, _ body: (FieldRecorder) -> Void) -> SchemaType {
    let recorder = FieldRecorder()
    recorder.types = []
    body(recorder)
    return recorder.schemaType(of: sample)
  }

  /// Whether something that reads asks for a table, and for nothing else.
  static func asksForTable(_ body: (FieldRecorder) -> Void) -> Bool {
    let recorder = FieldRecorder()
    body(recorder)
    return (recorder.kind == .record || recorder.kind == .entries) && !recorder.asksForOthers
  }

  func askForOther() { asksForOthers = true }

  func becomeRecord() { if kind == .whole { kind = .record } }

  func becomeEntries() { kind = .entries }

  func becomeElements() { kind = .elements }

  func note(_ name: String) { _ = child(name) }

  /// Notes a field with the type that it is read as.
  func note<T>(_ name: String, as type: T.Type, sample: TOMLValue?) {
    _ = child(name)
    guard types != nil else { return }
    types?.append((name, Self.schemaType(of: type, sample)))
  }

  /// What a type says of its stored form; `nil` for one that has to be seen reading first.
  private static func schemaType(of type: Any.Type, _ sample: TOMLValue?) -> SchemaType? {
    func known<T: SettingsSerializable>(_ type: T.Type) -> SchemaType {
      // Plain `Codable` ones learn from the sample themselves.
      T.settingsBridge.schemaType(sample: sample)
    }
    return (type as? any SettingsSerializable.Type).map { known($0) }
  }

  func noteElement(_ index: Int) { _ = element(index) }

  func replace(_ known: KnownFields) { replacement = known }

  func child(_ name: String) -> FieldRecorder {
    if let child = fields[name] { return child }
    let child = FieldRecorder()
    if types != nil { child.types = [] }
    fields[name] = child
    return child
  }

  func element(_ index: Int) -> FieldRecorder {
    while elements.count <= index { elements.append(FieldRecorder()) }
    return elements[index]
  }

  private func schemaType(of sample: TOMLValue) -> SchemaType {
    if asksForOthers { return .any }
    guard kind == .record, let types, !types.isEmpty else {
      return if case .table = sample, kind != .whole { SchemaType(.table) } else { .any }
    }
    var fields: [SchemaType.Field] = []
    for (name, known) in types {
      let type = known ?? self.fields[name]?.schemaType(of: sample.table?[name] ?? .table(TOMLTable())) ?? .any
      if let index = fields.firstIndex(where: { $0.name == name }) {
        // One that is read in several forms may be anything.
        if fields[index].type != type { fields[index].type = .any }
      } else {
        fields.append(SchemaType.Field(name, type))
      }
    }
    return .table(fields.filter { $0.type != .any })
  }

  private var knownFields: KnownFields {
    if let replacement { return replacement }
    return switch kind {
    case .whole: .whole
    case .record: .record(fields.mapValues(\.knownFields))
    case .entries: .entries(fields.mapValues(\.knownFields))
    case .elements: .elements(elements.map(\.knownFields), isOrdered: true)
    }
  }
}
