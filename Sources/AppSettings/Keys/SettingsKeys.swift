public import SettingsTOML

/// The place where an app declares its keys, and what all keys have in common.
///
/// Declare keys as static members in an extension. One declaration gives `settings[.fontSize]`,
/// `settings[\.fontSize]`, `settings.fontSize`, and an element for lists of keys of any type:
///
/// ```swift
/// extension SettingsKeys {
///   static let fontSize = SettingsKey("editor.font-size", default: 12, in: 6...72, "Size of the editor's font.")
/// }
/// ```
public class SettingsKeys: @unchecked Sendable {  // its one subclass is final and has only constants and a locked cache
  /// The key's dotted path, `editor.font-size`.
  public let name: String
  /// The key's path as components.
  public let path: TOMLPath
  /// What the value means, for `settings-cli describe` and generated documentation; empty if not given.
  public let summary: String
  /// How the key is to be handled.
  public let options: SettingsKeyOptions

  package init(name: String, options: SettingsKeyOptions, summary: String) {
    do {
      path = try TOMLPath(parsing: name)
    } catch {
      preconditionFailure("Invalid settings key '\(name)': \(error)")
    }
    precondition(
      !path.isRoot && !path.components[0].hasPrefix("settings-"),
      "Invalid settings key '\(name)': root keys that begin with 'settings-' are reserved.")
    self.name = name
    self.options = options
    self.summary = summary
  }

  /// What the store does with a value at this key before it is known to be of the key's type.
  package func check(_ value: TOMLValue) throws(SettingsValueError) {}
}

extension SettingsKeys: CustomStringConvertible {
  /// The key's name.
  public var description: String { name }
}

/// How a key is to be handled.
public struct SettingsKeyOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: Int
  /// Makes options of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value is a secret: it is left out of logs, problems, error messages and listings.
  public static let secret = SettingsKeyOptions(rawValue: 1 << 0)
}
