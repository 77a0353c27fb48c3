public import AppSettings
import FoundationEssentials

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
  /// migration, which runs once. A `SettingsValue` can be any string: it is decoded if it holds an array or an object.
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
      return try Value.value(ofJSON: text)
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
      let isSecret = key.isSecret
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
