package import SettingsTOML
import Synchronization

// How records are found in a snapshot. Whoever reads one decodes one; whoever reads all decodes those that were not
// decoded before, or are stored otherwise now.

extension SettingsSnapshot {
  /// What is stored for one record, over all layers.
  fileprivate func storedRecord(_ text: String, of records: SettingsKeys) -> TOMLValue? {
    let path = records.path.appending(text)
    guard !overrides.isEmpty else { return self[path] }
    if override(of: records.path) != nil { return self[records.path]?.table?[text] }
    // An override is of a record that a file has: its name does not say which id a new one would have.
    return override(of: path) != nil && layerIndex(of: path) == nil ? nil : self[path]
  }

  /// What is stored for all records, over all layers.
  fileprivate func storedRecords(of records: SettingsKeys) -> TOMLValue? {
    let stored = self[records.path]
    guard !overrides.isEmpty, override(of: records.path) == nil, case .table(var table)? = stored else { return stored }
    for text in table.keys where override(of: records.path.appending(text)) != nil {
      table[text] = self[records.path.appending(text)]
    }
    return .table(table)
  }
}

extension SettingsRecords {
  // MARK: One

  /// The record with an id; `nil` if there is none, or none that can be read, which is a problem.
  func record(_ id: Record.ID, in core: StoreCore) -> Record? {
    guard let text = try? coding.ids.text(id) else { return nil }
    let known = cache.find(text)
    if let known, known.stamp == core.stamp.load(ordering: .acquiring) {
      guard case .success(let record) = known.decoded.result else { return nil }
      return record
    }
    return entry(at: text, in: core)?.record
  }

  /// The record with an id, with what is stored for it.
  package func entry(_ id: Record.ID, in core: StoreCore) -> RecordListing<Record>.Entry? {
    guard let text = try? coding.ids.text(id) else { return nil }
    return entry(at: text, in: core)
  }

  /// The path whose changes are those of the record with an id; of all records, where a key may be written otherwise.
  package func observedPath(of id: Record.ID) -> TOMLPath {
    guard !coding.ids.hasOtherForms, let text = try? coding.ids.text(id) else { return path }
    return path.appending(text)
  }

  private func entry(at text: String, in core: StoreCore) -> RecordListing<Record>.Entry? {
    note(in: core)
    guard let (text, stored, stamp) = find(text, in: core) else { return nil }
    let path = path.appending(text)
    let decoded = decode(stored, text)
    cache.store(decoded, text, at: stamp)
    if options.contains(.secret) { core.checkSecrecy(of: path) }
    switch decoded.result {
    case .success(let record):
      report([], at: { $0 == path }, core.problems)
      return RecordListing.Entry(text: text, stored: stored, record: record)
    case .failure(let error):
      report([problem(error, at: path, in: core.snapshot)], at: { $0 == path }, core.problems)
      return nil
    }
  }

  /// The record with an id, or why it cannot be read; `nil` if there is none.
  func value(_ id: Record.ID, in core: StoreCore) throws(SettingsError) -> Record? {
    let text = try self.text(id)
    guard let (text, stored, _) = find(text, in: core) else { return nil }
    do throws(SettingsValueError) {
      return try decode(stored, text).result.get()
    } catch {
      throw describe(error, at: path.appending(text), in: core.snapshot)
    }
  }

  /// The record with an id in a snapshot; `nil` if there is none, or none that can be read.
  func record(_ id: Record.ID, in snapshot: SettingsSnapshot) -> Record? {
    guard let text = try? coding.ids.text(id) else { return nil }
    let key = self.key(text, in: snapshot)
    return snapshot.storedRecord(key, of: self).flatMap { try? decode($0, key).result.get() }
  }

  /// Where the record with an id is: its key in the file, what is stored, and the stamp of the state.
  private func find(_ text: String, in core: StoreCore) -> (text: String, stored: TOMLValue, stamp: UInt64)? {
    let (stored, stamp) = core.lookUp { $0.storedRecord(text, of: self) }
    if let stored { return (text, stored, stamp) }
    guard coding.ids.hasOtherForms else { return nil }
    if let known = cache.otherForm(of: text, at: stamp) {
      guard let key = known else { return nil }
      let (stored, stamp) = core.lookUp { $0.storedRecord(key, of: self) }
      return stored.map { (key, $0, stamp) }
    }
    let (all, newStamp) = core.lookUp { $0.storedRecords(of: self)?.table ?? TOMLTable() }
    let forms = otherForms(in: all)
    cache.store(otherForms: forms, at: newStamp)
    guard let key = forms[ExactKey(text)] ?? (all[text] == nil ? nil : text), let stored = all[key] else { return nil }
    return (key, stored, newStamp)
  }

  /// The key under which a snapshot has the record with an id: most often that id's own text.
  func key(_ text: String, in snapshot: SettingsSnapshot) -> String {
    guard coding.ids.hasOtherForms, snapshot.storedRecord(text, of: self) == nil else { return text }
    return otherForms(in: snapshot.storedRecords(of: self)?.table ?? TOMLTable())[ExactKey(text)] ?? text
  }

  /// The keys that stand for an id without being its own text, where that is no key.
  private func otherForms(in table: TOMLTable) -> [ExactKey: String] {
    var forms: [ExactKey: String] = [:]
    for text in table.keys {
      guard let own = ownForm(of: text), table[own] == nil, forms[ExactKey(own)] == nil else { continue }
      forms[ExactKey(own)] = text
    }
    return forms
  }

  /// The text of the id that a key stands for; `nil` if that is the key, or it stands for none.
  private func ownForm(of text: String) -> String? {
    guard let id = try? coding.ids.id(text), let own = try? coding.ids.text(id), ExactKey(own) != ExactKey(text) else {
      return nil
    }
    return own
  }

  /// The key of an id.
  func text(_ id: Record.ID) throws(SettingsError) -> String {
    do {
      return try coding.ids.text(id)
    } catch {
      throw SettingsError(
        .invalidKey, "Cannot use '\(id)' as the id of a record in '\(name)': \(error). Nothing was changed.")
    }
  }

  /// Decodes a record, unless that was done before.
  private func decode(_ stored: TOMLValue, _ text: String) -> RecordCache<Record>.Decoded {
    if let known = cache.find(text)?.decoded, known.stored == stored { return known }
    return decodeAnew(stored, text)
  }

  private func decodeAnew(_ stored: TOMLValue, _ text: String) -> RecordCache<Record>.Decoded {
    do throws(SettingsValueError) {
      return RecordCache.Decoded(stored: stored, result: .success(try coding.read(stored, at: text)))
    } catch {
      return RecordCache.Decoded(stored: stored, result: .failure(error))
    }
  }

  /// Tells a store's declarations of the key, once.
  func note(in core: StoreCore) {
    guard cache.isToBeNoted(by: core) else { return }
    core.declarations.note(self, as: Self.self, core.problems)
  }

  // MARK: All

  /// All records that can be read; each that cannot is a problem.
  package func listing(in core: StoreCore) -> RecordListing<Record> {
    if let listing = cache.listing(at: core.stamp.load(ordering: .acquiring)) { return listing }
    note(in: core)
    let (snapshot, stamp) = core.lookUp { $0 }
    let (listing, entries) = list(snapshot, at: stamp)
    cache.store(listing, entries, at: stamp)
    if options.contains(.secret) { core.checkSecrecy(of: path) }
    var problems = listing.failures.prefix(Self.mostProblems).map { problem($0.error, at: $0.path, in: snapshot) }
    if listing.failures.count > Self.mostProblems {
      problems.append(
        SettingsProblem(
          .invalidValue,
          "\(Self.beginning)s '\(path)': of them, \(listing.failures.count) cannot be read. The first "
            + "\(Self.mostProblems) are reported one by one.", path: path))
    }
    report(problems, at: { [path] in $0 == path || $0.parent == path }, core.problems)
    return listing
  }

  /// All records of a snapshot that can be read.
  func listing(in snapshot: SettingsSnapshot) -> RecordListing<Record> { list(snapshot, at: 0).listing }

  private func list(
    _ snapshot: SettingsSnapshot, at stamp: UInt64
  ) -> (listing: RecordListing<Record>, entries: RecordCache<Record>.Entries) {
    var listing = RecordListing<Record>()
    var entries: RecordCache<Record>.Entries = [:]
    guard let stored = snapshot.storedRecords(of: self) else { return (listing, entries) }
    guard case .table(let table) = stored else {
      listing.failures = [(path, SettingsValueError(expected: expected, found: stored))]
      return (listing, entries)
    }
    let known = cache.entries
    var owners: [ExactKey: String] = [:]
    listing.entries.reserveCapacity(table.count)
    entries.reserveCapacity(table.count)
    for (text, stored) in table {
      let key = ExactKey(text)
      if coding.ids.hasOtherForms, let own = ownForm(of: text) {
        if let owner = table[own] == nil ? owners[ExactKey(own)] : own {
          listing.failures.append((path.appending(text), .sameRecord(text, as: owner)))
          continue
        }
        owners[ExactKey(own)] = text
      }
      var decoded = known[key]?.decoded
      if decoded?.stored != stored { decoded = nil }
      let result = decoded ?? decodeAnew(stored, text)
      entries[key] = (result, stamp)
      switch result.result {
      case .success(let record):
        listing.entries.append(RecordListing.Entry(text: text, stored: stored, record: record))
      case .failure(let error): listing.failures.append((path.appending(text), error))
      }
    }
    return (listing, entries)
  }
}

extension SettingsValueError {
  /// Two keys that stand for one id.
  fileprivate static func sameRecord(_ text: String, as other: String) -> SettingsValueError {
    SettingsValueError(
      expected: "an id that no other record has",
      foundText: "the key \(TOMLValue.quoted(text)), which is the same id as \(TOMLValue.quoted(other))")
  }
}

// MARK: - Problems

extension SettingsRecords {
  private static var beginning: String { "Cannot read the record" }
  /// How many records are reported one by one: finding a line takes time, and a file may have any number of them.
  private static var mostProblems: Int { 20 }

  /// Reports what cannot be read at some places, and takes back what could not be read there before.
  fileprivate func report(_ new: [SettingsProblem], at isPlace: (TOMLPath) -> Bool, _ problems: ProblemLog) {
    problems.resolve { old in
      guard let path = old.path, isPlace(path), old.message.hasPrefix(Self.beginning) else { return false }
      return !new.contains(old)
    }
    for problem in new { problems.report(problem) }
  }

  fileprivate func problem(
    _ error: SettingsValueError, at path: TOMLPath, in snapshot: SettingsSnapshot
  ) -> SettingsProblem {
    var error = describe(error, at: path, in: snapshot)
    error.message +=
      path == self.path
      ? " There are no records until that is corrected."
      : " The record is left out, and stays in the file as it is."
    return SettingsProblem(error, path: path)
  }

  /// The full sentence for a record that cannot be read, with the place of what is wrong in it. Never shows a secret.
  fileprivate func describe(
    _ error: SettingsValueError, at path: TOMLPath, in snapshot: SettingsSnapshot
  ) -> SettingsError {
    var place = path.appending(TOMLPath(error.path))
    var position = snapshot.position(of: place)
    while position == nil, place != path, !place.isRoot {
      place = place.parent
      position = snapshot.position(of: place)
    }
    let layer = snapshot.layer(of: place)
    let source =
      switch layer.kind {
      case .system, .user: layer.file.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? "the settings"
      case .environment: "the environment"
      case .process, .default: "this process"
      }
    let shown = options.contains(.secret) ? error.redacted : error
    var message = "\(Self.beginning)\(path == self.path ? "s" : "") '\(path)': \(source) has \(shown.found)"
    if let position { message += " at line \(position.line), column \(position.column)" }
    if !error.path.isEmpty { message += " (in '\(error.pathDescription)')" }
    message += ", but \(error.expected) is needed\(shown.reason.map { " (\($0))" } ?? "")."
    return SettingsError(.invalidValue, message, file: layer.file, position: position)
  }
}
