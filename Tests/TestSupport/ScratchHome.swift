package import AppSettings
import Foundation

/// A home directory of a test's own, with XDG variables that point into it. Removed when the last reference goes.
package final class ScratchHome: Sendable {
  /// The home directory, absolute and without links.
  package let path: String

  /// Makes it, under the system's temporary directory or another one.
  package init(under base: String = NSTemporaryDirectory()) {
    var template = Array(
      (base.hasSuffix("/") ? base : base + "/").utf8CString.dropLast() + "settings-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: \(String(cString: strerror(errno)))") }
    path = template.withUnsafeBufferPointer { String(cString: realpath($0.baseAddress!, nil)) }
    // A write in the background may make it again after it was removed, and a test may keep one for ever.
    Self.made.withLock { paths in
      if paths.isEmpty { atexit { ScratchHome.made.withLock { $0 }.forEach(ScratchHome.remove) } }
      paths.append(path)
    }
  }

  // Protects the paths of all homes of this process.
  private static let made = Lock<[String]>([])

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    guard access(path, F_OK) == 0 else { return }
    // Tests take permissions away. A link leads out of the home: what is there, such as the null device, is not ours.
    if let all = FileManager.default.enumerator(atPath: path) {
      for case let name as String in all {
        var status = stat()
        guard lstat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { continue }
        chmod(path + "/" + name, 0o700)
      }
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The variables that make a process live here and nowhere else.
  package var environment: [String: String] {
    [
      "HOME": path, "XDG_CONFIG_HOME": path + "/config", "XDG_CONFIG_DIRS": path + "/etc/xdg",
      "APP_SETTINGS_FLEET_DIR": path + "/fleet", "XDG_STATE_HOME": path + "/state", "XDG_DATA_HOME": path + "/data",
      "XDG_DATA_DIRS": path + "/usr/share",
      "TMPDIR": path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
    ]
  }

  /// Where the app's settings are in this home.
  ///
  /// - Parameter variables: More variables of the process's environment.
  package func location(
    app: String = "org.example.test", name: String = "settings", profile: SettingsProfile = .active,
    variables: [String: String] = [:]
  ) throws -> SettingsLocation {
    try SettingsLocation(app: app, name: name, profile: profile, environment: environment.merging(variables) { $1 })
  }

  /// A store of the app in this home, which shares nothing with others: as one of another process.
  package func store(
    app: String = "org.example.test", name: String = "settings", profile: SettingsProfile = .active,
    migrations: [Migration] = [], overrides: SettingsOverrides = .none, project: SettingsProject? = nil,
    variables: [String: String] = [:], acceptsAnyVersion: Bool = false, system: Syscalls = Syscalls(),
    lockTimeout: Duration = .seconds(Aside.endless)
  ) throws -> SettingsStore {
    SettingsStore(
      at: try location(app: app, name: name, profile: profile, variables: variables),
      migrations: SettingsMigrations(migrations),
      overrides: overrides, project: project, logger: .silent,
      acceptsAnyVersion: acceptsAnyVersion, system: system, lockTimeout: lockTimeout)
  }

  /// The path of the app's user file.
  package var file: String { path + "/config/org.example.test/settings.toml" }

  /// The path of a file of the app's directory beside it: `settings.d/a.toml`, `profiles/work.toml`.
  package func file(_ name: String) -> String { path + "/config/org.example.test/" + name }

  /// The file of an administrator.
  package func systemFile(_ name: String) -> String { path + "/etc/xdg/org.example.test/" + name }

  /// The app's profiles.
  package var profiles: Profiles { get throws { Profiles(of: try location())! } }

  /// The directory of the user file's backups.
  package var backups: String { backups(of: file) }

  /// The directory of a file's backups.
  package func backups(of file: String) -> String { path + "/state/app-settings/files\(file).backups" }

  /// Writes a file in place, making its directory.
  ///
  /// - Parameter isSettled: Whether it is to look like one that was written a while ago. One that was written just now
  ///   may be being saved, if it is empty, broken or lacks keys.
  package func write(_ text: String, to file: String? = nil, isSettled: Bool = true) throws {
    let file = file ?? self.file
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    guard isSettled else { return }
    let earlier = timespec(tv_sec: time(nil) - 60, tv_nsec: 0)
    guard utimensat(AT_FDCWD, file, [earlier, earlier], 0) == 0 else { throw Errno(errno) }
  }

  /// The text of a file; `nil` if there is none.
  package func text(of file: String? = nil) -> String? {
    FileManager.default.contents(atPath: file ?? self.file).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The names in a directory, sorted; empty if there is none.
  package func names(in directory: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory).sorted()) ?? []
  }
}
