import AppSettings
import AppSettingsSchema

/// What there is to know of one setting: what a person reads before they change it, and what a control needs.
///
/// ```swift
/// for setting in try settings.facts() where !setting.isLocked {
///   if let choices = setting.choices { menu(setting.key, choices, selected: setting.text) }
/// }
/// ```
///
/// As JSON it has the names of `settings-cli describe --json`, except that values are TOML.
public struct SettingFacts: Sendable, Hashable, Codable {
  /// A value of a file, and what becomes of it.
  public struct Layer: Sendable, Hashable, Codable {
    /// The kind of layer, such as `user`, `profile` or `system`.
    public let layer: String
    /// The path of the file; `nil` for what no file has.
    public let file: String?
    /// The line in it, counted from 1.
    public let line: Int?
    /// The value as TOML; `nil` for a secret.
    public let value: String?
    /// `used`, `merged`, `hidden`, `ignored` or `unusable`.
    public let state: String
  }

  /// The dotted key.
  public let key: String
  /// What the setting is for, as the app says; `nil` without a schema.
  public let description: String?
  /// The group that it belongs to.
  public let group: String?
  /// The kind of its values, such as `string`, `integer`, `boolean`, `array`, `table` or `records`; `nil` if unknown.
  public let type: String?
  /// The values that the app accepts, in words: `an integer from 6 to 72`.
  public let needs: String?
  /// The value that the app uses, as TOML; `nil` for none, and for a secret.
  public let value: String?
  /// The same for a person: a string without quotes, `(secret)` for a secret, and an empty text for none.
  public let text: String
  /// The value without any file, as TOML; `nil` for none, and for a secret.
  public let defaultValue: String?
  /// All values that the app accepts, as they may be typed; `nil` if there are too many to list.
  public let choices: [String]?
  /// The least and the greatest value, as TOML.
  public let minimum, maximum: String?
  /// The layer that the value comes from; `default` if it is the app's.
  public let layer: String
  /// The file that the value comes from.
  public let file: String?
  /// Whether no file has a value that the app uses.
  public let isDefault: Bool
  /// Whether an administrator has locked it: a change has no effect, and is refused.
  public let isLocked: Bool
  /// The reason that the administrator gives for the lock.
  public let lockReason: String?
  /// Whether it is or has a secret, which no fact shows.
  public let isSecret: Bool
  /// Whether the app's schema lists it; always true without a schema.
  public let isKnown: Bool
  /// Whether the app takes a new value when it starts next.
  public let needsRestart: Bool
  /// Why the app does not use what the files have; `nil` if it does.
  public let problem: String?
  /// The values of all files, the highest layer first.
  public let layers: [Layer]
}

extension SettingFacts {
  init(_ key: KeyDescription, _ snapshot: SettingsSnapshot, _ schema: SchemaLookup) {
    let isSecret = key.isSecret
    func toml(_ value: TOMLValue?) -> String? { isSecret ? nil : value?.tomlText }
    self.key = key.path.description
    description = key.key?.summary
    group = key.key?.group?.description
    type = key.type?.kind.rawValue
    needs = key.expected
    value = isSecret ? nil : key.value.map { Shown.text($0, at: key.path, in: snapshot, schema) }
    text = key.value.map { isSecret ? Shown.redacted : Shown.bare($0, at: key.path, in: snapshot, schema) } ?? ""
    defaultValue = toml(key.key?.defaultValue)
    let choices = schema.choices(of: key.path)
    self.choices = choices.isEmpty ? nil : choices
    (minimum, maximum) = (key.type?.minimum?.tomlText, key.type?.maximum?.tomlText)
    layer = key.origin.layer.kind.rawValue
    file = key.origin.layer.file
    (isDefault, isLocked, lockReason) = (key.origin.isDefault, key.origin.isLocked, key.origin.lock?.reason)
    (self.isSecret, isKnown, problem) = (isSecret, key.isKnown, key.problem)
    needsRestart = key.key?.needsRestart == true
    layers = key.values.map { value in
      Layer(
        layer: value.layer.kind.rawValue, file: value.layer.file, line: value.position?.line,
        value: schema.isSecret(value.path, value.value) ? nil : value.value.tomlText, state: value.state.name)
    }
  }
}
