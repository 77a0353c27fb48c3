import SettingsTOML
import Synchronization

/// What is still to be done after a migration's commit, kept on disk so that it outlives the process.
///
/// Beside the backups is a directory for it, whose lock lets one process at a time do the work. The list is written
/// before the settings file is, and emptied after the work: it can be done twice, and is never forgotten.
struct MigrationHooks: Sendable {
  let directory: String
  let system: Syscalls

  private static let versions: TOMLPath = ["versions"]

  init(_ backups: Backups) {
    directory = "\(backups.directory)/\(backups.name).after-commit"
    system = backups.system
  }

  private var file: SettingsFile { SettingsFile(path: directory + "/due.toml", system: system) }

  /// Adds versions to the list.
  func add(_ versions: [Int]) throws {
    try file.update { contents in
      let all = Set(Self.listed(contents.bytes) + versions)
      return Array(Self.text(of: all.sorted()).utf8)
    }
  }

  /// Does what is due, under the lock.
  ///
  /// - Parameter work: Gets a version, and says whether it is done with.
  func run(_ work: (Int) -> Bool) throws {
    guard let bytes = try file.read().bytes, !Self.listed(bytes).isEmpty else { return }
    // Who finds it locked need not wait: the one that has the lock does the work.
    try SettingsFile(path: file.path, system: system, lockTimeout: .zero).update { contents in
      let listed = Self.listed(contents.bytes)
      let rest = listed.filter { !work($0) }
      return rest == listed ? nil : Array(Self.text(of: rest).utf8)
    }
  }

  private static func listed(_ bytes: [UInt8]?) -> [Int] {
    guard let bytes, let document = try? TOMLDocument(parsing: bytes), case .array(let items)? = document[versions]
    else { return [] }
    return items.compactMap { item in if case .integer(let version) = item { Int(version) } else { nil } }
  }

  private static func text(of versions: [Int]) -> String {
    "# What is to be done after migrations, and is not done yet.\nversions = [\(versions.map(String.init).joined(separator: ", "))]\n"
  }
}
