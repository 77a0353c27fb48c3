package import SettingsTOML
import FoundationEssentials

extension JSONText {
  /// The JSON that a string holds, as text or as data in Base64; `nil` if it holds none.
  package static func embedded(in text: String) -> String? {
    if isJSON(text) { return text }
    // Base64 of the shortest JSON has four characters, and that of an object or an array begins with one of these.
    guard text.utf8.count >= 4, let data = Data(base64Encoded: text),
      let decoded = String(validating: data, as: UTF8.self), isJSON(decoded)
    else { return nil }
    return decoded
  }

  /// The texts of JSON that a stored value may stand for, where strings in it that hold JSON are what they hold; none
  /// if there is no such string.
  ///
  /// A string such as `5` may be a string beside others that are JSON: it is first taken for one.
  ///
  /// - Returns: At most two texts: first one that replaces only strings that hold an array, an object or a string, then
  ///   one that replaces all strings that hold JSON.
  package static func embedded(in stored: TOMLValue) -> [String] {
    var found: [String] = []
    for takes in [{ $0.withoutBlanks.first.map("[{\"".contains) ?? false }, { _ in true }] as [(String) -> Bool] {
      var isThere = false
      let whole = text(of: stored) { string in
        guard let json = embedded(in: string), takes(json) else { return quoted(string) }
        isThere = true
        return json
      }
      if let whole, isThere, found.last != whole { found.append(whole) }
    }
    return found
  }

  /// Whether a text is JSON, even if TOML cannot hold its value.
  private static func isJSON(_ text: String) -> Bool {
    do throws(Failure) {
      _ = try value(of: text)
      return true
    } catch {
      return !error.isSyntax
    }
  }
}
