package import SettingsTOML

/// The place where a step works: the whole document, a table in it, or one element of an array of tables.
///
/// Paths are relative to that place, so that ``MigrationStep/forEach(_:_:)`` can apply the same steps to each record.
package struct MigrationScope {
  package enum Place: Sendable {
    /// A table; the root for the whole document.
    case table(TOMLPath)
    /// An element of an array of tables.
    case element(array: TOMLPath, index: Int)
  }

  package var document: TOMLDocument
  package let place: Place
  /// The place in the settings, for errors.
  let origin: SettingsPart
  /// The number of bytes of the settings outside this document, if it is only a part of them.
  package var outside = 0
  /// The rights for importing files; `nil` for those of this process.
  package var importRights: UserRights?
  /// The paths in the document of values that steps have removed or moved.
  private var removed: [TOMLPath] = []

  /// - Parameters:
  ///   - document: The document, which the steps change.
  ///   - place: Where the steps work; by default the whole document.
  ///   - origin: The place in the settings, if the document is only a part of them.
  package init(_ document: TOMLDocument, at place: Place = .table(.root), from origin: SettingsPart? = nil) {
    self.document = document
    self.place = place
    let own =
      switch place {
      case .table(let path): SettingsPart(path: path)
      case .element(let array, let index): SettingsPart(path: array).element(index)
      }
    self.origin = origin ?? own
  }

  /// The value at a path in this place.
  package subscript(path: TOMLPath) -> TOMLValue? {
    switch place {
    case .table(let prefix): return document[prefix.appending(path)]
    case .element(let array, let index):
      guard case .array(let items)? = document[array], items.indices.contains(index),
        case .table(let table) = items[index]
      else { return nil }
      return table[path: path]
    }
  }

  /// Whether there is a value or a table at a path in this place.
  package func contains(_ path: TOMLPath) -> Bool {
    switch place {
    case .table(let prefix): document.contains(prefix.appending(path))
    case .element: self[path] != nil
    }
  }

  /// Sets the value at a path in this place. It gets the comments that would go with an old one.
  ///
  /// - Throws: ``MigrationStepError`` if another value is in the way; `TOMLEditError` if the text would be too large.
  package mutating func set(_ value: TOMLValue, at path: TOMLPath) throws {
    do {
      switch place {
      case .table(let prefix): try document.set(value, at: prefix.appending(path), leavingComments: true)
      case .element(let array, let index):
        try document.set(value, at: path, inElement: index, of: array, leavingComments: true)
      }
    } catch {
      throw placed(error, at: path)
    }
  }

  /// Removes the value at a path in this place. If there is none, nothing happens.
  ///
  /// - Parameter heir: A value that gets its comments; `nil` if they go, too.
  package mutating func remove(at path: TOMLPath, leavingCommentsTo heir: TOMLPath? = nil) throws {
    switch place {
    case .table(let prefix):
      let path = prefix.appending(path)
      if try document.remove(at: path, leavingCommentsTo: heir.map(prefix.appending)) { removed.append(path) }
    case .element(let array, let index):
      try document.remove(at: path, inElement: index, of: array, leavingCommentsTo: heir)
    }
  }

  /// Moves a value between two paths of which neither is at or below the other.
  private mutating func moveApart(from source: TOMLPath, to destination: TOMLPath) throws {
    do {
      switch place {
      case .table(let prefix): try document.move(from: prefix.appending(source), to: prefix.appending(destination))
      case .element(let array, let index):
        try document.move(from: source, to: destination, inElement: index, of: array)
      }
    } catch {
      throw placed(error, at: destination)
    }
  }

  /// The error of an edit; if a value is in between, an error about that value.
  private func placed(_ error: TOMLEditError, at path: TOMLPath) -> any Error {
    guard case .notATable = error.code else { return error }
    for above in path.parent.prefixes {
      guard let value = self[above] else { break }
      if value.table == nil { return self.error(at: above, "\(value.kindName) is where the step needs a table") }
    }
    return error
  }

  /// Moves the value at a path to another path that has none, with its comments, and removes other values, which leave
  /// it theirs. Each of these paths may be above or below the destination: a table is put around the value, or replaced
  /// by it if it holds nothing else.
  ///
  /// - Throws: ``MigrationStepError`` if the table that the value would replace has other keys, or another value is in
  ///   the way; `TOMLEditError` if the text would be too large.
  package mutating func move(
    from source: TOMLPath, to destination: TOMLPath, removing others: [TOMLPath] = []
  ) throws {
    guard contains(source) else { return }
    // What takes the place of a table around it, or makes one there, leaves none behind.
    if case .table(let prefix) = place, !source.isRelated(to: destination) { removed.append(prefix.appending(source)) }
    let related = ([source] + others).filter { $0 != destination && $0.isRelated(to: destination) && contains($0) }
    guard !related.isEmpty else {
      if source != destination { try moveApart(from: source, to: destination) }
      for other in others { try remove(at: other, leavingCommentsTo: destination) }
      return
    }
    // Through a name that no file has, beside the outermost: then a value that goes up or down is renamed by one of
    // the two moves, which leaves its comments where they are, and by neither it becomes the first of the file.
    let outermost = related.reduce(destination) { $1.components.count < $0.components.count ? $1 : $0 }
    let between = outermost.parent.appending("settings-between")
    try moveApart(from: source, to: between)
    for other in others { try remove(at: other, leavingCommentsTo: between) }
    try removeRest(of: destination, around: related.first { $0.hasPrefix(destination) } ?? source, for: between)
    try moveApart(from: between, to: destination)
  }

  /// Removes the table, if there is one, that was around a value and has to make room. Its comments stay, above an heir.
  ///
  /// - Throws: ``MigrationStepError`` if it has other keys.
  mutating func removeRest(of table: TOMLPath, around source: TOMLPath, for heir: TOMLPath) throws {
    guard let rest = self[table] else { return }
    guard rest.leafCount == 0 else { throw error(at: table, "other keys next to '\(source)' would be lost") }
    try remove(at: table, leavingCommentsTo: heir)
  }

  /// An error with the complete place of its subject.
  package func error(at path: TOMLPath, _ reason: String) -> MigrationStepError {
    MigrationStepError(at: origin.appending(path), reason: reason)
  }

  /// Throws if a value that a step makes from others would make the settings too large. Steps that use the results of
  /// others double them each time, and would fill the memory.
  ///
  /// - Parameter size: The size of the value in bytes.
  package func checkMade(_ size: Int, at path: TOMLPath) throws {
    let whole = outside + document.bytes.count + size
    if size > 64 << 10, whole > 8 << 20 {
      throw error(at: path, "the step would make a value of more than 64 KiB in settings of more than 8 MiB")
    }
    if whole > TOMLDocument.maximumSize { throw error(at: path, "the settings would have more than 256 MiB") }
  }

  /// Runs steps on a whole document. If one throws, the document may have changed.
  static func run(
    _ steps: [MigrationStep], on document: inout TOMLDocument, _ importRights: UserRights? = nil
  ) throws {
    var scope = MigrationScope(document)
    scope.importRights = importRights
    // One owner at a time: a document that is held twice is copied at each edit.
    document = TOMLDocument()
    defer { document = scope.document }
    try scope.run(steps)
    try scope.removeEmptied()
  }

  /// Runs steps in this place, in order.
  ///
  /// If one throws, the document keeps the changes of the steps before it; the caller discards it.
  package mutating func run(_ steps: [MigrationStep]) throws {
    for step in steps { try step.content.run(in: &self) }
  }

  /// Removes the tables in this place that the steps have left empty. The steps may fill such a table again, so this
  /// comes after the last of them.
  package mutating func removeEmptied() throws {
    guard case .table(let prefix) = place else { return }
    try document.removeEmptied(above: removed, within: prefix)
    removed = []
  }

  /// Runs code, which works on documents only: it gets one with this place's values, and its changes are set here.
  mutating func run(_ code: (inout TOMLDocument) throws -> Void) throws {
    if case .table(let prefix) = place, prefix.isRoot { return try code(&document) }
    guard case .table(let table)? = self[.root] else { return }
    var copy = TOMLDocument()
    try copy.set(.table(table), at: .root)
    try code(&copy)
    let result = copy.root
    guard result != table else { return }
    try set(.table(result), at: .root)
  }
}

extension TOMLValue {
  /// The number of values that are not tables.
  var leafCount: Int {
    guard case .table(let table) = self else { return 1 }
    return table.reduce(0) { $0 + $1.value.leafCount }
  }
}

/// Where something is in the settings: the path of a value, and in an array the way from there to a part of it.
package struct SettingsPart: Sendable, Hashable, CustomStringConvertible {
  package var path: TOMLPath
  /// Keys of tables, and elements of arrays as `[3]`.
  package var part: [String] = []

  func appending(_ more: TOMLPath) -> SettingsPart {
    var result = self
    if part.isEmpty { result.path = path.appending(more) } else { result.part += more.components }
    return result
  }

  func element(_ index: Int) -> SettingsPart { SettingsPart(path: path, part: part + ["[\(index)]"]) }

  /// The place as text: `servers[1].port`.
  package var description: String { SettingsValueError.text(of: path.components + part) }
}

/// A step that reads another file. A store without a file of its own runs its migrations if that file exists.
package protocol ImportingStep: StepContent {
  /// Returns whether there is something to import.
  ///
  /// - Parameter rights: The rights for reading it; `nil` for those of this process.
  func hasSource(_ rights: UserRights?) -> Bool
}

extension SettingsMigrations {
  /// Whether a step imports a file that exists.
  package var hasSomethingToImport: Bool {
    migrations.contains { migration in
      migration.steps.contains { ($0.content as? any ImportingStep)?.hasSource(importRights) ?? false }
    }
  }
}
