import AppSettings

import SettingsTOML

/// The objects without an id of one name in a draft. Each keeps its place, so that removing one moves no other.
struct GarageObjectList {
  struct Element {
    var table: TOMLTable
    /// The object's number in the file.
    var origin: GarageRow.Origin?
  }

  private var places: [Element?]
  private var count: Int

  init(_ elements: [Element] = []) {
    places = elements
    count = elements.count
  }

  var isEmpty: Bool { count == 0 }

  /// The present objects, in order.
  var elements: [Element] { places.compactMap { $0 } }

  subscript(place: Int) -> Element? { places[place] }

  /// - Returns: The element that was there.
  @discardableResult
  mutating func replace(_ place: Int, by element: Element?) -> Element? {
    let old = places[place]
    places[place] = element
    count += (element == nil ? 0 : 1) - (old == nil ? 0 : 1)
    return old
  }

  /// - Returns: Its place.
  mutating func append(_ element: Element) -> Int {
    places.append(element)
    count += 1
    return places.count - 1
  }

  mutating func removeLast() { if places.removeLast() != nil { count -= 1 } }
}

/// The places of the objects without an id in a draft, by value: reading all of them for each one that an update parks
/// or deletes would take quadratic time.
final class GarageObjectIndex<T: Codable & Hashable> {
  private(set) var places: [T: [Int]] = [:]
  /// The fields of objects that cannot be read.
  private(set) var unreadable: Set<TOMLTable> = []
  /// Those of them whose record is missing or invalid, by its id in lower case: a UUID may be written in two ways.
  private var waiting: [String: [(place: Int, row: GarageRow, name: String)]] = [:]
  /// The state of the draft in which they were read.
  private var mark: Int
  /// The objects to set in the draft before one is removed or added; `nil` when they are set.
  private var rows: [GarageRow]?
  /// Whether some are stored under a former name of their type.
  let hasFormer: Bool
  private var needsRecords = false

  init(_ stored: [GarageAccess.StoredObject<T>], at mark: Int) {
    self.mark = mark
    rows = stored.map(\.row)
    hasFormer = stored.contains(where: \.isFormer)
    for (place, known) in stored.enumerated() { note(known, at: place) }
    needsRecords = !waiting.isEmpty
  }

  private func note(_ known: GarageAccess.StoredObject<T>, at place: Int) {
    if let object = known.object {
      places[object, default: []].append(place)
      return
    }
    unreadable.insert(known.row.fields)
    if let id = known.neededID { waiting[id.lowercased(), default: []].append((place, known.row, known.name)) }
  }

  /// Reads unreadable objects again if a record that they need has changed since.
  func update(in draft: GarageDraft, _ garage: GarageAccess) throws {
    guard !waiting.isEmpty else { return }
    let reading = GarageReading(draft, garage.names)
    for id in draft.changedIDs(since: mark) {
      for (place, row, name) in waiting.removeValue(forKey: id.lowercased()) ?? [] {
        unreadable.remove(row.fields)
        note(try garage.stored(T.self, row, of: name, by: reading), at: place)
      }
    }
    mark = draft.mark
  }

  /// Removes all objects equal to one.
  ///
  /// - Returns: Whether there were any.
  func remove(_ object: T, of name: String, from draft: GarageDraft, _ garage: GarageAccess) throws -> Bool {
    guard let found = places[object] else { return false }
    try settle(name, in: draft, garage)
    for place in found { draft.removeObject(at: place, of: name) }
    places[object] = nil
    return true
  }

  /// Sets the sync status of the first object equal to one.
  ///
  /// - Returns: Whether there is one.
  func set(
    _ status: Garage.SyncStatus, of object: T, of name: String, in draft: GarageDraft, _ garage: GarageAccess
  ) throws -> Bool {
    guard let place = places[object]?.first else { return false }
    try settle(name, in: draft, garage)
    try draft.setStatus(status, ofObjectAt: place, of: name)
    return true
  }

  /// The sync status of the first object equal to one; `nil` if there is none.
  func status(of object: T, of name: String, in draft: GarageDraft) -> Garage.SyncStatus? {
    guard let place = places[object]?.first else { return nil }
    return rows?[place].status ?? draft.objectStatus(at: place, of: name)
  }

  func add(_ object: T, _ row: GarageRow, of name: String, to draft: GarageDraft, _ garage: GarageAccess) throws {
    try settle(name, in: draft, garage)
    places[object] = [try draft.appendObject(row, of: name)]
  }

  /// Sets the objects in the draft, all under the present name.
  func settle(_ name: String, in draft: GarageDraft, _ garage: GarageAccess) throws {
    guard let rows else { return }
    try garage.replace(rows, of: T.self, in: draft)
    self.rows = nil
    note(name, in: draft)
  }

  /// Stores this index in the draft for the next query. Objects of a class may change after they were added.
  func note(_ name: String, in draft: GarageDraft) {
    if !(T.self is AnyObject.Type) {
      draft.noteObjectIndex(self, of: name, hasFormer: hasFormer, needsRecords: needsRecords)
    }
  }
}
