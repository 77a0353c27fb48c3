internal import FoundationEssentials
package import SettingsTOML

/// The form in which an earlier release, or another library, stored the values of a type.
///
/// ```swift
/// try settings.migrate(.tags, from: .json)                            // now, in the user's file
/// Migration(2, "native tags", [.migrate(.tags, from: .json)])          // at the first access
/// ```
public struct SettingsOldForm<Value: Sendable>: Sendable {
  private let body: @Sendable (TOMLValue, SettingsKey<Value>) throws -> Value?
  /// Whether a value in the new form stays as it is before anything else is tried.
  private var keepsNative = false

  /// Creates a form from a function.
  ///
  /// ```swift
  /// let flags = SettingsOldForm<Set<String>> { stored in
  ///   guard case .string(let text) = stored else { return nil }
  ///   return Set(text.split(separator: "+").map(String.init))
  /// }
  /// ```
  ///
  /// If the function throws, a value that the key can read is taken to be in the new form already. Any other value
  /// makes the migration fail.
  ///
  /// - Parameter read: Returns the new value for a stored one; `nil` if the stored value has another form, for example
  ///   the new one.
  package init(_ read: @escaping @Sendable (TOMLValue) throws -> Value?) { body = { stored, _ in try read(stored) } }

  /// Creates a form that rewrites a stored value before it is read as the key's type.
  ///
  /// - Parameter rewrite: Returns what the new release would have stored; `nil` if there is nothing to rewrite.
  package init(rewriting rewrite: @escaping @Sendable (TOMLValue) throws -> TOMLValue?) {
    body = { stored, key in try rewrite(stored).map(key.decode) }
  }

  /// Any value that a bridge can read: the bridge that an earlier release had for the type.
  public static func bridge(_ old: SettingsBridge<Value>) -> SettingsOldForm {
    SettingsOldForm { try old.read($0) }
  }

  /// A string that a function can read.
  ///
  /// ```swift
  /// try settings.migrate(.tags, from: .string { $0.split(separator: ",").map(String.init) })
  /// ```
  public static func string(_ read: @escaping @Sendable (String) throws -> Value?) -> SettingsOldForm {
    SettingsOldForm { try $0.string.flatMap(read) }
  }

  /// JSON of another type, which the earlier release had for the key. A function converts it to the present type.
  ///
  /// The JSON may be in a string, in data, or in an array or a table of such strings:
  ///
  /// ```swift
  /// .migrate(.cities, from: .json([OldCity].self) { $0.map { City(id: $0.id, title: $0.name) } })
  /// ```
  ///
  /// - Parameters:
  ///   - old: The type that was stored.
  ///   - convert: Returns the present value. If it throws, the stored text stays, and the error is reported.
  public static func json<Old: Decodable & SendableMetatype>(
    _ old: Old.Type, _ convert: @escaping @Sendable (Old) throws -> Value
  ) -> SettingsOldForm {
    SettingsOldForm { stored in
      try first(of: JSONText.embedded(in: stored)) { json in
        try convert(try JSONDecoder().decode(old, from: Data(json.utf8)))
      }
    }
  }

  /// The first value that `read` returns for one of the texts; `nil` if there is no text.
  ///
  /// - Throws: The error of the last text, if all fail.
  private static func first(of texts: [String], _ read: (String) throws -> Value) throws -> Value? {
    for (index, text) in texts.enumerated() {
      do {
        return try read(text)
      } catch {
        if index == texts.count - 1 { throw OldFormFailure(error) }
      }
    }
    return nil
  }

  /// Returns the new value for a stored one.
  ///
  /// - Returns: The value; `nil` if the stored value has the new form already.
  /// - Throws: The reason, if it has neither form.
  func value(of stored: TOMLValue, for key: SettingsKey<Value>) throws -> Value? {
    if keepsNative, (try? key.decode(stored)) != nil { return nil }
    do {
      if let value = try body(stored, key) { return value }
    } catch {
      // A value that was corrected by hand, or already migrated, is not in the old form and need not be.
      if (try? key.decode(stored)) != nil { return nil }
      throw error
    }
    _ = try key.decode(stored)
    return nil
  }
}

extension SettingsOldForm where Value: SettingsSerializable {
  /// JSON of the key's type: in a string, in data, or in each string of an array or a table.
  ///
  /// The JSON is read with the type's `Codable` conformance, or otherwise as JSON of the same shape as the value has in
  /// TOML. Elements of collections, and keys and values of dictionaries, are read one by one.
  ///
  /// A string that the type can read directly is in the new form and stays. So the value of a `String` key is never
  /// decoded as JSON. To decode one that was stored as JSON, put
  /// ``MigrationStep/decodeJSONString(_:deep:keepingOthers:)`` into a migration, which runs once. A `SettingsValue` can
  /// be any string: it is decoded if it contains an array or an object.
  public static var json: SettingsOldForm {
    let takesAnything = Value.self == TOMLValue.self || Value.self == TOMLValue?.self
    var form = SettingsOldForm { stored in
      guard case .string(let text) = stored else {
        return takesAnything ? nil : try first(of: JSONText.embedded(in: stored), value(ofJSON:))
      }
      let json = takesAnything ? text : JSONText.embedded(in: text) ?? text
      if takesAnything, json.withoutBlanks.first.map({ "[{".contains($0) }) != true { return nil }
      return try first(of: [json], value(ofJSON:))
    }
    form.keepsNative = !takesAnything
    return form
  }

  private static func value(ofJSON text: String) throws -> Value {
    do {
      return try Value.value(ofJSON: text)
    } catch {
      // Members that are null are absent in TOML, which the type's own coding may not support.
      if let value = try? JSONText.value(of: text).map(Value.settingsBridge.read) { return value }
      throw error
    }
  }
}

/// The reason why a stored value is not in the old form.
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
    case let error as SettingsValueError: description = error.clause(about: "the value")
    default: description = "\(error)"
    }
  }
}

extension SettingsOldForm {
  /// Converts a key's value in a document to its present form, and moves it there if it is under a former name.
  ///
  /// - Returns: Whether the document changed.
  /// - Throws: ``MigrationStepError``, which shows nothing of a secret, if the value is in neither form.
  func migrate(_ key: SettingsKey<Value>, in document: inout TOMLDocument) throws -> Bool {
    guard let path = key.paths.first(where: { document.contains($0) }), let stored = document[path] else {
      return false
    }
    let value: Value?
    do {
      value = try self.value(of: stored, for: key)
    } catch {
      let reason = (error as? SettingsValueError)?.clause(about: "the value") ?? "\(error)".withoutFullStop
      throw MigrationStepError(
        path: path, reason: key.isSecret ? "the value has neither its old form nor its new one" : reason)
    }
    guard let value else { return false }
    let before = document.bytes
    let former = key.paths.dropFirst().filter { !$0.isRelated(to: key.path) }
    for name in former where document.contains(name) {
      if document.contains(key.path) {
        try document.remove(at: name)
      } else {
        try document.move(from: name, to: key.path)
      }
      try document.removeEmptied(above: [name])
    }
    for edit in try key.edits(storing: value, over: nil) where !former.contains(edit.path) {
      // The fields of a table cannot be set one by one where a string is.
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
