/// What a bridge does. A bridge of a composed type is a tree of these, one object for each level: making one costs an
/// allocation a level, which counts, since the coder makes those of a type's fields each time it reads them.
protocol BridgeCore<Value>: AnyObject, Sendable {
  associatedtype Value

  /// What a stored value has to be.
  var expectation: Expectation { get }

  /// Makes a value of what is stored.
  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value

  /// Makes a value of the JSON that its type, or an older one, has been stored as.
  func readJSON(from decoder: any Decoder) throws -> Value

  /// Makes what is to be stored of a value.
  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue?

  /// Whether the stored table is a record, whose fields the type knows.
  var mergesTables: Bool { get }

  /// Whether values are read and written by the type's own `Codable` conformance, and nothing else.
  var isPlainCodable: Bool { get }

  /// What reads when there is no value.
  var absent: Value? { get }

  /// All the values that can be stored, where they are few and known.
  var choices: [TOMLValue]? { get }

  /// What a stored value has to be, as a schema file says it.
  ///
  /// - Parameter sample: A stored value, to learn from what no type says of itself: the fields of a `Codable` one.
  func schemaType(_ sample: TOMLValue?) -> SchemaType

  /// Whether two values are equal, ordered and counted as what is stored for them is, by the type that a schema file
  /// says.
  var isAsStored: Bool { get }

  /// Whether there may be parts of a stored value that the type does not know, or an order that it does not care for.
  var knowsParts: Bool { get }

  /// Which parts of a value just written the type knows; asked only if `knowsParts`.
  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields

  /// What is left of a stored value once the parts that an older form knew are taken out.
  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue
}

extension BridgeCore {
  var mergesTables: Bool { false }
  var isPlainCodable: Bool { false }
  var absent: Value? { nil }
  var choices: [TOMLValue]? { nil }
  func schemaType(_ sample: TOMLValue?) -> SchemaType { .any }
  var isAsStored: Bool { false }
  var knowsParts: Bool { false }
  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields { .whole }
  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue { stored }
}

/// Two functions.
final class FunctionCore<Value>: BridgeCore {
  let expectation: Expectation
  private let type: SchemaType
  private let readFunction: @Sendable (TOMLValue, _ expected: String) throws -> Value
  private let writeFunction: @Sendable (Value) throws -> TOMLValue?

  init(
    _ expectation: Expectation, type: SchemaType = .any,
    read: @escaping @Sendable (TOMLValue, _ expected: String) throws -> Value,
    write: @escaping @Sendable (Value) throws -> TOMLValue?
  ) {
    self.expectation = expectation
    self.type = type
    readFunction = read
    writeFunction = write
  }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    try readFunction(stored, expectation.one)
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? { try writeFunction(value) }

  func schemaType(_ sample: TOMLValue?) -> SchemaType { type }
  // Bridges of someone's own have no type that a schema could say.
  var isAsStored: Bool { type != .any }
}

extension SettingsBridge {
  /// A bridge for a type that is a single TOML value.
  ///
  /// - Parameter read: Makes a value; `nil` for what is not `expected`.
  init(
    _ expected: String, many: String, type: SchemaType.Kind, read: @escaping @Sendable (TOMLValue) -> Value?,
    write: @escaping @Sendable (Value) throws -> TOMLValue
  ) {
    core = FunctionCore(
      Expectation(expected, many: many), type: SchemaType(type),
      read: { stored, expected in
        guard let value = read(stored) else { throw SettingsValueError(expected: expected, found: stored) }
        return value
      },
      write: write)
  }
}

/// Another bridge, and the way to another type.
final class MappedCore<Old, Value>: BridgeCore {
  private let old: any BridgeCore<Old>
  private let ownExpectation: Expectation?
  private let readFunction: @Sendable (Old) throws -> Value
  private let writeFunction: @Sendable (Value) throws -> Old
  private let keepsValue: Bool

  /// - Parameter keepsValue: Whether the two types have the same values, equal and ordered alike.
  init(
    _ old: any BridgeCore<Old>, expecting: Expectation?, keepsValue: Bool = false,
    read: @escaping @Sendable (Old) throws -> Value, write: @escaping @Sendable (Value) throws -> Old
  ) {
    self.keepsValue = keepsValue
    self.old = old
    ownExpectation = expecting
    readFunction = read
    writeFunction = write
  }

  var expectation: Expectation { ownExpectation ?? old.expectation }
  var mergesTables: Bool { old.mergesTables }
  var absent: Value? { old.absent.flatMap { try? readFunction($0) } }
  func schemaType(_ sample: TOMLValue?) -> SchemaType { old.schemaType(sample) }
  var isAsStored: Bool { keepsValue && old.isAsStored }
  var knowsParts: Bool { old.knowsParts }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    let value = try old.read(stored, context)
    do {
      return try readFunction(value)
    } catch {
      throw SettingsValueError(wrapping: error, expected: expectation.one, found: stored)
    }
  }

  func readJSON(from decoder: any Decoder) throws -> Value {
    if Value.self is any Decodable.Type, let value = try? readOwnJSON(from: decoder) { return value }
    return try readFunction(old.readJSON(from: decoder))
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? {
    let mapped: Old
    do {
      mapped = try writeFunction(value)
    } catch {
      throw SettingsValueError(unstorable: Value.self, error)
    }
    return try old.write(mapped, context)
  }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    old.knownFields(of: written, context)
  }

  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue { old.withoutOldForm(stored) }
}

/// Two bridges: one that reads and writes, and one that reads what the first cannot.
final class EitherFormCore<Value>: BridgeCore {
  private let new: any BridgeCore<Value>
  private let old: any BridgeCore<Value>

  init(_ new: any BridgeCore<Value>, old: any BridgeCore<Value>) {
    self.new = new
    self.old = old
  }

  var expectation: Expectation { new.expectation }
  var mergesTables: Bool { new.mergesTables }
  var absent: Value? { new.absent }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    var type = new.schemaType(sample)
    type.readsOlderForm = true
    return type
  }

  var isAsStored: Bool { new.isAsStored }
  var knowsParts: Bool { new.knowsParts }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    do {
      return try new.read(stored, context)
    } catch {
      // A table of the old form must not be completed with fields of the new one, hence no base.
      guard let value = try? old.read(stored, context.over(nil)) else { throw error }
      return value
    }
  }

  func readJSON(from decoder: any Decoder) throws -> Value {
    do {
      return try new.readJSON(from: decoder)
    } catch {
      guard let value = try? old.readJSON(from: decoder) else { throw error }
      return value
    }
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? { try new.write(value, context) }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    new.knownFields(of: written, context)
  }

  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue {
    let context = BridgeContext()
    if (try? new.read(stored, context)) != nil { return new.withoutOldForm(stored) }
    guard (try? old.read(stored, context)) != nil else { return stored }
    return old.knownFields(of: stored, context).remove(from: stored)
  }
}

/// Thrown by a mapping that has no value for what it was given; never reaches a caller as itself.
struct NoSuchValue: Error {}
