import AppSettings

/// A reference that a retrieve fills in.
protocol UnfilledLink: AnyObject {
  /// Releases the object that it leads to.
  func empty()
}

/// The storage of a reference's object, which is set at the start or filled in during a retrieve.
///
/// It is filled in at most once, before the object with the reference is returned. Setting the property makes another.
final class ReferenceLink<Value: Codable>: UnfilledLink,
  @unchecked Sendable  // filled by the thread that made it, before any other has it
{
  private var filled: Value?
  /// The id that was read; `nil` for a reference made in code.
  let readID: String?

  init(_ value: Value) {
    filled = value
    readID = nil
  }

  init(id: String) { readID = id }

  deinit {
    if filled != nil { DeferredReleases.release(&filled, leaving: nil) }
  }

  /// The value, if it is filled in.
  var known: Value? { filled }

  var value: Value {
    guard let filled else {
      preconditionFailure(
        "A reference to \(Value.self) was used before the retrieve that reads it has ended.")
    }
    return filled
  }

  var id: String? {
    if let readID { return readID }
    guard let object = filled as? any Identifiable else { return nil }
    return try? GarageCoding.text(of: object.id, Value.self)
  }

  func fill(_ value: Value) { filled = value }

  func empty() { filled = nil }
}

/// The storage of the objects of references.
final class ReferencesLink<Element: Codable & Identifiable>: UnfilledLink, @unchecked Sendable {  // as ReferenceLink
  private var filled: [Element?]
  /// The ids that were read; `nil` for references made in code.
  let readIDs: [String]?

  init(_ values: [Element]) {
    filled = values
    readIDs = nil
  }

  init(ids: [String]) {
    readIDs = ids
    filled = Array(repeating: nil, count: ids.count)
  }

  deinit {
    if !filled.isEmpty { DeferredReleases.release(&filled, leaving: []) }
  }

  /// The objects, if they are filled in.
  var known: [Element]? {
    let values = filled.compactMap { $0 }
    return values.count == filled.count ? values : nil
  }

  var values: [Element] {
    guard let known else {
      preconditionFailure("References to \(Element.self) were used before the retrieve that reads them has ended.")
    }
    return known
  }

  var ids: [String] {
    readIDs ?? filled.compactMap { $0.flatMap { try? GarageCoding.text(of: $0.id, Element.self) } }
  }

  func fill(_ index: Int, _ value: Element) { filled[index] = value }

  func empty() { filled = Array(repeating: nil, count: filled.count) }
}

/// The targets of references.
enum ReferenceTarget {
  /// The type with an id that a reference's type is, or wraps as an optional.
  static func type(of value: Any.Type) -> (any (Codable & Identifiable).Type)? {
    let wrapped = (value as? any OptionalReference.Type)?.wrapped ?? value
    return wrapped as? any (Codable & Identifiable).Type
  }

  /// The stored id of a reference: a string, an integer, or a table as GarageStorage's mappable objects write it.
  static func id(from decoder: any Decoder) throws -> String {
    let found = ValueCoding.value(of: decoder)
    switch found {
    case .string(let id)?: return id
    case .integer(let id)?: return String(id)
    case .table(let table)?:
      if case .string(let id)? = table["gs_identifier"] { return id }
    default: break
    }
    throw SettingsValueError(expected: "the id of a record", found: found ?? .string(""))
  }
}

/// An optional and the type that it wraps.
private protocol OptionalReference { static var wrapped: Any.Type { get } }
extension Optional: OptionalReference { fileprivate static var wrapped: Any.Type { Wrapped.self } }

extension [any CodingKey] {
  /// The path in the notation of errors: `parents[0].mother`.
  var pathText: String {
    reduce("") { text, key in
      if key.intValue != nil { return "\(text)[\(key.intValue ?? 0)]" }
      return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
    }
  }
}
