import AppSettings

/// The layers below the checked file, and how they restrict it.
struct LowerLayers {
  private var layers: [LayerContent] = []
  /// The keys that locks may name by another name.
  private let renamedKeys: [SchemaKey]
  private let names: PathTree
  /// For each locked path, its name in the file that locks it.
  private var sources: [TOMLPath: (lock: LockEntry, file: String, line: Int?)] = [:]

  init(keys: [SchemaKey]) {
    renamedKeys = keys.filter { $0.paths.count > 1 }
    names = PathTree(renamedKeys)
  }

  /// Adds the next file.
  ///
  /// - Parameter locks: The locks of the file.
  mutating func add(_ document: TOMLDocument, file: String, locks: [LockEntry], line: Int?) {
    var paths: [LockEntry] = []
    for lock in locks {
      for path in [lock.path] + otherNames(of: lock.path) {
        paths.append(LockEntry(path))
        if sources[path] == nil { sources[path] = (lock, file, line) }
      }
    }
    layers.append(LayerContent(layer: SettingsLayer(.system, file: file), document: document, locks: paths))
  }

  /// The other paths that a lock of a path covers: a lock of one name of a key covers all its names.
  private func otherNames(of path: TOMLPath) -> [TOMLPath] {
    names.keys(touching: path).flatMap { index -> [TOMLPath] in
      let key = renamedKeys[index]
      guard let name = key.paths.first(where: { path.isRelated(to: $0) }) else { return [] }
      let rest = TOMLPath(Array(path.components.dropFirst(name.components.count)))
      return key.paths.filter { $0 != name }.map { $0.appending(rest) }
    }
  }

  /// Finds the values of a file that lower layers make ineffective, and the lower values that the file hides.
  ///
  /// - Parameters:
  ///   - file: The file, to which the findings are added.
  ///   - removal: The command that removes values from the file, without a key; `nil` if there is none.
  func check(_ file: inout CheckedFile, removal: String?) {
    guard !layers.isEmpty else { return }
    let lower = SettingsSnapshot(generation: 0, layers: layers, pending: PendingEdits())
    let document = file.document
    for path in document.leafPaths() where !path.components[0].hasPrefix("settings-") {
      func add(_ kind: SettingsFinding.Kind, _ message: String) {
        let advice = kind == .locked ? removal.map { " To remove it, run '\($0) \(path)'." } ?? "" : ""
        file.add(kind, message + advice, key: path, at: file.position(of: path))
      }
      if let lock = lower.locks.lock(around: path) {
        let name = name(of: lock.path)
        add(.locked, "'\(path)' has no effect here: \(name == path ? "it" : "'\(name)'") is \(locked(lock.path)).")
      } else if document.isTable(at: path) {
        continue
      } else if let part = lower.locks[path]?.parts.first {
        let part = path.appending(part)
        let former = name(of: part) == part ? "" : " as '\(name(of: part))'"
        add(.locked, "'\(path)' has no effect here: it would hide '\(part)', which is \(locked(part))\(former).")
      } else if let message = hidden(below: path, document, in: lower) {
        add(.hidden, message)
      }
    }
  }

  private func name(of path: TOMLPath) -> TOMLPath { sources[path]?.lock.path ?? path }

  private func locked(_ path: TOMLPath) -> String {
    guard let source = sources[path] else { return "locked" }
    let line = source.line.map { ", line \($0)" } ?? ""
    return "locked by '\(source.file)'\(line)\(SettingsLock.clause(source.lock.reason))"
  }

  /// The message for a value that replaces a table of lower layers; `nil` if there is no such table.
  private func hidden(below path: TOMLPath, _ document: TOMLDocument, in lower: SettingsSnapshot) -> String? {
    guard layers.contains(where: { $0.document.hasKeys(at: path) }), let table = lower[path]?.table, !table.isEmpty
    else { return nil }
    var leaves: [TOMLPath] = []
    path.collectDifferences(nil, .table(table), into: &leaves)
    guard let first = leaves.first else { return nil }
    let place = lower.origin(of: first)
    let line = place.position.map { ", line \($0.line)" } ?? ""
    let others = leaves.count == 1 ? "" : ", and \(leaves.count - 1) more"
    return "'\(path)' is \(document[path]?.kindName ?? "a value") here, and hides what lower layers have there: "
      + "'\(first)' of '\(place.layer.file ?? "a file")'\(line)\(others)."
  }
}
