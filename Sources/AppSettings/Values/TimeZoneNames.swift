import FoundationEssentials
import SettingsTOML

/// The identifiers of time zones of places, for programs without Foundation's time zone data, such as `settings-cli`,
/// which would start more slowly with it.
///
/// The system's time zone database has all names that Foundation reads except for some old ones, which are listed here.
/// Without a database, any text in the form of such a name is accepted.
enum TimeZoneNames {
  /// Abbreviations and places that Foundation reads and the database lacks.
  private static let old: Set<String> = [
    "ACT", "AET", "AGT", "ART", "AST", "BET", "BST", "CAT", "CNT", "CST", "CTT", "EAT", "ECT", "IET", "IST", "JST",
    "MIT",
    "NET", "NST", "PLT", "PNT", "PRT", "PST", "SST", "VST", "US/Pacific-New", "SystemV/AST4", "SystemV/AST4ADT",
    "SystemV/CST6", "SystemV/CST6CDT", "SystemV/EST5", "SystemV/EST5EDT", "SystemV/HST10", "SystemV/MST7",
    "SystemV/MST7MDT", "SystemV/PST8", "SystemV/PST8PDT", "SystemV/YST9", "SystemV/YST9YDT",
  ]

  /// Whether a time zone has this name; `false` if the program has Foundation's data, which then decide.
  ///
  /// It looks for the name below `$TZDIR`, or else `/usr/share/zoneinfo`, as tzset(3) does, and then in the list
  /// `tzdata.zi` there.
  static func has(_ name: String) -> Bool {
    guard TimeZone(identifier: "Europe/Berlin") == nil, hasForm(name) else { return false }
    let system = Syscalls()
    let directory = ProcessFacts.variable("TZDIR") ?? "/usr/share/zoneinfo"
    if (try? system.status(at: directory)) == nil || old.contains(name) { return true }
    if let status = try? system.status(at: "\(directory)/\(name)") { return status.isRegular }
    // Distributions package the names of earlier times separately, and keep them in this list.
    guard let list = try? SettingsFile(path: "\(directory)/tzdata.zi", system: system).read().bytes else {
      return false
    }
    return String(decoding: list, as: UTF8.self).split(separator: "\n").contains { line in
      line.hasPrefix("L ") && line.hasSuffix(" \(name)")
    }
  }

  /// Whether each part between slashes begins with a capital and consists of letters, digits and a few marks.
  private static func hasForm(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      part.first?.isUppercase == true
        && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "+") }
    }
  }
}
