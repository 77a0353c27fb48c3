package import AppSettings

/// The advice of an app's schema on an import.
package protocol ImportAdvice {
  /// The key for an environment variable, by the name that the variable is made of; `nil` if none is identified.
  func key(of variable: String) -> TOMLPath?
  /// Converts a value to the key's type if the original's format has no types, or no dates. Returns the value itself if
  /// the type does not help.
  func adapted(_ value: TOMLValue, at path: TOMLPath, from text: SchemaType.ImportedText) -> TOMLValue
  /// Why the app would reject the resulting value at a path, as a clause that does not show it; `nil` if it would not.
  func refusal(of path: TOMLPath, in values: TOMLTable) -> String?
  /// The key whose value contains a path, if it has former names: a lock of one name covers the key.
  func renamedKey(around path: TOMLPath) -> AnySettingsKey?
  /// Whether a path is, or is in, the value of a key, under one of its names.
  func hasKey(around path: TOMLPath) -> Bool
}

/// An original, and the values to take from it.
struct ImportPlan {
  private let file: String
  private let rules: SettingsImportRules
  private let advice: (any ImportAdvice)?
  private let document: TOMLDocument?
  private let skipped: [SettingsImportReport.Skipped]
  private let locks: [TOMLPath]
  private var leaves: [Leaf] = []

  private struct Leaf {
    var source: TOMLPath
    var value: TOMLValue
    /// `nil` if the value is not taken.
    var target: TOMLPath?
    /// Which of its key's names the original has it under: 0 for the present one, then earlier ones, the newest first.
    var name = 0
    var isFormer: Bool { name > 0 }
    /// Whether the value differs from the one in the original.
    var isAdapted = false
    /// Whether nothing says what the dots in its name mean.
    var isDotted = false
  }

  /// - Throws: `SettingsError` `unparsable` for an original above the limits.
  init(
    _ imported: ImportedValues, of file: String, by rules: SettingsImportRules, _ advice: (any ImportAdvice)? = nil,
    budget: ImportBudget = ImportBudget()
  ) throws(SettingsError) {
    self.file = file
    self.rules = rules
    self.advice = advice
    document = imported.document
    skipped = imported.skipped
    locks = imported.locks
    var budget = budget
    do throws(ImportFailure) {
      try collect(.table(imported.values), at: .root, imported, &budget)
    } catch {
      throw SettingsError(
        .unparsable, "Cannot import '\(file)': \(error.reason). Nothing was written. Import a part of it.", file: file)
    }
  }

  private mutating func collect(
    _ value: TOMLValue, at path: TOMLPath, _ imported: ImportedValues, _ budget: inout ImportBudget
  ) throws(ImportFailure) {
    try budget.take(bytes: path.cost)
    guard path.components.count <= ImportBudget.mostNested else {
      throw ImportFailure(reason: "it is nested more than \(ImportBudget.mostNested) deep")
    }
    if case .table(let table) = value, path.isRoot || !table.isEmpty {
      for (key, value) in table { try collect(value, at: path.appending(key), imported, &budget) }
      return
    }
    var leaf = Leaf(source: path, value: value, target: rules.target(of: path))
    if imported.hasNamesWithDots { explain(&leaf) }
    if imported.hasVariables, path.components.count == 1, leaf.target == rules.table.appending(path),
      let key = advice?.key(of: path.components[0])
    {
      leaf.target = rules.table.appending(key)
    }
    if let target = leaf.target, let advice {
      if let names = advice.renamedKey(around: target)?.paths, let index = names.firstIndex(where: target.hasPrefix) {
        leaf.target = names[0].appending(target.rest(below: names[index]))
        leaf.name = index
      }
      let text = imported.texts[path].map {
        SchemaType.ImportedText.text($0, elements: imported.elements[path], imported.lists)
      }
      leaf.value = advice.adapted(
        value, at: leaf.target ?? target, from: text ?? (imported.isUntyped ? .untyped(imported.lists) : .typed))
      leaf.isAdapted = leaf.value != value
    }
    leaves.append(leaf)
  }

  /// Finds the key of a value whose name has dots.
  private func explain(_ leaf: inout Leaf) {
    let name = DottedPath(leaf.source)
    guard name.readings.count > 1 else { return }
    switch name.verdict(by: rules) {
    case .key(let key): leaf.target = key
    case .ignored: leaf.target = nil
    case .none:
      guard !rules.takesOnlyMapped else { return }
      let key = name.key(by: rules, advice)
      leaf.isDotted = key == nil
      leaf.target = key ?? leaf.target
    }
  }

  /// Imports what can be imported.
  ///
  /// - Parameters:
  ///   - document: The document to change.
  ///   - secrets: Says what is a secret where they go.
  ///   - permits: Whether an administrator's locks permit setting a path to a value.
  /// - Throws: `SettingsError` `internalInconsistency`. The document is unchanged.
  func carryOut(
    on document: inout TOMLDocument, secrets: () -> KnownKeys = { KnownKeys(declared: PathTree(), secrets: []) },
    permits: (TOMLPath, TOMLValue) -> Bool = { _, _ in true }
  ) throws(SettingsError) -> SettingsImportReport {
    var moved = document
    moveFormer(for: leaves.compactMap(\.target), in: &moved)
    let old = moved.root
    var (report, values) = apply(to: old, without: [:])
    var barred: [TOMLPath: String] = [:]
    var (locked, refused): ([SettingsImportReport.Taken], [SettingsImportReport.Taken]) = ([], [])
    for taken in report.taken where taken.key != SettingsFormat.locksPath {
      guard let value = values[path: taken.key] else { continue }
      if !permits(taken.key, value) {
        // A value at a locked path would have no effect, and a value above one must not hide it.
        barred[taken.source] = "'\(taken.key)' is locked by an administrator"
        locked.append(taken)
      } else if let reason = advice?.refusal(of: taken.key, in: values) {
        barred[taken.source] = reason
        refused.append(taken)
      }
    }
    if !barred.isEmpty { (report, values) = apply(to: old, without: barred) }
    report.locked = locked
    report.refused = refused
    do {
      if let version = document.versionIfNew, rules.keepTheText, let whole = try whole(report, secrets) {
        document = whole
        if version > 1 { try SettingsFormat.setVersion(version, in: &document) }
      } else {
        // Names of earlier releases move only for values that are imported in the end.
        let locks = SettingsFormat.locksPath
        let taken = report.taken.map(\.key)
        let keys = taken.filter { $0 != locks } + (taken.contains(locks) ? [locks] : [])
        var draft = document
        moveFormer(for: keys, in: &draft)
        var result = draft.root
        for key in keys { result.apply(Edit(path: key, value: values[path: key])) }
        try draft.rewrite(to: result, at: keys)
        document = draft
      }
    } catch {
      throw SettingsError(.internalInconsistency, "Cannot import '\(file)': \(error). Nothing was written.", file: file)
    }
    return report
  }

  /// Moves the values under former names of keys to the present ones: what is imported would hide them. What cannot be
  /// moved is reported with the imported values.
  private func moveFormer(for targets: [TOMLPath], in document: inout TOMLDocument) {
    guard let advice else { return }
    try? document.edit { document in
      for target in targets {
        guard let names = advice.renamedKey(around: target)?.paths, target.hasPrefix(names[0]),
          !document.contains(names[0]), let former = names.dropFirst().first(where: { document.contains($0) })
        else { continue }
        _ = try? document.move(from: former, to: names[0])
      }
    }
  }

  /// Returns the resulting values.
  private func apply(
    to old: TOMLTable, without barred: [TOMLPath: String]
  ) -> (report: SettingsImportReport, values: TOMLTable) {
    var report = SettingsImportReport(file: file)
    report.skipped = skipped
    var values = old
    var newest: [TOMLPath: Leaf] = [:]
    var set: Set<TOMLPath> = []
    for leaf in leaves {
      guard let target = leaf.target, leaf.name < newest[target]?.name ?? Int.max else { continue }
      newest[target] = leaf
    }
    for leaf in leaves {
      func skip(_ reason: String) {
        report.skipped.append(.init(source: leaf.source, reason: reason, key: leaf.target))
      }
      guard let target = leaf.target, !target.isRoot else {
        skip("it is not to be taken")
        continue
      }
      if target.isReserved, !rules.reserved.contains(target) {
        skip("root keys that begin with 'settings-' are reserved")
      } else if let newest = newest[target], newest.name < leaf.name {
        skip("'\(newest.source)' is there, too, and is a newer name of it")
      } else if leaf.value.holds(Redaction.placeholder) {
        skip("it stands for a value that the history does not keep")
      } else if let reason = barred[leaf.source] {
        skip(reason)
      } else if let value = values.firstValue(above: target) {
        skip("it cannot be set: '\(value)' is a value, and cannot have keys")
      } else if let present = values[path: target],
        !rules.isReplacing || set.contains(target) || present.isReplacedSilently(by: leaf.value)
      {
        // A table that is replaced takes along keys that nobody has named.
        let isTable = rules.isReplacing && !set.contains(target)
        skip(isTable ? "'\(target)' is a table. Remove it first" : "'\(target)' has a value already")
      } else {
        set.insert(target)
        values.apply(Edit(path: target, value: leaf.value))
        report.taken.append(.init(source: leaf.source, key: target))
        if leaf.isDotted { report.dotted.append(.init(source: leaf.source, key: target)) }
      }
    }
    applyLocks(to: &values, &report)
    return (report, values)
  }

  /// Locks the keys that the original locks, if requested.
  private func applyLocks(to values: inout TOMLTable, _ report: inout SettingsImportReport) {
    guard !locks.isEmpty else { return }
    let path = SettingsFormat.locksPath
    var locked = if case .array(let items)? = values[path: path] { items } else { [TOMLValue]() }
    var known = Set(locked.compactMap { (try? LockEntry($0))?.path })
    for lock in locks {
      guard rules.takesLocks, let target = rules.target(of: lock), !target.isRoot else {
        let reason = "its lock is not taken: only an administrator's file has locks, in '\(path)'"
        report.skipped.append(.init(source: lock, reason: reason))
        continue
      }
      if known.insert(target).inserted { locked.append(LockEntry(target).value) }
      report.taken.append(.init(source: lock, key: path))
    }
    if !locked.isEmpty { values.apply(Edit(path: path, value: .array(locked))) }
  }

  /// The original's own text, comments included, without the values that are not imported; `nil` if it is not TOML, or
  /// if too much of it is left out.
  private func whole(_ report: SettingsImportReport, _ secrets: () -> KnownKeys) throws -> TOMLDocument? {
    guard let document else { return nil }
    var taken: Set<TOMLPath> = []
    for entry in report.taken { taken.insert(entry.source) }
    let changed = leaves.filter { $0.isAdapted || $0.isFormer || !taken.contains($0.source) }
    guard changed.count <= 64 else { return nil }
    var result = document
    // Checks all edits at once: for each one alone the whole text would be parsed again.
    try result.edit { draft in
      for leaf in changed {
        if taken.contains(leaf.source) {
          var place = leaf.source
          if leaf.isFormer, let target = leaf.target {
            try draft.move(from: place, to: target)
            place = target
          }
          if leaf.isAdapted { try draft.set(leaf.value, at: place) }
        } else {
          try draft.remove(at: leaf.source)
        }
      }
    }
    return try changed.isEmpty ? result : result.withoutComments(of: secrets(), in: document)
  }
}

extension SettingsImportRules {
  /// Whether a text that is taken as a whole can stay as it is.
  fileprivate var keepTheText: Bool {
    var rules = self
    (rules.isReplacing, rules.reserved) = (false, [])
    return rules == SettingsImportRules()
  }
}

extension TOMLDocument {
  /// A text without the comments at its top that are about secrets which it does not have any more: such a comment stays
  /// when its key is removed, if all above it are.
  fileprivate func withoutComments(of secrets: KnownKeys, in original: TOMLDocument) throws -> TOMLDocument {
    func comments(of document: TOMLDocument) -> [Range<Int>] {
      Redaction(of: document, secrets, .none).parts.filter { $0.kind == .comment }.map(\.range)
    }
    func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
      let rest = line.drop(while: isBlank)
      return rest.prefix(upTo: rest.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? rest.startIndex)
    }
    let hidden = Set(comments(of: original).flatMap { original.bytes[$0].split(separator: 0x0A).map(trimmed) })
    guard !hidden.isEmpty else { return self }
    let stillHidden = comments(of: self)
    // Behind a byte order mark.
    var place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var top = Array(bytes[..<place])
    while place < bytes.count {
      let end = bytes[place...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      let line = trimmed(bytes[place..<end])
      guard line.isEmpty || line.first == UInt8(ascii: "#") else { break }
      let isHidden = stillHidden.contains { $0.overlaps(place..<end) }
      if isHidden || !hidden.contains(line) { top += bytes[place..<end] }
      place = end
    }
    return top.count == place ? self : try TOMLDocument(parsing: top + bytes[place...])
  }

  /// The version of a document that has nothing else; 1 for an empty one, `nil` for any other.
  fileprivate var versionIfNew: Int? {
    if bytes.isEmpty { return 1 }
    guard let version = try? SettingsMigrations.version(of: self) else { return nil }
    var new = TOMLDocument()
    return (try? SettingsFormat.setVersion(version, in: &new)) != nil && new.bytes == bytes ? version : nil
  }
}

extension TOMLValue {
  /// Whether this is a table whose keys another value would remove.
  fileprivate func isReplacedSilently(by value: TOMLValue) -> Bool {
    guard let table else { return false }
    return value.table.map { $0.isEmpty && !table.isEmpty } ?? true
  }
}

extension TOMLTable {
  /// The path above another one that has a value other than a table.
  func firstValue(above path: TOMLPath) -> TOMLPath? {
    path.parent.prefixes.first { self[path: $0].map { $0.table == nil } ?? false }
  }
}
