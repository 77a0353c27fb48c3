extension SettingsSnapshot {
  /// The value of a key at the moment of the snapshot. The default is used if there is none or it cannot be decoded.
  ///
  /// Each access decodes the value. A value that cannot be decoded is not reported as a problem.
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    (try? StoredValue(of: key, in: self).decoded(by: key)) ?? key.defaultValue
  }
}
