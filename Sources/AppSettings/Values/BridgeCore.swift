/// The implementation of a bridge. The bridge of a composed type is a tree with one object for each level. Each costs
/// an allocation, which matters because the coder makes the bridges of a type's fields at each read.
///
/// A core never changes, so any number of threads may use it at once.
protocol BridgeCore<Value>: AnyObject, Sendable {
  associatedtype Value

  /// The description of a valid stored value.
  ///
  /// Errors have it as ``SettingsValueError/expected``.
  var expectation: Expectation { get }

  /// Makes a value from its stored form.
  ///
  /// - Throws: ``SettingsValueError`` with the path of the invalid part below this value.
  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value

  /// Makes a value from the JSON in which its type, or an older one, was stored.
  ///
  /// By default it uses the type's `Decodable` conformance, or else this bridge on TOML of the same shape.
  func readJSON(from decoder: any Decoder) throws -> Value

  /// Returns the stored form of a value; `nil` if there is nothing to store.
  ///
  /// - Throws: ``SettingsValueError`` if TOML cannot represent the value.
  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue?

  /// Whether the stored table is a record, whose fields the type knows.
  ///
  /// If it is, a default's fields complete a stored table that lacks required ones, and fields are written one by one.
  var mergesTables: Bool { get }

  /// Whether values are read and written by the type's own `Codable` conformance alone.
  ///
  /// The coder then bypasses the bridge.
  var isPlainCodable: Bool { get }

  /// The value that reading gives if none is stored; `nil` if the type has no such value.
  ///
  /// For an optional it is `nil`.
  var absent: Value? { get }

  /// All values that can be stored, if they are few and known.
  ///
  /// They are in their stored form, in the order of `allCases`.
  var choices: [TOMLValue]? { get }

  /// Returns the type in the form of a schema file.
  ///
  /// - Parameter sample: A stored value, which shows what the type does not declare: the fields of a `Codable` type.
  func schemaType(_ sample: TOMLValue?) -> SchemaType

  /// Whether values have the equality, order and count of their stored form, as that is read by the type in a schema
  /// file.
  ///
  /// Only then can a tool check a range, a pattern or a count.
  var isAsStored: Bool { get }

  /// Whether a stored value may have parts that the type does not know, or an order that it ignores.
  ///
  /// If neither, the stored value's parts do not matter for writing.
  var knowsParts: Bool { get }

  /// Whether each value has one stored form only, so that a stored value is always written as it was read.
  ///
  /// A date, for example, has several, one for each offset. Such a value stays as it is stored if its meaning is
  /// unchanged.
  var hasOneForm: Bool { get }

  /// Returns the parts of a newly written value that the type knows; called only if `knowsParts` is true.
  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields

  /// Returns a stored value without the parts that belong to an older form.
  ///
  /// The result is merged with the new form, so unknown fields stay and fields of the old form do not.
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
  var hasOneForm: Bool { false }
  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields { .whole }
  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue { stored }
}

/// A bridge of two functions.
///
/// Values are read and written as a whole: nothing of the stored value stays.
final class FunctionCore<Value>: BridgeCore {
  let expectation: Expectation
  let hasOneForm: Bool
  private let type: SchemaType
  private let readFunction: @Sendable (TOMLValue, _ expected: String) throws -> Value
  private let writeFunction: @Sendable (Value) throws -> TOMLValue?

  /// - Parameters:
  ///   - expectation: The description of a valid stored value.
  ///   - type: The type in a schema file; `any` if a schema cannot express it.
  ///   - hasOneForm: Whether each value has only one stored form.
  ///   - read: Makes a value. The second argument is the description of a valid value, for its error.
  ///   - write: Returns the stored form; `nil` for nothing.
  init(
    _ expectation: Expectation, type: SchemaType = .any, hasOneForm: Bool = false,
    read: @escaping @Sendable (TOMLValue, _ expected: String) throws -> Value,
    write: @escaping @Sendable (Value) throws -> TOMLValue?
  ) {
    self.expectation = expectation
    self.type = type
    self.hasOneForm = hasOneForm
    readFunction = read
    writeFunction = write
  }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    try readFunction(stored, expectation.one)
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? { try writeFunction(value) }

  func schemaType(_ sample: TOMLValue?) -> SchemaType { type }
  // Custom bridges have no type that a schema can express.
  var isAsStored: Bool { type != .any }
}

extension SettingsBridge {
  /// Makes a bridge for a type that is stored as a single TOML value.
  ///
  /// - Parameter read: Makes a value; returns `nil` if the stored value is not what `expected` describes.
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

/// A bridge around another one, which has all that it does not say itself.
protocol WrappingCore: BridgeCore {
  associatedtype Wrapped
  var wrapped: any BridgeCore<Wrapped> { get }
}

extension WrappingCore {
  var expectation: Expectation { wrapped.expectation }
  var mergesTables: Bool { wrapped.mergesTables }
  func schemaType(_ sample: TOMLValue?) -> SchemaType { wrapped.schemaType(sample) }
  var isAsStored: Bool { wrapped.isAsStored }
  var knowsParts: Bool { wrapped.knowsParts }
  var hasOneForm: Bool { wrapped.hasOneForm }
  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    wrapped.knownFields(of: written, context)
  }
  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue { wrapped.withoutOldForm(stored) }
}

/// A bridge that converts the values of another bridge.
///
/// An error that a conversion throws becomes the reason of a ``SettingsValueError``, unless it is one.
final class MappedCore<Old, Value>: WrappingCore {
  let wrapped: any BridgeCore<Old>
  private let ownExpectation: Expectation?
  private let readFunction: @Sendable (Old) throws -> Value
  private let writeFunction: @Sendable (Value) throws -> Old
  private let keepsValue: Bool

  /// - Parameter keepsValue: Whether the two types have the same values with the same equality and order.
  init(
    _ wrapped: any BridgeCore<Old>, expecting: Expectation?, keepsValue: Bool = false,
    read: @escaping @Sendable (Old) throws -> Value, write: @escaping @Sendable (Value) throws -> Old
  ) {
    self.keepsValue = keepsValue
    self.wrapped = wrapped
    ownExpectation = expecting
    readFunction = read
    writeFunction = write
  }

  var expectation: Expectation { ownExpectation ?? wrapped.expectation }
  var absent: Value? { wrapped.absent.flatMap { try? readFunction($0) } }
  var isAsStored: Bool { keepsValue && wrapped.isAsStored }
  var hasOneForm: Bool { keepsValue && wrapped.hasOneForm }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    let value = try wrapped.read(stored, context)
    do {
      return try readFunction(value)
    } catch {
      throw SettingsValueError(wrapping: error, expected: expectation.one, found: stored)
    }
  }

  func readJSON(from decoder: any Decoder) throws -> Value {
    if Value.self is any Decodable.Type, let value = try? readOwnJSON(from: decoder) { return value }
    return try readFunction(wrapped.readJSON(from: decoder))
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? {
    let mapped: Old
    do {
      mapped = try writeFunction(value)
    } catch {
      throw SettingsValueError(unstorable: Value.self, error)
    }
    return try wrapped.write(mapped, context)
  }
}

/// A bridge that reads and writes a new form, and reads an old form where the new one cannot be read.
///
/// Reading changes nothing in the file. The next time that the key is set, the value is written in the new form, and
/// the fields of the old form are removed.
final class EitherFormCore<Value>: WrappingCore {
  let wrapped: any BridgeCore<Value>
  private let old: any BridgeCore<Value>

  init(_ new: any BridgeCore<Value>, old: any BridgeCore<Value>) {
    wrapped = new
    self.old = old
  }

  var absent: Value? { wrapped.absent }
  var hasOneForm: Bool { false }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    var type = wrapped.schemaType(sample)
    type.readsOlderForm = true
    return type
  }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    do {
      return try wrapped.read(stored, context)
    } catch {
      // No base: fields of the new form must not complete a table of the old one.
      guard let value = try? old.read(stored, context.over(nil)) else { throw error }
      return value
    }
  }

  func readJSON(from decoder: any Decoder) throws -> Value {
    do {
      return try wrapped.readJSON(from: decoder)
    } catch {
      guard let value = try? old.readJSON(from: decoder) else { throw error }
      return value
    }
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? { try wrapped.write(value, context) }

  func withoutOldForm(_ stored: TOMLValue) -> TOMLValue {
    let context = BridgeContext()
    if (try? wrapped.read(stored, context)) != nil { return wrapped.withoutOldForm(stored) }
    guard (try? old.read(stored, context)) != nil else { return stored }
    return old.knownFields(of: stored, context).remove(from: stored)
  }
}

/// Thrown by a conversion that has no value for its input. It is always converted before it reaches a caller.
struct NoSuchValue: Error {}
