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

  /// The tables of which one more entry can be too much, with the entries that changes add.
  private func limitedTables(
    of changes: [(path: TOMLPath, value: TOMLValue?)], in view: SettingsSnapshot
  ) -> [TOMLPath: LimitedTable] {
    var tables: [TOMLPath: LimitedTable] = [:]
    for (path, value) in changes {
      guard let value, let (key, _, part) = place(of: path) else { continue }
      let components = part.components
      for count in 0...components.count {
        guard let type = key.type.type(at: components.prefix(count)) else { break }
        guard type.limitsEntries else { continue }
        let names = count < components.count ? [components[count]] : value.table.map { Array($0.keys) } ?? []
        let place = key.path.appending(TOMLPath(Array(components.prefix(count))))
        // A change of an entry that is there costs no look at the others.
        for name in names where storedValue(of: place.appending(name), in: view) == nil {
          tables[place, default: LimitedTable(key: key, type: type)].add(name, of: path)
        }
      }
    }
    return tables
  }

  private func storedTable(at path: TOMLPath, in view: SettingsSnapshot) -> TOMLTable {
    storedValue(of: path, in: view)?.table ?? TOMLTable()
  }
}

/// A table whose type limits its entries, and the changes that set them.
private struct LimitedTable {
  let key: SchemaKey
  let type: SchemaType
  /// The entries that are added, in the order of the changes, and the paths of these changes.
  private var names: [ExactKey] = []
  private var paths: [ExactKey: [TOMLPath]] = [:]

  init(key: SchemaKey, type: SchemaType) { (self.key, self.type) = (key, type) }

  mutating func add(_ name: String, of path: TOMLPath) {
    if paths[ExactKey(name)] == nil { names.append(ExactKey(name)) }
    paths[ExactKey(name), default: []].append(path)
  }

  /// The paths of the changes that are refused, with the reason.
  func refusals(from old: TOMLTable, to new: TOMLTable, at place: TOMLPath) -> [(paths: [TOMLPath], reason: String)] {
    // Without those that are removed again.
    let added = names.filter { new[$0.text] != nil }
    guard !added.isEmpty else { return [] }
    let all = Set(added)
    var refused: [(paths: [TOMLPath], reason: String)] = []
    func name(of error: SettingsValueError) -> ExactKey { ExactKey(error.path.first ?? "") }
    let known = Set(type.keyErrors(in: old).map(name))
    for error in type.keyErrors(in: new) where !known.contains(name(of: error)) {
      let name = name(of: error)
      let blamed = all.contains(name) ? [name] : added.filter { type.areSame($0.text, name.text) }
      let shown = key.isSecret ? error.redacted.clause(about: "'\(key.path)'") : error.clause(about: "'\(place)'")
      refused.append((blamed.flatMap { paths[$0] ?? [] }, shown))
    }
    let excess = new.count - max(type.maximumCount ?? .max, old.count)
    if refused.isEmpty, excess > 0 {
      let blamed = added.suffix(excess).flatMap { paths[$0] ?? [] }
      refused.append((blamed, "'\(key.isSecret ? key.path : place)' needs \(type.expected)"))
    }
    return refused
  }
}
