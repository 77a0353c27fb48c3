import SettingsTOML

/// The records of a store under one key, to be read and written one by one.
///
/// ```swift
/// settings[.profiles]["work"] = Profile(id: "work", region: "us")
/// for profile in settings[.profiles].all { print(profile.id, profile.region) }
/// ```
///
/// Records are in the order of the file: an administrator's first, then those that were added, the last one last. A
/// record that cannot be read (a field of another type, a stored id that is not its key) is left out and is a problem;
/// it stays in the file, and the others are there.
///
/// Reading decodes a record once, and again only when its text has changed. Writing touches the lines of one record, and
/// keeps the fields that its type does not know.
public struct SettingsRecordTable<Record: SettingsRecord>: Sendable where Record.ID: Sendable {
  /// The key of the records.
  public let key: SettingsRecordKey<Record>
  /// The store that they are in.
  public let store: SettingsStore

  private var core: StoreCore { store.core }

  // MARK: Reading

  /// The record with an id; `nil` if there is none, or none that can be read.
  ///
  /// Setting is visible to this process at once and written in the background, as with a key's subscript; `nil` removes
  /// the record. What is refused (a record with another id, a locked one, the removal of an administrator's) is a
  /// problem.
  public subscript(id: Record.ID) -> Record? {
    get { key.record(id, in: core) }
    nonmutating set {
      do {
        let edits =
          if let newValue { try key.edits(putting: newValue, for: id, in: snapshot()) } else {
            try key.edits(removing: id, in: snapshot())
          }
        if !edits.isEmpty { try core.enqueue(edits) }
      } catch {
        core.problems.report(SettingsProblem(error, path: key.path))
      }
    }
  }

  /// All records, in the order of the file.
  public var all: [Record] { key.listing(in: core).records }

  /// The ids of all records, in the order of the file.
  public var ids: [Record.ID] { key.listing(in: core).records.map { $0.id } }

  /// The number of records.
  public var count: Int { key.listing(in: core).records.count }

  /// Whether there are no records.
  public var isEmpty: Bool { count == 0 }

  /// Whether there is a record with an id.
  public func contains(_ id: Record.ID) -> Bool { self[id] != nil }

  /// The record with an id, or why it cannot be used; `nil` if there is none.
  ///
  /// - Throws: ``SettingsError`` `invalidValue` with file, line, what was found and what is needed; `invalidKey` for an
  ///   id that cannot be written as a text.
  public func value(for id: Record.ID) throws(SettingsError) -> Record? { try key.value(id, in: core) }

  /// Where the record with an id comes from; of several layers, the highest. A `default` if there is none.
  public func origin(of id: Record.ID) -> SettingsOrigin {
    let snapshot = core.snapshot
    guard let text = try? key.text(id) else { return snapshot.origin(of: key.path) }
    return snapshot.origin(of: key.path.appending(key.key(text, in: snapshot)))
  }

  // MARK: Writing

  /// Stores a record under its id and returns when it is on disk.
  ///
  /// Fields of a record that is there already are set one by one: comments, and fields that the type does not know, stay.
  /// A new record comes after the last one.
  ///
  /// - Returns: Whether the file changed.
  /// - Throws: ``SettingsError`` `invalidValue` for a record that cannot be stored, or if something else stands in the
  ///   table's place, and as ``SettingsStore/set(_:for:)``. The file is unchanged in each case.
  @discardableResult
  public func put(_ record: Record) throws(SettingsError) -> Bool {
    try commit(try key.edits(putting: record, for: record.id, in: snapshot()))
  }

  /// Stores a record, without blocking a thread of the concurrency pool. As ``put(_:)`` without `async` otherwise.
  @discardableResult
  public func put(_ record: Record) async throws(SettingsError) -> Bool {
    try await commit(try key.edits(putting: record, for: record.id, in: snapshot()))
  }

  /// Removes a record and returns when that is on disk.
  ///
  /// The comment lines directly above the record go with it.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``SettingsError`` `readOnly` for one that an administrator's file has, for all users; else as
  ///   ``SettingsStore/set(_:for:)``. The file is unchanged in each case.
  @discardableResult
  public func remove(_ id: Record.ID) throws(SettingsError) -> Bool {
    try commit(try key.edits(removing: id, in: snapshot()))
  }

  /// Removes a record, without blocking a thread of the concurrency pool. As ``remove(_:)`` without `async` otherwise.
  @discardableResult
  public func remove(_ id: Record.ID) async throws(SettingsError) -> Bool {
    try await commit(try key.edits(removing: id, in: snapshot()))
  }

  /// Removes the user's part of a record, so that an administrator's shows again. Visible at once, written later.
  ///
  /// A record that only the user has is removed. A locked one is left as it is, which is a problem.
  public func reset(_ id: Record.ID) {
    do {
      let edits = key.edits(resetting: key.key(try key.text(id), in: snapshot()), in: snapshot())
      if !edits.isEmpty { try core.enqueue(edits) }
    } catch {
      core.problems.report(SettingsProblem(error, path: key.path))
    }
  }

  /// Gives a record another id and returns when that is on disk.
  ///
  /// The table keeps its place, its comments and the fields that its type does not know. The record is taken as the file
  /// has it then, under its lock.
  ///
  /// - Returns: Whether there was a record to rename, with another id than the new one.
  /// - Throws: ``SettingsError`` `existingRecord` if there is a record with the new id, `invalidValue` if the record's own
  ///   fields say what its id is, `readOnly` for one that an administrator's file has; else as
  ///   ``SettingsStore/set(_:for:)``. The file is unchanged in each case.
  @discardableResult
  public func rename(_ id: Record.ID, to newID: Record.ID) throws(SettingsError) -> Bool {
    do {
      return try core.update { try $0[key].rename(id, to: newID) }
    } catch {
      throw error as? SettingsError ?? SettingsError(.io, "\(error)")
    }
  }

  /// Gives a record another id, without blocking a thread of the concurrency pool. As ``rename(_:to:)`` without `async`
  /// otherwise.
  @discardableResult
  public func rename(_ id: Record.ID, to newID: Record.ID) async throws(SettingsError) -> Bool {
    do {
      return try await core.onPlainThread { [core, key] in try core.update { try $0[key].rename(id, to: newID) } }
    } catch {
      throw error as? SettingsError ?? SettingsError(.io, "\(error)")
    }
  }

  private func snapshot() -> SettingsSnapshot {
    key.note(in: core)
    return core.snapshot
  }

  private func commit(_ edits: [Edit]) throws(SettingsError) -> Bool {
    edits.isEmpty ? false : try core.enqueueAndWait(edits)
  }

  private func commit(_ edits: [Edit]) async throws(SettingsError) -> Bool {
    edits.isEmpty ? false : try await core.enqueueAndWait(edits)
  }
}

extension SettingsStore {
  /// The records under a key.
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
