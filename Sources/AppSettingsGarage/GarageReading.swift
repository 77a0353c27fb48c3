import AppSettings
import FoundationEssentials
import SettingsTOML

/// One reading of objects: all from one state of the file, with one object for each record, however many refer to it.
///
/// References are read as ids and filled in afterwards, one record after the other. An object that is still being read
/// cannot be given to objects that refer back to it, and a long chain must not recurse deeply.
final class GarageReading: @unchecked Sendable {  // used by the one thread that reads; handed down as user info only
  let draft: GarageDraft
  private let names: GarageNames
  /// What to do with references.
  enum References {
    /// Keep the ids.
    case ids
    /// Read all records that they lead to.
    case filled
    /// Read the records that exist and are valid; ``settle()`` reports the others.
    case filledWhereThere
  }

  private let references: References
  /// Whether to read the records that references lead to.
  var resolvesReferences: Bool { references != .ids }
  /// Other names that records of a name may still have, after its own.
  private let aliases: [String: String]
  /// Whether a record must be stored under the id of its object.
  private let checksIDs: Bool

  private var objects: [TOMLPath: Any] = [:]
  /// Objects that may be incomplete, and the checks that wait for them.
  private var unfinished: [TOMLPath] = []
  private var checks: [() throws -> Void] = []
  /// The references in them.
  private var links: [any UnfilledLink] = []
  /// The lines of the file, for errors: many records may be unreadable.
  private lazy var lines = LineIndex(of: draft.base.bytes)
  private var waiting: [TOMLPath: [Waiter]] = [:]
  /// The number of references so far.
  private var requestCount = 0
  private var jobs: [() throws -> Void] = []
  private var nextJob = 0
  /// The record whose fields are being read.
  private var current = GarageKey(name: "")
  /// Why the record name of a reference cannot be found.
  private var nameFailure: (any Error)?
  private var graph = ReferenceGraph()
  /// The record looked up last.
  private var foundPath = TOMLPath.root
  /// The id of the referenced record that made ``whole(_:)`` fail; `nil` if another record did.
  private(set) var neededID: String?

  private struct Waiter {
    let isRequired: Bool
    let source: GarageKey
    let path: String
    let fill: (Any?) -> Void
  }

  init(
    _ draft: GarageDraft, _ names: GarageNames, references: References = .filled, checksIDs: Bool = true,
    aliases: [String: String] = [:]
  ) {
    self.draft = draft
    self.names = names
    self.references = references
    self.checksIDs = checksIDs
    self.aliases = aliases
  }

  func entry(of type: Any.Type) throws -> GarageNames.Entry { try names.entry(of: type) }

  // MARK: Objects

  /// The object of a record; `nil` if there is none. Its references are filled in when ``whole(_:)`` ends.
  ///
  /// - Parameter isOnly: Whether only this object and those that it refers to are read.
  func object<T: Codable & Identifiable>(_ type: T.Type, id: String, isOnly: Bool = false) throws -> T? {
    let entry = try names.entry(of: type)
    for name in entry.all + (aliases[entry.name].map { [$0] } ?? []) {
      let stored = try draft.storedID(id, of: name, isUUID: T.ID.self == UUID.self)
      let path: TOMLPath = [name, stored]
      foundPath = path
      if let object = objects[path] as? T { return object }
      guard let row = try draft.row(name, stored) else { continue }
      let known = requestCount
      let key = GarageKey(name: name, id: stored)
      if references == .filledWhereThere {
        let object = try convert(type, row.fields, key).object
        note(object, of: key)
        return object
      }
      let object = try read(type, row.fields, key)
      guard requestCount == known else {
        objects[path] = object
        unfinished.append(path)
        // The id may be that of an object that this one refers to.
        if checksIDs { checks.append { [self] in try check(object, isAt: path) } }
        return object
      }
      if checksIDs { try check(object, isAt: path) }
      if !isOnly { objects[path] = object }
      return object
    }
    return nil
  }

  /// Throws if an object's id differs from the one it is stored under: parking it would create a second record.
  private func check<T: Codable & Identifiable>(_ object: T, isAt path: TOMLPath) throws(SettingsError) {
    let (id, stored) = (try GarageCoding.text(of: object.id, T.self), path.components[1])
    guard id != stored, T.ID.self != UUID.self || id != stored.uppercased() else { return }
    neededID = stored
    let shown = draft.format.hidesContent ? "another one" : TOMLValue.quoted(id, limit: 80)
    throw draft.failure(
      "Cannot read \(GarageKey(name: path.components[0], id: stored))",
      "its own fields say that its id is \(shown). Correct one of them", at: path)
  }

  /// The object of a row that was found already.
  func read<T: Decodable>(_ type: T.Type, _ fields: TOMLTable, _ key: GarageKey) throws -> T {
    do {
      return try read(type, .table(fields), key)
    } catch let error as SettingsValueError {
      throw describe(error, type, key)
    }
  }

  /// The object of a row's fields.
  ///
  /// - Throws: ``SettingsValueError``.
  func read<T: Decodable>(_ type: T.Type, _ fields: TOMLValue, _ key: GarageKey) throws -> T {
    let outer = current
    current = key
    graph.begin()
    defer {
      current = outer
      graph.end()
    }
    do {
      return try decode(type, fields)
    } catch  where draft.format.hidesContent && !(error is SettingsValueError) {
      // Its own message may show the content of the record.
      throw SettingsValueError(expected: "another form", foundText: "one")
    }
  }

  func decode<T: Decodable>(_ type: T.Type, _ value: TOMLValue) throws -> T {
    try ValueCoding.decode(type, from: value, userInfo: [GarageCoding.reading: self])
  }

  /// What a type knows of its stored fields. References in them do not belong to this reading.
  func knownFields<T: Decodable>(of type: T.Type, in fields: TOMLTable) -> KnownFields {
    let reading = GarageReading(draft, names, references: .ids)
    return ValueCoding.knownFields(of: type, in: fields, userInfo: [GarageCoding.reading: reading])
  }

  func describe(_ error: SettingsValueError, _ type: Any.Type, _ key: GarageKey) -> any Error {
    defer { nameFailure = nil }
    if let nameFailure { return nameFailure }
    guard !draft.format.hidesContent else {
      let reason = error.isMissing ? "a field that the type needs is missing" : "the sealed text has another form"
      let position = position(of: key)
      return SettingsError(
        .invalidValue,
        "Cannot read \(key) as '\(type)' in '\(draft.format.file)'\(GarageFormat.line(position)): \(reason). Its content "
          + "is not shown.", file: draft.format.file, position: position)
    }
    let position = position(of: key, part: error.path)
    return SettingsError(
      .invalidValue, "Cannot read \(key) in '\(draft.format.file)'\(GarageFormat.line(position)): \(error.message)",
      file: draft.format.file, position: position)
  }

  /// Where a part of a record is in the file, or what of it is there.
  private func position(of key: GarageKey, part: [String] = []) -> TOMLPosition? {
    if let id = key.id { return draft.base.position(of: [key.name, id], part: part, by: lines) }
    return draft.base.position(of: [key.name], part: key.index.map { ["[\($0)]"] + part } ?? [], by: lines)
  }

  // MARK: References

  /// Notes a reference that will be filled in.
  func note(_ link: any UnfilledLink) { links.append(link) }

  /// Requests that a reference be filled in with a record's object before the reading ends.
  func request<T: Codable & Identifiable>(
    _ type: T.Type, id: String, isRequired: Bool, path: String, fill: @escaping (T?) -> Void
  ) throws {
    requestCount += 1
    let name: String
    do {
      name = try names.entry(of: type).name
    } catch {
      nameFailure = error
      throw error
    }
    let key: TOMLPath = [name, id]
    guard references == .filled else {
      let number = graph.request(key, isRequired: isRequired) { fill($0 as! T?) }
      guard let number else { return }
      jobs.append { [self] in
        guard let object = try object(type, id: id) else { return }
        graph.found(object, foundPath, for: number)
      }
      return
    }
    let waiter = Waiter(isRequired: isRequired, source: current, path: path) { fill($0 as! T?) }
    if waiting[key] != nil {
      waiting[key]?.append(waiter)
      return
    }
    waiting[key] = [waiter]
    jobs.append { [self] in
      neededID = id
      let object = try object(type, id: id)
      let waiters = waiting.removeValue(forKey: key) ?? []
      if object == nil, let waiter = waiters.first(where: \.isRequired) {
        let reason =
          draft.format.hidesContent
          ? "a reference in it leads to a missing record"
          : "'\(waiter.path)' refers to \(GarageKey(name: name, id: id)), which is missing"
        throw SettingsError(
          .missingRecord, "Cannot read \(waiter.source) in '\(draft.format.file)': \(reason).", file: draft.format.file)
      }
      for waiter in waiters { waiter.fill(object) }
    }
  }

  /// Reads all objects that those read so far refer to.
  ///
  /// - Throws: ``SettingsError`` `missingRecord` if a required reference leads to a missing record, and reading errors.
  private func finish() throws {
    try runJobs { try $0() }
    for check in checks { try check() }
    (checks, links, unfinished) = ([], [], [])
  }

  // MARK: References to existing records

  /// Makes references to a record lead to the object read last.
  func note(_ object: Any, of key: GarageKey) {
    guard let id = key.id else { return }
    let path: TOMLPath = [key.name, id]
    objects[path] = object
    graph.note(path)
  }

  /// The number of the object read last.
  var lastNumber: Int { graph.last }

  /// Fills in all references to existing records.
  ///
  /// - Returns: The numbers of the objects with a required reference to a missing record, or to such an object.
  ///   Accessing that reference would be an error.
  func settle() -> Set<Int> {
    runJobs { try? $0() }
    return graph.fill()
  }

  /// Not nested: a chain of references may be of any length.
  private func runJobs(_ run: (() throws -> Void) throws -> Void) rethrows {
    while nextJob < jobs.count {
      let job = jobs[nextJob]
      nextJob += 1
      try run(job)
    }
    (jobs, nextJob) = ([], 0)
  }

  /// Releases all objects. Those in a cycle would stay forever.
  func letGo() {
    for link in links { link.empty() }
    (links, objects) = ([], [:])
  }

  // MARK: -

  /// Reads something with all that it refers to. After a failure, nothing is left that could make later reads fail.
  func whole<Result>(_ body: () throws -> Result) throws -> Result {
    neededID = nil
    do {
      let result = try body()
      try finish()
      return result
    } catch {
      // Nobody gets these objects: a cycle of them would stay forever, and releasing a long chain would recurse deeply.
      for link in links { link.empty() }
      for path in unfinished { objects[path] = nil }
      (jobs, nextJob, checks, links, unfinished, waiting) = ([], 0, [], [], [], [:])
      throw error
    }
  }
}
