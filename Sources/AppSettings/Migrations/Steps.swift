public import SettingsTOML

/// A step that a schema file can hold, so that `settings-cli migrate` can run it.
package protocol DeclarativeStep: MigrationStep {
  /// The step's word in a schema file.
  static var word: String { get }
  /// The step as a table: its word with the key, and what else it needs.
  var schemaForm: TOMLTable { get }
  init(schemaForm: TOMLTable) throws
}

extension DeclarativeStep {
  /// A member of the step's table that has to be a dotted key.
  fileprivate static func path(_ member: String, of table: TOMLTable) throws -> TOMLPath {
    guard case .string(let text)? = table[member] else {
      throw MigrationStepError(path: [member], reason: "the step '\(word)' needs a key as a string")
    }
    return try TOMLPath(parsing: text)
  }
}

extension MigrationStep {
  /// A path that the programmer wrote; trap if it is none.
  fileprivate static func path(_ text: String) -> TOMLPath {
    do {
      return try TOMLPath(parsing: text)
    } catch {
      preconditionFailure("Invalid key '\(text)' in a migration: \(error)")
    }
  }
}

/// Gives a key or a table another name or place; its comments go along.
///
/// Nothing happens where the old key is absent. Where both are there the new one stands, since something newer wrote
/// it, and the old one is removed.
public struct Rename: MigrationStep {
  private let old: TOMLPath
  private let new: TOMLPath

  /// Makes the step from two dotted keys.
  public init(_ old: String, to new: String) {
    self.old = Self.path(old)
    self.new = Self.path(new)
  }

  /// Takes the step; see the type.
  public func run(on document: inout TOMLDocument) throws {
    guard document.contains(old) else { return }
    if document.contains(new) {
      try document.remove(at: old)
    } else {
      try document.move(from: old, to: new)
    }
  }
}

/// Removes a key or a table, with its comments.
public struct Remove: MigrationStep {
  private let key: TOMLPath

  /// Makes the step from a dotted key.
  public init(_ key: String) { self.key = Self.path(key) }

  /// Takes the step; see the type.
  public func run(on document: inout TOMLDocument) throws { try document.remove(at: key) }
}

/// Replaces the values of a key by others: `MapValues("level", ["hi": 3, "lo": 1])`.
///
/// A value without an entry stays as it is.
public struct MapValues: MigrationStep {
  private let key: TOMLPath
  private let map: [TOMLValue: TOMLValue]

  /// Makes the step from a dotted key and a table of old and new values.
  public init(_ key: String, _ map: KeyValuePairs<TOMLValue, TOMLValue>) {
    self.key = Self.path(key)
    self.map = Dictionary(map.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  /// Takes the step; see the type.
  public func run(on document: inout TOMLDocument) throws {
    guard let value = document[key], let new = map[value] else { return }
    try document.set(new, at: key)
  }
}

/// Replaces a string that holds JSON by the native value: `"[\"a\"]"` becomes `["a"]`.
///
/// Objects become tables, `null` members are left out. A value that is no string is native already and stays, so that
/// running this twice, or after someone has mended half the keys by hand, does no harm. A string that is not JSON
/// makes the migration fail.
public struct DecodeJSONString: MigrationStep {
  private let key: TOMLPath

  /// Makes the step from a dotted key.
  public init(_ key: String) { self.key = Self.path(key) }

  /// Takes the step; see the type.
  public func run(on document: inout TOMLDocument) throws {
    guard case .string(let text)? = document[key] else { return }
    guard let value = try JSONText.value(of: text, at: key) else {
      try document.remove(at: key)
      return
    }
    try document.set(value, at: key)
  }
}

/// Runs code on the document.
struct RunCode: MigrationStep {
  private let body: @Sendable (inout TOMLDocument) throws -> Void

  init(_ body: @escaping @Sendable (inout TOMLDocument) throws -> Void) { self.body = body }

  func run(on document: inout TOMLDocument) throws { try body(&document) }
}

extension Rename: DeclarativeStep {
  package static let word = "rename"
  package var schemaForm: TOMLTable { ["rename": .string(old.description), "to": .string(new.description)] }
  package init(schemaForm table: TOMLTable) throws {
    old = try Self.path("rename", of: table)
    new = try Self.path("to", of: table)
  }
}

extension Remove: DeclarativeStep {
  package static let word = "remove"
  package var schemaForm: TOMLTable { ["remove": .string(key.description)] }
  package init(schemaForm table: TOMLTable) throws {
    key = try Self.path("remove", of: table)
  }
}

extension MapValues: DeclarativeStep {
  package static let word = "map-values"
  package var schemaForm: TOMLTable {
    [
      "map-values": .string(key.description),
      "values": .array(map.map { .array([$0.key, $0.value]) }.sorted { $0.tomlText < $1.tomlText }),
    ]
  }
  package init(schemaForm table: TOMLTable) throws {
    key = try Self.path("map-values", of: table)
    guard case .array(let pairs)? = table["values"] else {
      throw MigrationStepError(path: ["values"], reason: "the step 'map-values' needs an array of pairs [old, new]")
    }
    var map: [TOMLValue: TOMLValue] = [:]
    for pair in pairs {
      guard case .array(let both) = pair, both.count == 2 else {
        throw MigrationStepError(path: ["values"], reason: "\(pair.tomlText) is not a pair [old, new]")
      }
      map[both[0]] = both[1]
    }
    self.map = map
  }
}

extension DecodeJSONString: DeclarativeStep {
  package static let word = "decode-json"
  package var schemaForm: TOMLTable { ["decode-json": .string(key.description)] }
  package init(schemaForm table: TOMLTable) throws {
    key = try Self.path("decode-json", of: table)
  }
}
