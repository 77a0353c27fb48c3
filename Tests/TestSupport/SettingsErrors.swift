package import AppSettings

/// What a call that has to fail throws.
package func settingsError(_ body: () throws -> Void) -> SettingsError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SettingsError
  }
}
