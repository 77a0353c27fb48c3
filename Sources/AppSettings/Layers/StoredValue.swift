package import SettingsTOML

/// The stored value of a key over all layers.
///
/// It is not decoded: until a key's type is known, an override is a text.
package enum StoredValue: Sendable {
  /// No layer has a value.
  case absent
  case value(TOMLValue)
  /// The text of an override, to be read as the key's type, and what the files have.
  case text(String, over: TOMLValue? = nil)

  init(_ overlay: SettingsSnapshot.Overlay) {
    if let text = overlay.text {
      self = .text(text, over: overlay.former)
    } else if let value = overlay.value {
      self = .value(value)
    } else {
      self = .absent
    }
  }

  /// The value at a path, for code that knows no key.
  package init(at path: TOMLPath, in snapshot: SettingsSnapshot) { self.init(snapshot.overlay(of: path)) }

  /// The possible TOML values, the most likely first; empty if there is none.
  package var candidates: [TOMLValue] {
    switch self {
    case .absent: []
    case .value(let value): [value]
    case .text(let text, let former): SettingsOverrides.candidates(for: text, like: former)
    }
  }

  /// The value as TOML, as far as it is known without a type.
  package var value: TOMLValue? {
    if case .value(let value) = self { value } else { candidates.first }
  }

  /// The value in the form that a key reads; `nil` if nothing is stored.
  ///
  /// - Throws: As ``decoded(by:)``.
  package func form(readBy key: AnySettingsKey) throws(SettingsValueError) -> TOMLValue? {
    let candidates = candidates
    guard let first = candidates.first else { return nil }
    for candidate in candidates where key.canRead(candidate) { return candidate }
    try key.check(first)
    return first
  }

  /// Decodes the value as a key's type; `nil` if there is none.
  ///
  /// For an override, this is the first reading that the key accepts.
  ///
  /// - Throws: ``SettingsValueError`` if the key accepts no reading.
  package func decoded<Value>(by key: SettingsKey<Value>) throws(SettingsValueError) -> Value? {
    switch self {
    case .absent: return nil
    case .value(let value): return try key.decode(value)
    case .text:
      let candidates = candidates
      for candidate in candidates { if let value = try? key.decode(candidate) { return value } }
      return try key.decode(candidates[0])
    }
  }
}
