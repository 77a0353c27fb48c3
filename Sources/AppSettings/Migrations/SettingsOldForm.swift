import FoundationEssentials
public import SettingsTOML

/// A form in which an earlier release, or another library, stored values of a type.
///
/// ```swift
/// try settings.migrate(.tags, from: .jsonString)        // now, on the user's file
/// Migration(2, "native tags") { MigrateValue(.tags, from: .jsonString) }    // at the first access
/// ```
public struct SettingsOldForm<Value: Sendable>: Sendable {
  private let body: @Sendable (TOMLValue) throws -> Value?

  /// Makes a form of code.
  ///
  /// - Parameter read: Makes a value of what is stored; `nil` if that is of another form, the new one perhaps.
  public init(_ read: @escaping @Sendable (TOMLValue) throws -> Value?) { body = read }

  /// What a bridge reads: one that an earlier release had for the type.
  public static func bridge(_ old: SettingsBridge<Value>) -> SettingsOldForm {
    SettingsOldForm { try old.read($0) }
  }

  /// A string that a function reads.
  public static func string(_ read: @escaping @Sendable (String) throws -> Value?) -> SettingsOldForm {
    SettingsOldForm { value in
      guard case .string(let text) = value else { return nil }
      return try read(text)
    }
  }

  /// The value that a stored one means.
  ///
  /// - Returns: `nil` if it has the new form already.
  /// - Throws: Why it has neither form.
  func value(of stored: TOMLValue, for key: SettingsKey<Value>) throws -> Value? {
    do {
      if let value = try body(stored) { return value }
    } catch {
      // What was mended by hand, or migrated before, is not of the old form and fine.
      if (try? key.decode(stored)) != nil { return nil }
      throw error
    }
    _ = try key.decode(stored)
    return nil
  }

  fileprivate static func json(_ decode: @escaping @Sendable (String) throws -> Value) -> SettingsOldForm {
    .string { try decode($0) }
  }
}

extension SettingsOldForm where Value: SettingsSerializable {
  /// A string that holds JSON, of the same shape as the value has in TOML.
  public static var jsonString: SettingsOldForm { .json { try decodeByBridge($0) } }

  fileprivate static func decodeByBridge(_ text: String) throws -> Value {
    let bridge = Value.settingsBridge
    do throws(JSONText.Failure) {
      guard let value = try JSONText.value(of: text) else {
        if let absent = bridge.absent { return absent }
        throw JSONText.Failure(reason: "the JSON is null", isSyntax: false)
      }
      return try Result { try bridge.read(value) }.mapError { JSONText.Failure(reason: "\($0)", isSyntax: false) }.get()
    } catch {
      throw OldFormFailure(reason: error.reason)
    }
  }
}

extension SettingsOldForm where Value: Decodable & SettingsSerializable {
  /// A string that holds JSON, as the type's `Codable` conformance makes it.
  public static var jsonString: SettingsOldForm { .json { try decode($0) } }

  fileprivate static func decode(_ text: String) throws -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
      // The coding may have changed since; the shape need not have.
      if let value = try? decodeByBridge(text) { return value }
      throw OldFormFailure(decoding: error)
    }
  }
}

extension SettingsOldForm where Value: SettingsNativeForm {
  /// A string that holds JSON of the type's ``SettingsNativeForm/CodableForm``.
  public static var jsonString: SettingsOldForm { .json { try decodeForm($0) } }

  fileprivate static func decodeForm(_ text: String) throws -> Value {
    do {
      return Value.native(from: try JSONDecoder().decode(Value.CodableForm.self, from: Data(text.utf8)))
    } catch {
      throw OldFormFailure(decoding: error)
    }
  }
}

extension SettingsOldForm where Value: SettingsNativeForm & Decodable {
  /// A string that holds JSON of the type's ``SettingsNativeForm/CodableForm``.
  public static var jsonString: SettingsOldForm { .json { try decodeForm($0) } }
}

/// Why a string has not the old form.
private struct OldFormFailure: Error, CustomStringConvertible {
  var description: String

  init(reason: String) { description = reason }

  init(decoding error: any Error) {
    switch error as? DecodingError {
    case .dataCorrupted(let context)?: description = "the text is not JSON of the type (\(context.debugDescription))"
    case .keyNotFound(let key, _)?: description = "the JSON has no '\(key.stringValue)'"
    case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?:
      let place = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
      description = "the JSON does not fit the type" + (place.isEmpty ? "" : " at '\(place)'")
    default: description = "\(error)"
    }
  }
}

// MARK: - Pairs of types

/// The `Codable` type whose JSON an earlier release stored, for values that now have a type and a form of their own.
///
/// ```swift
/// struct CodableZone: SettingsCodableForm {
///   var id, name: String
///   func toNative() -> Zone { Zone(id: id, name: name) }
/// }
/// extension Zone: SettingsNativeForm { typealias CodableForm = CodableZone }
/// ```
public protocol SettingsCodableForm: Decodable, SendableMetatype {
  /// The present type.
  associatedtype NativeForm
  /// The value as it is now.
  func toNative() -> NativeForm
}

extension SettingsCodableForm
where Self: RawRepresentable, NativeForm: RawRepresentable, NativeForm.RawValue == RawValue {
  /// The case with the same raw value. A case that is no longer there traps: write the function then.
  public func toNative() -> NativeForm {
    guard let native = NativeForm(rawValue: rawValue) else {
      preconditionFailure("\(NativeForm.self) has no case '\(rawValue)', so \(Self.self) needs its own toNative().")
    }
    return native
  }
}

/// A type whose values an earlier release stored as JSON of another type.
///
/// Arrays, sets, dictionaries and optionals of such a type are such types, at any depth.
public protocol SettingsNativeForm: SettingsSerializable {
  /// The type whose JSON was stored.
  associatedtype CodableForm: Decodable & SendableMetatype
  /// The value that one of the old type means.
  static func native(from form: CodableForm) -> Self
}

extension SettingsNativeForm where CodableForm: SettingsCodableForm, CodableForm.NativeForm == Self {
  /// What the old type makes of it.
  public static func native(from form: CodableForm) -> Self { form.toNative() }
}

extension Array: SettingsNativeForm where Element: SettingsNativeForm {
  /// The elements' values, in order.
  public static func native(from form: [Element.CodableForm]) -> [Element] { form.map { Element.native(from: $0) } }
}

extension Set: SettingsNativeForm where Element: SettingsNativeForm {
  /// The elements' values.
  public static func native(from form: [Element.CodableForm]) -> Set<Element> {
    Set(form.map { Element.native(from: $0) })
  }
}

extension Dictionary: SettingsNativeForm where Key == String, Value: SettingsNativeForm {
  /// The values', by the same keys.
  public static func native(from form: [String: Value.CodableForm]) -> [String: Value] {
    form.mapValues { Value.native(from: $0) }
  }
}

extension Optional: SettingsNativeForm where Wrapped: SettingsNativeForm {
  /// The value's, if there is one.
  public static func native(from form: Wrapped.CodableForm?) -> Wrapped? { form.map { Wrapped.native(from: $0) } }
}

// MARK: - Using forms

/// Gives a key's value its present form, as a step of a migration.
///
/// The step knows the key's type as it is in this release: use it for what no later release will change again, and
/// ``DecodeJSONString`` or code on the document otherwise.
public struct MigrateValue: MigrationStep {
  private let body: @Sendable (inout TOMLDocument) throws -> Void

  /// Makes the step.
  ///
  /// - Parameters:
  ///   - key: The key, as this release declares it.
  ///   - form: The form that its value has in older files.
  public init<Value>(_ key: SettingsKey<Value>, from form: SettingsOldForm<Value>) {
    body = { document in _ = try form.migrate(key, in: &document) }
  }

  /// Takes the step; see the type.
  public func run(on document: inout TOMLDocument) throws { try body(&document) }
}

extension SettingsOldForm {
  /// Gives a key's value in a document its present form.
  ///
  /// - Returns: Whether the document changed.
  func migrate(_ key: SettingsKey<Value>, in document: inout TOMLDocument) throws -> Bool {
    guard let stored = document[key.path] else { return false }
    let value: Value?
    do {
      value = try self.value(of: stored, for: key)
    } catch {
      let isSecret = key.options.contains(.secret)
      throw MigrationStepError(
        path: key.path, reason: isSecret ? "the value has neither its old form nor its new one" : "\(error)")
    }
    guard let value else { return false }
    let before = document.bytes
    for edit in try key.edits(storing: value, over: nil) {
      // A table does not go where a string is, field by field.
      if let new = edit.value, edit.path == key.path || document[key.path]?.table != nil {
        try document.set(new, at: edit.path)
      } else if let whole = try key.bridge.write(value) {
        try document.set(whole, at: key.path)
      } else {
        try document.remove(at: key.path)
      }
    }
    return document.bytes != before
  }
}

extension SettingsStore {
  /// Gives a key's value in the user's file its present form, with a backup and in one write.
  ///
  /// A value that has the present form already stays, and so does an absent one, so that this may run at each start:
  ///
  /// ```swift
  /// try settings.migrate(.tags, from: .jsonString)
  /// ```
  ///
  /// To run once, with a version, put a ``MigrateValue`` into a ``Migration``.
  ///
  /// - Returns: Whether the file changed.
  /// - Throws: ``SettingsError`` `migrationFailed` for a value that has neither form, or as ``set(_:for:)``. The file is
  ///   unchanged.
  @discardableResult
  public func migrate<Value>(_ key: SettingsKey<Value>, from form: SettingsOldForm<Value>) throws -> Bool {
    core.load()
    try core.flush()
    // Nothing is made for nothing.
    guard try core.backing.read().bytes != nil else { return false }
    return try core.replaceText(reason: "before-new-form") { [core] bytes in
      guard let bytes else { return nil }
      var document = try core.reader.parse(bytes, file: core.backing.name)
      try core.reader.checkNotNewer(document, file: core.backing.name)
      if try core.reader.isOutdated(document) { try core.reader.migrations.run(on: &document) }
      if let error = core.snapshot.lockError(key.path) { throw error }
      do {
        guard try form.migrate(key, in: &document) else { return nil }
      } catch {
        throw SettingsError(
          .migrationFailed,
          "Cannot migrate '\(key.name)' in '\(core.backing.name)': \(error). The file is unchanged.",
          file: core.location?.file, position: document.position(of: key.path))
      }
      return document.bytes
    }
  }
}
