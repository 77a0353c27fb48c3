import AppSettings

/// A reference that a retrieve fills in.
protocol UnfilledLink: AnyObject {
  /// Lets go of what it leads to.
  func empty()
}

/// Where a reference's object is: there from the start, or filled in while a retrieve goes on.
///
/// Set once more at most, before the object that has the reference is handed out; a property that is set gets a new
/// one.
final class ReferenceLink<Value: Codable>: UnfilledLink,
  @unchecked Sendable  // filled by the thread that made it, before any other has it
{
  private var filled: Value?
  /// The id that was read; `nil` for a reference that was made.
  let readID: String?

  init(_ value: Value) {
    filled = value
    readID = nil
  }

  init(id: String) { readID = id }

  deinit {
    if filled != nil { DeferredReleases.release(&filled, leaving: nil) }
  }

  /// The value, if it is there.
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

/// Where the objects of references are.
final class ReferencesLink<Element: Codable & Identifiable>: UnfilledLink, @unchecked Sendable {  // as ReferenceLink
  private var filled: [Element?]
  /// The ids that were read; `nil` for references that were made.
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

  /// The objects, if all are there.
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

/// What references lead to.
enum ReferenceTarget {
  /// The type with an id that a reference's type is, or is an optional of.
  static func type(of value: Any.Type) -> (any (Codable & Identifiable).Type)? {
    let wrapped = (value as? any OptionalReference.Type)?.wrapped ?? value
    return wrapped as? any (Codable & Identifiable).Type
  }

  /// The id that is stored for a reference: a string, an integer, or a table as GarageStorage's mappable objects have
  /// it.
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

/// Optionals, with what they wrap.
private protocol OptionalReference { static var wrapped: Any.Type { get } }
extension Optional: OptionalReference { fileprivate static var wrapped: Any.Type { Wrapped.self } }

extension [any CodingKey] {
  /// The path as errors show it: `parents[0].mother`.
  var pathText: String {
    reduce("") { text, key in
      if key.intValue != nil { return "\(text)[\(key.intValue ?? 0)]" }
      return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
    }
  }
}
