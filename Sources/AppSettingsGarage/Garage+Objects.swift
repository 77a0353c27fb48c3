public import AppSettings
import FoundationEssentials

extension GarageObjects {
  // MARK: Parking

  /// Parks an object, with all objects that it refers to. It replaces the record of its type and id.
  ///
  /// The record keeps its sync status and the fields that this release's type does not know. Comments and all other
  /// bytes of the file stay. If nothing differs, nothing is written.
  ///
  /// - Parameter object: The object.
  /// - Throws: `SettingsError` `invalidValue` if the object cannot be stored, or refers to two different objects with
  ///   one id; `invalidKey` if its id has no text form or another type uses its record name; `sealedRecord` if the
  ///   existing record cannot be opened; `readOnly`, `unparsable`, `newerVersion`, `lockTimeout` or `io`. The file is
  ///   unchanged in each case.
  public func park<T: Codable & Identifiable>(_ object: T) throws(SettingsError) { try park([object]) }

  /// Parks objects in one write; see ``park(_:)-(T)``.
  public func park<T: Codable & Identifiable>(_ objects: [T]) throws(SettingsError) {
    guard !objects.isEmpty else { return }
    try change { draft in try GarageWriting(draft, names).park(objects) }
  }

  /// Parks a value, unless an equal one is parked.
  ///
  /// - Throws: `SettingsError` as ``park(_:)-(T)``.
  public func parkValue<T: Codable & Hashable>(_ value: T) throws(SettingsError) { try parkValues([value]) }

  /// Parks values in one write, except those for which an equal one is parked.
  package func parkValues<T: Codable & Hashable>(_ values: [T]) throws(SettingsError) {
    guard !values.isEmpty else { return }
    try change { draft in
      let name = try names.entry(of: T.self).name
      let index = try access.objectIndex(of: T.self, in: draft)
      let writing = GarageWriting(draft, names)
      if index.hasFormer { try index.settle(name, in: draft, access) }
      for value in values where index.places[value] == nil {
        let row = GarageRow(try writing.fields(of: value, GarageKey(name: name)))
        if !index.unreadable.contains(row.fields) { try index.add(value, row, of: name, to: draft, access) }
      }
      try writing.finish()
    }
  }

  // MARK: Retrieving

  /// Retrieves the object with a type and id, and all objects that it refers to.
  ///
  /// Within one call there is one object for each record, however many objects refer to it.
  ///
  /// - Returns: The object, or `nil` if there is none.
  /// - Throws: `SettingsError` `invalidValue` with type, id and path if a record cannot be read, `missingRecord` if a
  ///   reference that is not optional leads to no record; `sealedRecord`, `unparsable`, `readOnly` or `io`.
  public func retrieve<T: Codable & Identifiable>(_ type: T.Type = T.self, id: T.ID) throws(SettingsError) -> T? {
    try SettingsError.only {
      let reading = GarageReading(try contents(), names)
      let text = try GarageCoding.text(of: id, type)
      return try reading.whole { try reading.object(type, id: text, isOnly: true) }
    }
  }

  /// Retrieves all objects of a type, in the order of the file, and all objects that they refer to.
  ///
  /// - Parameters:
  ///   - type: The type of the objects.
  ///   - status: The sync status of the objects wanted; `nil` for all.
  ///   - onUnreadable: Called for each record that cannot be read, which is left out then; what it throws ends the
  ///     retrieve. Without it, the first such record does.
  /// - Throws: `SettingsError` as ``retrieve(_:id:)``.
  public func retrieveAll<T: Codable & Identifiable>(
    _ type: T.Type = T.self, withStatus status: Garage.SyncStatus? = nil,
    onUnreadable: ((SettingsError) throws -> Void)? = nil
  ) throws -> [T] {
    let draft = try contents()
    return try GarageReading(draft, names).all(type, onUnreadable) {
      status == nil || draft.status($0.name, $0.id ?? "") == status
    }
  }

  /// Retrieves all values of a type, in the order of the file; see ``retrieveAll(_:withStatus:onUnreadable:)``.
  public func retrieveValues<T: Codable & Hashable>(
    _ type: T.Type = T.self, withStatus status: Garage.SyncStatus? = nil,
    onUnreadable: ((SettingsError) throws -> Void)? = nil
  ) throws -> [T] {
    try GarageReading(try contents(), names).allValues(type, onUnreadable) { status == nil || $0.status == status }
  }

  /// Returns the text of an object's id, as stored in the file.
  ///
  /// - Throws: `SettingsError` `invalidKey` if the id has no text form.
  public func identifier<T: Identifiable>(of object: T) throws(SettingsError) -> String {
    try GarageCoding.text(of: object.id, T.self)
  }

  // MARK: Deleting

  /// Deletes an object's record. Objects that it refers to stay.
  ///
  /// - Throws: `SettingsError` `missingRecord` if the object is not parked; `readOnly`, `unparsable`, `newerVersion`,
  ///   `lockTimeout` or `io`. The file is unchanged in each case.
  public func delete<T: Codable & Identifiable>(_ object: T) throws(SettingsError) { try delete(T.self, id: object.id) }

  /// Deletes the record with a type and id; see ``delete(_:)-(T)``.
  public func delete<T: Codable & Identifiable>(_ type: T.Type, id: T.ID) throws(SettingsError) {
    try change { draft in
      for key in try access.keys(of: type, id: id, in: draft) { draft.remove(key.name, key.id!) }
    }
  }

  /// Deletes all values equal to one.
  public func deleteValue<T: Codable & Hashable>(_ value: T) throws(SettingsError) {
    try change { draft in
      let name = try names.entry(of: T.self).name
      guard try access.objectIndex(of: T.self, in: draft).remove(value, of: name, from: draft, access) else {
        throw access.notParked(GarageKey(name: name))
      }
    }
  }

  /// Deletes all objects of a type, including those that cannot be read. There may be none.
  ///
  /// - Throws: `SettingsError` as ``delete(_:)-(T)``, except `missingRecord`.
  public func deleteAll<T>(_ type: T.Type) throws(SettingsError) {
    if try hasNoFile { return }
    try change { draft in for name in try names.entry(of: type).all { try draft.removeAll(of: name) } }
  }

  /// Deletes all objects. Everything else in the file stays, such as comments set off by blank lines.
  public func deleteAll() throws(SettingsError) {
    if try hasNoFile { return }
    try change { draft in for name in try draft.names() { try draft.removeAll(of: name) } }
  }

}

extension GarageAccess {
  /// The records of an object under the type's names that have one.
  func keys<T: Identifiable>(of type: T.Type, id: T.ID, in draft: GarageDraft) throws -> [GarageKey] {
    let entry = try names.entry(of: type)
    let text = try GarageCoding.text(of: id, type)
    let keys = try entry.all.compactMap { name -> GarageKey? in
      let stored = try draft.storedID(text, of: name, isUUID: T.ID.self == UUID.self)
      return draft.status(name, stored) == nil ? nil : GarageKey(name: name, id: stored)
    }
    if keys.isEmpty { throw notParked(GarageKey(name: entry.name, id: text)) }
    return keys
  }

  func notParked(_ key: GarageKey) -> SettingsError {
    SettingsError(
      .missingRecord, "Cannot find \(key) in '\(format.file)': it is not parked. The file is unchanged.",
      file: format.file)
  }

  /// An object without an id, with its stored row; `nil` for an object that cannot be read.
  struct StoredObject<T> {
    var row: GarageRow
    /// The name that the row is stored under.
    var name: String
    var object: T?
    /// For an unreadable object, the id of the record that it needs and that is missing or unreadable itself.
    var neededID: String?
    var isFormer: Bool
  }

  func stored<T: Codable & Hashable>(_ type: T.Type, in draft: GarageDraft) throws -> [StoredObject<T>] {
    let reading = GarageReading(draft, names)
    return try names.entry(of: type).all.flatMap { name in
      try draft.objects(of: name).map { try stored(type, $0, of: name, by: reading) }
    }
  }

  func stored<T: Codable & Hashable>(
    _ type: T.Type, _ row: GarageRow, of name: String, by reading: GarageReading
  ) throws -> StoredObject<T> {
    let object = try? reading.whole { try reading.read(type, row.fields, GarageKey(name: name)) }
    return StoredObject(
      row: row, name: name, object: object, neededID: object == nil ? reading.neededID : nil,
      isFormer: name != (try names.entry(of: type).name))
  }

  /// The places of a type's objects without an id in a draft.
  func objectIndex<T: Codable & Hashable>(of type: T.Type, in draft: GarageDraft) throws -> GarageObjectIndex<T> {
    let name = try names.entry(of: type).name
    if let known = draft.objectIndex(of: name) as? GarageObjectIndex<T> {
      try known.update(in: draft, self)
      return known
    }
    let index = GarageObjectIndex(try stored(type, in: draft), at: draft.mark)
    index.note(name, in: draft)
    return index
  }

  func replace<T>(_ rows: [GarageRow], of type: T.Type, in draft: GarageDraft) throws {
    let entry = try names.entry(of: type)
    for former in entry.former where try draft.kind(of: former) == .objects { try draft.setObjects([], of: former) }
    try draft.setObjects(rows, of: entry.name)
  }
}

extension GarageReading {
  /// All objects of a type with an id.
  func all<T: Codable & Identifiable>(
    _ type: T.Type, _ unreadable: ((SettingsError) throws -> Void)?, where isWanted: (GarageKey) -> Bool
  ) throws -> [T] {
    try each(unreadable, over: try keys(of: type).filter(isWanted)) { key in
      try object(type, id: key.id!).map { [$0] } ?? []
    }
  }

  /// All objects of a type without an id.
  func allValues<T: Codable & Hashable>(
    _ type: T.Type, _ unreadable: ((SettingsError) throws -> Void)?, where isWanted: (GarageRow) -> Bool
  ) throws -> [T] {
    let entry = try entry(of: type)
    var rows: [(GarageKey, GarageRow)] = []
    for name in entry.all {
      rows += try draft.objects(of: name).map { (GarageKey(name: name, index: $0.origin?.index), $0) }
    }
    return try each(unreadable, over: rows.filter { isWanted($0.1) }) { [try read(type, $0.1.fields, $0.0)] }
  }

  /// The keys of all records of a type, in the order of the file, those of its present name first.
  ///
  /// - Throws: `SettingsError` `invalidValue` for two records whose ids are the same, written in two ways.
  private func keys<T: Identifiable>(of type: T.Type) throws -> [GarageKey] {
    var keys: [GarageKey] = []
    var present: Set<String> = []
    let isUUID = T.ID.self == UUID.self
    for name in try entry(of: type).all {
      guard try draft.kind(of: name) != .objects else {
        throw draft.failure(
          "Cannot read the records of '\(name)'",
          "they are objects without an id, as [[\(TOMLPath([name]))]], and '\(type)' has one. To give them their ids, call "
            + "'migrateAll(recordName: \"\(name)\", to: \(type).self)'", at: [name])
      }
      var unusual: [String: String] = [:]
      for id in try draft.ids(of: name) {
        // Strings are equal in both notations of a letter.
        let notation = isUUID ? id.uppercased() : id
        if isUUID || id.utf8.contains(where: { $0 >= 0x80 }), let other = unusual.updateValue(id, forKey: notation) {
          throw draft.failure(
            "Cannot read \(GarageKey(name: name, id: id))",
            "the id of \(GarageKey(name: name, id: other)) is the same in another notation. Remove one of them",
            at: [name, id])
        }
        // A record under the present name hides the one under a former name.
        if present.insert(notation).inserted { keys.append(GarageKey(name: name, id: id)) }
      }
    }
    return keys
  }

  private func each<Item, T>(
    _ unreadable: ((SettingsError) throws -> Void)?, over items: [Item], _ read: (Item) throws -> [T]
  ) throws -> [T] {
    guard let unreadable else { return try whole { try items.flatMap(read) } }
    return try items.flatMap { item -> [T] in
      do {
        return try whole { try read(item) }
      } catch let error as SettingsError {
        try unreadable(error)
        return []
      }
    }
  }
}
