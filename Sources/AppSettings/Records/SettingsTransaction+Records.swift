extension SettingsTransaction {
  /// The records under one key within ``SettingsStore/update(_:)``: those of the file, with the changes so far.
  ///
  /// ```swift
  /// try settings.update { transaction in
  ///   transaction[.profiles]["work"]?.region = "us"
  ///   try transaction[.profiles].rename("home", to: "private")
  /// }
  /// ```
  public struct RecordTable<Record: SettingsRecord> where Record.ID: Sendable {
    fileprivate let key: SettingsRecordKey<Record>
    fileprivate var transaction: SettingsTransaction

    /// The record with an id, or `nil` if there is none or it cannot be read. Setting `nil` removes it.
    ///
    /// A refused change makes the whole update fail, and so does storing a record in the place of one that the closure
    /// has read and that cannot be read.
    public subscript(id: Record.ID) -> Record? {
      get {
        let record = key.record(id, in: transaction.view)
        if record == nil, let (path, error) = key.unreadable(id, in: transaction.view) {
          transaction.unreadable.errors[path] = error
        }
        return record
      }
      set {
        do throws(SettingsError) {
          if let newValue { try put(newValue, for: id) } else { try remove(id) }
        } catch {
          transaction.fail(error)
        }
      }
      _modify {
        var record = self[id]
        let existed = record != nil
        defer {
          if !existed, let (path, error) = key.unreadable(id, in: transaction.view) {
            transaction.fail(key.refusedChange(at: path, error, in: transaction.view))
          } else if existed || record != nil {
            self[id] = record
          }
        }
        yield &record
      }
    }

    /// All records, in the order of the file.
    ///
    /// Records that cannot be read are left out.
    public var all: [Record] { listing.records }

    private var listing: RecordListing<Record> {
      let listing = key.listing(in: transaction.view)
      for (path, error) in listing.failures { transaction.unreadable.errors[path] = error }
      return listing
    }

    private mutating func put(_ record: Record, for id: Record.ID) throws(SettingsError) {
      let edits = try key.edits(putting: record, for: id, in: transaction.view)
      let path = key.path.appending(key.key(try key.text(id), in: transaction.view))
      if let error = transaction.unreadable.errors[path] {
        throw key.refusedChange(at: path, error, in: transaction.view)
      }
      transaction.record(edits)
    }

    /// Stores a record under its id.
    ///
    /// - Throws: ``SettingsError`` as ``SettingsRecordTable/put(_:)``. The transaction is unchanged in that case.
    public mutating func put(_ record: Record) throws(SettingsError) { try put(record, for: record.id) }

    /// Removes a record.
    ///
    /// - Returns: `true` if there was such a record.
    /// - Throws: ``SettingsError`` as ``SettingsRecordTable/remove(_:)``. The transaction is unchanged in that case.
    @discardableResult
    public mutating func remove(_ id: Record.ID) throws(SettingsError) -> Bool {
      let edits = try key.edits(removing: id, in: transaction.view)
      transaction.record(edits)
      for edit in edits { transaction.unreadable.errors[edit.path] = nil }
      return !edits.isEmpty
    }

    /// Gives a record another id.
    ///
    /// - Returns: `true` if the record existed and its id changed.
    /// - Throws: ``SettingsError`` as ``SettingsRecordTable/rename(_:to:)``. The transaction is unchanged in that case.
    @discardableResult
    public mutating func rename(_ id: Record.ID, to newID: Record.ID) throws(SettingsError) -> Bool {
      let edits = try key.edits(renaming: id, to: newID, in: transaction.view)
      transaction.record(edits)
      for edit in edits {
        transaction.unreadable.errors[edit.path] = edit.source.flatMap { transaction.unreadable.errors[$0] }
      }
      return !edits.isEmpty
    }
  }

  /// The records under a key.
  public subscript<Record>(key: SettingsRecordKey<Record>) -> RecordTable<Record> {
    get { RecordTable(key: key, transaction: self) }
    _modify {
      // Moved out meanwhile, so that each edit is added to the others in place.
      var records = RecordTable(key: key, transaction: self)
      self = .placeholder(of: self)
      defer { self = records.transaction }
      yield &records
    }
  }
}
