/// Defines how values of a type are read from TOML and written to it.
///
/// Bridges compose. Most are made from the bridge of another type with ``map(expecting:read:write:)``:
///
/// ```swift
/// extension Color: SettingsSerializable {
///   static let settingsBridge = String.settingsBridge.map(
///     expecting: "a colour like \"#ff8800\"", read: Color.init(hex:), write: \.hex)
/// }
/// ```
///
/// The functions of a bridge may run on any thread, whenever a value is read or written. They must depend only on their
/// argument and must not use the store.
public struct SettingsBridge<Value>: Sendable {
  let core: any BridgeCore<Value>

  init(_ core: any BridgeCore<Value>) { self.core = core }

  /// Makes a bridge from two functions.
  ///
  /// ```swift
  /// SettingsBridge<Version>(
  ///   expecting: "a version like \"1.2\"",
  ///   read: { value in
  ///     guard case .string(let text) = value, let version = Version(text) else {
  ///       throw SettingsValueError(expected: "a version like \"1.2\"", found: value)
  ///     }
  ///     return version
  ///   },
  ///   write: { .string($0.description) })
  /// ```
  ///
  /// - Parameters:
  ///   - expecting: The description of a valid stored value with its article, for messages: `a version like "1.2"`.
  ///   - read: Makes a value from its stored form. Errors other than ``SettingsValueError`` become the reason of one.
  ///   - write: Returns the stored form of a value; `nil` if there is nothing to store and the key is to be removed.
  public init(
    expecting: String? = nil,
    read: @escaping @Sendable (TOMLValue) throws -> Value,
    write: @escaping @Sendable (Value) throws -> TOMLValue?
  ) {
    core = FunctionCore(
      Expectation(expecting ?? "a value of type \(Value.self)"),
      read: { value, expected in
        do {
          return try read(value)
        } catch {
          throw SettingsValueError(wrapping: error, expected: expected, found: value)
        }
      },
      write: { value in
        do {
          let stored = try write(value)
          try stored?.checkDepth()
          return stored
        } catch {
          throw SettingsValueError(unstorable: Value.self, error)
        }
      })
  }

  /// Makes a value from its stored form.
  ///
  /// No key's constraint is checked.
  ///
  /// - Throws: ``SettingsValueError``.
  public func read(_ value: TOMLValue) throws -> Value { try core.read(value, BridgeContext()) }

  /// Returns the stored form of a value; `nil` if there is nothing to store, as for an optional's `nil`.
  ///
  /// ```swift
  /// let stored = try Date.settingsBridge.write(Date())   // an offset date-time in UTC
  /// ```
  ///
  /// - Throws: ``SettingsValueError`` if TOML cannot represent the value, such as a date after the year 9999.
  public func write(_ value: Value) throws -> TOMLValue? { try core.write(value, BridgeContext()) }
}

extension SettingsBridge {
  /// Whether the stored table is a record, whose fields the type knows.
  ///
  /// Merging such tables key by key would be wrong: it would add to the keys of a dictionary in the record, or to the
  /// cases of an enumeration. ``read(_:over:)`` and ``write(_:over:)`` treat each part according to its type.
  package var mergesTables: Bool { core.mergesTables }

  /// Whether ``write(_:over:fallback:)`` may return something else than ``write(_:)``.
  package var keepsStoredParts: Bool { core.knowsParts || !core.hasOneForm }

  /// The description of a valid value with its article: `an integer from 0 to 255`.
  package var expected: String { core.expectation.one }

  /// The value that reading gives if none is stored: `.some(nil)` for an optional, `nil` if the type has no such value.
  package var absent: Value? { core.absent }

  /// All values that can be stored, if they are few and known, as for an enumeration with `allCases`.
  package var choices: [TOMLValue]? { core.choices }

  /// Returns the type in the form of a schema file; a stored value as a sample adds details.
  package func schemaType(sample: TOMLValue? = nil) -> SchemaType { core.schemaType(sample) }

  /// Makes a value from its stored form, taking required fields that the table lacks from the default.
  ///
  /// The default is requested only if a required field is missing. A missing optional field is `nil`, because that is
  /// how `nil` is stored.
  ///
  /// - Throws: ``SettingsValueError``.
  package func read(_ value: TOMLValue, over fallback: () throws -> Value?) throws -> Value {
    guard mergesTables else { return try read(value) }
    do {
      return try read(value)
    } catch let error as SettingsValueError where error.isMissing {
      guard let fallback = try fallback(), case .table(let base)? = try? write(fallback) else { throw error }
      return try core.read(value, BridgeContext(base: base))
    }
  }

  /// Returns the stored form of a value that replaces another. Fields of a record that its type does not know stay,
  /// also in the elements of arrays and dictionaries, and a set keeps its order.
  ///
  /// Parts of the value that are what they were stay as they are stored: a date with its offset, `10` for a `Double`, a
  /// field that takes its value from the default because the file lacks it.
  ///
  /// - Parameter fallback: The default that has completed the stored value.
  /// - Throws: ``SettingsValueError``.
  package func write(
    _ value: Value, over stored: TOMLValue?, fallback: () -> Value? = { nil }
  ) throws -> TOMLValue? {
    let written = try write(value)
    guard let written, let stored, written != stored, keepsStoredParts else { return written }
    let known = core.knowsParts ? core.knownFields(of: written, BridgeContext()) : .whole
    let current = core.withoutOldForm(stored)
    let merged = known.merge(written, over: current)
    // A value in an older form is written in the new one.
    guard !core.hasOneForm, current == stored, let own = rewritten(stored, fallback) else { return merged }
    let kept = known.merge(written, over: stored, own: own)
    // What stays as it is must be read as what it was, together with what is new.
    return kept == merged || kept == stored || rewritten(kept, fallback) == written ? kept : merged
  }

  /// A stored value as its type would write it; `nil` if it cannot be read or written.
  private func rewritten(_ stored: TOMLValue, _ fallback: () -> Value?) -> TOMLValue? {
    try? write(read(stored, over: fallback))
  }
}

extension SettingsBridge {
  /// Does the same as ``map(expecting:read:write:)`` for a type with the same values, equality and order.
  ///
  /// Tools can then check ranges, patterns and counts of that type.
  package func mapKeepingValue<New>(
    read: @escaping @Sendable (Value) throws -> New, write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    SettingsBridge<New>(MappedCore(core, expecting: nil, keepsValue: true, read: read, write: write))
  }

  /// Makes a bridge for another type, which is stored in the form of this one.
  ///
  /// ```swift
  /// extension Port: SettingsSerializable {
  ///   static let settingsBridge = Int.settingsBridge.map(read: Port.init(number:), write: \.number)
  /// }
  /// ```
  ///
  /// If only some values of this type are valid, say which. The compiler infers the new type if `read` is one expression.
  /// If it has several statements, state the type:
  ///
  /// ```swift
  /// static let settingsBridge: SettingsBridge<User> = TOMLTable.settingsBridge.map(
  ///   expecting: "a user with a name",
  ///   read: { table in
  ///     guard case .string(let name)? = table["name"] else { return nil }
  ///     return User(name: name)
  ///   },
  ///   write: { ["name": .string($0.name)] })
  /// ```
  ///
  /// - Parameters:
  ///   - expecting: The description of a valid stored value with its article, for messages: `a colour like "#ff8800"`. By
  ///     default that of this bridge: a `Port` made from an `Int` is `an integer`.
  ///   - read: Makes a value of the new type; returns `nil` if the value is not valid. An error that it throws becomes the
  ///     reason for refusing the stored value.
  ///   - write: Converts a value of the new type back.
  public func map<New>(
    expecting: String? = nil, read: @escaping @Sendable (Value) throws -> New?,
    write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    SettingsBridge<New>(
      MappedCore(
        core, expecting: expecting.map { Expectation($0) },
        read: {
          guard let new = try read($0) else { throw NoSuchValue() }
          return new
        },
        write: write))
  }

  /// Makes a bridge that reads values with this bridge, or else with `old`, which knows an older form.
  ///
  /// Values are always written in the new form. If neither bridge can read a value, the error describes the new form.
  ///
  /// ```swift
  /// static let settingsBridge = SettingsBridge<Point>.codable.fallingBack(
  ///   to: [Int].settingsBridge.map(read: Point.init(pair:), write: \.pair))
  /// ```
  ///
  /// - Parameter old: The bridge for the older form, which is only used for reading.
  public func fallingBack(to old: SettingsBridge<Value>) -> SettingsBridge<Value> {
    SettingsBridge(EitherFormCore(core, old: old.core))
  }
}
