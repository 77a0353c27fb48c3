/// Records what a type requests while it reads a value, which shows what it knows of the value.
///
/// A class, because the containers that write to it are values. Only the reading thread uses it.
///
/// Each recorder is for one value and has one below it for each field or element. Recording means decoding the value,
/// so it is done when a value is written or described, not when it is read.
final class FieldRecorder {
  /// How the type reads the value: as a whole, by its fields, by all its keys, or as an array.
  private enum Kind { case whole, record, entries, elements }

  /// A request for a keyed container makes it `record`; a request for the list of keys makes it `entries`.
  private var kind = Kind.whole
  private var fields: [String: FieldRecorder] = [:]
  private var elements: [FieldRecorder] = []
  /// What a bridge declared about the value, in place of what was recorded.
  private var replacement: KnownFields?
  /// The requested fields in order; `nil` if only the names matter. A field without a type here shows its own as it is
  /// read.
  private var requests: [(name: String, type: SchemaType?, isRequired: Bool)]?

  /// The values for fields that a sample lacks.
  private var samples: [String: TOMLValue] = [:]
  /// Whether another form than a table was requested: a type may read several forms.
  private var asksForOthers = false
  /// Whether the type reads no other fields than those of its names.
  private var hasAllNames = false

  /// Runs code that reads with a recorder, and returns what was recorded.
  static func record(_ body: (FieldRecorder) -> Void) -> KnownFields {
    let recorder = FieldRecorder()
    body(recorder)
    return recorder.knownFields
  }

  /// Returns the schema type of a sample, from what its type requests while it reads the sample. A field that the
  /// sample lacks and has to have gets some value of its type.
  static func schemaType(of sample: TOMLValue, _ read: (TOMLValue, FieldRecorder?) throws -> Void) -> SchemaType {
    let recorder = FieldRecorder()
    recorder.requests = []
    try? read(sample, recorder)
    var type = recorder.schemaType(of: sample)
    type.fields = type.fields?.map { field in
      // A type may go on after the error for a field that is missing.
      var (field, lacking) = (field, sample.table ?? TOMLTable())
      for (name, value) in recorder.samples { lacking[name] = value }
      lacking[field.name] = nil
      if field.isRequired, (try? read(.table(lacking), nil)) != nil { field.isRequired = false }
      return field
    }
    return type
  }

  /// Whether reading code requests a table and nothing else.
  static func asksForTable(_ body: (FieldRecorder) -> Void) -> Bool {
    let recorder = FieldRecorder()
    body(recorder)
    return (recorder.kind == .record || recorder.kind == .entries) && !recorder.asksForOthers
  }

  /// Notes that the type has asked for an array or a single value.
  func askForOther() { asksForOthers = true }

  /// Notes that the type has asked for a table. If its keys are `CaseIterable`, they are all its fields.
  func becomeRecord<Key: CodingKey>(_ key: Key.Type) {
    if kind == .whole { kind = .record }
    guard requests != nil, let keys = Key.self as? any (CaseIterable & CodingKey).Type else { return }
    func names<Same: CaseIterable & CodingKey>(_ keys: Same.Type) -> [String] { keys.allCases.map(\.stringValue) }
    for name in names(keys) { note(name) }
    hasAllNames = true
  }

  /// Notes a value as it was read. A type that has requested just its stored properties reads no other fields: most
  /// often the compiler made its conformance.
  func noteRead<T>(_ value: T) {
    guard requests != nil, !hasAllNames, kind == .record else { return }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .struct || mirror.displayStyle == .class, mirror.superclassMirror == nil
    else { return }
    hasAllNames = Set(mirror.children.compactMap(\.label)) == Set(fields.keys)
  }

  /// Notes that the type reads all keys, as a dictionary does.
  func becomeEntries() { kind = .entries }

  /// Notes that the type reads an array.
  func becomeElements() { kind = .elements }

  /// Notes a field whose type is not known.
  func note(_ name: String) { _ = child(name) }

  /// Records a field with the type as which it is read.
  func note<T>(_ name: String, as type: T.Type, sample: TOMLValue?, isRequired: Bool = false) {
    _ = child(name)
    guard requests != nil else { return }
    requests?.append((name, Self.schemaType(of: type, sample), isRequired))
  }

  /// Returns some stored value for a field that has to be there; `nil` if only the names matter, or none is known.
  func sample(_ name: String, of type: Any.Type) -> TOMLValue? {
    if requests != nil { samples[name] = TOMLValue.sample(of: type) }
    return samples[name]
  }

  /// Returns what a type declares about its stored form; `nil` if it must be observed while it reads.
  private static func schemaType(of type: Any.Type, _ sample: TOMLValue?) -> SchemaType? {
    func known<T: SettingsSerializable>(_ type: T.Type) -> SchemaType {
      // Plain `Codable` types use the sample themselves.
      T.settingsBridge.schemaType(sample: sample)
    }
    return (type as? any SettingsSerializable.Type).map { known($0) }
  }

  /// Notes that an element was read.
  func noteElement(_ index: Int) { _ = element(index) }

  /// Uses what a bridge says about the value in place of what its type has requested.
  func replace(_ known: KnownFields) { replacement = known }

  /// The recorder of a field, made at the first request.
  func child(_ name: String) -> FieldRecorder {
    if let child = fields[name] { return child }
    let child = FieldRecorder()
    if requests != nil { child.requests = [] }
    fields[name] = child
    return child
  }

  /// The recorder of an element, made with those before it.
  func element(_ index: Int) -> FieldRecorder {
    while elements.count <= index { elements.append(FieldRecorder()) }
    return elements[index]
  }

  private func schemaType(of sample: TOMLValue) -> SchemaType {
    if asksForOthers { return .any }
    guard kind == .record, let requests, !self.fields.isEmpty else {
      return if case .table = sample, kind != .whole { SchemaType(.table) } else { .any }
    }
    var fields: [SchemaType.Field] = []
    for (name, known, isRequired) in requests {
      let type = known ?? self.fields[name]?.schemaType(of: sample.table?[name] ?? .table(TOMLTable())) ?? .any
      if let index = fields.firstIndex(where: { $0.name == name }) {
        // A field that is read in several forms may have any value.
        if fields[index].type != type { fields[index].type = .any }
      } else {
        fields.append(SchemaType.Field(name, type, isRequired: isRequired))
      }
    }
    // Those that were requested without a type: by 'contains', or as nested containers.
    let typed = Set(fields.map(\.name))
    fields += self.fields.keys.filter { !typed.contains($0) }.sorted().map { SchemaType.Field($0, .any) }
    var type = SchemaType.table(fields)
    type.isOpen = !hasAllNames
    return type
  }

  private var knownFields: KnownFields {
    if let replacement { return replacement }
    return switch kind {
    case .whole: .whole
    case .record: .record(fields.mapValues(\.knownFields))
    case .entries: .entries(fields.mapValues(\.knownFields), ownKey: nil)
    case .elements: .elements(elements.map(\.knownFields))
    }
  }
}
