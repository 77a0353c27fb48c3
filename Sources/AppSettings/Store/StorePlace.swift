/// Where a store's own layer is: the file that is written, or memory.
///
/// It changes as a whole when another profile becomes active.
struct StorePlace: Sendable {
  let backing: Backing
  let location: SettingsLocation?

  /// The layer that is written: the user's file, or a profile or an administrator's file in its place.
  var layer: SettingsLayer {
    guard let location else { return SettingsLayer(.user) }
    return SettingsLayer(location.ownKind, file: location.file)
  }

  /// The same with another profile.
  func using(profile name: String?) -> StorePlace {
    guard let location = location?.using(profile: name), case .file(let file, _) = backing else { return self }
    let new = SettingsFile(
      path: location.file, system: file.system, lockTimeout: file.lockTimeout, isShared: file.isShared)
    return StorePlace(backing: .file(new, Backups(of: location, system: file.system)), location: location)
  }
}

extension SettingsLocation {
  /// The kind of the layer of its own file.
  package var ownKind: SettingsLayer.Kind {
    if isAdministrators { return .system }
    if personal?.isDeclared == true { return .declared }
    return personal?.profile == nil ? .user : .profile
  }
}

/// What the layers around a store's own one depend on.
///
/// `AppSettingsObserve` watches them and makes the store re-read its files. The store compares the bytes to find out
/// what has changed.
package struct WatchedPlaces: Sendable, Equatable {
  /// Single files, including missing ones.
  package var files: [String] = []
  /// Directories, for their `*.toml` entries and for those that begin with `@`.
  package var directories: [String] = []
  /// Directories of which all entries matter.
  package var folders: [String] = []
}
