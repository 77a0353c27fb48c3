public import AppSettings

/// Gives a key or a table another name or place, and moves its comments with it.
///
/// If the old key is absent, nothing happens. If both keys exist, the new key keeps its value, since a newer release
/// wrote it, and the old key is removed. The new key may be below the old one, as in `Rename("font", to: "font.name")`,
/// or the old key below the new one if the table contains nothing else.
public struct Rename: BuiltInStep {
  let old: TOMLPath
  let new: TOMLPath

  /// Creates the step from two dotted keys.
  public init(_ old: String, to new: String) {
    self.old = Self.path(old)
    self.new = Self.path(new)
  }
}

extension Rename: DeclarativeStep {
  package static let word = "rename"
  package var schemaForm: TOMLTable? { ["rename": .key(old), "to": .key(new)] }
  package init(_ form: StepForm) throws {
    old = try form.path("rename")
    new = try form.path("to")
  }

  package func run(in scope: inout MigrationScope) throws {
    guard old != new, scope.contains(old) else { return }
    if old.hasPrefix(new) || !scope.contains(new) {
      try scope.move(from: old, to: new)
    } else if !new.hasPrefix(old) {
      try scope.remove(at: old)
    }
  }
}

/// Moves a key or a table to another place, with its comments.
///
/// This is a ``Rename`` with a choice if both keys exist: with `replacing: true` the moved value wins.
public struct Move: BuiltInStep {
  let old: TOMLPath
  let new: TOMLPath
  private let isReplacing: Bool

  /// Creates the step from two dotted keys.
  ///
  /// - Parameters:
  ///   - old: The key to move.
  ///   - new: The key's new place.
  ///   - replacing: Whether the moved value replaces an existing one. If not, the existing value stays and the old key
  ///     is removed.
  public init(_ old: String, to new: String, replacing: Bool = false) {
    self.old = Self.path(old)
    self.new = Self.path(new)
    isReplacing = replacing
  }
}

extension Move: DeclarativeStep {
  package static let word = "move"
  package var schemaForm: TOMLTable? { ["move": .key(old), "to": .key(new), "replacing": .boolean(isReplacing)] }
  package init(_ form: StepForm) throws {
    old = try form.path("move")
    new = try form.path("to")
    isReplacing = try form.flag("replacing")
  }

  package func run(in scope: inout MigrationScope) throws {
    let isApart = !old.hasPrefix(new) && !new.hasPrefix(old)
    if isReplacing, isApart, scope.contains(old), scope.contains(new) { try scope.remove(at: new) }
    try Rename(old.description, to: new.description).run(in: &scope)
  }
}

/// Copies the value of a key to another key. If the old key is absent or the new one exists, nothing happens.
///
/// To protect memory from steps that copy copies, the migration fails if a value of more than 64 KiB would bring the
/// settings above 8 MiB.
public struct Copy: BuiltInStep {
  let old: TOMLPath
  let new: TOMLPath

  /// Creates the step from two dotted keys.
  public init(_ old: String, to new: String) {
    self.old = Self.path(old)
    self.new = Self.path(new)
  }
}

extension Copy: DeclarativeStep {
  package static let word = "copy"
  package var schemaForm: TOMLTable? { ["copy": .key(old), "to": .key(new)] }
  package init(_ form: StepForm) throws {
    old = try form.path("copy")
    new = try form.path("to")
  }

  package func run(in scope: inout MigrationScope) throws {
    guard let value = scope[old], !scope.contains(new) else { return }
    try scope.checkMade(value.tomlText.utf8.count, at: old)
    try scope.set(value, at: new)
  }
}

/// Removes a key or a table, with its comments.
public struct Remove: BuiltInStep {
  private let key: TOMLPath

  /// Creates the step from a dotted key.
  public init(_ key: String) { self.key = Self.path(key) }
}

extension Remove: DeclarativeStep {
  package static let word = "remove"
  package var schemaForm: TOMLTable? { ["remove": .key(key)] }
  package init(_ form: StepForm) throws { key = try form.path("remove") }
  package func run(in scope: inout MigrationScope) throws { try scope.remove(at: key) }
}

/// Sets a key only if it is absent, so that users of an earlier release keep the old default.
///
/// A new default itself needs no step, since defaults are never stored.
public struct SetDefault: BuiltInStep {
  private let key: TOMLPath
  private let value: TOMLValue

  /// Creates the step from a dotted key and its value.
  public init(_ key: String, _ value: TOMLValue) {
    self.key = Self.path(key)
    self.value = value
  }
}

extension SetDefault: DeclarativeStep {
  package static let word = "set-default"
  package var schemaForm: TOMLTable? { ["set-default": .key(key), "value": value] }
  package init(_ form: StepForm) throws {
    key = try form.path("set-default")
    guard let value = form.table["value"] else { throw form.failure("value", "a value") }
    self.value = value
  }

  package func run(in scope: inout MigrationScope) throws {
    guard !scope.contains(key) else { return }
    try scope.set(value, at: key)
  }
}

/// Moves keys into a table, or replaces a value with a table that contains it. Comments move with the keys.
///
/// `Wrap("width", "height", in: "window")` moves the two keys to `window.width` and `window.height`.
/// `Wrap("font", as: "name")` moves `font` to `font.name`, unless `font` is a table already. Absent keys are skipped.
/// If a key is already in the table, it keeps its value and the old key is removed.
public struct Wrap: BuiltInStep {
  enum Kind {
    case keys([TOMLPath], table: TOMLPath)
    case value(TOMLPath, member: TOMLPath)
  }
  let kind: Kind

  /// Creates the step that moves keys into a table, each under the last part of its name.
  public init(_ keys: String..., in table: String) { kind = .keys(keys.map(Self.path), table: Self.path(table)) }

  /// Creates the step that replaces a value with a table that contains it.
  public init(_ key: String, as member: String) { kind = .value(Self.path(key), member: Self.path(member)) }
}

extension Wrap: DeclarativeStep {
  package static let word = "wrap"
  package var schemaForm: TOMLTable? {
    switch kind {
    case .keys(let keys, let table): ["wrap": .keys(keys), "in": .key(table)]
    case .value(let key, let member): ["wrap": .key(key), "as": .key(member)]
    }
  }
  package init(_ form: StepForm) throws {
    if form.table["as"] != nil {
      kind = .value(try form.path("wrap"), member: try form.path("as"))
    } else {
      kind = .keys(try form.paths("wrap"), table: try form.path("in"))
    }
  }

  package func run(in scope: inout MigrationScope) throws {
    switch kind {
    case .keys(let keys, let table):
      for key in keys {
        try Rename(key.description, to: table.appending(key.last ?? "").description).run(in: &scope)
      }
    case .value(let key, let member):
      guard let value = scope[key], value.table == nil else { return }
      try scope.move(from: key, to: key.appending(member))
    }
  }
}

/// Moves keys out of a table, or replaces a table with its only value. Comments move with the keys.
///
/// `Unwrap("window")` moves everything in the table one level up. `Unwrap("font", taking: "name")` moves `font.name` to
/// `font`, and fails if the table has other keys. A key that already exists on the upper level keeps its value.
public struct Unwrap: BuiltInStep {
  let table: TOMLPath
  let member: TOMLPath?

  /// Creates the step that moves the content of a table one level up.
  public init(_ table: String) {
    self.table = Self.path(table)
    member = nil
  }

  /// Creates the step that replaces a table with one of its values.
  public init(_ table: String, taking member: String) {
    self.table = Self.path(table)
    self.member = Self.path(member)
  }
}

extension Unwrap: DeclarativeStep {
  package static let word = "unwrap"
  package var schemaForm: TOMLTable? {
    var form: TOMLTable = ["unwrap": .key(table)]
    form["taking"] = member.map(TOMLValue.key)
    return form
  }
  package init(_ form: StepForm) throws {
    table = try form.path("unwrap")
    member = form.table["taking"] == nil ? nil : try form.path("taking")
  }

  package func run(in scope: inout MigrationScope) throws {
    if let member {
      try scope.move(from: table.appending(member), to: table)
      return
    }
    guard case .table(let content)? = scope[table] else { return }
    // A key of the table may have the table's own name.
    for key in content.keys where key != table.last {
      try Rename(table.appending(key).description, to: table.parent.appending(key).description).run(in: &scope)
    }
    if let own = table.last, content[own] != nil { try scope.move(from: table.appending(own), to: table) }
    if case .table(let rest)? = scope[table], content[table.last ?? ""] == nil, rest.isEmpty {
      try scope.remove(at: table)
    }
  }
}
