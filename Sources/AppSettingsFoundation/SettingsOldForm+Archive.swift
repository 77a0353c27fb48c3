public import AppSettings
import AppSettingsImport
public import AppSettingsMigrations
public import Foundation

extension SettingsOldForm {
  /// Archives of objects of a class, as `NSKeyedArchiver` has written them, in Base64: what an import makes of the data
  /// in a property list.
  ///
  /// There may be one archive, one of an array, a set or a dictionary of objects, or an array or a table of archives:
  /// whatever the key's type is.
  ///
  /// ```swift
  /// MigrateValue(.frogs, from: .archive(of: Froggy.self))
  /// ```
  ///
  /// The archive is read as secure coding asks: no other class of the app is made from it, and fields of another type
  /// than `init(coder:)` asks for are `nil`. The class is found by its own name, without the module that it was in.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - stored: What to store for an object; by default what `SettingsBridge.secureCoding` stores. With it, the
  ///     class may give way to a type of another form: `{ ["name": .string($0.name)] }`.
  public static func archive<Object: NSObject & NSSecureCoding & SendableMetatype>(
    of type: Object.Type, _ stored: (@Sendable (Object) throws -> TOMLValue)? = nil
  ) -> SettingsOldForm {
    let store =
      stored ?? { object in
        guard let value = try SettingsBridge<Object>.secureCoding.write(object) else { throw UnreadableArchive(type) }
        return value
      }
    return SettingsOldForm(rewriting: { value in
      try value.replacingStrings { text in
        try KeyedArchive(base64: text).flatMap { archive in
          try archive.value { _, node in
            guard let object = ArchiveReader(archive).object(node, of: [type]) as? Object else {
              throw UnreadableArchive(type)
            }
            return try store(object)
          }
        }
      }
    })
  }
}

/// Why an archive has no object.
private struct UnreadableArchive: Error, CustomStringConvertible {
  let description: String

  init(_ type: AnyClass) {
    description = "the archive holds an object that '\(type)' cannot be made from"
  }
}

extension TOMLValue {
  /// The value with other values in the place of the strings in it that a function has one for; `nil` if it has none.
  fileprivate func replacingStrings(_ replace: (String) throws -> TOMLValue?) rethrows -> TOMLValue? {
    switch self {
    case .string(let text): return try replace(text)
    case .array(let items):
      let new = try items.map { try $0.replacingStrings(replace) }
      return new.contains { $0 != nil } ? .array(zip(items, new).map { $1 ?? $0 }) : nil
    case .table(let table):
      var result = table
      for (key, value) in table { if let new = try value.replacingStrings(replace) { result[key] = new } }
      return result == table ? nil : .table(result)
    default: return nil
    }
  }
}
