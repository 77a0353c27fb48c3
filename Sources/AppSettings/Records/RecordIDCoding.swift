import SettingsTOML

/// Converts the ids of records to the keys of their tables and back.
///
/// The library writes each id as one text. A file may have another key for the same id, such as a UUID in lower case.
struct RecordIDCoding<ID: Hashable & Sendable>: Sendable {
  /// Returns the table key of an id. Throws as ``SettingsBridge/write(_:)`` does.
  let text: @Sendable (ID) throws -> String
  /// Returns the id of a key. Throws ``SettingsValueError``.
  let id: @Sendable (String) throws -> ID
  /// Returns the stored value of a field that holds the id.
  let stored: @Sendable (ID) -> TOMLValue?
  /// Whether a key that is not written as the library writes it may stand for an id: a UUID in lower case.
  let hasOtherForms: Bool

  /// The key of some id, to try with what else a record needs; `nil` if none is known.
  var sample: String? {
    ["a", "0", "00000000-0000-0000-0000-000000000000"].first { (try? id($0)) != nil }
  }

  /// Makes the coding of ids that can be keys of a dictionary.
  init(serializable type: ID.Type) where ID: SettingsSerializable {
    let keys = DictionaryKeyCoding<ID>()
    let bridge = ID.settingsBridge
    // A string is its own key. Asking each value for its type would cost more than the rest of a read.
    let itself: @Sendable (String) -> String = { $0 }
    text = itself as? @Sendable (ID) -> String ?? { try keys.text($0) }
    id = itself as? @Sendable (String) -> ID ?? { try keys.key($0) }
    stored = { try? bridge.write($0) }
    hasOtherForms = type != String.self
  }

  /// Makes the coding of ids whose text is their description.
  init(lossless type: ID.Type) where ID: LosslessStringConvertible {
    text = { $0.description }
    id = { text in
      guard let id = ID(describedBy: text) else {
        throw SettingsValueError(
          expected: "a key that is a value of type \(ID.self)", foundText: "the key \(TOMLValue.quoted(text))")
      }
      return id
    }
    stored = { id in
      func encode(_ id: some Encodable) -> TOMLValue? { try? ValueEncoder.encodeNested(id) { BridgeContext() } }
      return (id as? any Encodable).flatMap { encode($0) } ?? .string(id.description)
    }
    hasOtherForms = true
  }

  /// Whether a stored field holds a given id.
  func isID(_ value: TOMLValue, _ id: ID) -> Bool {
    if value == stored(id) { return true }
    guard case .string(let text) = value else { return false }
    return (try? self.id(text)) == id
  }
}
