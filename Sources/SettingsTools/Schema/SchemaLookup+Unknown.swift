package import AppSettings
import AppSettingsSchema
import Synchronization

extension SchemaLookup {
  /// Whether the schema has a key at, above or below a path; always `true` if it lists no keys or is missing.
  package func knows(_ path: TOMLPath) -> Bool {
    guard !keys.isEmpty else { return true }
    guard let (key, _, part) = place(of: path) else { return !keys(below: path).isEmpty }
    return key.type.mayHave(part.components)
  }

  /// The key that was probably meant.
  package func suggestion(for path: TOMLPath) -> TOMLPath? {
    meant.key(for: path, around: key(around: path), among: keys)
  }

  /// Throws if the schema does not list a key.
  ///
  /// - Parameter advice: What else the user can do, as a sentence.
  /// - Throws: ``ToolError`` with status 3 and a suggestion.
  package func checkKnown(_ path: TOMLPath, advice: String? = nil) throws {
    guard !knows(path) else { return }
    throw unknown(path, advice)
  }

  private func unknown(_ path: TOMLPath, _ advice: String?) -> ToolError {
    let advice = advice.map { " \($0)" } ?? ""
    if partOfSecret(path) > 0 {
      return ToolError(.unknown, UnknownKey.message(inSecret: withoutSecretNames(path)) + advice)
    }
    if let single = singleValue(above: path) {
      return ToolError(
        .unknown, "Unknown key '\(path)': '\(single.path)' is \(single.type.expected) and has no keys in it.")
    }
    let names = schema.map { " 'settings-cli list \($0.app) --names' lists the keys." } ?? ""
    let hint = suggestion(for: path).map { " Did you mean '\(UnknownKey.text(of: $0))'?" } ?? names
    return ToolError(.unknown, "Unknown key '\(UnknownKey.text(of: path))'.\(hint)\(advice)")
  }

  /// Throws if a value to be stored has something in it that the schema does not list.
  ///
  /// - Throws: ``ToolError`` with status 3 and a suggestion.
  package func checkKnown(in value: TOMLValue, at path: TOMLPath, advice: String?) throws {
    if let type = type(of: path) { return try checkFields(of: type, in: value, at: path, advice) }
    var leaves: [TOMLPath] = []
    path.collectDifferences(nil, value, into: &leaves)
    if let leaf = leaves.first(where: { !knows($0) }) { throw unknown(leaf, advice) }
  }

  /// Throws if an element to be stored has something in it that the schema does not list.
  ///
  /// - Parameter index: Its place in the array.
  package func checkKnown(in element: TOMLValue, at index: Int, of path: TOMLPath, advice: String?) throws {
    guard let type = type(of: path)?.element else { return }
    try checkFields(of: type, in: element, at: path.appending("[\(index)]"), advice)
  }

  private func checkFields(of type: SchemaType, in value: TOMLValue, at path: TOMLPath, _ advice: String?) throws {
    if let place = type.unknownFields(in: value).first { throw unknown(path.appending(TOMLPath(place)), advice) }
  }
}

/// The keys that were probably meant by unknown ones.
///
/// To find one means to compare a text with every key, and a file may have many unknown ones: no more are found than
/// somebody reads.
final class MeantKeys: Sendable {
  private static let most = 100

  // Protects what they are found with, and how many were looked for.
  private let state = Mutex<(unknownKey: UnknownKey?, count: Int)>((nil, 0))

  package func key(for path: TOMLPath, around key: SchemaKey?, among keys: [SchemaKey]) -> TOMLPath? {
    state.withLock { state in
      guard state.count < Self.most else { return nil }
      state.count += 1
      let unknownKey = state.unknownKey ?? UnknownKey(among: keys)
      state.unknownKey = unknownKey
      return unknownKey.suggestion(for: path, around: key)
    }
  }
}
