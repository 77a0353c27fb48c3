import AppSettings

/// The layers below the checked file, and how they restrict it.
struct LowerLayers {
  private var layers: [LayerContent] = []
  /// The keys that locks may name by another name.
  private let renamedKeys: [SchemaKey]
  private let names: PathTree
  /// The names in them are part of them.
  private let secrets: KnownKeys
  /// For each locked path, its name in the file that locks it.
  private var sources: [TOMLPath: (lock: LockEntry, file: String, line: Int?)] = [:]

  init(keys: [SchemaKey]) {
    renamedKeys = keys.filter { $0.paths.count > 1 }
    names = PathTree(renamedKeys)
    secrets = KnownKeys(declared: PathTree(), secrets: keys.filter(\.isSecret).flatMap(\.paths))
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
      let rest = path.rest(below: name)
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
    var said: Set<String> = []
    for path in document.leafPaths() where !path.isReserved {
      let shown = withoutSecretNames(path)
      func add(_ kind: SettingsFinding.Kind, _ message: String, removing: TOMLPath? = nil) {
        // What is said of a part of a secret is said once.
        guard shown == path || said.insert(message).inserted else { return }
        let advice = removing.flatMap { path in removal.map { " To remove it, run '\($0) \(path)'." } } ?? ""
        file.add(kind, message + advice, key: shown, at: file.position(of: shown))
      }
      let subject = shown == path ? "'\(path)'" : "A part of '\(shown)'"
      if let lock = lower.locks.lock(around: path) {
        guard shown.hasPrefix(lock.path) else {
          add(.locked, "\(subject) has no effect here: it is \(locked(lock.path)).")
          continue
        }
        let name = name(of: lock.path)
        add(
          .locked, "'\(shown)' has no effect here: \(name == shown ? "it" : "'\(name)'") is \(locked(lock.path)).",
          removing: shown)
      } else if document.isTable(at: path) {
        continue
      } else if let part = lower.locks[path]?.parts.first {
        let part = path.appending(part)
        let place = withoutSecretNames(part)
        let what = place == part ? "'\(part)'" : "a part of '\(place)'"
        let former = place != part || name(of: part) == part ? "" : " as '\(name(of: part))'"
        add(
          .locked, "\(subject) has no effect here: it would hide \(what), which is \(locked(part))\(former).",
          removing: shown == path ? path : nil)
      } else if let message = hidden(below: path, subject, document, in: lower) {
        add(.hidden, message)
      }
    }
  }

  /// The secret that a path is within, whose names are a part of it.
  func secret(around path: TOMLPath) -> TOMLPath? {
    let shown = withoutSecretNames(path)
    return shown == path ? nil : shown
  }

  /// A path without names within a secret.
  private func withoutSecretNames(_ path: TOMLPath) -> TOMLPath { secrets.secret(around: path) ?? path }

  private func name(of path: TOMLPath) -> TOMLPath { sources[path]?.lock.path ?? path }

  private func locked(_ path: TOMLPath) -> String {
    guard let source = sources[path] else { return "locked" }
    let line = source.line.map { ", line \($0)" } ?? ""
    return "locked by '\(source.file)'\(line)\(SettingsLock.clause(source.lock.reason))"
  }

  /// The message for a value that replaces a table of lower layers; `nil` if there is no such table.
  private func hidden(
    below path: TOMLPath, _ subject: String, _ document: TOMLDocument, in lower: SettingsSnapshot
  ) -> String? {
    guard layers.contains(where: { $0.document.hasKeys(at: path) }), let table = lower[path]?.table, !table.isEmpty
    else { return nil }
    var leaves: [TOMLPath] = []
    path.collectDifferences(nil, .table(table), into: &leaves)
    guard let first = leaves.first else { return nil }
    let place = lower.origin(of: first)
    let line = place.position.map { ", line \($0.line)" } ?? ""
    let count = Set(leaves.map(withoutSecretNames)).count
    let others = count == 1 ? "" : ", and \(count - 1) more"
    return "\(subject) is \(document[path]?.kindName ?? "a value") here, and hides what lower layers have there: "
      + "'\(withoutSecretNames(first))' of '\(place.layer.file ?? "a file")'\(line)\(others)."
  }
}
