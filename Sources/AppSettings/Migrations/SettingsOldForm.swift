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
  /// Whether what has the new form is not looked at.
  private let keepsNative: Bool

  /// Makes a form of code.
  ///
  /// - Parameter read: Makes a value of what is stored; `nil` if that is of another form, the new one perhaps.
  public init(_ read: @escaping @Sendable (TOMLValue) throws -> Value?) { self.init(keepsNative: false, read) }

  private init(keepsNative: Bool, _ read: @escaping @Sendable (TOMLValue) throws -> Value?) {
    self.keepsNative = keepsNative
    body = read
  }

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
    if keepsNative, (try? key.decode(stored)) != nil { return nil }
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

}

extension SettingsOldForm where Value: SettingsSerializable {
  /// A string that holds JSON: as the type's `Codable` conformance makes it, as that of its
  /// ``SettingsNativeForm/CodableForm``, or of the same shape as the value has in TOML. A collection's elements, and a
  /// dictionary's keys and values, are each read so.
  ///
  /// A string that the type can be read from as it is has the new form and stays, so the value of a `String` key is
  /// never taken for JSON. To take the quotes off one that was stored as JSON, put a ``DecodeJSONString`` into a
  /// migration, which runs once. A ``SettingsValue`` can be any string: it is decoded if it holds an array or an object.
  public static var jsonString: SettingsOldForm {
    let takesAnything = Value.self == TOMLValue.self || Value.self == TOMLValue?.self
    return SettingsOldForm(keepsNative: !takesAnything) { stored in
      guard case .string(let text) = stored else { return nil }
      if takesAnything, text.withoutBlanks.first.map({ "[{".contains($0) }) != true { return nil }
      return try json(text)
    }
  }

  private static func json(_ text: String) throws -> Value {
    do {
      return try JSONForm.read(text, by: Value.settingsBridge)
    } catch {
      // Members that are null are absent in TOML, which a type's own coding may not know.
      if let value = try? JSONText.value(of: text).map(Value.settingsBridge.read) { return value }
      throw OldFormFailure(error)
    }
  }
}

/// Why a string has not the old form.
private struct OldFormFailure: Error, CustomStringConvertible {
  let description: String

  init(reason: String) { description = reason }

  init(_ error: any Error) {
    switch error {
    case DecodingError.dataCorrupted(let context):
      description = "the text is not JSON of the type (\(context.debugDescription))"
    case DecodingError.keyNotFound(let key, _): description = "the JSON has no '\(key.stringValue)'"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
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
  ///
  /// - Throws: Where there is none, as for a case that is no longer there. The stored text stays as it is then.
  func toNative() throws -> NativeForm
}

extension SettingsCodableForm
where Self: RawRepresentable, NativeForm: RawRepresentable, NativeForm.RawValue == RawValue {
  /// The case with the same raw value.
  ///
  /// - Throws: An error that names the raw value, if there is no such case any more. To read it as another, write this
  ///   function for the type.
  public func toNative() throws -> NativeForm {
    guard let native = NativeForm(rawValue: rawValue) else {
      throw OldFormFailure(reason: "the type '\(NativeForm.self)' has no case '\(rawValue)' any more")
    }
    return native
  }
}

/// A type whose values an earlier release stored as JSON of another type.
///
/// Collections of such a type, dictionaries with values of it and optionals are read in the same way, at any depth.
public protocol SettingsNativeForm: SettingsSerializable {
  /// The type whose JSON was stored.
  associatedtype CodableForm: Decodable & SendableMetatype
  /// The value that one of the old type means.
  ///
  /// - Throws: Where there is none. The stored text stays as it is then.
  static func native(from form: CodableForm) throws -> Self
}

extension SettingsNativeForm where CodableForm: SettingsCodableForm, CodableForm.NativeForm == Self {
  /// What the old type makes of it.
  public static func native(from form: CodableForm) throws -> Self { try form.toNative() }
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
