import FoundationEssentials
import SettingsTOML

/// One reading of objects: all of one state of the file, with one object for each record however often it is referred
/// to.
///
/// References are read as ids and filled in afterwards, one record after the other: an object that is being read cannot
/// be given to the objects that it refers to and that refer back to it, and a long chain must not be a deep recursion.
final class GarageReading: @unchecked Sendable {  // used by the one thread that reads; handed down as user info only
  let draft: GarageDraft
  private let names: GarageNames
  /// Whether the records that references lead to are read; else they stay ids.
  let resolvesReferences: Bool
  /// Whether a record has to be kept under the id that its object has.
  private let checksIDs: Bool

  private var objects: [TOMLPath: Any] = [:]
  /// Those of them that may lack something, and the checks that wait for it.
  private var unfinished: [TOMLPath] = []
  private var checks: [() throws -> Void] = []
  /// The references in them.
  private var links: [any UnfilledLink] = []
  private var waiting: [TOMLPath: [Waiter]] = [:]
  /// How many references were met.
  private var requestCount = 0
  private var jobs: [() throws -> Void] = []
  private var nextJob = 0
  /// The record whose fields are being read.
  private var current = GarageKey(name: "")

  private struct Waiter {
    let isRequired: Bool
    let source: GarageKey
    let path: String
    let fill: (Any?) -> Void
  }

  init(_ draft: GarageDraft, _ names: GarageNames, resolvesReferences: Bool = true, checksIDs: Bool = true) {
    self.draft = draft
    self.names = names
    self.resolvesReferences = resolvesReferences
    self.checksIDs = checksIDs
  }

  func entry(of type: Any.Type) throws -> GarageNames.Entry { try names.entry(of: type) }

  // MARK: Objects

  /// The object of a record; `nil` if there is none. Its references are filled in as ``whole(_:)`` ends.
  ///
  /// - Parameter isOnly: Whether nothing else is read but what it refers to.
  func object<T: Codable & Identifiable>(_ type: T.Type, id: String, isOnly: Bool = false) throws -> T? {
    let entry = try names.entry(of: type)
    for name in entry.all {
      let stored = try draft.storedID(id, of: name, isUUID: T.ID.self == UUID.self)
      let path: TOMLPath = [name, stored]
      if let object = objects[path] as? T { return object }
      guard let row = try draft.row(name, stored) else { continue }
      let known = requestCount
      let object = try read(type, row.fields, GarageKey(name: name, id: stored))
      guard requestCount == known else {
        objects[path] = object
        unfinished.append(path)
        // The id may be that of something that is referred to.
        if checksIDs { checks.append { [self] in try check(object, isAt: path) } }
        return object
      }
      if checksIDs { try check(object, isAt: path) }
      if !isOnly { objects[path] = object }
      return object
    }
    return nil
  }

  /// Throws if an object's own id is another one than it is kept under: parked again, it would become a second record.
  private func check<T: Codable & Identifiable>(_ object: T, isAt path: TOMLPath) throws(SettingsError) {
    let (id, stored) = (try GarageCoding.text(of: object.id, T.self), path.components[1])
    guard id != stored, T.ID.self != UUID.self || id != stored.uppercased() else { return }
    throw draft.failure(
      "Cannot read \(GarageKey(name: path.components[0], id: stored))",
      "its own fields say that its id is \(TOMLValue.quoted(id, limit: 80)). Correct the one or the other", at: path)
  }

  /// The object of a row that was found already.
  func read<T: Decodable>(_ type: T.Type, _ fields: TOMLTable, _ key: GarageKey) throws -> T {
    do {
      return try read(type, .table(fields), key)
    } catch let error as SettingsValueError {
      throw describe(error, key)
    }
  }

  /// The object of a row's fields.
  ///
  /// - Throws: ``SettingsValueError``.
  func read<T: Decodable>(_ type: T.Type, _ fields: TOMLValue, _ key: GarageKey) throws -> T {
    let outer = current
    current = key
    defer { current = outer }
    return try decode(type, fields)
  }

  func decode<T: Decodable>(_ type: T.Type, _ value: TOMLValue, _ recorder: FieldRecorder? = nil) throws -> T {
    try ValueDecoder.decodeNested(type, from: value, recorder) { BridgeContext(userInfo: [GarageCoding.reading: self]) }
  }

  /// What a type knows of its stored fields.
  func knownFields<T: Decodable>(of type: T.Type, in fields: TOMLTable) -> KnownFields {
    FieldRecorder.record { recorder in _ = try? decode(type, .table(fields), recorder) }
  }

  func describe(_ error: SettingsValueError, _ key: GarageKey) -> SettingsError {
    let path = TOMLPath([key.name] + (key.id.map { [$0] } ?? []) + error.path)
    let inFile = draft.base.position(of: path) ?? draft.base.position(of: TOMLPath(Array(path.components.prefix(2))))
    let line = inFile.map { ", line \($0.line)" } ?? ""
    return SettingsError(
      .invalidValue, "Cannot read \(key) in '\(draft.format.file)'\(line): \(error.message)",
      file: draft.format.file, position: inFile)
  }

  // MARK: References

  /// Takes note of a reference that is going to be filled in.
  func note(_ link: any UnfilledLink) { links.append(link) }

  /// Has a reference filled in with the object of a record before the reading ends.
  func request<T: Codable & Identifiable>(
    _ type: T.Type, id: String, isRequired: Bool, path: String, fill: @escaping (T?) -> Void
  ) throws {
    requestCount += 1
    let name = try names.entry(of: type).name
    let key: TOMLPath = [name, id]
    let waiter = Waiter(isRequired: isRequired, source: current, path: path) { fill($0 as! T?) }
    if waiting[key] != nil {
      waiting[key]?.append(waiter)
      return
    }
    waiting[key] = [waiter]
    jobs.append { [self] in
      let object = try object(type, id: id)
      let waiters = waiting.removeValue(forKey: key) ?? []
      if object == nil, let waiter = waiters.first(where: \.isRequired) {
        throw SettingsError(
          .missingRecord,
          "Cannot read \(waiter.source) in '\(draft.format.file)': '\(waiter.path)' refers to "
            + "\(GarageKey(name: name, id: id)), which is not there.", file: draft.format.file)
      }
      for waiter in waiters { waiter.fill(object) }
    }
  }

  /// Reads all that the objects read so far refer to.
  ///
  /// - Throws: ``SettingsError`` `missingRecord` for a reference that needs a record which is not there, and as
  ///   reading.
  private func finish() throws {
    // Not one in another: a chain of references may be as long as it likes.
    while nextJob < jobs.count {
      let job = jobs[nextJob]
      nextJob += 1
      try job()
    }
    for check in checks { try check() }
    (jobs, nextJob, checks, links, unfinished) = ([], 0, [], [], [])
  }

  /// Reads something with all that it refers to. If that fails, nothing of it is left that could fail anything else.
  func whole<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try finish()
      return result
    } catch {
      // Nobody gets these objects: a circle of them would stay for ever, and a long chain be a deep recursion.
      for link in links { link.empty() }
      for path in unfinished { objects[path] = nil }
      (jobs, nextJob, checks, links, unfinished, waiting) = ([], 0, [], [], [], [:])
      throw error
    }
  }
}
