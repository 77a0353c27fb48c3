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

  /// Runs something that reads with a recorder, and returns what it has noted.
  static func record(_ body: (FieldRecorder) -> Void) -> KnownFields {
    let recorder = FieldRecorder()
    body(recorder)
    return recorder.knownFields
  }

  func becomeRecord() { if kind == .whole { kind = .record } }

  func becomeEntries() { kind = .entries }

  func becomeElements() { kind = .elements }

  func note(_ name: String) { _ = child(name) }

  func noteElement(_ index: Int) { _ = element(index) }

  func replace(_ known: KnownFields) { replacement = known }

  func child(_ name: String) -> FieldRecorder {
    if let child = fields[name] { return child }
    let child = FieldRecorder()
    fields[name] = child
    return child
  }

  func element(_ index: Int) -> FieldRecorder {
    while elements.count <= index { elements.append(FieldRecorder()) }
    return elements[index]
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
