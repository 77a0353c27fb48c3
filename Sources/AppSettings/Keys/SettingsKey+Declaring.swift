public import SettingsTOML

// Declarations of keys. A key whose type is not optional has no initialiser without a default.

/// The name of a key: a dotted path as text, or a `TOMLPath`.
///
/// A string is parsed like a key in TOML: a component with other characters than letters, digits, `-` and `_` needs
/// quotes. A path contains its components as they are, so any data can be a component:
///
/// ```swift
/// let seen = SettingsKey(TOMLPath(["seen", url]), default: false)   // seen."https://example.org/?a=b"
/// ```
///
/// `String` and `TOMLPath` conform. If you add a conformance, the type's description is parsed.
public protocol SettingsKeyName: CustomStringConvertible {}

extension String: SettingsKeyName {}
extension TOMLPath: SettingsKeyName {}

extension SettingsKey where Value: SettingsSerializable {
  /// Makes a key with a default.
  ///
  /// ```swift
  /// extension SettingsKeys {
  ///   static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), "Size of the editor's font.")
  ///   static let recent = SettingsKey("recent", default: [URL](), .count(...10))
  /// }
  /// ```
  ///
  /// The default is never written. If a later release changes it, every user who has not set a value gets the new one.
  ///
  /// - Parameters:
  ///   - name: The dotted path of the value, relative to the key's group: a string, or a `TOMLPath` if components
  ///     contain data; see ``SettingsKeyName``.
  ///   - value: The value to use while no layer has one. It is a programming error and traps if it breaks a constraint.
  ///   - details: The key's constraints, group, former names and summary, and whether it is secret.
  public convenience init(_ name: some SettingsKeyName, default value: Value, _ details: SettingsKeyDetail<Value>...) {
    self.init(name.description, fallback: .value(value), details: details, bridge: Value.settingsBridge)
  }

  /// Makes a key whose default is computed at each read that finds no value.
  ///
  /// An observer of this key does not hear of a change to another key that `make` reads. Observe both keys:
  /// `settings.observe(ruled, .columns) { … }`.
  ///
  /// The function may run on any thread. Its result is neither stored nor checked against the constraints:
  ///
  /// ```swift
  /// static let jobs = SettingsKey("jobs", .in(1...), default: { ProcessInfo.processInfo.activeProcessorCount })
  /// ```
  public convenience init(
    _ name: some SettingsKeyName, _ details: SettingsKeyDetail<Value>..., default make: @escaping @Sendable () -> Value
  ) {
    self.init(name.description, fallback: .computed(make), details: details, bridge: Value.settingsBridge)
  }

  /// Makes an optional key: reading it gives `nil` while there is no value, and setting `nil` removes the value.
  ///
  /// Its details are those of a key of `Wrapped`; `nil` satisfies each constraint.
  ///
  /// ```swift
  /// static let nickname = SettingsKey<String?>("nickname", .count(1...40), "How others see you.")
  /// ```
  public convenience init<Wrapped>(_ name: some SettingsKeyName, _ details: SettingsKeyDetail<Wrapped>...)
  where Value == Wrapped? {
    self.init(name.description, fallback: .absent, details: details.map(\.optional), bridge: Value.settingsBridge)
  }

  /// Makes an optional key with a default: reading gives that instead of `nil`, even after `nil` was set.
  ///
  /// ```swift
  /// static let proxy = SettingsKey<URL?>("proxy", default: URL(string: "http://localhost:3128"))
  /// ```
  @_disfavoredOverload  // without details, or with ones that fit any key, the one above is the same
  public convenience init<Wrapped>(
    _ name: some SettingsKeyName, default value: Value, _ details: SettingsKeyDetail<Wrapped>...
  ) where Value == Wrapped? {
    self.init(name.description, fallback: .value(value), details: details.map(\.optional), bridge: Value.settingsBridge)
  }
}

extension SettingsKey {
  /// Makes a key with its own bridge, for a type that is not ``SettingsSerializable`` or is stored in a different form.
  ///
  /// ```swift
  /// static let drafts = SettingsKey("drafts", default: [], bridge: SettingsBridge<Draft>.codable(over: Draft()).array)
  /// ```
  public convenience init(
    _ name: some SettingsKeyName, default value: Value, _ details: SettingsKeyDetail<Value>...,
    bridge: SettingsBridge<Value>
  ) {
    self.init(name.description, fallback: .value(value), details: details, bridge: bridge)
  }

  /// Makes an optional key with its own bridge for its values.
  public convenience init<Wrapped>(
    _ name: some SettingsKeyName, _ details: SettingsKeyDetail<Wrapped>..., bridge: SettingsBridge<Wrapped>
  ) where Value == Wrapped? {
    self.init(name.description, fallback: .absent, details: details.map(\.optional), bridge: bridge.optional)
  }
}
