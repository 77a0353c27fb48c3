package import AppSettings
import AppSettingsSchema

// Whether the app still accepts a table when entries are added to it, or removed.

extension SchemaLookup {
  /// Entries that changes add to a table, or remove from it, so that the app would not accept it.
  package struct Refusal {
    /// The changes that add or remove an entry, in their order.
    package let paths: [TOMLPath]
    package let isRemoval: Bool
    /// Why, as a clause: there are too many entries, or too few, or a key stands for nothing, or for the same as another.
    package let reason: String

    /// The error for one of the changes.
    package func error(of path: TOMLPath) -> ToolError {
      ToolError(
        .invalidValue, "Cannot \(isRemoval ? "unset" : "set") '\(path)': \(reason). Nothing was written.")
    }
  }

  /// The entries that changes add or remove so that the app would not accept tables.
  ///
  /// A table is judged as all changes and all layers make it. What is wrong with it already is not judged. Neither is a
  /// table around one that is refused: without what is refused there, it may be fine.
  package func refusals(
    of changes: [(path: TOMLPath, value: TOMLValue?)], in view: SettingsSnapshot
  ) -> [Refusal] {
    let tables = limitedTables(of: changes, in: view)
    guard !tables.isEmpty else { return [] }
    var after = view
    for (index, edit) in edits(storing: changes, in: view).enumerated() {
      after.pending.add(edit, number: UInt64(index + 1))
    }
    var refusals: [Refusal] = []
    var depth = 0
    for (path, table) in tables.sorted(by: { $0.key.components.count > $1.key.components.count }) {
      if !refusals.isEmpty, path.components.count < depth { break }
      depth = path.components.count
      refusals += table.refusals(from: storedTable(at: path, in: view), to: storedTable(at: path, in: after), at: path)
    }
    return refusals
  }

  /// The tables of which one entry more can be too much, or one less too few, on the paths of changes and in their
  /// values, with the entries that are added or removed.
  private func limitedTables(
    of changes: [(path: TOMLPath, value: TOMLValue?)], in view: SettingsSnapshot
  ) -> [TOMLPath: LimitedTable] {
    var tables: [TOMLPath: LimitedTable] = [:]
    for (path, value) in changes {
      guard let (key, _, part) = place(of: path) else {
        guard let value else { continue }
        for key in named(below: path) {
          for name in key.paths where name.hasPrefix(path) {
            let value = value.table?[path: name.rest(below: path)]
            note(value, key, key.type, at: key.path, of: path, in: &tables)
          }
        }
        continue
      }
      var (type, place) = (SchemaType?.some(key.type), key.path)
      for name in part.components {
        if let type, value == nil ? type.hasMinimum : type.limitsEntries {
          tables[place, default: LimitedTable(key, type)].add(name, of: path, isRemoval: value == nil)
        }
        (type, place) = (type?.type(at: [name]), place.appending(name))
      }
      note(value, key, type, at: place, of: path, in: &tables)
    }
    for (place, var table) in tables {
      table.added.keepNames(missingEntries(of: place, in: view))
      tables[place] = table.added.names.isEmpty && table.removed.names.isEmpty ? nil : table
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

/// A table whose type limits its entries, and the changes that set or remove them.
private struct LimitedTable {
  /// Entries in the order of the changes, and the paths of these changes.
  struct Entries {
    private(set) var names: [ExactKey] = []
    private(set) var paths: [ExactKey: [TOMLPath]] = [:]

    mutating func add(_ name: ExactKey, of path: TOMLPath) {
      if paths[name] == nil { names.append(name) }
      paths[name, default: []].append(path)
    }

    mutating func keepNames(_ isKept: (ExactKey) -> Bool) { names.removeAll { !isKept($0) } }
  }

  let key: SchemaKey
  let type: SchemaType
  var added = Entries()
  var removed = Entries()

  init(_ key: SchemaKey, _ type: SchemaType) { (self.key, self.type) = (key, type) }

  mutating func add(_ name: String, of path: TOMLPath, isRemoval: Bool = false) {
    if isRemoval { removed.add(ExactKey(name), of: path) } else { added.add(ExactKey(name), of: path) }
  }

  /// What is refused of the changes.
  func refusals(from old: TOMLTable, to new: TOMLTable, at place: TOMLPath) -> [SchemaLookup.Refusal] {
    typealias Refusal = SchemaLookup.Refusal
    // Without those that are removed again.
    let names = added.names.filter { new[$0.text] != nil }
    let all = Set(names)
    var refused: [Refusal] = []
    let known = names.isEmpty ? [] : Set(type.keyErrors(in: old).map(\.name))
    for (name, owner, error) in names.isEmpty ? [] : type.keyErrors(in: new) where !known.contains(name) {
      // An added key takes the place of another one for the same.
      guard let blamed = [name, owner].first(where: { $0.map(all.contains) ?? false }), let blamed else { continue }
      let shown = key.isSecret ? error.redacted.clause(about: "'\(key.path)'") : error.clause(about: "'\(place)'")
      refused.append(Refusal(paths: added.paths[blamed] ?? [], isRemoval: false, reason: shown))
    }
    guard refused.isEmpty else { return refused }
    let reason = "'\(key.isSecret ? key.path : place)' needs \(type.expected)"
    let excess = new.count - max(type.maximumCount ?? .max, old.count)
    if excess > 0 {
      return names.suffix(excess).map { Refusal(paths: added.paths[$0] ?? [], isRemoval: false, reason: reason) }
    }
    guard let minimum = type.minimumCount, old.count >= minimum else { return [] }
    // A table without values goes with its last one.
    func isGone(_ value: TOMLValue?) -> Bool { value.map { $0.table?.isEquivalent(to: TOMLTable()) ?? false } ?? true }
    let gone = removed.names.map(\.text).filter { name in
      old[name] != nil && (new[name] == nil || isGone(new[name]) && !isGone(old[name]))
    }
    let lack = minimum - (new.count - gone.count { new[$0] != nil })
    guard lack > 0 else { return [] }
    return gone.suffix(lack).map { Refusal(paths: removed.paths[ExactKey($0)] ?? [], isRemoval: true, reason: reason) }
  }
}

extension SchemaType {
  /// Whether a table of this type can have too few entries.
  fileprivate var hasMinimum: Bool {
    (kind == .table || kind == .records) && minimumCount ?? 0 > 0 && !readsOlderForm
  }
}
