import AppSettings

/// A property that refers to an object with an id, which a ``Garage`` stores as a separate record.
///
/// The object's record stores only the id. Parking an object also parks the objects it refers to. Retrieving it
/// retrieves them too, as the same object for each reference. A type may refer to itself, and cycles are allowed.
///
/// ```swift
/// final class Person: Codable, Identifiable {
///   let id: String
///   @Reference var mother: Person?
///   @References var friends: [Person]
/// }
/// ```
///
/// A reference that is not optional must lead to a record. An optional one that leads to none is `nil`, and its id
/// stays until you set the property. Objects in a cycle of references keep each other alive until you set one of the
/// references to `nil`, as for strong references.
///
/// In a struct, give an optional reference the value `nil`, so that the initializer that Swift makes takes the object:
/// `@Reference var mother: Person? = nil`.
///
/// Coders other than a garage's encode the object itself in place of its id.
@propertyWrapper
public struct Reference<Value: Codable>: Codable {
  private var link: ReferenceLink<Value>

  /// The object. It is not available while the type's `init(from:)` runs in a retrieve.
  public var wrappedValue: Value {
    get { link.value }
    set { link = ReferenceLink(newValue) }
  }

  /// The id as text, also that of an optional reference that leads to no record.
  public var projectedValue: String? { link.id }

  /// Makes a reference to an object.
  public init(wrappedValue: Value) where Value: Identifiable { link = ReferenceLink(wrappedValue) }

  /// Makes a reference to an object or to `nil`.
  public init<Target: Codable & Identifiable>(wrappedValue: Value) where Value == Target? {
    link = ReferenceLink(wrappedValue)
  }

  /// Makes a reference to `nil`.
  public init<Target: Codable & Identifiable>() where Value == Target? { link = ReferenceLink(nil) }

  /// Reads the id or, outside a garage, the object.
  public init(from decoder: any Decoder) throws {
    guard let reading = GarageCoding.reading(of: decoder), let target = ReferenceTarget.type(of: Value.self) else {
      link = ReferenceLink(try Value(from: decoder))
      return
    }
    let link = ReferenceLink<Value>(id: try ReferenceTarget.id(from: decoder))
    self.link = link
    guard reading.resolvesReferences, let id = link.id else { return }
    reading.note(link)
    func request<Target: Codable & Identifiable>(_ type: Target.Type) throws {
      let isRequired = Value.self is Target.Type
      let path = decoder.codingPath.pathText
      try reading.request(type, id: id, isRequired: isRequired, path: path) { object in
        if let value = object.map({ $0 as! Value }) ?? (Optional<Target>.none as? Value) { link.fill(value) }
      }
    }
    try request(target)
  }

  /// Writes the id and lets the garage park the object; outside a garage, writes the object.
  public func encode(to encoder: any Encoder) throws {
    guard let writing = GarageCoding.writing(of: encoder), let target = ReferenceTarget.type(of: Value.self) else {
      try link.value.encode(to: encoder)
      return
    }
    func write<Target: Codable & Identifiable>(_ type: Target.Type) throws -> String? {
      if writing.keepsReadReferences, let id = link.readID { return try writing.reference(toID: id, of: type) }
      if let object = link.known.flatMap({ $0 as? Target }) {
        return try writing.reference(to: object, as: type, isNew: writing.visit(link))
      }
      return try link.id.map { try writing.reference(toID: $0, of: type) }
    }
    var container = encoder.singleValueContainer()
    if let id = try write(target) { try container.encode(id) } else { try container.encodeNil() }
  }
}

extension Reference: Sendable where Value: Sendable {}

extension Reference: Hashable {
  /// Whether both refer to the same id. Comparing the objects might never end.
  public static func == (lhs: Reference, rhs: Reference) -> Bool { lhs.link.id == rhs.link.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(link.id) }
}

/// A property that refers to objects with an id, which a ``Garage`` stores as separate records.
///
/// It works like ``Reference`` for an array: the record stores the ids in order. Each must lead to a record. In a
/// struct, give it the value `[]`, so that the initializer that Swift makes takes the objects.
@propertyWrapper
public struct References<Element: Codable & Identifiable>: Codable {
  private var link: ReferencesLink<Element>

  /// The objects. They are not available while the type's `init(from:)` runs in a retrieve.
  public var wrappedValue: [Element] {
    get { link.values }
    set { link = ReferencesLink(newValue) }
  }

  /// The ids as text.
  public var projectedValue: [String] { link.ids }

  /// Makes references to objects.
  public init(wrappedValue: [Element] = []) { link = ReferencesLink(wrappedValue) }

  /// Reads the ids or, outside a garage, the objects.
  public init(from decoder: any Decoder) throws {
    guard let reading = GarageCoding.reading(of: decoder) else {
      link = ReferencesLink(try [Element](from: decoder))
      return
    }
    var ids: [String] = []
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { ids.append(try ReferenceTarget.id(from: try container.superDecoder())) }
    let link = ReferencesLink<Element>(ids: ids)
    self.link = link
    guard reading.resolvesReferences else { return }
    reading.note(link)
    let path = decoder.codingPath.pathText
    for (index, id) in ids.enumerated() {
      try reading.request(Element.self, id: id, isRequired: true, path: "\(path)[\(index)]") { object in
        if let object { link.fill(index, object) }
      }
    }
  }

  /// Writes the ids and lets the garage park the objects; outside a garage, writes the objects.
  public func encode(to encoder: any Encoder) throws {
    guard let writing = GarageCoding.writing(of: encoder) else {
      try link.values.encode(to: encoder)
      return
    }
    let isNew = writing.visit(link)
    var container = encoder.unkeyedContainer()
    if !writing.keepsReadReferences || link.readIDs == nil, let values = link.known {
      for object in values {
        try container.encode(try writing.reference(to: object, as: Element.self, isNew: isNew))
      }
    } else {
      for id in link.ids { try container.encode(try writing.reference(toID: id, of: Element.self)) }
    }
  }
}

extension References: Sendable where Element: Sendable {}

extension References: Hashable {
  /// Whether both refer to the same ids, in the same order.
  public static func == (lhs: References, rhs: References) -> Bool { lhs.link.ids == rhs.link.ids }

  /// Hashes the ids.
  public func hash(into hasher: inout Hasher) { hasher.combine(link.ids) }
}

// The synthesized `init(from:)` requires a wrapped property even if it is missing.
extension KeyedDecodingContainer {
  /// Reads an optional reference; a missing one is `nil`.
  public func decode<Target: Codable & Identifiable>(
    _ type: Reference<Target?>.Type, forKey key: Key
  ) throws -> Reference<Target?> {
    try decodeIfPresent(type, forKey: key) ?? Reference()
  }

  /// Reads references; missing ones are empty.
  public func decode<Element: Codable & Identifiable>(
    _ type: References<Element>.Type, forKey key: Key
  ) throws -> References<Element> {
    try decodeIfPresent(type, forKey: key) ?? References()
  }
}
