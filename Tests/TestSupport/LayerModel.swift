package import AppSettings

/// The rule for layers and locks of docs/layers.md, done as it is written there: layer by layer over whole trees.
package struct LayerModel {
  package typealias Tree = LayerCase.Tree

  /// A setting as it counts, with the layer that it is from; for a table, the highest that has one there.
  package indirect enum Setting {
    case leaf(String, layer: Int)
    case table([String: Setting], layer: Int)

    package var layer: Int {
      switch self {
      case .leaf(_, let layer), .table(_, let layer): layer
      }
    }
  }

  package private(set) var root = Setting.table([:], layer: 0)
  /// What does not count because of a lock, by layer: each value, and each table without keys.
  package private(set) var void: [Int: Set<[String]>] = [:]
  /// What takes the place of a table with keys, by layer.
  package private(set) var hiding: [Int: Set<[String]>] = [:]
  private var locks: [(path: [String], layer: Int)] = []
  /// What the files have, for overrides.
  private var files = Setting.table([:], layer: 0)
  /// The layer of credentials, the first one after the files'.
  private let credentials: Int

  package init(_ layers: LayerCase) {
    credentials = layers.files.count
    for (index, file) in layers.files.enumerated() {
      root = put(file.tree, of: index, at: [], over: root) ?? root
      locks += file.locks.map { ($0, index) }
    }
    files = root
    // A variable counts for a key that is there. Outer ones come first: those within them count for more.
    for (index, overrides) in [layers.credentials, layers.variables, layers.arguments].enumerated() {
      for (path, tree) in overrides.sorted(by: { $0.path.count < $1.path.count }) {
        override(tree, of: layers.files.count + index, at: path)
      }
    }
  }

  // MARK: The rule

  private func isLocked(_ path: [String], for layer: Int) -> Bool {
    locks.contains { $0.layer < layer && path.starts(with: $0.path) }
  }

  private func hasLockedPart(_ path: [String], for layer: Int) -> Bool {
    locks.contains { $0.layer < layer && $0.path.count > path.count && $0.path.starts(with: path) }
  }

  /// Whether anything of a tree counts: a table with keys does if one of them does.
  private func counts(_ tree: Tree, of layer: Int, at path: [String]) -> Bool {
    if isLocked(path, for: layer) { return false }
    switch tree {
    case .leaf: return !hasLockedPart(path, for: layer)
    case .table(let members):
      return members.isEmpty || members.contains { counts($0.tree, of: layer, at: path + [$0.key]) }
    }
  }

  private mutating func put(_ tree: Tree, of layer: Int, at path: [String], over old: Setting?) -> Setting? {
    guard counts(tree, of: layer, at: path) else {
      void[layer, default: []].formUnion(Self.leaves(of: tree, at: path))
      return old
    }
    switch tree {
    case .leaf(let text):
      if case .table(let members, _)? = old, !members.isEmpty { hiding[layer, default: []].insert(path) }
      return .leaf(text, layer: layer)
    case .table(let members):
      var result: [String: Setting] = [:]
      if case .table(let below, _)? = old { result = below }
      for (key, tree) in members { result[key] = put(tree, of: layer, at: path + [key], over: result[key]) }
      return .table(result, layer: layer)
    }
  }

  private static func leaves(of tree: Tree, at path: [String]) -> [[String]] {
    guard case .table(let members) = tree, !members.isEmpty else { return [path] }
    return members.flatMap { leaves(of: $0.tree, at: path + [$0.key]) }
  }

  // MARK: Overrides

  /// An override stands for the whole value at its path; locked parts stay as the files have them.
  private mutating func override(_ tree: Tree, of layer: Int, at path: [String]) {
    guard counts(tree, of: layer, at: path) else { return }
    var tree = tree
    if case .leaf(let text) = tree {
      tree = .leaf(reading(of: text, at: path, isSecret: layer == credentials))
    }
    var new = Self.setting(tree, layer: layer)
    if hasLockedPart(path, for: layer) {
      var kept = Setting.table([:], layer: layer)
      // What is locked within a locked table comes with that.
      let parts = locks.filter { $0.path.count > path.count && $0.path.starts(with: path) }
      for lock in parts where !parts.contains(where: { $0.path != lock.path && lock.path.starts(with: $0.path) }) {
        guard let value = Self.find(lock.path[...], in: files) else { continue }
        kept = Self.replace(lock.path.dropFirst(path.count), in: kept, by: value, layer: layer)
      }
      new = put(tree, of: layer, at: path, over: kept) ?? kept
      void[layer] = nil
      hiding[layer] = nil
    }
    root = Self.replace(path[...], in: root, by: new, layer: layer)
  }

  /// A text as the kind of value that the files have there; without one, a secret is a string.
  private func reading(of text: String, at path: [String], isSecret: Bool) -> String {
    let former = Self.find(path[...], in: files)?.value ?? (isSecret ? .string("") : nil)
    switch (former, try? TOMLValue(parsing: text)) {
    case (.string?, .string?): return text
    case (.string?, _): return TOMLValue.string(text).tomlText
    case (.boolean?, .integer(1)?): return "true"
    default: return text
    }
  }

  private static func setting(_ tree: Tree, layer: Int) -> Setting {
    switch tree {
    case .leaf(let text): .leaf(text, layer: layer)
    case .table(let members):
      .table(
        Dictionary(uniqueKeysWithValues: members.map { ($0.key, setting($0.tree, layer: layer)) }), layer: layer)
    }
  }

  private static func replace(
    _ path: ArraySlice<String>, in setting: Setting?, by new: Setting, layer: Int
  ) -> Setting {
    guard let first = path.first else { return new }
    var members: [String: Setting] = [:]
    if case .table(let old, _)? = setting { members = old }
    members[first] = replace(path.dropFirst(), in: members[first], by: new, layer: layer)
    return .table(members, layer: layer)
  }

  // MARK: Looking up

  private static func find(_ path: ArraySlice<String>, in setting: Setting) -> Setting? {
    guard let first = path.first else { return setting }
    guard case .table(let members, _) = setting, let next = members[first] else { return nil }
    return find(path.dropFirst(), in: next)
  }

  package subscript(path: [String]) -> Setting? { Self.find(path[...], in: root) }

  /// The lowest layer that locks a path.
  package func lock(of path: [String]) -> Int? {
    locks.filter { path.starts(with: $0.path) }.map(\.layer).min()
  }

  /// The values and the tables without keys.
  package var leaves: [(path: [String], setting: Setting)] { Self.leaves(of: root, at: []) }

  private static func leaves(of setting: Setting, at path: [String]) -> [(path: [String], setting: Setting)] {
    guard case .table(let members, _) = setting, !members.isEmpty else { return path.isEmpty ? [] : [(path, setting)] }
    return members.flatMap { leaves(of: $0.value, at: path + [$0.key]) }
  }
}

extension LayerModel.Setting {
  /// The value that a reader gets.
  package var value: TOMLValue {
    switch self {
    case .leaf(let text, _): return (try? TOMLValue(parsing: text)) ?? .string("not TOML: \(text)")
    case .table(let members, _):
      var table = TOMLTable()
      for (key, setting) in members { table[key] = setting.value }
      return .table(table)
    }
  }
}
