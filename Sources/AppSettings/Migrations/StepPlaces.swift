import SettingsTOML

extension TOMLPath {
  /// The path's new place, or places below it, after `old` and everything below it has moved to `new`.
  fileprivate func moved(from old: TOMLPath, to new: TOMLPath) -> [TOMLPath] {
    if hasPrefix(old) { return [new.appending(rest(below: old))] }
    return old.hasPrefix(self) ? [new] : []
  }
}

/// A step that moves values, each with everything below it.
protocol RenamingStep: PlacingStep {
  var renames: [(old: TOMLPath, new: TOMLPath)] { get }
}

extension RenamingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] { renames.flatMap { path.moved(from: $0.old, to: $0.new) } }
  package func sources(of path: TOMLPath) -> [TOMLPath] { renames.flatMap { path.moved(from: $0.new, to: $0.old) } }
}

extension RenameStep: RenamingStep {
  var renames: [(old: TOMLPath, new: TOMLPath)] { [(old, new)] }
}

extension CopyStep: RenamingStep {
  var keepsSource: Bool { true }
  var renames: [(old: TOMLPath, new: TOMLPath)] { [(old, new)] }
}

extension WrapStep: RenamingStep {
  var renames: [(old: TOMLPath, new: TOMLPath)] {
    // A value that is put into a table stays below its path.
    guard case .keys(let keys, let table) = kind else { return [] }
    return keys.map { ($0, table.appending($0.last ?? "")) }
  }
}

extension UnwrapStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] {
    if let member { return path.moved(from: table.appending(member), to: table) }
    // For the table itself, the keys are not known here.
    return path.hasPrefix(table) && path != table ? path.moved(from: table, to: table.parent) : []
  }

  func sources(of path: TOMLPath) -> [TOMLPath] {
    if let member { return path.moved(from: table, to: table.appending(member)) }
    return path.moved(from: table.parent, to: table)
  }
}

extension MergeStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] { keys.contains { $0.isRelated(to: path) } ? [target] : [] }
  func sources(of path: TOMLPath) -> [TOMLPath] { target.isRelated(to: path) ? keys : [] }
}

extension SplitStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] { key.isRelated(to: path) ? targets : [] }
  func sources(of path: TOMLPath) -> [TOMLPath] { targets.contains { $0.isRelated(to: path) } ? [key] : [] }
}

extension ForEachStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] { inRecord(of: path, steps.places(of:)) }
  func sources(of path: TOMLPath) -> [TOMLPath] { inRecord(of: path, steps.sources(of:)) }

  /// The paths that the steps say of a path in a record.
  private func inRecord(of path: TOMLPath, _ others: (TOMLPath) -> [TOMLPath]) -> [TOMLPath] {
    let count = key.components.count + 1
    guard path.hasPrefix(key), path.components.count > count else { return [] }
    let record = path.prefix(count)
    return others(path.rest(below: record)).map { record.appending($0) }
  }

  var keepsSource: Bool { steps.keepSources }
}

extension WhenStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] { steps.places(of: path) + others.places(of: path) }
  func sources(of path: TOMLPath) -> [TOMLPath] { steps.sources(of: path) + others.sources(of: path) }

  // The condition may not hold.
  var keepsSource: Bool { true }
}

extension [MigrationStep] {
  fileprivate var keepSources: Bool { contains { ($0.content as? any PlacingStep)?.keepsSource == true } }
}
