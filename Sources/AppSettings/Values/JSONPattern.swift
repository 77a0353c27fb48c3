import SettingsTOML

/// Regular expressions as JSON Schema has them: those of ECMA-262, which editors read each with a library of their own.
package enum JSONPattern {
  /// Whether a pattern means the same to Swift and to such a library, but for what each takes for one character.
  ///
  /// That is so of characters that stand for themselves, `.`, classes of characters and ranges, groups, `|` and greedy
  /// or lazy repetitions.
  package static func isCommon(_ pattern: String) -> Bool {
    guard SettingsPattern(pattern).fault == nil, pattern.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return false }
    var rest = pattern[...]
    var isInClass = false
    while let character = rest.popFirst() {
      switch character {
      case "\\":
        // Of letters and digits behind it each library has its own.
        guard let next = rest.popFirst(), !next.isLetter, !next.isNumber else { return false }
      case "[":
        if isInClass { return false }
        isInClass = true
        if rest.first == "^" { rest.removeFirst() }
        if rest.first == "]" { return false }
      case "]" where isInClass: isInClass = false
      case "&", "~", "-":
        // Operations on classes, in some libraries.
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

  /// The form of the strings of a type, as far as it is one for all.
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

  /// The form of the keys that stand for values of a type.
  package static func key(_ type: SchemaType) -> String? {
    switch type.kind {
    case .integer: "^(0|-?[1-9][0-9]*)$"
    case .uuid: uuid
    default: nil
    }
  }

  private static let uuid = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
}
