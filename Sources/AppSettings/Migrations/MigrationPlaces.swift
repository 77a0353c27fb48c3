package import SettingsTOML

/// A step that takes keys to other places, so that what is said of a key by its old name can be said of the new one.
package protocol PlacingStep: MigrationStep {
  /// The paths where a value at or below a path may be after the step, besides that path; of a path above the step's
  /// keys, where they may be.
  func places(of path: TOMLPath) -> [TOMLPath]
}

extension SettingsMigrations {
  /// Where values at some paths may be after the migrations that a version still needs: the paths, and what steps make
  /// of them. What steps of code make of them is not known, and neither is more than some hundred places of each: steps
  /// that copy what others have copied double them, and would never end.
  package func places(of paths: [TOMLPath], from version: Int) -> [TOMLPath] {
    let limit = 100 * (paths.count + 10)
    return pending(from: version).reduce(paths) { $1.steps.places(of: $0, upTo: limit) }
  }
}

extension [any MigrationStep] {
  /// The paths, and where the steps take what is there, one step after the other.
  func places(of paths: [TOMLPath], upTo limit: Int) -> [TOMLPath] {
    var places = paths
    var known = Set(paths)
    for step in self {
      guard let step = step as? any PlacingStep else { continue }
      for path in places {
        for place in step.places(of: path) where places.count < limit && known.insert(place).inserted {
          places.append(place)
        }
      }
    }
    return places
  }

  /// The places of one path, as ``PlacingStep/places(of:)``.
  fileprivate func places(of path: TOMLPath) -> [TOMLPath] { places(of: [path], upTo: 1000) }
}

extension TOMLPath {
  /// Where this path is, or what is below it, once all at and below `old` is at `new`.
  fileprivate func moved(from old: TOMLPath, to new: TOMLPath) -> [TOMLPath] {
    if hasPrefix(old) { return [new.appending(TOMLPath(Array(components.dropFirst(old.components.count))))] }
    return old.hasPrefix(self) ? [new] : []
  }
}

extension Rename: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] { path.moved(from: old, to: new) }
}

extension Move: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] { path.moved(from: old, to: new) }
}

extension Copy: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] { path.moved(from: old, to: new) }
}

extension Wrap: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] {
    // A value that gets a table around it stays below its path.
    guard case .keys(let keys, let table) = kind else { return [] }
    return keys.flatMap { path.moved(from: $0, to: table.appending($0.last ?? "")) }
  }
}

extension Unwrap: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] {
    if let member { return path.moved(from: table.appending(member), to: table) }
    // Of the table itself, the keys are not known here.
    return path.hasPrefix(table) && path != table ? path.moved(from: table, to: table.parent) : []
  }
}

extension Merge: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] {
    keys.contains { $0.hasPrefix(path) || path.hasPrefix($0) } ? [target] : []
  }
}

extension Split: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] {
    key.hasPrefix(path) || path.hasPrefix(key) ? targets : []
  }
}

extension ForEach: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] {
    let count = key.components.count + 1
    guard path.hasPrefix(key), path.components.count > count else { return [] }
    let record = TOMLPath(Array(path.components.prefix(count)))
    return steps.places(of: TOMLPath(Array(path.components.dropFirst(count)))).map { record.appending($0) }
  }
}

extension When: PlacingStep {
  package func places(of path: TOMLPath) -> [TOMLPath] { steps.places(of: path) + others.places(of: path) }
}
