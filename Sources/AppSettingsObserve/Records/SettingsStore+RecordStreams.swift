public import AppSettings
internal import SettingsTOML

extension SettingsStore {
  /// Streams the later changes of the records under a key, with all simultaneous changes in one element.
  ///
  /// ```swift
  /// for await change in settings.changes(.profiles) {
  ///   for profile in change.inserted { connect(profile) }
  ///   for update in change.updated { reconnect(update.id, update.new) }
  ///   for profile in change.removed { disconnect(profile.id) }
  /// }
  /// ```
  ///
  /// An `update` of several records is one element, and so is everything that another program saved at once. A slow
  /// reader gets several changes as one: the difference from the previous element. A change that was undone meanwhile
  /// is left out. Together, the elements lead from the records at the start of the stream to the current ones.
  ///
  /// - Parameter key: The key of the records.
  /// - Returns: The stream.
  public func changes<Record>(_ key: SettingsRecordKey<Record>) -> SettingsStream<SettingsRecordChange<Record>> {
    SettingsStream(self, RecordChangeView(key: key), beginsNow: true)
  }

  /// Streams all records under a key, in the order of the file: now, and each time a record is added, changed, removed
  /// or moved.
  ///
  /// ```swift
  /// for await profiles in settings.updates(.profiles) { menu.show(profiles.map(\.id)) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the records.
  ///   - initial: Whether the first element is the current list of records.
  /// - Returns: The stream.
  public func updates<Record>(_ key: SettingsRecordKey<Record>, initial: Bool = true) -> SettingsStream<[Record]> {
    SettingsStream(self, RecordsView(key: key, initial: initial), beginsNow: !initial)
  }

  /// Streams one record: now, and each time it changes; `nil` while the record does not exist.
  ///
  /// ```swift
  /// for await profile in settings.updates(.profiles, id: "work") { … }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the records.
  ///   - id: The record's id.
  ///   - initial: Whether the first element is the current record.
  /// - Returns: The stream.
  public func updates<Record>(
    _ key: SettingsRecordKey<Record>, id: Record.ID, initial: Bool = true
  ) -> SettingsStream<Record?> {
    SettingsStream(self, OneRecordView(key: key, id: id, initial: initial), beginsNow: !initial)
  }
}

/// Inserted, updated and removed records.
private struct RecordChangeView<Record: SettingsRecord>: SettingsView where Record.ID: Sendable {
  let key: SettingsRecordKey<Record>

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(paths: [key.path], callback: callback)
  }

  func remember(_ store: SettingsStore) -> RecordListing<Record> { key.listing(in: store.core) }

  func look(
    _ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout RecordListing<Record>
  ) -> SettingsRecordChange<Record>? {
    guard var batch = waiter.take()?.batch else { return nil }
    let old = memory
    memory = remember(store)
    // The records just read may include later changes: their origin is then the one to report.
    while let newer = waiter.take()?.batch {
      batch = newer
      memory = remember(store)
    }
    return memory.changes(since: old, by: batch.origin)
  }
}

/// All records.
private struct RecordsView<Record: SettingsRecord>: SettingsView where Record.ID: Sendable {
  let key: SettingsRecordKey<Record>
  let initial: Bool

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(paths: [key.path], seesOrder: true, callback: callback)
  }

  func remember(_ store: SettingsStore) -> RecordListing<Record> { key.listing(in: store.core) }

  func element(of memory: RecordListing<Record>) -> [Record]? { memory.records }

  func look(
    _ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout RecordListing<Record>
  ) -> [Record]? {
    _ = waiter.take()
    let old = memory
    memory = remember(store)
    return memory.isSame(as: old) ? nil : memory.records
  }
}

/// One record.
private struct OneRecordView<Record: SettingsRecord>: SettingsView where Record.ID: Sendable {
  let key: SettingsRecordKey<Record>
  let id: Record.ID
  let initial: Bool

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(paths: [key.observedPath(of: id)], callback: callback)
  }

  func remember(_ store: SettingsStore) -> RecordListing<Record>.Entry? { key.entry(id, in: store.core) }

  func element(of memory: RecordListing<Record>.Entry?) -> Record?? { .some(memory?.record) }

  func look(
    _ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout RecordListing<Record>.Entry?
  ) -> Record?? {
    _ = waiter.take()
    let old = memory
    memory = remember(store)
    let isSame =
      switch (old, memory) {
      case (nil, nil): true
      case (let old?, let new?): new.hasSameRecord(as: old)
      default: false
      }
    return isSame ? nil : .some(memory?.record)
  }
}
