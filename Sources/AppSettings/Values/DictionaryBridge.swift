extension Dictionary: SettingsSerializable where Key: SettingsSerializable, Value: SettingsSerializable {
  /// Stores the dictionary as a table.
  ///
  /// Keys may have any type that is stored as a string, an integer, a number, a boolean or a date: strings, integers,
  /// enumerations with raw values, characters, decimal numbers, UUIDs, URLs. A `LosslessStringConvertible` type can be
  /// a key even if its values are stored as tables.
  ///
  /// A dictionary has exactly the entries that are stored: a key's default adds none. Two keys in the file with the
  /// same meaning, such as a UUID in lower and in upper case, make it unreadable.
  ///
  /// ```swift
  /// static let shortcuts = SettingsKey("shortcuts", default: ["save": "Ctrl+S"])
  /// ```
  public static var settingsBridge: SettingsBridge<[Key: Value]> { Value.settingsBridge.dictionary(Key.self) }
}

extension SettingsBridge {
  /// A bridge for dictionaries with this bridge's values, for a key with its own bridge.
  ///
  /// Entries are written in the order of the text of their keys.
  ///
  /// ```swift
  /// static let drafts = SettingsKey(
  ///   "drafts", default: [:], bridge: SettingsBridge<Draft>.codable(over: Draft()).dictionary(UUID.self))
  /// ```
  ///
  /// - Parameter key: The type of the keys; by default, `String`.
  public func dictionary<Key: SettingsSerializable & Hashable>(_ key: Key.Type = String.self) -> SettingsBridge<
    [Key: Value]
  > {
    SettingsBridge<[Key: Value]>(DictionaryCore(core))
  }
}

/// The bridge of dictionaries.
private final class DictionaryCore<Key: SettingsSerializable & Hashable, Entry>: BridgeCore {
  private let entry: any BridgeCore<Entry>
  private let keys = DictionaryKeyCoding<Key>()

  init(_ entry: any BridgeCore<Entry>) { self.entry = entry }

  var expectation: Expectation { entry.expectation.table }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    var type = SchemaType.table(of: entry.schemaType(sample?.firstElement))
    type.ids = .ids(Key.settingsBridge.core.schemaType(nil))
    return type
  }

  var isAsStored: Bool { true }
  // A key may be written in other ways than its own, as a UUID in small letters.
  var knowsParts: Bool { entry.knowsParts || Key.self != String.self }
  var hasOneForm: Bool { entry.hasOneForm && Key.self == String.self }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> [Key: Entry] {
    guard case .table(let table) = stored else { throw SettingsValueError(expected: expectation.one, found: stored) }
    let outer = context.over(nil)
    let tracksPath = entry.knowsParts
    var entries: [Key: Entry] = [:]
    entries.reserveCapacity(table.count)
    for (text, stored) in table {
      try at([text]) {
        let value = try entry.read(stored, tracksPath ? outer.appending(key: text) : outer)
        guard entries.updateValue(value, forKey: try keys.key(text)) == nil else {
          throw SettingsValueError(key: text, expected: "a key that differs from those before it")
        }
      }
    }
    return entries
  }

  func readJSON(from decoder: any Decoder) throws -> [Key: Entry] {
    var entries: [Key: Entry] = [:]
    try entry.readJSONEntries(from: decoder, by: keys) { entries[$0] = $1 }
    return entries
  }

  func write(_ entries: [Key: Entry], _ context: BridgeContext) throws -> TOMLValue? {
    let outer = context.over(nil)
    let tracksPath = entry.knowsParts
    var written: [(text: String, value: TOMLValue)] = []
    written.reserveCapacity(entries.count)
    for (key, value) in entries {
      let text = try keys.text(key)
      try at([text]) {
        let stored = try entry.write(value, tracksPath ? outer.appending(key: text) : outer)
        guard let stored else { throw SettingsValueError(nilInPlaceOf: entry.expectation.one) }
        written.append((text, stored))
      }
    }
    written.sort { $0.text < $1.text }
    var table = TOMLTable()
    for (text, value) in written {
      guard table[text] == nil else {
        throw SettingsValueError(expected: "keys that differ", foundText: "the key \(TOMLValue.quoted(text)) twice")
      }
      table[text] = value
    }
    return .table(table)
  }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    guard case .table(let table) = written else { return .whole }
    var entries: [String: KnownFields] = [:]
    for (key, value) in table { entries[key] = entry.knowsParts ? entry.knownFields(of: value, context) : .whole }
    guard Key.self != String.self else { return .entries(entries) }
    return .entries(entries, ownKey: { [keys] text in try? keys.text(keys.key(text)) })
  }
}

/// Converts a dictionary's keys, and the ids of records, to the keys of a table: the text of their stored form.
struct DictionaryKeyCoding<Key: SettingsSerializable>: Sendable {
  private let bridge = Key.settingsBridge

  /// The text of a key in the file: that of its stored form or, if it is stored as something else than a string, a
  /// number, a boolean or a date, its description.
  ///
  /// - Throws: ``SettingsValueError`` if neither is possible.
  func text(_ key: Key) throws -> String {
    if let string = key as? String { return string }
    switch try bridge.write(key) {
    case .string(let string): return string
    case .integer(let integer): return String(integer)
    case .float(let float): return String(float)
    case .boolean(let boolean): return String(boolean)
    case .offsetDateTime(let date): return TOMLValue.offsetDateTime(date).tomlText
    default:
      if let key = key as? any LosslessStringConvertible { return key.description }
      throw SettingsValueError(expected: "a key that can be written as text", foundText: "one of type \(Key.self)")
    }
  }

  /// The key that a text in the file stands for, read as a string or else as a number, a boolean, a date or a
  /// description.
  ///
  /// - Throws: ``SettingsValueError`` about the key, not its value.
  func key(_ text: String) throws -> Key {
    if let key = text as? Key { return key }
    do {
      return try bridge.read(.string(text))
    } catch let error as SettingsValueError {
      if let key = otherForms(text) { return key }
      throw SettingsValueError(key: text, expected: bridge.core.expectation.key.one, reason: error.reason)
    }
  }

  /// Returns the key whose stored form is a number, boolean or date with exactly this text: `1`, but not `01`. A type
  /// whose description has such a form, such as a version `1.2`, reads the text itself.
  private func otherForms(_ text: String) -> Key? {
    for stored in TableKeyForms.stored(text) { if let key = try? bridge.read(stored) { return key } }
    // The initialiser of `Character` traps on a text of two characters. Its bridge has already read all valid texts.
    guard Key.self != Character.self, let type = Key.self as? any LosslessStringConvertible.Type else { return nil }
    // Numbers accept more forms than their one description.
    guard let key = type.init(describedBy: text), key.description == text else { return nil }
    return key as? Key
  }
}

/// Converts table keys to stored values other than strings.
enum TableKeyForms {
  /// Returns the number, boolean or date that is written exactly like a text: `1`, but not `01`.
  static func stored(_ text: String) -> [TOMLValue] {
    if let integer = Int64(text) { return String(integer) == text ? [.integer(integer)] : [] }
    if let float = Double(text) { return String(float) == text ? [.float(float)] : [] }
    if let boolean = Bool(text) { return [.boolean(boolean)] }
    if case .offsetDateTime(let date)? = try? TOMLValue(parsing: text) { return [.offsetDateTime(date)] }
    return []
  }
}
