public import SettingsTOML

/// The changes that became visible at one moment: a committed write of this process, or a change from outside.
///
/// ```swift
/// for await batch in settings.changes() where batch.origin == .outside { print(batch.paths) }
/// ```
///
/// A batch names the paths but does not hold the values: read those from the store or a snapshot.
public struct SettingsChangeBatch: Sendable, Hashable {
  /// The generation of the state that contains all of these changes.
  public package(set) var generation: UInt64
  /// The paths whose values have changed. Where possible, they are paths of single values rather than tables.
  ///
  /// Each path is listed once, and only if the value that the app sees has changed: a change that a higher layer hides
  /// is not listed. Empty if only the order of a table's keys changed.
  public package(set) var paths: [TOMLPath]
  /// The origin of the change: this process, or anyone else.
  public package(set) var origin: SettingsChangeOrigin
}

/// The origin of a change.
///
/// An app that has already shown its own changes can skip those of `thisProcess`.
public enum SettingsChangeOrigin: String, Sendable {
  /// This process, through this store.
  case thisProcess
  /// Another process, an editor or an administrator.
  case outside
}

extension TOMLPath {
  /// Adds the paths of the leaves that differ between two values at this path.
  ///
  /// Takes time in proportion to both values.
  package func collectDifferences(_ old: TOMLValue?, _ new: TOMLValue?, into paths: inout [TOMLPath]) {
    switch (old, new) {
    case (nil, nil): return
    case (.table(let old), .table(let new)):
      for key in old.keys { appending(key).collectDifferences(old[key], new[key], into: &paths) }
      for key in new.keys where old[key] == nil { appending(key).collectDifferences(nil, new[key], into: &paths) }
    // An empty table contains no leaves, so its own path counts as one.
    case (.table(let table), nil) where !table.isEmpty, (nil, .table(let table)) where !table.isEmpty:
      for (key, value) in table { appending(key).collectDifferences(nil, value, into: &paths) }
    default:
      if old != new { paths.append(self) }
    }
  }
}

extension SettingsChangeBatch: CustomStringConvertible {
  /// The paths, at most 16 of them, and who made the change: `editor.font-size, theme (outside)`.
  public var description: String {
    let shown = paths.prefix(16).map(\.description).joined(separator: ", ")
    let rest = paths.count > 16 ? " and \(paths.count - 16) more" : ""
    return "\(shown)\(rest) (\(origin))"
  }
}

extension SettingsChangeOrigin: CustomStringConvertible {
  /// The origin in words: `this process` or `outside`.
  public var description: String {
    switch self {
    case .thisProcess: "this process"
    case .outside: "outside"
    }
  }
}
