// Booleans, numbers and text. The functions that read them are shared with the coder, which reads fields without going
// through a bridge.

/// A type whose values are TOML's own: a boolean, a number or a text.
///
/// The coder's generic functions for it stand for all the functions that Swift's coding protocols require.
protocol StoredScalar: Codable, SettingsSerializable {
  /// What a stored value must be.
  static var expectation: Expectation { get }

  init(stored value: TOMLValue) throws

  var stored: TOMLValue { get }
}

extension StoredScalar {
  /// - Parameter hasOneForm: Whether a value has only one stored form.
  fileprivate static func makeBridge(_ type: SchemaType, hasOneForm: Bool = true) -> SettingsBridge<Self> {
    SettingsBridge(
      FunctionCore(
        expectation, type: type, hasOneForm: hasOneForm, read: { stored, _ in try Self(stored: stored) },
        write: { $0.stored }))
  }
}

extension Bool: SettingsSerializable, StoredScalar {
  /// Stores the value as a boolean. Only booleans are read: words such as `yes` are for command lines.
  public static let settingsBridge = makeBridge(SchemaType(.boolean))

  static let expectation = Expectation("a boolean", many: "booleans")

  @inline(__always)
  init(stored value: TOMLValue) throws {
    guard case .boolean(let boolean) = value else {
      throw SettingsValueError(expected: Bool.expectation.one, found: value)
    }
    self = boolean
  }

  var stored: TOMLValue { .boolean(self) }
}

extension FixedWidthInteger {
  /// `an integer`, with the range if it differs from TOML's.
  static var expectation: Expectation {
    let range = Self.isSigned && Self.bitWidth == 64 ? "" : " from \(Self.min) to \(Self.max)"
    return Expectation("an integer\(range)", many: "integers\(range)")
  }

  /// Reads an integer of any width. An integer above TOML's largest is stored as a string of its digits.
  ///
  /// A float is refused even if it is whole: the next write would turn it into an integer.
  @inline(__always)
  init(stored value: TOMLValue) throws {
    if case .integer(let integer) = value, let exact = Self(exactly: integer) {
      self = exact
    } else {
      self = try Self(beyondInteger: value)
    }
  }

  /// Reads an integer above TOML's largest one, and throws for every other value.
  @inline(never)
  private init(beyondInteger value: TOMLValue) throws {
    // A string is read only if TOML has no such integer, so that each number has one form.
    guard Self.max > Int64.max, case .string(let text) = value, let large = Self(text), large > Int64.max,
      text == String(large)
    else { throw SettingsValueError(expected: Self.expectation.one, found: value) }
    self = large
  }

  /// The stored form: an integer, or a string of digits above TOML's largest integer.
  var stored: TOMLValue {
    Int64(exactly: self).map(TOMLValue.integer) ?? .string(String(self))
  }

  /// The type with its range, if that differs from TOML's.
  fileprivate static var schemaType: SchemaType {
    let isAsTOML = Self.isSigned && Self.bitWidth == 64
    return isAsTOML ? SchemaType(.integer) : .integer(Self.min.stored, Self.max.stored)
  }
}

extension Int: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer.
  ///
  /// A float is refused, even `1.0`.
  public static let settingsBridge = makeBridge(schemaType)
}

extension Int8: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, which must be from -128 to 127.
  public static let settingsBridge = makeBridge(schemaType)
}

extension Int16: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, which must be from -32,768 to 32,767.
  public static let settingsBridge = makeBridge(schemaType)
}

extension Int32: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, which must fit 32 bits.
  public static let settingsBridge = makeBridge(schemaType)
}

extension Int64: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer.
  public static let settingsBridge = makeBridge(schemaType)
}

extension UInt: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, or as a string of its digits above `Int64.max`, TOML's largest integer.
  public static let settingsBridge = makeBridge(schemaType)
}

extension UInt8: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, which must be from 0 to 255.
  public static let settingsBridge = makeBridge(schemaType)
}

extension UInt16: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, which must be from 0 to 65,535.
  public static let settingsBridge = makeBridge(schemaType)
}

extension UInt32: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, which must fit 32 bits without a sign.
  public static let settingsBridge = makeBridge(schemaType)
}

extension UInt64: SettingsSerializable, StoredScalar {
  /// Stores the value as an integer, or as a string of its digits above `Int64.max`, TOML's largest integer.
  public static let settingsBridge = makeBridge(schemaType)
}

extension Double: SettingsSerializable, StoredScalar {
  /// Stores the value as a float. Reading also accepts integers. Infinities and not-a-number are `inf` and `nan`.
  ///
  /// An integer in the file stays an integer until another value is set. An integer beyond 2^53 may be rounded.
  public static let settingsBridge = makeBridge(SchemaType(.float), hasOneForm: false)

  static let expectation = Expectation("a number", many: "numbers")

  /// Reads a float, or an integer as the nearest float.
  @inline(__always)
  init(stored value: TOMLValue) throws {
    switch value {
    case .float(let float): self = float
    case .integer(let integer): self = Double(integer)
    default: throw SettingsValueError(expected: Double.expectation.one, found: value)
    }
  }

  var stored: TOMLValue { .float(self) }
}

extension Float: SettingsSerializable, StoredScalar {
  /// Stores the value as a float with as few digits as identify a `Float`: `0.1`, not `0.10000000149011612`.
  ///
  /// A number beyond the range of `Float` is refused; one with more digits is rounded.
  public static let settingsBridge = makeBridge(SchemaType(.float32), hasOneForm: false)

  static var expectation: Expectation { Double.expectation }

  /// What a number beyond the range of `Float` has to be.
  static let expectedRange = "a number from -3.4028235e+38 to 3.4028235e+38"

  init(stored value: TOMLValue) throws {
    let double = try Double(stored: value)
    self = Float(double)
    if isInfinite && !double.isInfinite { throw SettingsValueError(expected: Float.expectedRange, found: value) }
  }

  var stored: TOMLValue {
    if let short = Double(description), Float(short) == self { return .float(short) }
    return .float(Double(self))
  }
}

extension String: SettingsSerializable, StoredScalar {
  /// Stores the value as a string.
  ///
  /// A string that is set to what it was keeps its quotes in the file.
  public static let settingsBridge = makeBridge(SchemaType(.string))

  static let expectation = Expectation("a string", many: "strings")

  @inline(__always)
  init(stored value: TOMLValue) throws {
    guard case .string(let string) = value else {
      throw SettingsValueError(expected: String.expectation.one, found: value)
    }
    self = string
  }

  var stored: TOMLValue { .string(self) }
}

extension Substring: SettingsSerializable {
  /// Stores the value as a string.
  public static let settingsBridge = String.settingsBridge.mapKeepingValue(
    read: { Substring($0) }, write: { String($0) })
}

extension Character: SettingsSerializable {
  /// Stores the character as a string. A character is what a person sees as one: `é` and `👩‍🚀` each are.
  public static let settingsBridge = SettingsBridge<Character>(
    "a string of one character", many: "strings of one character", type: .character,
    read: { stored in
      guard case .string(let string) = stored, let first = string.first, string.dropFirst().isEmpty else { return nil }
      return first
    },
    write: { .string(String($0)) })
}
