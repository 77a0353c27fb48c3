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
  // One reference, so that a bridge costs one retain to pass around whatever it is composed of.
  let core: Core

  init(
    expectation: @escaping @Sendable () -> Expectation,
    read: @escaping @Sendable (TOMLValue, BridgeContext) throws -> Value,
    write: @escaping @Sendable (Value, BridgeContext) throws -> TOMLValue?,
    configure: (inout Core.Traits) -> Void = { _ in }
  ) {
    var traits = Core.Traits()
    configure(&traits)
    core = Core(expectation: expectation, read: read, write: write, traits: traits)
  }

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
    let expectation = { @Sendable in Expectation(expecting ?? "a value of type \(Value.self)") }
    self.init(
      expectation: expectation,
      read: { value, _ in
        do {
          return try read(value)
        } catch {
          throw SettingsValueError(wrapping: error, expected: expectation().one, found: value)
        }
      },
      write: { value, _ in
        do {
          return try write(value)
        } catch {
          throw SettingsValueError(
            wrapping: error, expected: "a value that can be stored", found: "one of type \(Value.self)")
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
  /// What a bridge is made of. Immutable; a class so that copies of the bridge share it.
  final class Core: Sendable {
    /// What most bridges leave as it is.
    struct Traits: Sendable {
      /// The stored table is a record, whose fields the type knows.
      var mergesTables = false
      /// The value is read and written by the coder with the type's own `Codable` conformance, and nothing else.
      var isPlainCodable = false
      /// What reads when there is no value.
      var absent: (@Sendable () -> Value?)?
      /// All the values that can be stored, where they are few and known.
      var choices: (@Sendable () -> [TOMLValue])?
      /// Which parts of a written value the type knows; `nil` if it knows all.
      var knownFields: (@Sendable (TOMLValue, BridgeContext) -> KnownFields)?
      /// What is left of a stored value once the parts that an older form knew are taken out.
      var withoutOldForm: (@Sendable (TOMLValue) -> TOMLValue)?
    }

    let expectation: @Sendable () -> Expectation
    let read: @Sendable (TOMLValue, BridgeContext) throws -> Value
    let write: @Sendable (Value, BridgeContext) throws -> TOMLValue?
    let traits: Traits

    init(
      expectation: @escaping @Sendable () -> Expectation,
      read: @escaping @Sendable (TOMLValue, BridgeContext) throws -> Value,
      write: @escaping @Sendable (Value, BridgeContext) throws -> TOMLValue?,
      traits: Traits
    ) {
      self.expectation = expectation
      self.read = read
      self.write = write
      self.traits = traits
    }
  }

  /// Whether the stored table is a record, whose fields the type knows.
  ///
  /// To merge tables by their keys would not do: the keys of a dictionary in the record must not be added to, nor the
  /// cases of an enumeration. ``read(_:over:)`` and ``write(_:over:)`` do what is right for each part.
  package var mergesTables: Bool { core.traits.mergesTables }

  /// What an error says is needed, with its article: `an integer from 0 to 255`.
  package var expected: String { core.expectation().one }

  /// What reads when there is no value: `.some(nil)` for an optional, `nil` where the type has no such value.
  package var absent: Value? { core.traits.absent?() }

  /// All the values that can be stored, where they are few and known, as for an enumeration with `allCases`.
  package var choices: [TOMLValue]? { core.traits.choices?() }

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
    guard let written = try write(value), let stored, written != stored else { return try write(value) }
    guard let knownFields = core.traits.knownFields else { return written }
    let kept = core.traits.withoutOldForm?(stored) ?? stored
    return knownFields(written, BridgeContext()).merge(written, over: kept)
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
    mapped(expectation: core.expectation, choices: nil, read: read, write: write)
  }

  /// A bridge for another type, stored as this one is, where not every value of this type has one of the other.
  ///
  /// - Parameters:
  ///   - expecting: What a stored value has to be, with its article, for messages: `a colour like "#ff8800"`.
  ///   - read: Makes a value of the new type; `nil` where there is none.
  ///   - write: The way back.
  public func map<New>(
    expecting: String, read: @escaping @Sendable (Value) throws -> New?,
    write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    mapped(
      expectation: { Expectation(expecting) }, choices: nil,
      read: {
        guard let new = try read($0) else { throw NoSuchValue() }
        return new
      },
      write: write)
  }

  func mapped<New>(
    expectation: @escaping @Sendable () -> Expectation, choices: (@Sendable () -> [TOMLValue])?,
    read: @escaping @Sendable (Value) throws -> New, write: @escaping @Sendable (New) throws -> Value
  ) -> SettingsBridge<New> {
    let core = core
    return SettingsBridge<New>(
      expectation: expectation,
      read: { stored, context in
        let value = try core.read(stored, context)
        do {
          return try read(value)
        } catch {
          throw SettingsValueError(wrapping: error, expected: expectation().one, found: stored)
        }
      },
      write: { new, context in
        let value: Value
        do {
          value = try write(new)
        } catch {
          throw SettingsValueError(
            wrapping: error, expected: "a value that can be stored", found: "one of type \(New.self)")
        }
        return try core.write(value, context)
      },
      configure: { traits in
        traits.mergesTables = core.traits.mergesTables
        traits.choices = choices
        traits.knownFields = core.traits.knownFields
        traits.withoutOldForm = core.traits.withoutOldForm
        if let absent = core.traits.absent {
          traits.absent = { absent().flatMap { try? read($0) } }
        }
      })
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
    let core = core
    return SettingsBridge(
      expectation: core.expectation,
      read: { stored, context in
        do {
          return try core.read(stored, context)
        } catch {
          // A table of the old form must not be completed with fields of the new one, hence no base.
          guard let value = try? old.core.read(stored, context.over(nil)) else { throw error }
          return value
        }
      },
      write: core.write,
      configure: { traits in
        traits = core.traits
        traits.isPlainCodable = false
        traits.choices = nil
        traits.withoutOldForm = { stored in
          if (try? core.read(stored, BridgeContext())) != nil { return core.traits.withoutOldForm?(stored) ?? stored }
          guard (try? old.read(stored)) != nil, let known = old.core.traits.knownFields else { return stored }
          return known(stored, BridgeContext()).remove(from: stored)
        }
      })
  }
}

/// Thrown by a mapping that has no value for what it was given; never reaches a caller as itself.
struct NoSuchValue: Error {}
