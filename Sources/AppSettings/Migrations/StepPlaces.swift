import SettingsTOML

extension TOMLPath {
  /// The path's new place, or places below it, after `old` and everything below it has moved to `new`.
  fileprivate func moved(from old: TOMLPath, to new: TOMLPath) -> [TOMLPath] {
    if hasPrefix(old) { return [new.appending(TOMLPath(Array(components.dropFirst(old.components.count))))] }
    return old.hasPrefix(self) ? [new] : []
  }
}

extension RenameStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] { path.moved(from: old, to: new) }
  func sources(of path: TOMLPath) -> [TOMLPath] { path.moved(from: new, to: old) }
}

extension MoveStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] { path.moved(from: old, to: new) }
  func sources(of path: TOMLPath) -> [TOMLPath] { path.moved(from: new, to: old) }
}

extension CopyStep: PlacingStep {
  var keepsSource: Bool { true }
  func places(of path: TOMLPath) -> [TOMLPath] { path.moved(from: old, to: new) }
  func sources(of path: TOMLPath) -> [TOMLPath] { path.moved(from: new, to: old) }
}

extension WrapStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] {
    // A value that is put into a table stays below its path.
    guard case .keys(let keys, let table) = kind else { return [] }
    return keys.flatMap { path.moved(from: $0, to: table.appending($0.last ?? "")) }
  }

  func sources(of path: TOMLPath) -> [TOMLPath] {
    guard case .keys(let keys, let table) = kind else { return [] }
    return keys.flatMap { path.moved(from: table.appending($0.last ?? ""), to: $0) }
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
  func places(of path: TOMLPath) -> [TOMLPath] {
    keys.contains { $0.hasPrefix(path) || path.hasPrefix($0) } ? [target] : []
  }

  func sources(of path: TOMLPath) -> [TOMLPath] {
    target.hasPrefix(path) || path.hasPrefix(target) ? keys : []
  }
}

extension SplitStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] {
    key.hasPrefix(path) || path.hasPrefix(key) ? targets : []
  }

  func sources(of path: TOMLPath) -> [TOMLPath] {
    targets.contains { $0.hasPrefix(path) || path.hasPrefix($0) } ? [key] : []
  }
}

extension ForEachStep: PlacingStep {
  func places(of path: TOMLPath) -> [TOMLPath] {
    let count = key.components.count + 1
    guard path.hasPrefix(key), path.components.count > count else { return [] }
    let record = TOMLPath(Array(path.components.prefix(count)))
    return steps.places(of: TOMLPath(Array(path.components.dropFirst(count)))).map { record.appending($0) }
  }

  func sources(of path: TOMLPath) -> [TOMLPath] {
    let count = key.components.count + 1
    guard path.hasPrefix(key), path.components.count > count else { return [] }
    let record = TOMLPath(Array(path.components.prefix(count)))
    return steps.sources(of: TOMLPath(Array(path.components.dropFirst(count)))).map { record.appending($0) }
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
