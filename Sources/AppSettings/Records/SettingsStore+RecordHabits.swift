// What AppSettingsObserve has for records, where its import is missing: see the habits of values.

extension SettingsStore {
  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func updates<Record>(
    _ key: SettingsRecordKey<Record>, initial: Bool = true
  ) -> AsyncStream<[Record]> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func updates<Record>(
    _ key: SettingsRecordKey<Record>, id: Record.ID, initial: Bool = true
  ) -> AsyncStream<Record?> { fatalError("unavailable") }

  /// Unavailable: `AppSettingsObserve` has it.
  @available(*, unavailable, message: "add 'import AppSettingsObserve' to this file")
  public func changes<Record>(_ key: SettingsRecordKey<Record>) -> AsyncStream<SettingsMistake> {
    fatalError("unavailable")
  }
}
