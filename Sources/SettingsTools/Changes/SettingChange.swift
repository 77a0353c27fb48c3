package import AppSettings

/// One change of a setting: the same for a command line, a batch, a page and a dialog.
///
/// ```swift
/// try settings.apply([.set("editor.font-size", to: "14"), .unset("theme"), .append("recent", "/tmp/a")])
/// ```
///
/// With `Codable` it is `{"action": "set", "key": "editor.font-size", "text": "14"}`, and in place of what was typed a value
/// has `toml`.
public struct SettingChange: Sendable, Equatable {
  /// What is done with a value.
  package enum Action: String, Sendable, Hashable, Codable, CaseIterable {
    /// Stores a value.
    case set
    /// Removes the value, so that those of lower layers and the default take effect again.
    case unset
    /// Adds an element to the end of an array.
    case append
    /// Removes all elements equal to one from an array.
    case remove
  }

  /// What is stored, added or removed.
  package enum Value: Sendable, Hashable {
    /// Nothing, for an action without a value.
    case none
    /// A text that somebody typed: of the type that the key needs, or that the text is to have.
    case typed(String, ValueKind?)
    /// A value of JSON, which has no dates, and one type of numbers.
    case json(TOMLValue)
    /// TOML, whose notation stays.
    case toml(TOMLValue, text: String)
  }

  /// What is done with the value.
  package let action: Action
  package let path: TOMLPath
  package let value: Value

  package init(_ action: Action, _ path: TOMLPath, _ value: Value = .none) {
    (self.action, self.path, self.value) = (action, path, value)
  }

  /// The dotted key.
  public var key: String { path.description }

  /// Whether it changes an array by an element as it was typed.
  var isTypedElement: Bool {
    guard case .typed = value else { return false }
    return action == .append || action == .remove
  }
}

extension SettingChange {
  /// - Throws: ``ToolError`` `usage` for a text that is no dotted key.
  private init(_ action: Action, _ key: String, _ value: Value) throws {
    self.init(action, try TypedKey.path(key), value)
  }

  /// Stores a value that a person has typed: it is read as the type in the schema, or else as the type of the present
  /// value. For a new key it is a TOML value if it parses as one, and a string otherwise.
  ///
  /// - Throws: ``ToolError`` `usage` for a text that is no dotted key.
  public static func set(_ key: String, to text: String) throws -> SettingChange {
    try SettingChange(.set, key, .typed(text, nil))
  }

  /// Removes the value from the file that is written.
  ///
  /// - Throws: ``ToolError`` `usage` for a text that is no dotted key.
  public static func unset(_ key: String) throws -> SettingChange { try SettingChange(.unset, key, .none) }

  /// Adds an element, as it was typed, to the end of the key's array.
  ///
  /// - Throws: ``ToolError`` `usage` for a text that is no dotted key.
  public static func append(_ key: String, _ text: String) throws -> SettingChange {
    try SettingChange(.append, key, .typed(text, nil))
  }

  /// Removes all elements equal to what was typed from the key's array.
  ///
  /// - Throws: ``ToolError`` `usage` for a text that is no dotted key.
  public static func remove(_ key: String, _ text: String) throws -> SettingChange {
    try SettingChange(.remove, key, .typed(text, nil))
  }
}

extension SettingChange: Codable {
  private enum CodingKeys: String, CodingKey { case action, key, text, toml }

  /// Decodes a change.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let action = try members.decode(Action.self, forKey: .action)
    let key = try members.decode(String.self, forKey: .key)
    let text = try members.decodeIfPresent(String.self, forKey: .text)
    let toml = try members.decodeIfPresent(String.self, forKey: .toml)
    var value = Value.none
    if action != .unset {
      guard (text == nil) != (toml == nil) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: decoder.codingPath, debugDescription: "A change needs either 'text' or 'toml'."))
      }
      value = try toml.map { .toml(try TOMLValue(parsing: $0), text: $0) } ?? .typed(text ?? "", nil)
    }
    try self.init(action, key, value)
  }

  /// Encodes the change.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(action, forKey: .action)
    try members.encode(key, forKey: .key)
    switch value {
    case .none: break
    case .typed(let text, _): try members.encode(text, forKey: .text)
    case .json(let value): try members.encode(value.tomlText, forKey: .toml)
    case .toml(_, let text): try members.encode(text, forKey: .toml)
    }
  }
}
