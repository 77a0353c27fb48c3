public import SettingsTOML

/// A table of the file that keys are in: said once, for their names and for what is done to all of them.
///
/// ```swift
/// extension SettingsKeys {
///   static let editor = SettingsGroup("editor", "How texts are shown.")
///   static let fontSize = SettingsKey("font-size", default: 12, .group(editor))   // editor.font-size
/// }
/// settings.reset(SettingsKeys.editor)
/// ```
///
/// A group whose name is not a dotted path of TOML keys is a programming error and traps.
public struct SettingsGroup: Sendable, Hashable {
  /// The dotted path of the table.
  public var name: String { path.description }
  /// The path of the table.
  public let path: TOMLPath
  /// What its keys have in common, for generated documentation; empty if not given.
  public let summary: String

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - name: Its dotted path, below the group that it is in.
  ///   - summary: What its keys have in common.
  ///   - parent: The group that it is in.
  public init(_ name: String, _ summary: String = "", in parent: SettingsGroup? = nil) {
    path = AnySettingsKey.path(of: name, in: parent)
    self.summary = summary
  }
}

/// What a declaration says of a key beyond its name, type, default and constraint: a string literal is its description.
///
/// ```swift
/// SettingsKey<String?>("sync.token", .secret, "What the server gave this device.")
/// ```
public struct SettingsKeyDetail: Sendable {
  enum Content: Sendable {
    case summary(String)
    case options(SettingsKeyOptions)
    case group(SettingsGroup)
  }
  let content: Content

  /// What the value means.
  public static func summary(_ text: String) -> SettingsKeyDetail { SettingsKeyDetail(content: .summary(text)) }

  /// The value is a secret: it is left out of logs, problems, error messages and listings.
  public static let secret = SettingsKeyDetail(content: .options(.secret))

  /// The key is in a group, and its name is relative to that.
  public static func group(_ group: SettingsGroup) -> SettingsKeyDetail { SettingsKeyDetail(content: .group(group)) }
}

extension SettingsKeyDetail: ExpressibleByStringInterpolation {
  /// What the value means.
  public init(stringLiteral value: String) { self = .summary(value) }
}

/// The names that a key had in earlier releases: one as a string literal, or several as an array, the newest first.
///
/// While a layer has no value under the key's name, one under a former name is read; the next write of the key puts the
/// value under the present name and takes the former away, in one.
///
/// A former name above or below the key's own (`font` for `font.size`) is a programming error and traps, since removing
/// the one would remove the other: that takes a `Migration` with `Rename`.
public struct SettingsFormerNames: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// Dotted paths, the newest first. They are not relative to the key's group.
  public let names: [String]

  /// Makes the names of an array.
  public init(_ names: [String]) { self.names = names }

  /// One name.
  public init(stringLiteral value: String) { names = [value] }

  /// Several names, the newest first.
  public init(arrayLiteral elements: String...) { names = elements }
}
