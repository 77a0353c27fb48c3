import AppSettings
import FoundationEssentials

/// Parks objects with all that they refer to, one after the other: a graph may have cycles and long chains.
final class GarageWriting: @unchecked Sendable {  // used by the one thread that parks; handed down as user info only
  let draft: GarageDraft
  private let names: GarageNames
  /// New ids by old ones, of the type being migrated.
  private let newIDs: [TOMLPath: String]
  /// Whether references that were read stay, except for new ids, and the objects they lead to are not parked.
  let keepsReadReferences: Bool
  /// Why a reference cannot be stored.
  private var referenceFailure: (any Error)?

  /// The fields of the objects that were encoded.
  private var encoded: [TOMLPath: TOMLTable] = [:]
  private var roots: Set<TOMLPath> = []
  private var queue: [() throws -> Void] = []
  private var next = 0
  /// Objects and references already handled; retained so that no other gets the address of one meanwhile.
  private var seen: [ObjectIdentifier: AnyObject] = [:]

  init(
    _ draft: GarageDraft, _ names: GarageNames, newIDs: [TOMLPath: String] = [:], keepsReadReferences: Bool = false
  ) {
    self.draft = draft
    self.names = names
    self.newIDs = newIDs
    self.keepsReadReferences = keepsReadReferences
  }

  /// Parks objects with all that they refer to.
  ///
  /// A given object wins over another with the same id that one refers to. If this throws, the draft may
  /// have some of the objects.
  func park<T: Codable & Identifiable>(_ objects: [T]) throws {
    let name = try names.entry(of: T.self).name
    let ids = try objects.map { try GarageCoding.text(of: $0.id, T.self) }
    for id in ids { roots.insert([name, id]) }
    for (object, id) in zip(objects, ids) { try store(object, id: id, fields: encode(object, [name, id])) }
    try finish()
  }

  /// Stores everything that an object refers to, and returns the object's fields.
  func fields<T: Encodable>(of object: T, _ key: GarageKey) throws -> TOMLTable {
    do {
      let value = try ValueCoding.encode(object, userInfo: [GarageCoding.writing: self])
      guard case .table(let table)? = value else {
        throw SettingsValueError(expected: "a type with fields", foundText: value?.errorDescription ?? "nothing")
      }
      return table
    } catch  where draft.format.hidesContent {
      defer { referenceFailure = nil }
      // Its own message may show the content of the object.
      throw referenceFailure
        ?? SettingsError(
          .invalidValue,
          "Cannot park \(key): it cannot be stored. Its content is not shown. Nothing was written.",
          file: draft.format.file)
    } catch let error as SettingsValueError {
      throw SettingsError(
        .invalidValue, "Cannot park \(key): \(error.message) Nothing was written.", file: draft.format.file)
    }
  }

  /// Encodes referenced objects that are not encoded yet.
  func finish() throws {
    while next < queue.count {
      let job = queue[next]
      next += 1
      try job()
    }
    queue = []
    next = 0
  }

  private func encode<T: Codable & Identifiable>(_ object: T, _ path: TOMLPath) throws -> TOMLTable {
    try fields(of: object, GarageKey(name: path.components[0], id: path.components[1]))
  }

  // MARK: References

  /// The id to store for a reference, whose target is parked too.
  ///
  /// - Parameter isNew: Whether the reference was not followed yet, as returned by ``visit(_:)``.
  func reference<T: Codable & Identifiable>(to object: T, as type: T.Type, isNew: Bool) throws -> String {
    let (name, id): (String, String)
    do {
      name = try names.entry(of: type).name
      id = try GarageCoding.text(of: object.id, type)
    } catch {
      referenceFailure = error
      throw error
    }
    let path: TOMLPath = [name, id]
    // An object is parked once; there may be several equal values.
    guard T.self is AnyObject.Type ? visit(object as AnyObject) : isNew, !roots.contains(path) else { return id }
    queue.append { [self] in
      let fields = try encode(object, path)
      if let other = encoded[path] {
        guard other == fields else {
          throw SettingsError(
            .invalidValue,
            "Cannot park \(GarageKey(name: name, id: id)): two objects of that id differ, and neither is the one to be "
              + "parked. Park the right one explicitly. Nothing was written.", file: draft.format.file)
        }
      } else {
        encoded[path] = fields
        try store(object, id: id, fields: fields)
      }
    }
    return id
  }

  /// Marks an object or a reference as handled.
  ///
  /// - Returns: Whether it was not handled before.
  func visit(_ object: AnyObject) -> Bool { seen.updateValue(object, forKey: ObjectIdentifier(object)) == nil }

  /// The id to store for a reference that was read and not filled in.
  func reference(toID id: String, of type: Any.Type) throws -> String {
    newIDs.isEmpty ? id : newIDs[[try names.entry(of: type).name, id]] ?? id
  }

  // MARK: Rows

  /// Stores an object's fields in its record: the status and unknown fields stay.
  private func store<T: Codable & Identifiable>(_ object: T, id: String, fields: TOMLTable) throws {
    let entry = try names.entry(of: T.self)
    let isUUID = T.ID.self == UUID.self
    var stored = try draft.storedID(id, of: entry.name, isUUID: isUUID)
    var row = try draft.row(entry.name, stored)
    var isMoved = false
    for former in entry.former {
      let old = try draft.storedID(id, of: former, isUUID: isUUID)
      guard let found = try draft.row(former, old) else { continue }
      if row == nil {
        (row, stored, isMoved) = (found, old, true)
        draft.noteMove(of: old, from: former, to: entry.name)
      }
      draft.remove(former, old)
    }
    var new = row ?? GarageRow()
    new.fields = merge(T.self, fields, over: new.fields, GarageKey(name: entry.name, id: id))
    if new != row || isMoved { try draft.set(new, entry.name, stored) }
  }

  /// Adds the fields that the type does not know to new ones, and leaves as they are stored those whose value is the same:
  /// a date with its offset, `10` for a `Double`.
  private func merge<T: Codable>(
    _ type: T.Type, _ new: TOMLTable, over old: TOMLTable, _ key: GarageKey
  ) -> TOMLTable {
    let isPlain = old.allSatisfy { entry in
      switch (entry.value, new[entry.key]) {
      // These have one form.
      case (.integer, .integer), (.boolean, .boolean): true
      default: new[entry.key] == entry.value
      }
    }
    if old.isEmpty || isPlain && new.count == old.count { return new }
    let reading = GarageReading(draft, names, references: .ids)
    let known = reading.knownFields(of: type, in: new)
    let writing = GarageWriting(draft, names, keepsReadReferences: true)
    var own: TOMLTable?
    do {
      let object = try reading.read(type, old, key)
      own = try? writing.fields(of: object, key)
    } catch {
      // The text of a record that cannot be read is about to be lost.
      draft.noteBackup(before: "overwriting-\(key.name)")
    }
    return known.merge(.table(new), over: .table(old), own: own.map { .table($0) }).table ?? new
  }
}
