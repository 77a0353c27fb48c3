import SettingsTOML

/// The records of a store under one key, which you read and write one by one.
///
/// ```swift
/// settings[.profiles]["work"] = Profile(id: "work", region: "us")
/// for profile in settings[.profiles].all { print(profile.id, profile.region) }
/// ```
///
/// Records are in the order of the file: an administrator's first, then added ones, the last one last. A record that
/// cannot be read (a field of another type, a stored id that differs from its key) is left out and reported as a
/// problem. It stays in the file, and the others are available.
///
/// Reading decodes a record once, and again only when its text has changed. Writing touches only the lines of one
/// record, and keeps fields that its type does not know.
///
/// The table holds no records: each access reads the present state of the store. Any thread may use it.
public struct SettingsRecordTable<Record: SettingsRecord>: Sendable where Record.ID: Sendable {
  /// The key of the records.
  package let key: SettingsRecordKey<Record>
  /// The store of the records.
  package let store: SettingsStore

  private var core: StoreCore { store.core }

  // MARK: Reading

  /// The record with an id, or `nil` if there is none or it cannot be read.
  ///
  /// A value that you set is visible to this process at once and written in the background, as in a key's subscript;
  /// `nil` removes the record. A refused change (a record with another id, a locked record, the removal of an
  /// administrator's record) is reported as a problem. So is a change in place of a record that cannot be read, such as
  /// `settings[.profiles]["work"]?.region = "us"`.
  ///
  /// ```swift
  /// settings[.profiles]["work"] = Profile(id: "work", region: "us")
  /// settings[.profiles]["work"]?.region = "eu"
  /// settings[.profiles]["work"] = nil   // removes it
  /// ```
  public subscript(id: Record.ID) -> Record? {
    get { key.record(id, in: core) }
    nonmutating set {
      core.enqueue(for: key.path) { () throws(SettingsError) in
        guard let newValue else { return try key.edits(removing: id, in: snapshot()) }
        return try key.edits(putting: newValue, for: id, in: snapshot())
      }
    }
    nonmutating _modify {
      var record = self[id]
      let existed = record != nil
      defer {
        if !existed, let (path, error) = key.unreadable(id, in: core.snapshot) {
          core.problems.report(SettingsProblem(key.refusedChange(at: path, error, in: core.snapshot), path: path))
        } else if existed || record != nil {
          self[id] = record
        }
      }
      yield &record
    }
  }

  /// All records, in the order of the file.
  public var all: [Record] { key.listing(in: core).records }

  /// The ids of all records, in the order of the file.
  public var ids: [Record.ID] { key.listing(in: core).records.map { $0.id } }

  /// The number of records.
  ///
  /// This reads all records, because those that cannot be read are not counted.
  public var count: Int { key.listing(in: core).records.count }

  /// Returns the record with an id, or throws the reason why it cannot be used.
  ///
  /// ```swift
  /// guard let profile = try settings[.profiles].value(for: "work") else { return }
  /// ```
  ///
  /// - Returns: The record, or `nil` if there is none.
  /// - Throws: ``SettingsError`` `invalidValue` with file, line, what was found and what is needed; `invalidKey` for an
  ///   id that cannot be written as text.
  public func value(for id: Record.ID) throws(SettingsError) -> Record? { try key.value(id, in: core) }

  /// Returns where the record with an id comes from; of several layers, the highest. A `default` if there is none.
  public func origin(of id: Record.ID) -> SettingsOrigin {
    let snapshot = core.snapshot
    guard let text = try? key.text(id) else { return snapshot.origin(of: key.path) }
    return snapshot.origin(of: key.path.appending(key.key(text, in: snapshot)))
  }

  // MARK: Writing

  /// Stores a record under its id and returns when it is on disk.
  ///
  /// Fields of an existing record are set one by one: comments, and fields that the type does not know, stay. A new
  /// record goes after the last one.
  ///
  /// ```swift
  /// try settings[.profiles].put(Profile(id: "work", region: "us"))
  /// ```
  ///
  /// To store several records in one write, use ``SettingsStore/update(_:)``.
  ///
  /// - Parameter record: The record.
  /// - Returns: `true` if the file changed, `false` if it already held the record.
  /// - Throws: ``SettingsError`` `invalidValue` if the record cannot be stored or something else has the table's place;
  ///   otherwise as ``SettingsStore/set(_:for:)``. The file is unchanged in each case.
  @discardableResult
  public func put(_ record: Record) throws(SettingsError) -> Bool {
    try commit(try key.edits(putting: record, for: record.id, in: snapshot()))
  }

  /// Stores a record without blocking a thread of the concurrency pool; otherwise like ``put(_:)`` without `async`.
  @discardableResult
  public func put(_ record: Record) async throws(SettingsError) -> Bool {
    try await commit(try key.edits(putting: record, for: record.id, in: snapshot()))
  }

  /// Removes a record and returns when that is on disk.
  ///
  /// Comment lines directly above the record are removed too.
  ///
  /// ```swift
  /// try settings[.profiles].remove("work")
  /// ```
  ///
  /// - Returns: `true` if there was such a record.
  /// - Throws: ``SettingsError`` `readOnly` if an administrator's file has the record; otherwise as
  ///   ``SettingsStore/set(_:for:)``. The file is unchanged in each case.
  @discardableResult
  public func remove(_ id: Record.ID) throws(SettingsError) -> Bool {
    try commit(try key.edits(removing: id, in: snapshot()))
  }

  /// Removes a record without blocking a thread of the concurrency pool; otherwise like ``remove(_:)`` without `async`.
  @discardableResult
  public func remove(_ id: Record.ID) async throws(SettingsError) -> Bool {
    try await commit(try key.edits(removing: id, in: snapshot()))
  }

  /// Removes the user's part of a record, so that an administrator's applies again. Visible at once, written later.
  ///
  /// A record that only the user has is removed. Changes that a lock makes ineffective are removed, too.
  public func reset(_ id: Record.ID) {
    core.enqueue(for: key.path) { () throws(SettingsError) in
      key.edits(resetting: key.key(try key.text(id), in: snapshot()), in: snapshot())
    }
  }

  /// Gives a record another id and returns when that is on disk.
  ///
  /// The table keeps its place, its comments and the fields that its type does not know. The content is that of the
  /// file at that moment, read under its lock.
  ///
  /// ```swift
  /// try settings[.profiles].rename("work", to: "office")
  /// ```
  ///
  /// - Parameters:
  ///   - id: The present id.
  ///   - newID: The new id.
  /// - Returns: `true` if the record existed and its id changed.
  /// - Throws: ``SettingsError`` `existingRecord` if a record with the new id exists, `invalidValue` if the record's
  ///   own fields determine its id, `readOnly` if an administrator's file has the record; otherwise as
  ///   ``SettingsStore/set(_:for:)``. The file is unchanged in each case.
  @discardableResult
  public func rename(_ id: Record.ID, to newID: Record.ID) throws(SettingsError) -> Bool {
    try SettingsError.only { try core.update { try $0[key].rename(id, to: newID) } }
  }

  /// Renames a record without blocking a thread of the concurrency pool; otherwise like ``rename(_:to:)`` without
  /// `async`.
  @discardableResult
  public func rename(_ id: Record.ID, to newID: Record.ID) async throws(SettingsError) -> Bool {
    do {
      return try await core.onPlainThread { [core, key] in try core.update { try $0[key].rename(id, to: newID) } }
    } catch {
      throw SettingsError(error)
    }
  }

  private func snapshot() -> SettingsSnapshot {
    key.note(in: core)
    return core.snapshotToEdit
  }

  /// Writes edits and waits until they are on disk. Without edits it does nothing.
  private func commit(_ edits: [Edit]) throws(SettingsError) -> Bool {
    edits.isEmpty ? false : try core.enqueueAndWait(edits)
  }

  private func commit(_ edits: [Edit]) async throws(SettingsError) -> Bool {
    edits.isEmpty ? false : try await core.enqueueAndWait(edits)
  }
}

extension SettingsStore {
  /// The records under a key.
  ///
  /// ```swift
  /// let profiles = settings[.profiles]
  /// ```
  public subscript<Record>(key: SettingsRecordKey<Record>) -> SettingsRecordTable<Record> {
    SettingsRecordTable(key: key, store: self)
  }

  /// The records under a key, by a key path: `settings[\.profiles]`.
  @_disfavoredOverload  // so that an unknown '.key' is reported as a member that a key's type lacks
  public subscript<Record>(
    keyPath: KeyPath<SettingsKeys.Type, SettingsRecordKey<Record>>
  ) -> SettingsRecordTable<Record> {
    self[AnySettingsKey.self[keyPath: keyPath]]
  }

  /// The records under a key, as a property: `settings.profiles`.
  public subscript<Record>(
    dynamicMember keyPath: KeyPath<SettingsKeys.Type, SettingsRecordKey<Record>>
  ) -> SettingsRecordTable<Record> {
    self[AnySettingsKey.self[keyPath: keyPath]]
  }
}

extension SettingsRecordTable: CustomStringConvertible {
  /// The key and the store: `profiles of /home/alice/.config/org.example.editor/settings.toml`.
  public var description: String { "\(key) of \(store)" }
}
