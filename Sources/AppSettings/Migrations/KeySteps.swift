import SettingsTOML

/// Gives a key another name. If a key has that name already, it keeps its value, and the old key is removed, unless the
/// step replaces it; see ``MigrationStep/rename(_:to:replacing:)``. In a schema file its word may be `move`, too.
struct RenameStep {
  let old: TOMLPath
  let new: TOMLPath
  var isReplacing = false
}

extension RenameStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    var form: TOMLTable = ["rename": .key(old), "to": .key(new)]
    if isReplacing { form["replacing"] = true }
    return form
  }
  init(_ form: StepForm) throws {
    old = try form.path(form.word)
    new = try form.path("to")
    isReplacing = try form.flag("replacing")
  }

  func run(in scope: inout MigrationScope) throws {
    guard old != new, scope.contains(old) else { return }
    if isReplacing, !old.isRelated(to: new), scope.contains(new) { try scope.remove(at: new) }
    if old.hasPrefix(new) || !scope.contains(new) {
      try scope.move(from: old, to: new)
    } else if !new.hasPrefix(old) {
      try scope.remove(at: old)
    }
  }
}

/// Copies a value; see ``MigrationStep/copy(_:to:)``.
struct CopyStep {
  let old: TOMLPath
  let new: TOMLPath
}

extension CopyStep: DeclarativeStep {
  var schemaForm: TOMLTable? { ["copy": .key(old), "to": .key(new)] }
  init(_ form: StepForm) throws {
    old = try form.path("copy")
    new = try form.path("to")
  }

  func run(in scope: inout MigrationScope) throws {
    guard let value = scope[old], !scope.contains(new) else { return }
    try scope.checkMade(value.tomlText.utf8.count, at: old)
    try scope.set(value, at: new)
  }
}

/// Removes a key; see ``MigrationStep/remove(_:)``.
struct RemoveStep {
  let key: TOMLPath
}

extension RemoveStep: DeclarativeStep {
  var schemaForm: TOMLTable? { ["remove": .key(key)] }
  init(_ form: StepForm) throws { key = try form.path("remove") }
  func run(in scope: inout MigrationScope) throws { try scope.remove(at: key) }
}

/// Sets an absent key; see ``MigrationStep/setDefault(_:_:)``.
struct SetDefaultStep {
  let key: TOMLPath
  let value: TOMLValue
}

extension SetDefaultStep: DeclarativeStep {
  var schemaForm: TOMLTable? { ["set-default": .key(key), "value": value] }
  init(_ form: StepForm) throws {
    key = try form.path("set-default")
    guard let value = form["value"] else { throw form.failure("value", "a value") }
    self.value = value
  }

  func run(in scope: inout MigrationScope) throws {
    guard !scope.contains(key) else { return }
    try scope.set(value, at: key)
  }
}

/// Moves keys into a table, or puts a table around a value; see ``MigrationStep/wrap(_:in:)`` and
/// ``MigrationStep/wrap(_:as:)``.
struct WrapStep {
  /// What the step wraps.
  enum Kind {
    case keys([TOMLPath], table: TOMLPath)
    case value(TOMLPath, member: TOMLPath)
  }
  let kind: Kind
}

extension WrapStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    switch kind {
    case .keys(let keys, let table): ["wrap": .keys(keys), "in": .key(table)]
    case .value(let key, let member): ["wrap": .key(key), "as": .key(member)]
    }
  }
  init(_ form: StepForm) throws {
    if form["as"] != nil {
      kind = .value(try form.path("wrap"), member: try form.path("as"))
    } else {
      kind = .keys(try form.paths("wrap"), table: try form.path("in"))
    }
  }

  func run(in scope: inout MigrationScope) throws {
    switch kind {
    case .keys(let keys, let table):
      // A key that is the table or is around it goes first: it would take the others along. If the table is there, it
      // holds what it was put around.
      let isDone = scope[table]?.table != nil
      let around = isDone ? [] : keys.filter { table.hasPrefix($0) }
      for key in around + keys.filter({ !table.hasPrefix($0) }) {
        try RenameStep(old: key, new: table.appending(key.last ?? "")).run(in: &scope)
      }
    case .value(let key, let member):
      guard let value = scope[key], value.table == nil else { return }
      try scope.move(from: key, to: key.appending(member))
    }
  }
}

/// Moves the content of a table one level up; see ``MigrationStep/unwrap(_:taking:)``.
struct UnwrapStep {
  let table: TOMLPath
  let member: TOMLPath?
}

extension UnwrapStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    var form: TOMLTable = ["unwrap": .key(table)]
    form["taking"] = member.map(TOMLValue.key)
    return form
  }
  init(_ form: StepForm) throws {
    table = try form.path("unwrap")
    member = form["taking"] == nil ? nil : try form.path("taking")
  }

  func run(in scope: inout MigrationScope) throws {
    if let member {
      try scope.move(from: table.appending(member), to: table)
      return
    }
    guard case .table(let content)? = scope[table] else { return }
    let places = content.keys.filter { $0 != table.last }.map {
      (old: table.appending($0), new: table.parent.appending($0))
    }
    let heir = (places.first { !scope.contains($0.new) } ?? places.first)?.new
    for place in places { try RenameStep(old: place.old, new: place.new).run(in: &scope) }
    // A key of the table may have the table's own name.
    if let own = table.last, content[own] != nil { try scope.move(from: table.appending(own), to: table) }
    if case .table(let rest)? = scope[table], content[table.last ?? ""] == nil, rest.isEmpty {
      try scope.remove(at: table, leavingCommentsTo: heir)
    }
  }
}
