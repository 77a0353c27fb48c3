public import AppSettings
import AppSettingsImport
public import Foundation

extension SettingsOldForm {
  /// Archives of objects of a class, written by `NSKeyedArchiver`, in Base64. An import stores the data of a property
  /// list in this form.
  ///
  /// Whatever the key's type, the value may be one archive, an archive of an array, a set or a dictionary of objects,
  /// or an array or a table of archives.
  ///
  /// ```swift
  /// .migrate(.frogs, from: .archive(of: Froggy.self))
  /// ```
  ///
  /// The archive is read with secure coding: no other class of the app is created from it, and a field of another type
  /// than `init(coder:)` requests is `nil`. The class is found by its own name, without its old module.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - stored: Returns what to store for an object; by default, what `SettingsBridge.secureCoding` stores. With it
  ///     you can replace the class with a type of another form: `{ ["name": .string($0.name)] }`.
  /// - Returns: The form.
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

/// The reason why an archive contains no requested object.
private struct UnreadableArchive: Error, CustomStringConvertible {
  let description: String

  init(_ type: AnyClass) {
    description = "the archive holds an object that '\(type)' cannot be made from"
  }
}

extension TOMLValue {
  /// Returns the value with its strings replaced where a function returns a value; `nil` if it returns none.
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
