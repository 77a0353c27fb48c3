import SettingsTOML

/// The keys of a file, as far as a program has declared them or a schema file describes them, and with them the one
/// definition of what is a secret, for everything that shows or keeps settings:
///
/// 1. the value of a key that is declared as secret, with all names in it;
/// 2. a value that is in the place of a table with such a key;
/// 3. where a key is not declared: a string whose own name ends with the word `password`, `passwd`, `passphrase`,
///    `secret`, `token`, `credential`, `api key`, `private key`, `access key` or `secret key` (``SecretNames``), and an
///    array, also one of tables, that has such a string in it. Never a number or a boolean, nor a table for its name;
/// 4. the list of locks of a file, where it has the path of something in a declared secret.
///
/// Comments beside or directly above a secret go with it, and so does every comment that names a declared secret, or
/// that has an assignment to a name as in 3: it may be an earlier value.
///
/// What is *kept* for long is judged with caution (``isCautious``): once anything is declared, a key that is not may be
/// the misspelt name of a secret, and its value is not kept. So it does not matter which of a program's keys have been
/// used when the first write happens.
package struct KnownKeys: Sendable, Equatable {
  /// A key, or a former name of one.
  package struct Entry: Sendable, Equatable {
    package var path: TOMLPath
    package var isSecret: Bool

    package init(path: TOMLPath, isSecret: Bool) {
      self.path = path
      self.isSecret = isSecret
    }
  }

  /// All keys that are declared by something.
  private var declared = PathTree()
  /// Those that anything declares as secret.
  private var secrets = PathTree()
  private var entries: [Entry] = []
  /// The last components of secrets.
  private var names = TextSet()
  /// The last components of what is declared, found for the first comment that needs them.
  private var declaredNames = DeclaredNames()
  /// Whether a value that nobody has declared counts as a secret as soon as anything is declared.
  package var isCautious = true

  /// Makes an empty list, for what the history keeps.
  package init() {}

  /// The rule for showing what some keys describe.
  ///
  /// - Parameters:
  ///   - declared: The names of all keys.
  ///   - secrets: Every name that a secret has had.
  package init(declared: PathTree, secrets: [TOMLPath]) {
    self.declared = declared
    isCautious = false
    for path in secrets { insert(Entry(path: path, isSecret: true)) }
  }

  /// Whether any key is declared as secret.
  package var hasSecrets: Bool { !secrets.isEmpty }

  /// Whether no key is known, so that only names show what is a secret.
  package var isEmpty: Bool { declared.isEmpty && secrets.isEmpty }

  /// - Returns: Whether it was unknown.
  @discardableResult
  mutating func insert(_ entry: Entry) -> Bool {
    guard entry.isSecret ? secrets.key(at: entry.path) == nil : declared.key(at: entry.path) == nil else {
      return false
    }
    entries.append(entry)
    guard entry.isSecret else {
      declared.insert(entry.path)
      // A copy of this list keeps its own.
      if !isKnownUniquelyReferenced(&declaredNames) || declaredNames.areFound { declaredNames = DeclaredNames() }
      return true
    }
    secrets.insert(entry.path)
    if let name = entry.path.last { names.insert(name) }
    return true
  }

  /// Also hides comments with a text.
  ///
  /// - Parameter comment: The text, in any case.
  package mutating func insert(comment: String) { names.insert(comment) }

  /// The keys, and in a document of an earlier version also the names that they had then.
  func adapted(to document: TOMLDocument, _ migrations: SettingsMigrations) -> KnownKeys {
    guard !isEmpty, let version = try? SettingsMigrations.version(of: document),
      version < migrations.currentVersion
    else { return self }
    var adapted = self
    for isSecret in [true, false] {
      let names = entries.filter { $0.isSecret == isSecret }.map(\.path)
      for source in migrations.sources(of: names, from: version) {
        adapted.insert(Entry(path: source, isSecret: isSecret))
      }
    }
    return adapted
  }

  // MARK: Questions

  /// Whether a key, or one that it is a part of, is among them.
  func knows(_ key: AnySettingsKey) -> Bool {
    key.paths.allSatisfy { isSecret($0) || !key.isSecret && declared.key(around: $0) != nil }
  }

  /// Whether values at, above or below a path may have been kept.
  func mayHaveShown(_ path: TOMLPath) -> Bool {
    // Of what is not declared, the names of tables have been.
    isEmpty || !isSecret(path) && (path.isRoot || declared.touches(path))
  }

  /// Whether a secret is at or above a path.
  package func isSecret(_ path: TOMLPath) -> Bool { secrets.key(around: path) != nil }

  /// The secret that a path is, or is in. Where everything is secret, as in a sealed garage, the names are none.
  package func secret(around path: TOMLPath) -> TOMLPath? {
    guard !secrets.isEmpty else { return nil }
    return path.prefixes.first { secrets.key(at: $0) != nil }
  }

  /// Whether a declared secret is at, above or below a path.
  package func mayBeSecret(_ path: TOMLPath) -> Bool { secrets.touches(path) }

  /// Whether a value is a secret, or has one in it.
  package func hides(_ path: TOMLPath, _ value: TOMLValue) -> Bool {
    hides(place(of: path), value)
  }

  /// Whether the value at a path is a secret if it is a string, the kind of most secrets.
  package func hides(_ path: TOMLPath) -> Bool { hides(path, .string("")) }

  private func hides(_ place: Place, _ value: TOMLValue) -> Bool {
    if hides(place, HiddenPart.ValueKind(value), { value }) { return true }
    guard case .table(let table) = value else { return false }
    return table.contains { hides(self.place($0.key, in: place), $0.value) }
  }

  /// A value as the history keeps it.
  func kept(_ value: TOMLValue, at path: TOMLPath) -> TOMLValue { kept(value, place(of: path)) }

  private func kept(_ value: TOMLValue, _ place: Place) -> TOMLValue {
    if hides(place, HiddenPart.ValueKind(value), { value }) { return .string(Redaction.placeholder) }
    guard case .table(var table) = value, !hidesNothing(place) else { return value }
    for (name, value) in table { table[name] = kept(value, self.place(name, in: place)) }
    return .table(table)
  }

  private func place(of path: TOMLPath) -> Place { path.components.reduce(root) { place($1, in: $0) } }
}

extension KnownKeys: HidingRule {
  /// A path in a document, with what the keys along it say about the value there.
  package struct Place {
    fileprivate var name = ""
    fileprivate var declared: PathTree.Place?
    fileprivate var secret: PathTree.Place?
    fileprivate var isDeclared: Bool
    fileprivate var isSecret: Bool
    fileprivate var reserved: Reserved?
    fileprivate var isRoot = true
  }

  /// What the file format itself has at a place. Other root keys that begin with `settings-` are keys like any other.
  fileprivate enum Reserved {
    /// A value that says something of the file.
    case value
    case locks
    /// Sealed values, each at the path of its key.
    case sealed

    init?(rootKey name: String) {
      guard name.utf8.starts(with: "settings-".utf8) else { return nil }
      switch TOMLPath([name]) {
      case SettingsFormat.versionPath, SettingsFormat.inheritsPath, SettingsFormat.historyPath, SettingsFormat.sealPath:
        self = .value
      case SettingsFormat.locksPath: self = .locks
      case SettingsFormat.sealedPath: self = .sealed
      default: return nil
      }
    }
  }

  /// The place of the root table.
  package var root: Place {
    Place(
      declared: .root, secret: .root, isDeclared: declared.isName(.root), isSecret: secrets.isName(.root))
  }

  /// The place of a key in a table, found in constant time.
  package func place(_ name: String, in table: Place) -> Place {
    var place = table
    place.reserved = table.isRoot ? Reserved(rootKey: name) : table.reserved == .sealed ? .sealed : nil
    place.isRoot = false
    place.name = name
    place.declared = table.declared.flatMap { declared.place(name, in: $0) }
    place.secret = table.secret.flatMap { secrets.place(name, in: $0) }
    if let known = place.declared, declared.isName(known) { place.isDeclared = true }
    if let known = place.secret, secrets.isName(known) { place.isSecret = true }
    return place
  }

  /// Whether the value at a place is hidden as a whole.
  ///
  /// - Parameters:
  ///   - place: The place of the value.
  ///   - kind: The kind of the value.
  ///   - value: Makes the value; called only if the kind does not decide.
  package func hides(_ place: Place, _ kind: HiddenPart.ValueKind, _ value: () -> TOMLValue) -> Bool {
    switch place.reserved {
    case .value where kind != .table && kind != .array, .sealed: return false
    case .locks where kind != .table: return hasSecrets && namesPartOfSecret(value())
    default: break
    }
    if place.isSecret { return true }
    if kind == .table { return false }
    // In the place of a table with a secret.
    if place.secret != nil { return true }
    if place.isDeclared { return false }
    if isCautious, !isEmpty { return true }
    switch kind {
    case .string: return SecretNames.contains(place.name)
    case .array: return Self.soundsSecret(value(), place.name)
    case .table, .other: return false
    }
  }

  /// Whether nothing at or below a place is hidden, so that the values there need no check.
  package func hidesNothing(_ place: Place) -> Bool {
    place.reserved == .sealed || place.isDeclared && place.secret == nil && !place.isSecret
  }

  /// Whether every value in a table is hidden because nobody has declared any of its keys.
  package func hidesAll(in table: Place) -> Bool {
    isCautious && !isEmpty && table.declared == nil && table.secret == nil && !table.isDeclared && !table.isSecret
      && table.reserved != .sealed
  }

  /// Whether a list of locks has the path of something in a secret, or an entry without a path that can be told.
  private func namesPartOfSecret(_ locks: TOMLValue) -> Bool {
    guard case .array(let entries) = locks else { return false }
    return entries.contains { entry in
      guard let path = (try? LockEntry(entry))?.path else { return true }
      return isSecret(path) && path != secret(around: path) ?? TOMLPath([path.components[0]])
    }
  }

  /// Whether a value has a string with a name that says that it is a secret.
  private static func soundsSecret(_ value: TOMLValue, _ name: String) -> Bool {
    switch value {
    case .string: SecretNames.contains(name)
    case .array(let items): items.contains { soundsSecret($0, name) }
    case .table(let table): table.contains { soundsSecret($0.value, $0.key) }
    default: false
    }
  }

  /// Whether a comment is hidden because of its words.
  package func hides(comment: String) -> Bool {
    SecretNames.contains(assignmentIn: comment) { declaredNames.contain($0, of: declared) } || names.hasOne(in: comment)
  }
}

/// The last components of the declared keys.
private final class DeclaredNames: Sendable, Equatable {
  // Protects them: several threads may ask.
  private let names = Lock<Set<ExactKey>?>(nil)

  var areFound: Bool { names.withLock { $0 != nil } }

  func contain(_ name: String, of keys: PathTree) -> Bool {
    names.withLock { names in
      let all = names ?? keys.lastParts
      names = all
      return all.contains(ExactKey(name))
    }
  }

  /// Those of equal keys are equal.
  static func == (_: DeclaredNames, _: DeclaredNames) -> Bool { true }
}
