/// The name of a backup: `settings.000012.20261121T093000Z.before-v3-was-v1.toml`.
///
/// The number gives the order in which backups were made; the time is for people, because a clock can be set back.
///
/// Files with other names in the directory are ignored.
struct BackupName: Sendable, Hashable {
  /// The number among the file's backups, from 1.
  var number: Int
  /// The time at which it was made, in UTC.
  var time: String
  /// The reason for the backup.
  ///
  /// It has only ASCII letters, digits and dashes.
  var reason: String
}

extension BackupName {
  /// Parses the name of a file.
  ///
  /// - Parameter name: The settings file's name without `.toml`; `nil` for any.
  /// - Returns: `nil` if this is not exactly the name of a backup of that file; other stores' files may begin alike.
  init?(_ text: String, of name: String?) {
    guard text.endsBytewise(with: ".toml") else { return nil }
    var rest = Substring(text).utf8.dropLast(5)
    guard let reason = Self.dropLastPart(of: &rest),
      !reason.isEmpty, reason.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }),
      let stamp = Self.dropLastPart(of: &rest), let digits = Self.dropLastPart(of: &rest),
      6...Self.mostDigits ~= digits.count, digits.allSatisfy(\.isDigit), let number = Int(Substring(digits))
    else { return nil }
    (self.number, self.reason, time) = (number, String(reason)!, String(stamp)!)
    guard Self.isTime(time), !rest.isEmpty, name.map({ $0.utf8.elementsEqual(rest) }) ?? true else { return nil }
  }

  /// The backup's file name, for a settings file with this name without `.toml`.
  ///
  /// The number has at least six digits, so that names sort by age up to a million.
  func text(of name: String) -> String {
    "\(name).\(String(number).padded(to: 6)).\(time).\(reason).toml"
  }

  /// Whether this one was made after another.
  ///
  /// The number decides. Two processes may have made backups with the same number; for these, the time decides.
  func isNewer(than other: BackupName) -> Bool { (number, time) > (other.number, other.time) }

  /// The version to which a migration led after this backup; `nil` for a backup with another reason.
  var migratedTo: Int? {
    guard reason.hasPrefix("before-v") else { return nil }
    return Int(reason.dropFirst("before-v".count).prefix { $0.isWholeNumber })
  }

  /// A longer number is not from this library, so that a larger one can always follow.
  private static let mostDigits = 15

  /// Whether a text has the form of a time in UTC: digits, `T`, six digits, `Z`.
  private static func isTime(_ text: String) -> Bool {
    let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false)
    return text.utf8.last == UInt8(ascii: "Z") && parts.count == 2 && parts[0].count >= 8 && parts[1].count == 6
      && parts.allSatisfy { $0.allSatisfy(\.isDigit) }
  }

  /// Removes the last `.` and what follows it, and returns the latter; `nil` if there is none.
  private static func dropLastPart(of rest: inout Substring.UTF8View) -> Substring.UTF8View? {
    guard let dot = rest.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    defer { rest = rest[..<dot] }
    return rest[rest.index(after: dot)...]
  }
}
