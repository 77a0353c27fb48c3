extension Optional: SettingsSerializable where Wrapped: SettingsSerializable {
  /// The wrapped value, or nothing: `nil` removes the key, and is what reads where there is none.
  ///
  /// TOML has no null, so a `nil` within an array or a dictionary cannot be stored.
  public static var settingsBridge: SettingsBridge<Wrapped?> { Wrapped.settingsBridge.optional }
}

extension SettingsBridge {
  /// The bridge for optionals of this one's values, as a key with a bridge of its own needs it.
  public var optional: SettingsBridge<Value?> {
    let core = core
    return SettingsBridge<Value?>(
      expectation: core.expectation,
      read: { try core.read($0, $1) },
      write: { value, context in try value.flatMap { try core.write($0, context) } },
      configure: { traits in
        traits.mergesTables = core.traits.mergesTables
        traits.choices = core.traits.choices
        traits.knownFields = core.traits.knownFields
        traits.withoutOldForm = core.traits.withoutOldForm
        traits.absent = { .some(.none) }
      })
  }
}
