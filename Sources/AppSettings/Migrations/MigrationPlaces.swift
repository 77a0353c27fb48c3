package import SettingsTOML

/// A step that moves keys, so that facts about a key's old name can be applied to the new one.
///
/// Locks and secrets follow their keys in this way. A step with code has no places, because nobody knows what it moves.
package protocol PlacingStep: StepContent {
  /// Returns the paths where a value at or below a path may be after the step, besides that path; for a path above the
  /// step's keys, where those may be.
  ///
  /// For `.rename("colour", to: "theme.accent")`, the places of `colour` are `[theme.accent]`.
  func places(of path: TOMLPath) -> [TOMLPath]

  /// Returns the paths where a value at or below a path may have been before the step, besides that path.
  ///
  /// For the same step, the sources of `theme.accent` are `[colour]`.
  func sources(of path: TOMLPath) -> [TOMLPath]

  /// Whether a value may also stay where it was.
  var keepsSource: Bool { get }
}

extension PlacingStep {
  package var keepsSource: Bool { false }

  fileprivate func newPlaces(of path: TOMLPath) -> [TOMLPath] { places(of: path).filter { $0 != path } }
}

extension SettingsMigrations {
  /// Returns some paths, and the places of their values after the pending migrations of a version. The results of steps
  /// with code are unknown, and at most some hundred places of each path are found: steps that copy the results of
  /// others double them each time.
  package func places(of paths: [TOMLPath], from version: Int) -> [TOMLPath] {
    let limit = 100 * (paths.count + 10)
    return pending(from: version).reduce(paths) { $1.steps.places(of: $0, upTo: limit) }
  }

  /// Returns some paths, and the places of their values in versions from a given one on. What steps with code did is
  /// unknown.
  package func sources(of paths: [TOMLPath], from version: Int = 0) -> [TOMLPath] {
    let limit = 100 * (paths.count + 10)
    return pending(from: version).reversed().reduce(paths) { $1.steps.sources(of: $0, upTo: limit) }
  }

  /// Returns the locks of a file after migrations: a lock follows the keys that it covers, and stays where it was if it
  /// covers other keys, too. At most some hundred places of each are found.
  ///
  /// - Parameter document: The file before. A lock of a table follows the values that it has there: a step that unwraps
  ///   the table does not name them.
  static func moved(_ locks: [LockEntry], by migrations: [Migration], in document: TOMLDocument) -> [LockEntry] {
    guard !migrations.isEmpty else { return locks }
    let moved = Self.moved(locks, by: migrations)
    let values = locks.flatMap { lock in
      document.leafPaths(under: lock.path).map { LockEntry($0, reason: lock.reason) }
    }
    return moved
      + Self.moved(values, by: migrations).filter { value in !moved.contains { value.path.hasPrefix($0.path) } }
  }

  private static func moved(_ locks: [LockEntry], by migrations: [Migration]) -> [LockEntry] {
    let limit = 100 * (locks.count + 10)
    var locks = locks
    for case let step as any PlacingStep in migrations.flatMap(\.steps).map(\.content) {
      var known = Set<TOMLPath>()
      var moved: [LockEntry] = []
      for lock in locks {
        let places = step.newPlaces(of: lock.path)
        // If a key with an impossible name moves, all keys below the path do.
        let isWhole = !places.isEmpty && !step.keepsSource && !step.newPlaces(of: lock.path.appending("\0")).isEmpty
        for (index, place) in ((isWhole ? [] : [lock.path]) + places).enumerated()
        // The first place of a lock is always there.
        where (index == 0 || moved.count < limit) && known.insert(place).inserted {
          moved.append(LockEntry(place, reason: lock.reason))
        }
      }
      locks = moved
    }
    return locks
  }
}

extension [MigrationStep] {
  /// The paths, and the places to which the steps move their values, one step after the other.
  func places(of paths: [TOMLPath], upTo limit: Int) -> [TOMLPath] {
    followed(from: paths, upTo: limit) { $0.places(of: $1) }
  }

  /// The paths, and the places from which the steps moved their values.
  func sources(of paths: [TOMLPath], upTo limit: Int) -> [TOMLPath] {
    reversed().followed(from: paths, upTo: limit) { $0.sources(of: $1) }
  }

  private func followed(
    from paths: [TOMLPath], upTo limit: Int, _ others: (any PlacingStep, TOMLPath) -> [TOMLPath]
  ) -> [TOMLPath] {
    var found = paths
    var known = Set(paths)
    for case let step as any PlacingStep in map(\.content) {
      for path in found {
        for other in others(step, path) where found.count < limit && known.insert(other).inserted {
          found.append(other)
        }
      }
    }
    return found
  }

  /// The sources of one path; see ``PlacingStep/sources(of:)``.
  package func sources(of path: TOMLPath) -> [TOMLPath] { sources(of: [path], upTo: 1000) }

  /// The places of one path; see ``PlacingStep/places(of:)``.
  package func places(of path: TOMLPath) -> [TOMLPath] { places(of: [path], upTo: 1000) }
}
