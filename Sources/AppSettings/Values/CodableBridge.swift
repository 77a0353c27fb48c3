extension SettingsBridge where Value: Codable & SendableMetatype {
  /// A bridge that uses the type's `Codable` conformance: in most cases it stores a table of the type's fields.
  ///
  /// Nested ``SettingsSerializable`` types are stored as they are on their own: a date as a TOML date-time, data as
  /// Base64. Required fields that the stored table lacks come from the key's default, so you can add a property in a
  /// new release. Fields that the type does not know stay when the value is written.
  ///
  /// ```swift
  /// struct Window: Codable, SettingsSerializable { var width = 640, height = 480 }
  ///
  /// extension SettingsKeys {
  ///   static let window = SettingsKey("window", default: Window())   // [window] with width and height
  /// }
  /// ```
  ///
  /// A missing optional field reads as `nil`, even if the default has a value for it, because that is how `nil` is
  /// stored.
  public static var codable: SettingsBridge { SettingsBridge(CodableCore()) }

  /// Makes a bridge like ``codable`` that passes `userInfo` to the type's `init(from:)` and `encode(to:)`.
  ///
  /// The types of its fields get the same user info, at any depth. If a coder around this value has an entry with the
  /// same key, that one is used.
  ///
  /// ```swift
  /// static let settingsBridge = SettingsBridge<Shape>.codable(userInfo: [.palette: Palette.standard])
  /// ```
  package static func codable(userInfo: [CodingUserInfoKey: any Sendable]) -> SettingsBridge {
    SettingsBridge(CodableCore(userInfo: userInfo))
  }

  /// Makes a bridge like ``codable`` that takes required fields which the stored table lacks from a fallback value.
  ///
  /// A key's default completes only the key's own value. With this bridge, elements of arrays and dictionaries, and
  /// values that are fields of other types, can gain properties too:
  ///
  /// ```swift
  /// struct Profile: Codable, SettingsSerializable {
  ///   var name = "", color = "blue"
  ///   static let settingsBridge = SettingsBridge.codable(over: Profile())
  /// }
  /// ```
  ///
  /// Reading evaluates the fallback only when a required field is missing. A missing optional field is `nil`.
  ///
  /// - Parameters:
  ///   - fallback: A value whose fields complete stored tables.
  ///   - userInfo: The user info for the type's `init(from:)` and `encode(to:)`.
  public static func codable(
    over fallback: @escaping @autoclosure @Sendable () -> Value, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) -> SettingsBridge {
    SettingsBridge(CodableCore(userInfo: userInfo, over: fallback))
  }
}

/// The bridge of a `Codable` type. It lets the type read a value with a recorder to find out which parts the type
/// knows.
private final class CodableCore<Value: Codable & SendableMetatype>: BridgeCore {
  private let userInfo: [CodingUserInfoKey: any Sendable]
  private let fallback: (@Sendable () -> Value)?

  init(userInfo: [CodingUserInfoKey: any Sendable] = [:], over fallback: (@Sendable () -> Value)? = nil) {
    self.userInfo = userInfo
    self.fallback = fallback
  }

  var expectation: Expectation { Expectation("a value of type \(Value.self)", many: "values of type \(Value.self)") }
  var mergesTables: Bool { true }
  var isPlainCodable: Bool { userInfo.isEmpty && fallback == nil }
  var knowsParts: Bool { true }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    guard let sample else {
      // The fallback and its fields are not used: for a type that contains itself, that would never end. An empty table
      // is enough to find out of most types whether they are stored as tables.
      return FieldRecorder.asksForTable { recorder in
        _ = try? ValueDecoder.decode(Value.self, from: .table(TOMLTable()), withUserInfo(BridgeContext()), recorder)
      } ? SchemaType(.table) : .any
    }
    let context = withUserInfo(BridgeContext())
    var type = FieldRecorder.schemaType(of: sample) { value, recorder in
      _ = try ValueDecoder.decode(Value.self, from: value, context, recorder)
    }
    if let fallback { type.complete(with: try? ValueEncoder.encode(fallback(), context)) }
    return type
  }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    let context = withUserInfo(context)
    guard let fallback else { return try ValueDecoder.decode(Value.self, from: stored, context) }
    do {
      return try ValueDecoder.decode(Value.self, from: stored, context)
    } catch let error as SettingsValueError where error.isMissing {
      guard case .table(var base)? = try? ValueEncoder.encode(fallback(), context) else { throw error }
      for (key, value) in context.base ?? TOMLTable() { base[key] = value }
      return try ValueDecoder.decode(Value.self, from: stored, context.over(base))
    }
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? {
    try ValueEncoder.encode(value, withUserInfo(context))
  }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    FieldRecorder.record { recorder in
      _ = try? ValueDecoder.decode(Value.self, from: written, withUserInfo(context), recorder)
    }
  }

  /// The context with this bridge's user info added; entries of the coder take precedence.
  private func withUserInfo(_ context: BridgeContext) -> BridgeContext {
    guard !userInfo.isEmpty else { return context }
    var context = context
    context.userInfo.merge(userInfo) { outer, _ in outer }
    return context
  }
}
