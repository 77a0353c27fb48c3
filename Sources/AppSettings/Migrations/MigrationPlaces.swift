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
  package func places(of path: TOMLPath) -> [TOMLPath] { places(of: [path], upTo: 1000) }
}
