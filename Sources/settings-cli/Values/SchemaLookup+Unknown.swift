import AppSettings
import AppSettingsSchema
import Synchronization

extension SchemaLookup {
  /// Whether the schema has a key at, above or below a path; always `true` if it lists no keys or is missing.
  func knows(_ path: TOMLPath) -> Bool {
    guard !keys.isEmpty else { return true }
    guard let key = key(around: path) else { return !keys(below: path).isEmpty }
    let name = key.paths.first { path.hasPrefix($0) } ?? key.path
    return key.type.mayHave(Self.rest(of: path, below: name).components)
  }

  // A suggestion compares a text with every key, and a file may have many unknown ones: a process makes no more than a
  // check.
  private static let suggestions = Atomic<Int>(0)
  private static let suggestionLimit = 100

  // Protects what suggestions are made from. A process has one target.
  private static let unknownKey = Mutex<UnknownKey?>(nil)

  /// The key that was probably meant.
  func suggestion(for path: TOMLPath) -> TOMLPath? {
    guard Self.suggestions.add(1, ordering: .relaxed).oldValue < Self.suggestionLimit else { return nil }
    return Self.unknownKey.withLock { known in
      let unknownKey = known ?? UnknownKey(among: keys)
      known = unknownKey
      return unknownKey.suggestion(for: path, around: key(around: path))
    }
  }

  /// Throws if the schema does not list a key.
  ///
  /// - Parameter advice: What else the user can do, as a sentence.
  /// - Throws: ``Failure`` with status 3 and a suggestion.
  func checkKnown(_ path: TOMLPath, advice: String? = nil) throws {
    guard !knows(path) else { return }
    throw unknown(path, advice)
  }

  private func unknown(_ path: TOMLPath, _ advice: String?) -> Failure {
    if let single = singleValue(above: path) {
      return Failure(
        .unknown, "Unknown key '\(path)': '\(single.path)' is \(single.type.expected) and has no keys in it.")
    }
    let names = schema.map { " 'settings-cli list \($0.app) --names' lists the keys." } ?? ""
    let hint = suggestion(for: path).map { " Did you mean '\(UnknownKey.text(of: $0))'?" } ?? names
    return Failure(.unknown, "Unknown key '\(UnknownKey.text(of: path))'.\(hint)\(advice.map { " \($0)" } ?? "")")
  }

  /// Throws if a value to be stored has something in it that the schema does not list.
  ///
  /// - Throws: ``Failure`` with status 3 and a suggestion.
  func checkKnown(in value: TOMLValue, at path: TOMLPath, advice: String) throws {
    if let type = type(of: path) {
      let place = type.unknownFields(in: value).first
      if let place { throw unknown(path.appending(TOMLPath(place)), advice) }
      return
    }
    var leaves: [TOMLPath] = []
    path.collectDifferences(nil, value, into: &leaves)
    if let leaf = leaves.first(where: { !knows($0) }) { throw unknown(leaf, advice) }
  }
}
