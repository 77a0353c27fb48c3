package import AppSettings
import Foundation

/// Layers made at random, with locks, in all the forms that TOML has for them.
package struct LayerCase: Sendable {
  /// A setting as a file says it.
  package indirect enum Tree: Sendable {
    /// A value that is not a table, as text.
    case leaf(String)
    case table([(key: String, tree: Tree)])
  }

  package struct File: Sendable {
    package var tree: Tree
    package var locks: [[String]]
    package var text: String
  }

  /// The administrators' files, the lowest first, then the user's; or with the person's own layers, some between these
  /// two and above.
  package var files: [File] = []
  /// The kinds of the files.
  package var kinds: [SettingsLayer.Kind] = []
  /// The index of the file that is written.
  package var own: Int { kinds.lastIndex { $0 == .user || $0 == .profile } ?? files.count - 1 }
  /// Arguments and variables, as values by path; variables only for what a file has.
  package var arguments: [(path: [String], tree: Tree)] = []
  package var variables: [(path: [String], tree: Tree)] = []
  /// Credentials, of secrets that are known.
  package var credentials: [(path: [String], tree: Tree)] = []

  /// Few, so that layers meet; with one that has to be quoted.
  package static let keys = ["a", "b", "c-d", "x.y"]
  /// Every path of up to three keys.
  package static let paths: [[String]] = {
    let short = keys.map { [$0] }
    let middle = short.flatMap { path in keys.map { path + [$0] } }
    return short + middle + middle.flatMap { path in keys.map { path + [$0] } }
  }()

  private var random: UInt64

  /// The files of another case, without its overrides.
  package init(files: [File], kinds: [SettingsLayer.Kind]) {
    self.files = files
    self.kinds = kinds
    random = 0
  }

  /// - Parameters:
  ///   - personal: Whether there are declared files, profiles and a project's file.
  ///   - projects: Whether there may be a project's file among them.
  package init(seed: UInt64, overrides: Bool = false, personal: Bool = false, projects: Bool = true) {
    random = seed
    func add(_ kind: SettingsLayer.Kind, _ file: File) {
      files.append(file)
      kinds.append(kind)
    }
    for _ in 0..<number(2...4) { add(.system, file(locks: true)) }
    if personal { for _ in 0..<number(0...2) { add(.declared, file(locks: false)) } }
    add(.user, file(locks: false))
    if personal {
      for _ in 0..<number(0...2) { add(.profile, file(locks: false)) }
      for _ in 0..<(projects ? number(0...1) : 0) { add(.project, file(locks: false)) }
    }
    guard overrides else { return }
    for _ in 0..<number(0...2) {
      arguments.append((pick(Self.paths), tree(depth: 2)))
    }
    for _ in 0..<number(0...2) { variables.append((pick(Self.paths), tree(depth: 2))) }
    for _ in 0..<number(0...2) { credentials.append((pick(Self.paths), tree(depth: 2))) }
  }

  // MARK: Chance

  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var value = random
    value = (value ^ (value >> 31)) &* 0x7FB5_D329_728E_A185
    value ^= value >> 29
    return range.lowerBound + Int(value % UInt64(range.count))
  }

  package mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

  package mutating func pick<T>(_ items: [T]) -> T { items[number(0...items.count - 1)] }

  // MARK: In a home

  /// Puts the files into a home, in place of those of another case, and makes the highest profile the active one. The
  /// last administrator's file is a fleet's in every third case.
  ///
  /// - Returns: The paths of the files.
  package mutating func write(to home: ScratchHome, seed: UInt64) throws -> [String] {
    let fleet = home.path + "/fleet/org.example.test"
    let isFleets = seed % 3 == 0
    for place in [home.systemFile(""), home.file(""), fleet] { try? FileManager.default.removeItem(atPath: place) }
    let last = kinds.lastIndex(of: .system)
    var paths: [String] = []
    for (index, kind) in kinds.enumerated() {
      if kind == .profile, kinds[index - 1] == .profile {
        files[index].text = "settings-inherits = 'p\(index - 1)'\n" + files[index].text
      }
      let path =
        switch kind {
        case .declared: home.file("settings.d/\(index).toml")
        case .profile: home.file("profiles/p\(index).toml")
        case .user: home.file
        case _ where isFleets && index == last: fleet + "/settings.d/0.toml"
        default: home.systemFile(index == 0 ? "settings.toml" : "settings.d/\(index).toml")
        }
      try home.write(files[index].text, to: path)
      paths.append(path)
    }
    try home.profiles.choose(kinds[own] == .profile ? "p\(own)" : nil)
    return paths
  }

  // MARK: Files

  private mutating func file(locks hasLocks: Bool) -> File {
    let tree = table(depth: 0)
    var locks: [[String]] = []
    for _ in 0..<(hasLocks ? pick([0, 0, 1, 1, 2, 3]) : 0) { locks.append(pick(Self.paths)) }
    var text = ""
    if !locks.isEmpty {
      let names = locks.map { path in
        "'" + path.map { $0.contains(".") ? "\"\($0)\"" : $0 }.joined(separator: ".") + "'"
      }
      text = "settings-locked = [\(names.joined(separator: ", "))]\n"
    }
    guard case .table(let members) = tree else { return File(tree: tree, locks: locks, text: text) }
    return File(tree: tree, locks: locks, text: text + body(members, under: []))
  }

  package mutating func tree(depth: Int) -> Tree {
    if depth < 3, chance(depth == 0 ? 75 : 50) { return table(depth: depth) }
    return .leaf(
      pick(["1", "2", "-3", "\"s\"", "'l'", "true", "1.5", "[1, 2]", "[]", "[{ a = 1 }, { a = 2 }]", "2001-02-03"]))
  }

  private mutating func table(depth: Int) -> Tree {
    var members: [(key: String, tree: Tree)] = []
    for key in Self.keys where chance(depth == 0 ? 60 : 45) { members.append((key, tree(depth: depth + 1))) }
    return .table(members)
  }

  // MARK: Text

  private mutating func keyText(_ key: String) -> String {
    if key.contains(".") { return pick(["\"\(key)\"", "'\(key)'"]) }
    return pick([key, key, "\"\(key)\"", "'\(key)'"])
  }

  private mutating func keyText(_ path: [String]) -> String {
    var texts: [String] = []
    for key in path { texts.append(keyText(key)) }
    return texts.joined(separator: pick([".", ".", " . "]))
  }

  /// The lines of a table, then its tables with headers.
  private mutating func body(_ members: [(key: String, tree: Tree)], under path: [String]) -> String {
    var lines = ""
    var sections = ""
    for (key, tree) in members {
      switch tree {
      case .leaf(let text):
        if text.hasPrefix("[{"), chance(50) {
          sections += "[[\(keyText(path + [key]))]]\na = 1\n[[\(keyText(path + [key]))]]\na = 2\n"
        } else {
          lines += "\(keyText(key)) = \(text)\n"
        }
      case .table(let below):
        switch number(0...2) {
        case 0: lines += "\(keyText(key)) = \(inline(below))\n"
        case 1 where !below.isEmpty: lines += dotted(below, [key])
        default:
          let text = body(below, under: path + [key])
          // A table that only has tables needs no header of its own.
          let needsHeader = !text.hasPrefix("[") || chance(50)
          sections += (needsHeader ? "[\(keyText(path + [key]))]\n" : "") + text
        }
      }
    }
    return lines + sections
  }

  private mutating func dotted(_ members: [(key: String, tree: Tree)], _ path: [String]) -> String {
    var lines = ""
    for (key, tree) in members {
      switch tree {
      case .table(let below) where !below.isEmpty && chance(60): lines += dotted(below, path + [key])
      default: lines += "\(keyText(path + [key])) = \(inlineText(tree))\n"
      }
    }
    return lines
  }

  private mutating func inline(_ members: [(key: String, tree: Tree)]) -> String {
    var texts: [String] = []
    for (key, tree) in members {
      if case .table(let below) = tree, below.count == 1, chance(50) {
        texts.append("\(keyText([key, below[0].key])) = \(inlineText(below[0].tree))")
      } else {
        texts.append("\(keyText(key)) = \(inlineText(tree))")
      }
    }
    return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
  }

  /// A value on one line.
  package mutating func inlineText(_ tree: Tree) -> String {
    switch tree {
    case .leaf(let text): text
    case .table(let members): inline(members)
    }
  }
}

extension LayerCase {
  /// The overrides, as a process would have them.
  package mutating func overrides(app: String) -> SettingsOverrides {
    var texts: [String: String] = [:]
    for (path, tree) in variables {
      let name = path.map { $0.uppercased().map { $0.isLetter ? String($0) : "_" }.joined() }.joined(separator: "__")
      texts["\(app.uppercased())_SETTINGS__\(name)"] = inlineText(tree)
    }
    var words: [String] = []
    var keys: [SettingsKeys] = []
    for (path, tree) in arguments {
      let key = SettingsKey<SettingsValue?>(TOMLPath(path).description)
      keys.append(key)
      words.append("--\(key.name)=\(inlineText(tree))")
    }
    var overrides = SettingsOverrides.environment(app: app, variables: texts).adding(.arguments(words, keys: keys))
    guard !credentials.isEmpty else { return overrides }
    var secrets: [TOMLPath: String] = [:]
    for (path, tree) in credentials { secrets[TOMLPath(path)] = inlineText(tree) }
    var secretKeys: [TOMLPath: SettingsKeys] = [:]
    for path in secrets.keys { secretKeys[path] = SettingsKey<SettingsValue?>(path.description, .secret) }
    overrides.credentials = Credentials(directory: "/secrets", texts: secrets, secrets: secretKeys)
    return overrides
  }
}
