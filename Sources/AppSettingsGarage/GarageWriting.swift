import AppSettings
import FoundationEssentials

/// One parking of objects with all that they refer to, one after the other: a graph may have cycles and long chains.
final class GarageWriting: @unchecked Sendable {  // used by the one thread that parks; handed down as user info only
  let draft: GarageDraft
  private let names: GarageNames
  /// New ids by old ones, of the type that is being migrated.
  private let newIDs: [TOMLPath: String]
  /// Whether references that were read stay what they are, but for new ids, and what they lead to is not parked.
  let keepsReadReferences: Bool
  /// Why a reference cannot be stored.
  private var referenceFailure: (any Error)?

  /// The fields of the objects that were encoded.
  private var encoded: [TOMLPath: TOMLTable] = [:]
  private var roots: Set<TOMLPath> = []
  private var queue: [() throws -> Void] = []
  private var next = 0
  /// Objects and references that were dealt with; kept, so that no other takes the address of one meanwhile.
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
  /// An object that is handed over wins over another of the same id that one refers to.
  /// The draft has them then, or has some of them if this throws.
  func park<T: Codable & Identifiable>(_ objects: [T]) throws {
    let name = try names.entry(of: T.self).name
    let ids = try objects.map { try GarageCoding.text(of: $0.id, T.self) }
    for id in ids { roots.insert([name, id]) }
    for (object, id) in zip(objects, ids) { try store(object, id: id, fields: encode(object, [name, id])) }
    try finish()
  }

  /// What an object is stored as, and all that it refers to stored.
  func fields<T: Encodable>(of object: T, _ key: GarageKey) throws -> TOMLTable {
    do {
      let value = try ValueCoding.encode(object, userInfo: [GarageCoding.writing: self])
      guard case .table(let table)? = value else {
        throw SettingsValueError(expected: "a type with fields", foundText: value?.errorDescription ?? "nothing")
      }
      return table
    } catch  where draft.format.hidesContent {
      defer { referenceFailure = nil }
      // Whatever it says, it may say what the object holds.
      throw referenceFailure
        ?? SettingsError(
          .invalidValue,
          "Cannot park \(key): it cannot be stored. What it holds is not shown. Nothing was written.",
          file: draft.format.file)
    } catch let error as SettingsValueError {
      throw SettingsError(
        .invalidValue, "Cannot park \(key): \(error.message) Nothing was written.", file: draft.format.file)
    }
  }

  /// Encodes what is referred to and was not yet.
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
  /// - Parameter isNew: Whether the reference is one that was not followed yet, as ``visit(_:)`` says.
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
    // An object is parked once; of values, there may be several that say the same.
    guard T.self is AnyObject.Type ? visit(object as AnyObject) : isNew, !roots.contains(path) else { return id }
    queue.append { [self] in
      let fields = try encode(object, path)
      if let other = encoded[path] {
        guard other == fields else {
          throw SettingsError(
            .invalidValue,
            "Cannot park \(GarageKey(name: name, id: id)): two objects of that id differ, and neither is the one to be "
              + "parked. Park the one that counts itself. Nothing was written.", file: draft.format.file)
        }
      } else {
        encoded[path] = fields
        try store(object, id: id, fields: fields)
      }
    }
    return id
  }

  /// Notes that an object or a reference is dealt with.
  ///
  /// - Returns: Whether it was not before.
  func visit(_ object: AnyObject) -> Bool { seen.updateValue(object, forKey: ObjectIdentifier(object)) == nil }

  /// The id to store for a reference that was read and not filled in.
  func reference(toID id: String, of type: Any.Type) throws -> String {
    newIDs.isEmpty ? id : newIDs[[try names.entry(of: type).name, id]] ?? id
  }

  // MARK: Rows

  /// Stores an object's fields over what is there: its status stays, and fields that its type does not know.
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
    new.fields = merge(T.self, fields, over: new.fields)
    if new != row || isMoved { try draft.set(new, entry.name, stored) }
  }

  private func merge<T: Decodable>(_ type: T.Type, _ new: TOMLTable, over old: TOMLTable) -> TOMLTable {
    let isPlain = old.allSatisfy { entry in
      switch entry.value {
      case .table, .array: new[entry.key] == entry.value
      default: new[entry.key] != nil
      }
    }
    if isPlain { return new }
    let known = GarageReading(draft, names, references: .ids).knownFields(of: type, in: new)
    return known.merge(.table(new), over: .table(old)).table ?? new
  }
}
