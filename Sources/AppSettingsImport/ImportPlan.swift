package import AppSettings
import AppSettingsMigrations

/// What an app's schema has to say of an import.
package struct ImportAdvice: Sendable {
  /// The key that a variable of an environment stands for; `nil` if the name does not say.
  package var key: @Sendable (_ variable: String) -> TOMLPath?
  /// A value as the key's type has it: of a form that has no types, or no dates. Itself if the type does not say.
  package var value: @Sendable (_ path: TOMLPath, _ value: TOMLValue, _ text: SchemaType.ImportedText) -> TOMLValue
  /// Why the app would refuse what there would be at a path, as a clause that does not show it; `nil` if it would not.
  package var refusal: @Sendable (_ path: TOMLPath, _ values: TOMLTable) -> String?
  /// The key whose value a path is in, with its former names: a lock of one of them is one of the key.
  package var declared: @Sendable (_ path: TOMLPath) -> AnySettingsKey?

  package init(
    key: @escaping @Sendable (String) -> TOMLPath?,
    value: @escaping @Sendable (TOMLPath, TOMLValue, SchemaType.ImportedText) -> TOMLValue,
    refusal: @escaping @Sendable (TOMLPath, TOMLTable) -> String?,
    declared: @escaping @Sendable (TOMLPath) -> AnySettingsKey?
  ) {
    self.key = key
    self.value = value
    self.refusal = refusal
    self.declared = declared
  }
}

/// An original that was read, and what is to be taken of it.
struct ImportPlan {
  private let file: String
  private let rules: SettingsImportRules
  private let advice: ImportAdvice?
  private let document: TOMLDocument?
  private let skipped: [SettingsImportReport.Skipped]
  private let locks: [TOMLPath]
  private var leaves: [Leaf] = []

  private struct Leaf {
    var source: TOMLPath
    var value: TOMLValue
    /// `nil` if it is not to be taken.
    var target: TOMLPath?
    /// Whether the value is not the one that the original has.
    var isAdapted = false
  }

  /// - Throws: ``SettingsError`` `unparsable` for an original that is more than is read.
  init(
    _ imported: ImportedValues, of file: String, by rules: SettingsImportRules, _ advice: ImportAdvice? = nil,
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
    if imported.hasVariables, path.components.count == 1, leaf.target == rules.table.appending(path),
      let key = advice?.key(path.components[0])
    {
      leaf.target = rules.table.appending(key)
    }
    if let target = leaf.target, let advice {
      let text = imported.texts[path].map { SchemaType.ImportedText.text($0, separator: imported.separator) }
      leaf.value = advice.value(target, value, text ?? (imported.isUntyped ? .untyped(imported.separator) : .typed))
      leaf.isAdapted = leaf.value != value
    }
    leaves.append(leaf)
  }

  /// Takes what can be taken.
  ///
  /// - Parameter permits: Whether an administrator's locks allow to set a path to a value.
  /// - Throws: ``SettingsError`` `internalInconsistency`. The document is unchanged.
  func carryOut(
    on document: inout TOMLDocument, permits: (TOMLPath, TOMLValue) -> Bool = { _, _ in true }
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
        // What an administrator has locked would have no effect, and may not be hidden.
        barred[taken.source] = "'\(taken.key)' is locked by an administrator"
        locked.append(taken)
      } else if let reason = advice?.refusal(taken.key, values) {
        barred[taken.source] = reason
        refused.append(taken)
      }
    }
    if !barred.isEmpty { (report, values) = apply(to: old, without: barred) }
    report.locked = locked
    report.refused = refused
    do {
      if document.bytes.isEmpty, rules == SettingsImportRules(), let whole = try whole(report) {
        document = whole
      } else {
        // Nothing is moved for what is not taken after all.
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

  /// Moves what a document has under a key's former name to the present one, where a part of the key's value is to be
  /// taken: that would hide the rest. What cannot be moved is reported with what is taken.
  private func moveFormer(for targets: [TOMLPath], in document: inout TOMLDocument) {
    guard let advice else { return }
    try? document.edit { document in
      for target in targets {
        guard let names = advice.declared(target)?.paths, target.hasPrefix(names[0]), target != names[0],
          !document.contains(names[0]), let former = names.dropFirst().first(where: { document.contains($0) })
        else { continue }
        _ = try? document.move(from: former, to: names[0])
      }
    }
  }

  /// The values that there would be.
  private func apply(
    to old: TOMLTable, without barred: [TOMLPath: String]
  ) -> (report: SettingsImportReport, values: TOMLTable) {
    var report = SettingsImportReport(file: file)
    report.skipped = skipped
    var values = old
    for leaf in leaves {
      func skip(_ reason: String) { report.skipped.append(.init(source: leaf.source, reason: reason)) }
      guard let target = leaf.target, !target.isRoot else {
        skip("it is not to be taken")
        continue
      }
      if target.components[0].hasPrefix("settings-") {
        skip("root keys that begin with 'settings-' are reserved")
      } else if let reason = barred[leaf.source] {
        skip(reason)
      } else if let value = values.firstValue(above: target) {
        skip("it cannot be set: '\(value)' is a value, and cannot have keys")
      } else if values[path: target] != nil, !rules.isReplacing {
        skip("'\(target)' has a value already")
      } else {
        values.apply(Edit(path: target, value: leaf.value))
        report.taken.append(.init(source: leaf.source, key: target))
      }
    }
    applyLocks(to: &values, &report)
    return (report, values)
  }

  /// Locks what the original locks, if that is asked for.
  private func applyLocks(to values: inout TOMLTable, _ report: inout SettingsImportReport) {
    guard !locks.isEmpty else { return }
    let path = SettingsFormat.locksPath
    var locked = if case .array(let items)? = values[path: path] { items } else { [TOMLValue]() }
    var known = Set(locked)
    for lock in locks {
      guard rules.takesLocks, let target = rules.target(of: lock), !target.isRoot else {
        let reason = "its lock is not taken: only an administrator's file has locks, in '\(path)'"
        report.skipped.append(.init(source: lock, reason: reason))
        continue
      }
      if known.insert(.key(target)).inserted { locked.append(.key(target)) }
      report.taken.append(.init(source: lock, key: path))
    }
    if !locked.isEmpty { values.apply(Edit(path: path, value: .array(locked))) }
  }

  /// The original's own text, comments included, without what is not taken; `nil` if it is not TOML, or too much
  /// of it is left out to be worth that.
  private func whole(_ report: SettingsImportReport) throws -> TOMLDocument? {
    guard let document else { return nil }
    var taken: Set<TOMLPath> = []
    for entry in report.taken { taken.insert(entry.source) }
    let changed = leaves.filter { $0.isAdapted || !taken.contains($0.source) }
    guard changed.count <= 64 else { return nil }
    var result = document
    // One check for all: each alone would parse the whole text again.
    try result.edit { draft in
      for leaf in changed {
        if taken.contains(leaf.source) {
          try draft.set(leaf.value, at: leaf.source)
        } else {
          try draft.remove(at: leaf.source)
        }
      }
    }
    return result
  }
}

extension TOMLTable {
  /// The path above another one at which there is a value that is no table.
  fileprivate func firstValue(above path: TOMLPath) -> TOMLPath? {
    var table = self
    for (index, component) in path.components.dropLast().enumerated() {
      switch table[component] {
      case nil: return nil
      case .table(let inner)?: table = inner
      default: return TOMLPath(Array(path.components[...index]))
      }
    }
    return nil
  }
}
