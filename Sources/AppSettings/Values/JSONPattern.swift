import SettingsTOML

/// The regular expressions of JSON Schema: those of ECMA-262. Each editor reads them with a library of its own.
///
/// A JSON Schema states a constraint's pattern only if all libraries read it in the same way. Otherwise an editor might
/// refuse what the app accepts, or accept what the app refuses.
package enum JSONPattern {
  /// Whether a pattern has the same meaning in Swift and in such libraries, except for what each counts as a character.
  ///
  /// This is true of literal characters, `.`, character classes and ranges, groups, `|` and greedy or lazy repetitions.
  package static func isCommon(_ pattern: String) -> Bool {
    guard SettingsPattern(pattern).fault == nil, pattern.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return false }
    var rest = pattern[...]
    var isInClass = false
    while let character = rest.popFirst() {
      switch character {
      case "\\":
        // Each library defines escaped letters and digits in its own way.
        guard let next = rest.popFirst(), !next.isLetter, !next.isNumber else { return false }
      case "[":
        if isInClass { return false }
        isInClass = true
        if rest.first == "^" { rest.removeFirst() }
        if rest.first == "]" { return false }
      case "]" where isInClass: isInClass = false
      case "&", "~", "-":
        // Some libraries read these as operations on classes.
        if isInClass, rest.first == character { return false }
      case "(" where !isInClass && rest.first == "?":
        guard rest.hasPrefix("?:") else { return false }
      case "(" where !isInClass && rest.first == "*": return false
      case "{" where !isInClass:
        guard let end = rest.firstIndex(of: "}"), let first = rest.first, first.isNumber,
          rest[..<end].allSatisfy({ $0.isNumber || $0 == "," })
        else { return false }
        rest = rest[rest.index(after: end)...]
        if rest.first == "+" { return false }
      case "}" where !isInClass, "]": return false
      case "^" where !isInClass, "$" where !isInClass: return false
      case "*" where !isInClass, "+" where !isInClass, "?" where !isInClass:
        if rest.first == "+" { return false }
      default: break
      }
    }
    return !isInClass
  }

  /// Returns a pattern for the strings of a type, if one pattern covers them all.
  ///
  /// It accepts more than the type: a text in the form of a date may name a day that does not exist.
  package static func form(of type: SchemaType) -> String? {
    let date = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
    let time = "[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?"
    return switch type.kind {
    case .integer where type.reachesAboveTOML: "^[0-9]{19,20}$"
    case .offsetDateTime: "^\(date)[Tt ]\(time)([Zz]|[+-][0-9]{2}:[0-9]{2})$"
    case .localDateTime: "^\(date)[Tt ]\(time)$"
    case .localDate: "^\(date)$"
    case .localTime: "^\(time)$"
    case .uuid: uuid
    default: nil
    }
  }

  /// Returns a pattern for the table keys that represent values of a type.
  ///
  /// - Returns: `nil` if any text may be a key, or if no single pattern covers the type.
  package static func key(_ type: SchemaType) -> String? {
    switch type.kind {
    case .integer: "^(0|-?[1-9][0-9]*)$"
    case .uuid: uuid
    default: nil
    }
  }

  private static let uuid = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
}
