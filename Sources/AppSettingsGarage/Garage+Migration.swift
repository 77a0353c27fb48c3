public import AppSettings
import FoundationEssentials

extension Garage {
  /// What to do when a record with the new type and id already exists.
  public enum MigrationConflict: Sendable {
    /// The migration fails, and the error lists all of these records.
    case fail
    /// The existing record stays; the old record is removed.
    case keep
    /// The migrated record replaces it.
    case replace
  }
}

extension GarageObjects {
  /// Converts all records of one type to another type that can read them.
  ///
  /// The migration first reads everything, then makes a backup and writes everything at once. If a record cannot be
  /// read, or its new type and id are taken, nothing is written, and the error lists the type, id and path of each such
  /// record. Sync status and fields that the new type does not know stay. References lead to the new records, even
  /// where ids change. Dates and long numbers stored as strings become dates and numbers where the new type needs
  /// them. Without records it does nothing.
  ///
  /// ```swift
  /// try garage.migrateAll(from: MCPerson.self, to: Person.self)
  /// ```
  ///
  /// - Parameters:
  ///   - oldType: The type whose records are converted.
  ///   - type: The new type.
  ///   - conflict: What to do if a record with the new type and id already exists.
  /// - Returns: The number of migrated records.
  /// - Throws: `SettingsError` `migrationFailed` with the reasons in its `cause`; `sealedRecord`, `readOnly`,
  ///   `unparsable`, `newerVersion`, `lockTimeout` or `io`. The file is unchanged in each case.
  @discardableResult
  public func migrateAll<New: Codable & Identifiable>(
    from oldType: Any.Type, to type: New.Type, onConflict conflict: Garage.MigrationConflict = .fail
  ) throws(SettingsError) -> Int {
    try SettingsError.only {
      try migrateAll(recordName: try names.entry(of: oldType).name, to: type, onConflict: conflict)
    }
  }

  /// Converts all records stored under a name to `type`, for when the old type no longer exists in the program.
  ///
  /// The name may be that of `type` itself: its records are then read and rewritten, so that old forms, such as dates
  /// stored as strings, get the present form. See ``migrateAll(from:to:onConflict:)-(_,New.Type,_)``.
  @discardableResult
  public func migrateAll<New: Codable & Identifiable>(
    recordName old: String, to type: New.Type, onConflict conflict: Garage.MigrationConflict = .fail
  ) throws(SettingsError) -> Int {
    try GarageNames.check(old, of: old)
    if try hasNoFile { return 0 }
    return try change { draft in
      let name = try names.entry(of: type).name
      var migration = GarageMigration<New>(old: old, new: name, conflict: conflict, file: format.file)
      let reading = GarageReading(
        draft, names, references: .filledWhereThere, checksIDs: false, aliases: [name: old])
      defer { reading.letGo() }
      try migration.takeAll(in: draft, by: reading)
      let known = GarageReading(draft, names, references: .ids)
      return try finish(migration, in: draft) { known.knownFields(of: type, in: $0) }
    }
  }

  /// Converts all records stored under a name to values of a type. Equal values become one.
  @discardableResult
  public func migrateValues<New: Codable & Hashable>(recordName old: String, to type: New.Type) throws(SettingsError)
    -> Int
  {
    try GarageNames.check(old, of: old)
    if try hasNoFile { return 0 }
    return try change { draft in
      let name = try names.entry(of: type).name
      let reading = GarageReading(draft, names, references: .filledWhereThere, checksIDs: false)
      defer { reading.letGo() }
      var migration = GarageMigration<New>(old: old, new: name, conflict: .keep, file: format.file)
      try migration.takeAll(in: draft, by: reading)
      return try finishValues(migration, in: draft, keepsReadReferences: true)
    }
  }

  /// Converts all records of one type to another with your code, for a type that cannot read the old records.
  ///
  /// ```swift
  /// try garage.migrateAll(from: LegacyItem.self, to: Item.self) { old in
  ///   Item(id: old.itemID, label: old.label, dateCreated: old.dateCreated)
  /// }
  /// ```
  ///
  /// Only the fields of the new objects and the sync status are kept. Otherwise this does the same as
  /// ``migrateAll(from:to:onConflict:)-(_,New.Type,_)``.
  ///
  /// - Parameters:
  ///   - oldType: The type of the records.
  ///   - type: The type that they become.
  ///   - conflict: What to do when a record with the new type and id already exists.
  ///   - convert: Makes a new object of an old one, whose references are filled in. The error lists what it throws.
  @discardableResult
  public func migrateAll<Old: Codable, New: Codable & Identifiable>(
    from oldType: Old.Type, to type: New.Type, onConflict conflict: Garage.MigrationConflict = .fail,
    _ convert: (Old) throws -> New
  ) throws -> Int {
    if try hasNoFile { return 0 }
    return try write { draft in
      try finish(migration(from: oldType, to: type, conflict, in: draft, convert), in: draft, knownFields: nil)
    }
  }

  /// Converts all records of one type to values of another with your code. Equal values become one.
  @discardableResult
  public func migrateValues<Old: Codable, New: Codable & Hashable>(
    from oldType: Old.Type, to type: New.Type, _ convert: (Old) throws -> New
  ) throws -> Int {
    if try hasNoFile { return 0 }
    return try write { draft in
      let migration = try migration(from: oldType, to: type, .keep, in: draft, convert)
      return try finishValues(migration, in: draft, keepsReadReferences: false)
    }
  }

  // MARK: Within

  /// The records of one type, converted by the app's code.
  private func migration<Old: Codable, New>(
    from oldType: Old.Type, to type: New.Type, _ conflict: Garage.MigrationConflict, in draft: GarageDraft,
    _ convert: (Old) throws -> New
  ) throws -> GarageMigration<New> {
    var migration = GarageMigration<New>(
      old: try names.entry(of: oldType).name, new: try names.entry(of: type).name, conflict: conflict, file: format.file
    )
    let reading = GarageReading(draft, names, checksIDs: false)
    for source in try migration.sources(in: draft) {
      migration.take(source) {
        let old = try reading.whole { try reading.convert(oldType, source.row.fields, source.key) }
        return (try converted(source.key) { try convert(old.object) }, old.fields)
      }
    }
    return migration
  }

  /// Runs the app's code on an old object. For a sealed record, the error does not show the code's own message.
  private func converted<New>(_ key: GarageKey, _ convert: () throws -> New) throws -> New {
    do {
      return try convert()
    } catch  where format.hidesContent {
      throw SettingsError(
        .migrationFailed,
        "Cannot convert \(key): the code threw '\(Swift.type(of: error))'. Its message is not shown.",
        file: format.file)
    }
  }

  private func finish<New: Codable & Identifiable>(
    _ migration: GarageMigration<New>, in draft: GarageDraft,
    knownFields: ((TOMLTable) -> KnownFields)?
  ) throws -> Int {
    var migration = migration
    guard migration.count > 0 else { return 0 }
    let newIDs = try migration.findIDs(in: draft)
    try migration.throwFailures()

    // The old ones first: a new one may have the id of one of them.
    for source in migration.allSources { draft.removeSource(source) }
    if try draft.kind(of: migration.old) == .objects { try draft.setObjects([], of: migration.old) }
    let writing = GarageWriting(draft, names, newIDs: newIDs, keepsReadReferences: knownFields != nil)
    for taken in migration.taken {
      var row = taken.source.row
      if taken.isWhole {
        let old = row.fields
        row.fields = try writing.fields(of: taken.object, GarageKey(name: migration.new, id: taken.id))
        if let knownFields {
          row.fields = knownFields(old).merge(.table(row.fields), over: .table(old)).table ?? row.fields
        }
      }
      try draft.set(row, migration.new, taken.id)
    }
    try writing.finish()
    if migration.keepsAllIDs, draft.wasWithout(migration.new) {
      draft.noteRenaming(of: migration.old, to: migration.new)
    }
    draft.noteBackup(before: "migrating-\(migration.old)")
    return migration.taken.count
  }

  private func finishValues<New: Codable & Hashable>(
    _ migration: GarageMigration<New>, in draft: GarageDraft, keepsReadReferences: Bool
  ) throws -> Int {
    let (old, name) = (migration.old, migration.new)
    guard migration.count > 0 else { return 0 }
    try migration.throwFailures()
    var rows: [GarageRow] = []
    var present: Set<New> = []
    var incomplete: Set<TOMLTable> = []
    if old != name {
      let known = try access.stored(New.self, in: draft)
      rows = known.map(\.row)
      present = Set(known.compactMap(\.object))
    }
    for source in migration.allSources where source.key.id != nil { draft.removeSource(source) }
    if try draft.kind(of: old) == .objects { try draft.setObjects([], of: old) }
    let writing = GarageWriting(draft, names, keepsReadReferences: keepsReadReferences)
    for taken in migration.taken {
      var row = taken.source.row
      if taken.isWhole {
        guard present.insert(taken.object).inserted else { continue }
        row.fields = try writing.fields(of: taken.object, GarageKey(name: name))
      } else if !incomplete.insert(row.fields).inserted {
        continue
      }
      rows.append(row)
    }
    try writing.finish()
    try draft.setObjects(rows, of: name)
    draft.noteBackup(before: "migrating-\(old)")
    return migration.taken.count
  }
}

/// An old record to migrate.
struct GarageSource {
  var key: GarageKey
  var row: GarageRow
}

/// A migration in progress: what was read, and what failed.
struct GarageMigration<New> {
  /// An old record with the object made from it.
  struct Taken {
    var source: GarageSource
    var object: New
    var id = ""
    /// The object's number in the reading; 0 if not needed.
    var number = 0
    /// Whether all references of the object lead to a record. If not, none of its code runs, and its fields stay.
    var isWhole = true
  }

  let old: String
  let new: String
  let conflict: Garage.MigrationConflict
  let file: String

  private(set) var allSources: [GarageSource] = []
  private(set) var taken: [Taken] = []
  fileprivate var failures: [String] = []
  private(set) var keepsAllIDs = true

  var count: Int { allSources.count }

  /// The old records, with or without an id.
  mutating func sources(in draft: GarageDraft) throws -> [GarageSource] {
    switch try draft.kind(of: old) {
    case .none: break
    case .records:
      for id in try draft.ids(of: old) {
        if let row = try draft.row(old, id) {
          allSources.append(GarageSource(key: GarageKey(name: old, id: id), row: row))
        }
      }
    case .objects:
      allSources = try draft.objects(of: old).map {
        GarageSource(key: GarageKey(name: old, index: $0.origin?.index), row: $0)
      }
    }
    return allSources
  }

  /// Adds a record's object and its fields in the present form.
  mutating func take(_ source: GarageSource, _ read: () throws -> (New, TOMLTable)) {
    do {
      let (object, fields) = try read()
      var source = source
      source.row.fields = fields
      taken.append(Taken(source: source, object: object))
    } catch {
      failures.append((error as? SettingsError)?.message ?? "Cannot convert \(source.key): \(error)")
    }
  }

  /// Adds all records that their new type can read, with their references as far as they lead to a record.
  mutating func takeAll(in draft: GarageDraft, by reading: GarageReading) throws where New: Codable {
    for source in try sources(in: draft) {
      let index = taken.count
      take(source) { try reading.convert(New.self, source.row.fields, source.key) }
      guard taken.indices.contains(index) else { continue }
      reading.note(taken[index].object, of: source.key)
      taken[index].number = reading.lastNumber
    }
    let incomplete = reading.settle()
    for index in taken.indices where incomplete.contains(taken[index].number) { taken[index].isWhole = false }
  }

  func throwFailures() throws(SettingsError) {
    guard !failures.isEmpty else { return }
    throw SettingsError(
      .migrationFailed,
      "Cannot migrate '\(old)' to '\(new)' in '\(file)': \(failures.count) of \(count) records failed. Nothing was "
        + "written.", cause: failures.joined(separator: "\n"), file: file)
  }
}

extension GarageMigration where New: Codable & Identifiable {
  /// Finds the ids of the new objects, and the existing records with these ids.
  ///
  /// - Returns: The new ids of the records whose ids change.
  mutating func findIDs(in draft: GarageDraft) throws -> [TOMLPath: String] {
    var newIDs: [TOMLPath: String] = [:]
    var places: [TOMLPath: Int] = [:]
    var kept: [Taken] = []
    keepsAllIDs = old != new && taken.count == count
    for candidate in taken {
      let (source, object) = (candidate.source, candidate.object)
      let id: String
      do {
        guard let text = candidate.isWhole ? try GarageCoding.text(of: object.id, New.self) : source.key.id else {
          failures.append(
            "Cannot convert \(source.key): a reference that it needs leads to a missing record.")
          continue
        }
        id = try draft.storedID(text, of: new, isUUID: New.ID.self == UUID.self)
      } catch {
        failures.append(error.message)
        continue
      }
      var found = candidate
      found.id = id
      if source.key.id != id { keepsAllIDs = false }
      if let oldID = source.key.id, oldID != id { newIDs[[new, oldID]] = id }
      let path: TOMLPath = [new, id]
      let key = GarageKey(name: new, id: id)
      let place = places[path]
      // A record with the same content is no conflict.
      let isTaken =
        try place != nil
        || old != new && draft.status(new, id) != nil
          && draft.row(new, id)?.fields != source.row.fields
      guard !isTaken || conflict == .replace else {
        if conflict == .fail {
          let reason = place.map { "\(kept[$0].source.key) becomes that too" } ?? "the record exists already"
          failures.append("Cannot make \(source.key) \(key): \(reason).")
        }
        continue
      }
      if let place {
        kept[place] = found
      } else {
        places[path] = kept.count
        kept.append(found)
      }
    }
    taken = kept
    if !newIDs.isEmpty {
      for candidate in taken where !candidate.isWhole {
        failures.append(
          "Cannot convert \(candidate.source.key): a reference that it needs leads to a missing record, so that "
            + "its others cannot get the new ids.")
      }
    }
    return newIDs
  }
}

extension GarageDraft {
  func removeSource(_ source: GarageSource) { if let id = source.key.id { remove(source.key.name, id) } }

  /// Whether the file has nothing under a name.
  func wasWithout(_ name: String) -> Bool { !base.contains([name]) }

  func noteBackup(before what: String) {
    let name = what.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    if backupReason == nil { backupReason = "before-" + String(name).prefix(60) }
  }
}
