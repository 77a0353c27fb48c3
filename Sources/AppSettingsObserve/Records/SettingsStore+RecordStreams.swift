public import AppSettings
internal import SettingsTOML

extension SettingsStore {
  /// The changes of the records under a key from now on: one element for all that came, changed and went together.
  ///
  /// ```swift
  /// for await change in settings.changes(.profiles) {
  ///   for profile in change.inserted { connect(profile) }
  ///   for update in change.updated { reconnect(update.id, update.new) }
  ///   for profile in change.removed { disconnect(profile.id) }
  /// }
  /// ```
  ///
  /// An `update` of several records is one element, and so is what another program saved at once. A slow reader gets
  /// several changes as one, which has what is different since the element before; what is taken back meanwhile is no
  /// change. Taken together, the elements lead from the records that there were when the stream began to those that
  /// there are.
  ///
  /// - Parameter key: The key of the records.
  public func changes<Record>(_ key: SettingsRecordKey<Record>) -> SettingsStream<SettingsRecordChange<Record>> {
    SettingsStream(self, RecordChangeView(key: key), beginsNow: true)
  }

  /// All records under a key, in the order of the file: now, and whenever one of them becomes another, comes or goes, or
  /// their order is another.
  ///
  /// ```swift
  /// for await profiles in settings.updates(.profiles) { menu.show(profiles.map(\.id)) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the records.
  ///   - initial: Whether the first element is the records that there are now.
  public func updates<Record>(_ key: SettingsRecordKey<Record>, initial: Bool = true) -> SettingsStream<[Record]> {
    SettingsStream(self, RecordsView(key: key, initial: initial), beginsNow: !initial)
  }

  /// One record: now, and whenever it becomes another; `nil` while there is none.
  ///
  /// ```swift
  /// for await profile in settings.updates(.profiles, id: "work") { … }
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the records.
  ///   - id: The record's id.
  ///   - initial: Whether the first element is the record that there is now.
  public func updates<Record>(
    _ key: SettingsRecordKey<Record>, id: Record.ID, initial: Bool = true
  ) -> SettingsStream<Record?> {
    SettingsStream(self, OneRecordView(key: key, id: id, initial: initial), beginsNow: !initial)
  }
}

/// What comes, changes and goes.
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
    // What has changed while they were read may be among them: then it says who made the change.
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

  func first(_ store: SettingsStore, _ memory: inout RecordListing<Record>) -> [Record]? {
    guard initial else { return nil }
    // The newest, should it have changed since the iterator was made.
    memory = remember(store)
    return memory.records
  }

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

  func first(_ store: SettingsStore, _ memory: inout RecordListing<Record>.Entry?) -> Record?? {
    guard initial else { return nil }
    memory = remember(store)
    return .some(memory?.record)
  }

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
