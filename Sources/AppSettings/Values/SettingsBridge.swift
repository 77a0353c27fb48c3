/// How values of a type are read from and written to TOML.
///
/// Bridges compose. Most are made of another type's bridge with ``map(read:write:)``:
///
/// ```swift
/// extension Color: SettingsSerializable {
///   static let settingsBridge = String.settingsBridge.map(
///     expecting: "a colour like \"#ff8800\"", read: Color.init(hex:), write: \.hex)
/// }
/// ```
public struct SettingsBridge<Value>: Sendable {
  let core: any BridgeCore<Value>

  init(_ core: any BridgeCore<Value>) { self.core = core }

  /// Makes a bridge of two functions.
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
  ///   - expecting: What a stored value has to be, with its article, for messages: `a version like "1.2"`.
  ///   - read: Makes a value of what is stored. An error that is no ``SettingsValueError`` becomes the reason of one.
  ///   - write: Makes TOML of a value, or `nil` where there is nothing to store and the key is to be removed.
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

  /// Makes a value of what is stored.
  ///
  /// - Throws: ``SettingsValueError``.
  public func read(_ value: TOMLValue) throws -> Value { try core.read(value, BridgeContext()) }

  /// Makes what is to be stored of a value; `nil` where there is nothing to store, as for an optional's `nil`.
  ///
  /// - Throws: ``SettingsValueError``, for what TOML cannot hold: a `nil` in an array, a date after the year 9999.
  public func write(_ value: Value) throws -> TOMLValue? { try core.write(value, BridgeContext()) }
}

extension SettingsBridge {
  /// Whether the stored table is a record, whose fields the type knows.
  ///
  /// To merge tables by their keys would not do: the keys of a dictionary in the record must not be added to, nor the
  /// cases of an enumeration. ``read(_:over:)`` and ``write(_:over:)`` do what is right for each part.
  package var mergesTables: Bool { core.mergesTables }

  /// Whether ``write(_:over:)`` may give something else than ``write(_:)``.
  package var keepsStoredParts: Bool { core.knowsParts }

  /// What an error says is needed, with its article: `an integer from 0 to 255`.
  package var expected: String { core.expectation.one }

  /// What reads when there is no value: `.some(nil)` for an optional, `nil` where the type has no such value.
  package var absent: Value? { core.absent }

  /// All the values that can be stored, where they are few and known, as for an enumeration with `allCases`.
  package var choices: [TOMLValue]? { core.choices }

  /// What a stored value has to be, as a schema file says it; a stored value as a sample tells more of it.
  package func schemaType(sample: TOMLValue? = nil) -> SchemaType { core.schemaType(sample) }

  /// Makes a value of what is stored, with the default's fields for those a record must have and the table lacks.
  ///
  /// The default is asked for only where a required field is absent. An optional field that is absent is `nil`, since
  /// that is how `nil` is stored.
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

  /// Makes what is to be stored of a value in the place of what is stored there now: the fields of a record that its
  /// type does not know stay, also in the elements of arrays and dictionaries, and a set keeps its order.
  ///
  /// - Throws: ``SettingsValueError``.
  package func write(_ value: Value, over stored: TOMLValue?) throws -> TOMLValue? {
    let written = try write(value)
    guard let written, let stored, written != stored, core.knowsParts else { return written }
    return core.knownFields(of: written, BridgeContext()).merge(written, over: core.withoutOldForm(stored))
  }
}

extension SettingsBridge {
  /// A bridge for another type, stored as this one is.
  ///
  /// - Parameters:
  ///   - read: Makes a value of the new type. An error it throws is the reason given for the value being refused.
  ///   - write: The way back.
  public func map<New>(
    read: @escaping @Sendable (Value) throws -> New, write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    SettingsBridge<New>(MappedCore(core, expecting: nil, read: read, write: write))
  }

  /// As ``map(read:write:)``, for a type that has the same values, equal and ordered alike.
  package func mapKeepingValue<New>(
    read: @escaping @Sendable (Value) throws -> New, write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    SettingsBridge<New>(MappedCore(core, expecting: nil, keepsValue: true, read: read, write: write))
  }

  /// A bridge for another type, stored as this one is, where not every value of this type has one of the other.
  ///
  /// The compiler finds the new type by itself where `read` is one expression. Where it has several statements, say it:
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
  ///   - expecting: What a stored value has to be, with its article, for messages: `a colour like "#ff8800"`.
  ///   - read: Makes a value of the new type; `nil` where there is none.
  ///   - write: The way back.
  public func map<New>(
    expecting: String, read: @escaping @Sendable (Value) throws -> New?,
    write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    SettingsBridge<New>(
      MappedCore(
        core, expecting: Expectation(expecting),
        read: {
          guard let new = try read($0) else { throw NoSuchValue() }
          return new
        },
        write: write))
  }

  /// A bridge that also reads an older form: what is stored is read as this bridge does, or else as `old` does.
  ///
  /// Only the new form is written. If neither can read a value, the error is the new form's.
  ///
  /// ```swift
  /// static let settingsBridge = SettingsBridge<Point>.codable.orReading(
  ///   [Int].settingsBridge.map(read: Point.init(pair:), write: \.pair))
  /// ```
  public func orReading(_ old: SettingsBridge<Value>) -> SettingsBridge<Value> {
    SettingsBridge(EitherFormCore(core, old: old.core))
  }
}
