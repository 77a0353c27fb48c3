package import AppSettings
import Glibc

extension SettingsLocation {
  /// The directories for the person's own files of an app, the inner one first.
  package var ownDirectories: [String] {
    [Profiles(of: self)?.directory, personal?.usersFile.droppingLastBytes("/settings.toml".utf8.count)]
      .compactMap(\.self)
  }

  /// Removes those of them in which nothing is left.
  package func removeEmptyDirectories() {
    for directory in ownDirectories { _ = directory.withPath { rmdir($0) } }
  }
}
