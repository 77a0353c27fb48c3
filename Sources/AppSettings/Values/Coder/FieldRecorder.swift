/// Records what a type requests while it reads a value, which shows what it knows of the value.
///
/// A class, because the containers that write to it are values. Only the reading thread uses it.
final class FieldRecorder {
  private enum Kind { case whole, record, entries, elements }

  private var kind = Kind.whole
  private var fields: [String: FieldRecorder] = [:]
  private var elements: [FieldRecorder] = []
  /// What a bridge declared about the value, in place of what was recorded.
  private var replacement: KnownFields?
  /// The requested types in order; `nil` if only the names matter. A field without a type here shows its own as it is
  /// read.
  private var types: [(name: String, type: SchemaType?)]?

  /// Whether another form than a table was requested: a type may read several forms.
  private var asksForOthers = false
  /// Whether the type can request fields of any name.
  private var hasAnyNames = false

  /// Runs code that reads with a recorder, and returns what was recorded.
  static func record(_ body: (FieldRecorder) -> Void) -> KnownFields {
    let recorder = FieldRecorder()
    body(recorder)
    return recorder.knownFields
  }

  /// Returns the schema type of a sample, from what its type requests while it reads the sample.
  static func schemaType(of sample: TOMLValue, _ body: (FieldRecorder) -> Void) -> SchemaType {
    let recorder = FieldRecorder()
    recorder.types = []
    body(recorder)
    return recorder.schemaType(of: sample)
  }

  /// Whether reading code requests a table and nothing else.
  static func asksForTable(_ body: (FieldRecorder) -> Void) -> Bool {
    let recorder = FieldRecorder()
    body(recorder)
    return (recorder.kind == .record || recorder.kind == .entries) && !recorder.asksForOthers
  }

  func askForOther() { asksForOthers = true }

  func becomeRecord(hasAnyNames: Bool) {
    if kind == .whole { kind = .record }
    if hasAnyNames { self.hasAnyNames = true }
  }

  func becomeEntries() { kind = .entries }

  func becomeElements() { kind = .elements }

  func note(_ name: String) { _ = child(name) }

  /// Records a field with the type as which it is read.
  func note<T>(_ name: String, as type: T.Type, sample: TOMLValue?) {
    _ = child(name)
    guard types != nil else { return }
    types?.append((name, Self.schemaType(of: type, sample)))
  }

  /// Returns what a type declares about its stored form; `nil` if it must be observed while it reads.
  private static func schemaType(of type: Any.Type, _ sample: TOMLValue?) -> SchemaType? {
    func known<T: SettingsSerializable>(_ type: T.Type) -> SchemaType {
      // Plain `Codable` types use the sample themselves.
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
        // A field that is read in several forms may have any value.
        if fields[index].type != type { fields[index].type = .any }
      } else {
        fields.append(SchemaType.Field(name, type))
      }
    }
    // Those that were requested without a type: by 'contains', or as nested containers.
    let typed = Set(fields.map(\.name))
    fields += self.fields.keys.filter { !typed.contains($0) }.sorted().map { SchemaType.Field($0, .any) }
    var type = SchemaType.table(fields)
    type.isOpen = hasAnyNames
    return type
  }

  private var knownFields: KnownFields {
    if let replacement { return replacement }
    return switch kind {
    case .whole: .whole
    case .record: .record(fields.mapValues(\.knownFields))
    case .entries: .entries(fields.mapValues(\.knownFields), ownKey: nil)
    case .elements: .elements(elements.map(\.knownFields), isOrdered: true)
    }
  }
}
