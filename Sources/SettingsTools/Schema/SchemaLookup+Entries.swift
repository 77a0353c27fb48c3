package import AppSettings
import AppSettingsSchema

// Whether the app still accepts a table when entries are added to it.

extension SchemaLookup {
  /// Why the app would not accept tables with entries that changes add, as clauses by the paths of these changes: there
  /// are too many, or their keys stand for nothing, or for the same as others.
  ///
  /// The table is judged as all changes and all layers make it. What is wrong with it already is not judged, and
  /// neither is what a removal brings about.
  package func refusals(
    of changes: [(path: TOMLPath, value: TOMLValue?)], in view: SettingsSnapshot
  ) -> [TOMLPath: String] {
    let tables = limitedTables(of: changes, in: view)
    guard !tables.isEmpty else { return [:] }
    var after = view
    for (index, edit) in edits(storing: changes, in: view).enumerated() {
      after.pending.add(edit, number: UInt64(index + 1))
    }
    var refusals: [TOMLPath: String] = [:]
    for (path, table) in tables {
      let (old, new) = (storedTable(at: path, in: view), storedTable(at: path, in: after))
      for (paths, reason) in table.refusals(from: old, to: new, at: path) {
        for path in paths { refusals[path] = reason }
      }
    }
    return refusals
  }

  /// The tables of which one more entry can be too much, on the paths of changes and in their values, with the entries
  /// that are added.
  private func limitedTables(
    of changes: [(path: TOMLPath, value: TOMLValue?)], in view: SettingsSnapshot
  ) -> [TOMLPath: LimitedTable] {
    var tables: [TOMLPath: LimitedTable] = [:]
    for (path, value) in changes {
      guard let value else { continue }
      guard let (key, _, part) = place(of: path) else {
        for key in named(below: path) {
          for name in key.paths where name.hasPrefix(path) {
            let value = value.table?[path: Self.rest(of: name, below: path)]
            note(value, key, key.type, at: key.path, of: path, in: &tables)
          }
        }
        continue
      }
      var (type, place) = (SchemaType?.some(key.type), key.path)
      for name in part.components {
        if let type, type.limitsEntries { tables[place, default: LimitedTable(key, type)].add(name, of: path) }
        (type, place) = (type?.type(at: [name]), place.appending(name))
      }
      note(value, key, type, at: place, of: path, in: &tables)
    }
    for (place, var table) in tables {
      table.keepNames(missingEntries(of: place, in: view))
      tables[place] = table.names.isEmpty ? nil : table
    }
    return tables
  }

  /// Notes the limited tables of a value, and the keys of each.
  private func note(
    _ value: TOMLValue?, _ key: SchemaKey, _ type: SchemaType?, at place: TOMLPath, of path: TOMLPath,
    in tables: inout [TOMLPath: LimitedTable]
  ) {
    guard let type, let table = value?.table else { return }
    for (name, value) in table {
      if type.limitsEntries { tables[place, default: LimitedTable(key, type)].add(name, of: path) }
      guard case .table = value else { continue }
      note(value, key, type.type(at: [name]), at: place.appending(name), of: path, in: &tables)
    }
  }

  /// Tells for a table which entries the files do not have. A change of one that is there costs no look at the others.
  private func missingEntries(of place: TOMLPath, in view: SettingsSnapshot) -> (ExactKey) -> Bool {
    // Of a key with former names, a value is always found as a whole.
    guard renamedKey(around: place) != nil else {
      return { storedValue(of: place.appending($0.text), in: view) == nil }
    }
    let table = storedTable(at: place, in: view)
    return { table[$0.text] == nil }
  }

  private func storedTable(at path: TOMLPath, in view: SettingsSnapshot) -> TOMLTable {
    storedValue(of: path, in: view)?.table ?? TOMLTable()
  }
}

/// A table whose type limits its entries, and the changes that set them.
private struct LimitedTable {
  let key: SchemaKey
  let type: SchemaType
  /// The entries that are set, in the order of the changes, and the paths of these changes.
  private(set) var names: [ExactKey] = []
  private var paths: [ExactKey: [TOMLPath]] = [:]

  init(_ key: SchemaKey, _ type: SchemaType) { (self.key, self.type) = (key, type) }

  mutating func add(_ name: String, of path: TOMLPath) {
    if paths[ExactKey(name)] == nil { names.append(ExactKey(name)) }
    paths[ExactKey(name), default: []].append(path)
  }

  mutating func keepNames(_ isKept: (ExactKey) -> Bool) { names.removeAll { !isKept($0) } }

  /// The paths of the changes that are refused, with the reason.
  func refusals(from old: TOMLTable, to new: TOMLTable, at place: TOMLPath) -> [(paths: [TOMLPath], reason: String)] {
    // Without those that are removed again.
    let added = names.filter { new[$0.text] != nil }
    guard !added.isEmpty else { return [] }
    let all = Set(added)
    var refused: [(paths: [TOMLPath], reason: String)] = []
    let known = Set(type.keyErrors(in: old).map(\.name))
    for (name, owner, error) in type.keyErrors(in: new) where !known.contains(name) {
      // An added key takes the place of another one for the same.
      guard let blamed = [name, owner].first(where: { $0.map(all.contains) ?? false }), let blamed else { continue }
      let shown = key.isSecret ? error.redacted.clause(about: "'\(key.path)'") : error.clause(about: "'\(place)'")
      refused.append((paths[blamed] ?? [], shown))
    }
    let excess = new.count - max(type.maximumCount ?? .max, old.count)
    if refused.isEmpty, excess > 0 {
      let blamed = added.suffix(excess).flatMap { paths[$0] ?? [] }
      refused.append((blamed, "'\(key.isSecret ? key.path : place)' needs \(type.expected)"))
    }
    return refused
  }
}
