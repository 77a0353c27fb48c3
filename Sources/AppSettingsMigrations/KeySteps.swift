public import AppSettings

/// Gives a key or a table another name or place; its comments go along.
///
/// Nothing happens where the old key is absent. Where both are there the new one stands, since something newer wrote
/// it, and the old one is removed. The new key may be below the old one, `Rename("font", to: "font.name")`, and the
/// other way round if the table has nothing else.
public struct Rename: BuiltInStep {
  let old: TOMLPath
  let new: TOMLPath

  /// Makes the step from two dotted keys.
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

/// Moves a key or a table to another place; its comments go along.
///
/// As ``Rename``, with a choice for where both are there: `replacing: true` lets the moved one win.
public struct Move: BuiltInStep {
  let old: TOMLPath
  let new: TOMLPath
  private let isReplacing: Bool

  /// Makes the step from two dotted keys.
  ///
  /// - Parameters:
  ///   - old: The key to move.
  ///   - new: Where it is afterwards.
  ///   - replacing: Whether it takes the place of what is there; else that stands and the old one is removed.
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

/// Sets a key to the value of another, which stays. Nothing happens where the old key is absent or the new one is there.
///
/// The migration fails for a value of more than 64 KiB in settings that would have more than 8 MiB with it: steps that
/// copy what others have copied would fill the memory.
public struct Copy: BuiltInStep {
  let old: TOMLPath
  let new: TOMLPath

  /// Makes the step from two dotted keys.
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

  /// Makes the step from a dotted key.
  public init(_ key: String) { self.key = Self.path(key) }
}

extension Remove: DeclarativeStep {
  package static let word = "remove"
  package var schemaForm: TOMLTable? { ["remove": .key(key)] }
  package init(_ form: StepForm) throws { key = try form.path("remove") }
  package func run(in scope: inout MigrationScope) throws { try scope.remove(at: key) }
}

/// Sets a key that is absent: for users of an earlier release, whose default is to stay what it was.
///
/// A default itself needs no step, since it is never stored.
public struct SetDefault: BuiltInStep {
  private let key: TOMLPath
  private let value: TOMLValue

  /// Makes the step from a dotted key and its value.
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

/// Puts keys into a table, or a table around a value; comments go along.
///
/// `Wrap("width", "height", in: "window")` makes `window.width` and `window.height` of the two.
/// `Wrap("font", as: "name")` makes `font.name` of `font`, unless `font` is a table already.
/// Absent keys are left out; where a key is in the table already, that one stands and the old one is removed.
public struct Wrap: BuiltInStep {
  enum Kind {
    case keys([TOMLPath], table: TOMLPath)
    case value(TOMLPath, member: TOMLPath)
  }
  let kind: Kind

  /// Makes the step that puts keys into a table, each under the last part of its name.
  public init(_ keys: String..., in table: String) { kind = .keys(keys.map(Self.path), table: Self.path(table)) }

  /// Makes the step that puts a table around a value.
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

/// Takes keys out of a table, or a value out of the table around it; comments go along.
///
/// `Unwrap("window")` moves everything in the table one level up. `Unwrap("font", taking: "name")` makes `font` of
/// `font.name`, and fails if there are other keys in the table.
/// Where a key is on the level above already, that one stands.
public struct Unwrap: BuiltInStep {
  let table: TOMLPath
  let member: TOMLPath?

  /// Makes the step that moves all that is in a table one level up.
  public init(_ table: String) {
    self.table = Self.path(table)
    member = nil
  }

  /// Makes the step that takes a value out of the table around it.
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
    // The table's own name may be one of its keys'.
    for key in content.keys where key != table.last {
      try Rename(table.appending(key).description, to: table.parent.appending(key).description).run(in: &scope)
    }
    if let own = table.last, content[own] != nil { try scope.move(from: table.appending(own), to: table) }
    if case .table(let rest)? = scope[table], content[table.last ?? ""] == nil, rest.isEmpty {
      try scope.remove(at: table)
    }
  }
}
