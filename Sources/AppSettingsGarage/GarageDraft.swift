import AppSettings

/// The content of a garage with changes that are not in the file yet: retrieves read it, and updates edit it.
///
/// It does not touch files. Each change can be undone, which for a large update costs less than copies.
final class GarageDraft: @unchecked Sendable {  // used by the one thread that reads or is in the update
  /// The file's text.
  let base: TOMLDocument
  let format: GarageFormat
  /// Rows by path, `nil` for a removed one, in the order of their first change.
  private(set) var changes: [TOMLPath: TOMLTable?] = [:]
  private(set) var changed: [TOMLPath] = []
  /// Ids that the base does not have, by name.
  private(set) var added: [String: [String]] = [:]
  /// By name, how many more records there are than in the base, and how many the base has once counted.
  private var differences: [String: Int] = [:]
  private var storedCounts: [String: Int] = [:]
  /// Whole arrays of tables, by name.
  private(set) var arrays: [String: GarageObjectList] = [:]
  private(set) var changedArrays: [String] = []
  /// Where rows come from that only change their name, to keep their comments: old names by new ones, and paths.
  private(set) var renamed: [String: String] = [:]
  private(set) var moved: [TOMLPath: TOMLPath] = [:]
  /// Ids by what Swift treats as equal to them, by name; only for names that were asked for.
  private var forms: [String: [String: [String]]] = [:]
  /// The index of the objects without an id, by name; dropped when something else changes them.
  private var objectIndices: [String: (index: AnyObject, hasFormer: Bool, needsRecords: Bool)] = [:]
  /// Whether to store the cipher's check value even if nothing else changes.
  var renewsCheck = false
  /// Whether the update of this draft has ended.
  var hasEnded = false
  /// The reason for a backup.
  var backupReason: String?

  private enum Step {
    case row(TOMLPath, TOMLTable??, wasAdded: Bool)
    case objects(String, GarageObjectList?)
    case object(String, Int, GarageObjectList.Element?)
    case addition(String)
    case move(TOMLPath)
    case renaming(String)
  }

  /// The changes, for undoing them.
  private var log: [Step] = []

  init(base: TOMLDocument, format: GarageFormat) {
    self.base = base
    self.format = format
  }

  /// How the records of a type are stored.
  enum Kind { case none, records, objects }

  /// How the records under a name are stored.
  ///
  /// - Throws: ``SettingsError`` `invalidValue` if the name holds something other than records.
  func kind(of name: String) throws(SettingsError) -> Kind {
    if let list = arrays[name], !list.isEmpty { return .objects }
    let path: TOMLPath = [name]
    let difference = differences[name]
    if base.isTable(at: path) || difference != nil {
      // Counted only where needed: counting takes longer the more records there are.
      if difference ?? 0 > 0 { return .records }
      if difference ?? 0 == 0 { return base.hasKeys(at: path) ? .records : .none }
      return storedCount(of: name) + (difference ?? 0) > 0 ? .records : .none
    }
    guard base.contains(path), arrays[name] == nil else { return .none }
    guard case .array(let items)? = base[path], items.allSatisfy({ $0.table != nil }) else {
      let found = base[path].map { description(of: $0) } ?? "nothing"
      throw failure("Cannot use the records of '\(name)'", "it is \(found), and records are tables", at: path)
    }
    return items.isEmpty ? .none : .objects
  }

  /// The number of records under a name in the base.
  private func storedCount(of name: String) -> Int {
    if let count = storedCounts[name] { return count }
    let count = base.childCount(of: [name]) ?? 0
    storedCounts[name] = count
    return count
  }

  // MARK: Records with an id

  /// The ids under a name, in the order of the file.
  func ids(of name: String) throws(SettingsError) -> [String] {
    guard try kind(of: name) == .records else { return [] }
    let old = base.childKeys(of: [name]) ?? []
    guard !changes.isEmpty else { return old }
    return old.filter { isThere([name, $0]) } + (added[name] ?? []).filter { isThere([name, $0]) }
  }

  private func isThere(_ path: TOMLPath) -> Bool {
    if let change = changes[path] { return change != nil }
    return true
  }

  /// A record's row; `nil` if there is none.
  ///
  /// - Throws: ``SettingsError`` `sealedRecord`, or `invalidValue` if something other than a record is in its place.
  func row(_ name: String, _ id: String) throws(SettingsError) -> GarageRow? {
    let path: TOMLPath = [name, id]
    if !changes.isEmpty, let change = changes[path] {
      return try change.map { table throws(SettingsError) in
        try format.row(table, of: GarageKey(name: name, id: id), at: nil)
      }
    }
    guard let stored = base[path] else {
      // Slower, and only for the error message.
      guard try kind(of: name) != .objects else {
        throw failure(
          "Cannot look for \(GarageKey(name: name, id: id))",
          "it has objects without an id, as [[\(TOMLPath([name]))]]",
          at: [name])
      }
      return nil
    }
    guard case .table(let table) = stored else {
      throw failure(
        "Cannot read \(GarageKey(name: name, id: id))", "it is \(description(of: stored)), and a record is a table",
        at: path)
    }
    return try format.row(table, of: GarageKey(name: name, id: id), at: base.position(of: path))
  }

  /// What is in a record's place, without its content if that must stay hidden.
  private func description(of value: TOMLValue) -> String {
    format.hidesContent ? value.kindName : value.errorDescription
  }

  /// A record's sync status, without opening it; `nil` if there is none.
  func status(_ name: String, _ id: String) -> Garage.SyncStatus? {
    let path: TOMLPath = [name, id]
    if let change = changes[path] { return change.map { GarageRow.status($0[GarageRow.statusKey]) } }
    guard base.isTable(at: path) else { return nil }
    return GarageRow.status(base[path.appending(GarageRow.statusKey)])
  }

  /// Stores a record, replacing an existing one.
  func set(_ row: GarageRow, _ name: String, _ id: String) throws(SettingsError) {
    if try kind(of: name) == .objects {
      throw failure(
        "Cannot park \(GarageKey(name: name, id: id))", "it has objects without an id, as [[\(TOMLPath([name]))]]",
        at: [name])
    }
    change([name, id], to: try format.table(row, of: GarageKey(name: name, id: id)))
  }

  func remove(_ name: String, _ id: String) { change([name, id], to: nil) }

  private func change(_ path: TOMLPath, to table: TOMLTable?) {
    let wasThere = contains(path)
    let old = changes.updateValue(table, forKey: path)
    count(path, wasThere: wasThere)
    var isAdded = false
    if old == nil {
      changed.append(path)
      isAdded = !base.contains(path)
      if isAdded { add(path.components[1], under: path.components[0]) }
    }
    log.append(.row(path, old, wasAdded: isAdded))
  }

  private func add(_ id: String, under name: String) {
    added[name, default: []].append(id)
    forms[name]?[id, default: []].append(id)
  }

  private func removeLastAdded(under name: String) {
    guard let id = added[name]?.popLast() else { return }
    forms[name]?[id]?.removeLast()
  }

  private func count(_ path: TOMLPath, wasThere: Bool) {
    differences[path.components[0], default: 0] += (contains(path) ? 1 : 0) - (wasThere ? 1 : 0)
  }

  private func contains(_ path: TOMLPath) -> Bool {
    if let change = changes[path] { return change != nil }
    return base.contains(path)
  }

  /// The id as the file writes it, if it has more than one notation: a UUID in either case, composed or decomposed
  /// letters.
  func storedID(_ id: String, of name: String, isUUID: Bool) throws(SettingsError) -> String {
    if isUUID {
      guard !contains(name, id) else { return id }
      let other = id.lowercased()
      return contains(name, other) ? other : id
    }
    guard id.utf8.contains(where: { $0 >= 0x80 }), !contains(name, id) else { return id }
    guard try kind(of: name) == .records else { return id }
    return forms(of: id, under: name).first { isThere([name, $0]) } ?? id
  }

  /// The ids under a name that Swift treats as equal to one, including removed ones.
  private func forms(of id: String, under name: String) -> [String] {
    if let known = forms[name] { return known[id] ?? [] }
    // Built once for all queries; otherwise parking many objects would search all of them for each.
    var new: [String: [String]] = [:]
    for id in (base.childKeys(of: [name]) ?? []) + (added[name] ?? []) { new[id, default: []].append(id) }
    forms[name] = new
    return new[id] ?? []
  }

  private func contains(_ name: String, _ id: String) -> Bool { contains([name, id]) }

  /// Notes that a record only changes its name, so that its comments move along.
  func noteMove(of id: String, from old: String, to name: String) {
    guard moved.updateValue([old, id], forKey: [name, id]) == nil else { return }
    log.append(.move([name, id]))
  }

  /// Notes that all records of a name get another one.
  func noteRenaming(of old: String, to name: String) {
    guard renamed.updateValue(old, forKey: name) == nil else { return }
    log.append(.renaming(name))
  }

  // MARK: Objects without an id

  /// The objects under a name.
  func objects(of name: String) throws(SettingsError) -> [GarageRow] {
    var elements = arrays[name]?.elements ?? []
    let isOfBase = !changedArrays.contains(name)
    if isOfBase {
      switch try kind(of: name) {
      case .none: return []
      case .records:
        throw failure(
          "Cannot look for objects of '\(name)'",
          "it has records with an id. To make them objects without one, call 'migrateValues(recordName: \"\(name)\", to:)' "
            + "with their type", at: [name])
      case .objects:
        if case .array(let items)? = base[[name]] {
          elements = items.compactMap(\.table).enumerated().map {
            GarageObjectList.Element(table: $0.element, origin: GarageRow.Origin(name: name, index: $0.offset))
          }
        }
      }
    }
    return try elements.enumerated().map { index, element throws(SettingsError) in
      var row = try format.row(
        element.table, of: GarageKey(name: name),
        at: isOfBase ? base.position(of: .root, inElement: index, of: [name]) ?? base.position(of: [name]) : nil)
      row.origin = element.origin
      return row
    }
  }

  /// The sync statuses of the objects of a name, without opening them.
  func objectNotes(of name: String) -> [TOMLValue?] {
    if changedArrays.contains(name) { return (arrays[name]?.elements ?? []).map { $0.table[GarageRow.statusKey] } }
    guard case .array(let items)? = base[[name]] else { return [] }
    return items.map { $0.table?[GarageRow.statusKey] }
  }

  /// Stores all objects of a name.
  func setObjects(_ rows: [GarageRow], of name: String) throws(SettingsError) {
    try checkIsForObjects(name)
    let elements = try rows.map { row throws(SettingsError) in try element(row, of: name) }
    if !changedArrays.contains(name) { changedArrays.append(name) }
    log.append(.objects(name, arrays.updateValue(GarageObjectList(elements), forKey: name)))
    // The indexes of other names are still right, unless some of their rows may have had this name.
    objectIndices = objectIndices.filter { $0.key != name && !$0.value.hasFormer }
  }

  /// Removes one of the objects that were set.
  ///
  /// - Parameter place: Its number among those that were set or added, not counting removals.
  func removeObject(at place: Int, of name: String) {
    log.append(.object(name, place, arrays[name]?.replace(place, by: nil)))
  }

  /// Sets the sync status of one of the objects that were set.
  func setStatus(_ status: Garage.SyncStatus, ofObjectAt place: Int, of name: String) throws(SettingsError) {
    guard let old = arrays[name]?[place] else { return }
    var row = try format.row(old.table, of: GarageKey(name: name), at: nil)
    guard row.status != status else { return }
    row.status = status
    row.origin = old.origin
    log.append(.object(name, place, arrays[name]?.replace(place, by: try element(row, of: name))))
  }

  /// Adds an object to those that were set.
  ///
  /// - Returns: Its place.
  func appendObject(_ row: GarageRow, of name: String) throws(SettingsError) -> Int {
    try checkIsForObjects(name)
    let element = try element(row, of: name)
    log.append(.addition(name))
    return arrays[name, default: GarageObjectList()].append(element)
  }

  /// The sync status of one of the objects that were set.
  func objectStatus(at place: Int, of name: String) -> Garage.SyncStatus? {
    arrays[name]?[place].map { GarageRow.status($0.table[GarageRow.statusKey]) }
  }

  private func element(_ row: GarageRow, of name: String) throws(SettingsError) -> GarageObjectList.Element {
    GarageObjectList.Element(table: try format.table(row, of: GarageKey(name: name)), origin: row.origin)
  }

  private func checkIsForObjects(_ name: String) throws(SettingsError) {
    guard try kind(of: name) == .records else { return }
    throw failure("Cannot park an object of '\(name)'", "it has records with an id", at: [name])
  }

  /// The index of the objects of a name, if it is still right.
  func objectIndex(of name: String) -> AnyObject? { objectIndices[name]?.index }

  /// - Parameter needsRecords: Whether some of the index depends on records.
  func noteObjectIndex(_ index: AnyObject, of name: String, hasFormer: Bool, needsRecords: Bool) {
    objectIndices[name] = (index, hasFormer, needsRecords)
  }

  // MARK: The way back

  /// The present state, for ``rollBack(to:)`` and ``changedIDs(since:)``.
  var mark: Int { log.count }

  /// The ids of the records that have changed since a mark.
  func changedIDs(since mark: Int) -> [String] {
    log.dropFirst(mark).compactMap { if case .row(let path, _, _) = $0 { path.components[1] } else { nil } }
  }

  /// Undoes the changes since a mark.
  func rollBack(to mark: Int) {
    if log.count > mark { objectIndices = objectIndices.filter { !$0.value.needsRecords } }
    while log.count > mark {
      switch log.removeLast() {
      case .row(let path, let old?, _):
        let wasThere = contains(path)
        changes[path] = old
        count(path, wasThere: wasThere)
      case .row(let path, nil, let wasAdded):
        let wasThere = contains(path)
        changes.removeValue(forKey: path)
        count(path, wasThere: wasThere)
        changed.removeLast()
        if wasAdded { removeLastAdded(under: path.components[0]) }
      case .objects(let name, let old):
        arrays[name] = old
        if old == nil { changedArrays.removeAll { $0 == name } }
        objectIndices = [:]
      case .object(let name, let place, let element):
        arrays[name]?.replace(place, by: element)
        objectIndices = [:]
      case .addition(let name):
        arrays[name]?.removeLast()
        objectIndices = [:]
      case .move(let path): moved[path] = nil
      case .renaming(let name): renamed[name] = nil
      }
    }
  }

  // MARK: All

  /// The names that have records, in the order of the file.
  func names() throws(SettingsError) -> [String] {
    var names = (base.childKeys(of: .root) ?? []).filter { !SettingsFormat.isReserved($0) }
    for name in changed.map({ $0.components[0] }) + changedArrays where !names.contains(name) { names.append(name) }
    return names.filter { ((try? kind(of: $0)) ?? .none) != .none }
  }

  /// Removes everything under a name.
  ///
  /// - Throws: ``SettingsError`` `invalidValue` if the name holds something other than records.
  func removeAll(of name: String) throws(SettingsError) {
    switch try kind(of: name) {
    case .none: return
    case .records: for id in try ids(of: name) { remove(name, id) }
    case .objects: try setObjects([], of: name)
    }
  }

  func failure(_ what: String, _ why: String, at path: TOMLPath) -> SettingsError {
    SettingsError(
      .invalidValue, "\(what) in '\(format.file)': \(why). The file is unchanged.", file: format.file,
      position: base.position(of: path))
  }
}
