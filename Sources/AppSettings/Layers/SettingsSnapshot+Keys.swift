extension SettingsSnapshot {
  /// The value of a key at the snapshot's moment; the default where there is none, or none that can be decoded.
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    (try? StoredValue(of: key, in: self).decoded(by: key)) ?? key.defaultValue
  }
}
