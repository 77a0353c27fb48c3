extension SettingsBridge where Value: Codable & SendableMetatype {
  /// What the type's `Codable` conformance makes of it: a table of its fields, in most cases.
  ///
  /// Types in it that are ``SettingsSerializable`` are stored as they are on their own: a date as TOML's date-time,
  /// data as Base64. Required fields that the stored table lacks come from the key's default, so that a property added
  /// in a new release costs nothing; fields that the type does not know stay when it is written.
  public static var codable: SettingsBridge { SettingsBridge(CodableCore()) }

  /// As ``codable``, with `userInfo` for the type's `init(from:)` and `encode(to:)`.
  public static func codable(userInfo: [CodingUserInfoKey: any Sendable]) -> SettingsBridge {
    SettingsBridge(CodableCore(userInfo: userInfo))
  }

  /// As ``codable``, with required fields that a stored table lacks taken from a value wherever the type is read.
  ///
  /// A key's default completes the key's own value only. With this, elements of arrays and dictionaries and fields of
  /// other types survive an added property as well:
  ///
  /// ```swift
  /// struct Profile: Codable, SettingsSerializable {
  ///   var name = "", color = "blue"
  ///   static let settingsBridge = SettingsBridge.codable(over: Profile())
  /// }
  /// ```
  public static func codable(
    over fallback: @escaping @autoclosure @Sendable () -> Value, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) -> SettingsBridge {
    SettingsBridge(CodableCore(userInfo: userInfo, over: fallback))
  }
}

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
      // Not the fallback, nor its fields: a type that holds itself would be asked for ever. An empty table tells of
      // most types whether they are tables.
      return FieldRecorder.asksForTable { recorder in
        _ = try? ValueDecoder.decode(Value.self, from: .table(TOMLTable()), withUserInfo(BridgeContext()), recorder)
      } ? SchemaType(.table) : .any
    }
    return FieldRecorder.schemaType(of: sample) { recorder in
      _ = try? ValueDecoder.decode(Value.self, from: sample, withUserInfo(BridgeContext()), recorder)
    }
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

  private func withUserInfo(_ context: BridgeContext) -> BridgeContext {
    guard !userInfo.isEmpty else { return context }
    var context = context
    context.userInfo.merge(userInfo) { outer, _ in outer }
    return context
  }
}
