import AppSettings
import Foundation

/// Keys of every form of declaration.
enum Declared {
  static let width = SettingsKey(
    "editor.tab-width", default: 4, .in(1...16), .formerly("tab_size", "old.tabs"), "Columns of a tab.")
  static let exclusive = SettingsKey("exclusive", default: 1.5, .in(0..<2))
  static let open = SettingsKey("open", default: 3, .in(1...))
  static let below = SettingsKey<UInt8>("below", default: 3, .in(..<100))
  static let pause = SettingsKey<Duration>("pause", default: .seconds(5), .in(.seconds(1) ... .seconds(60)))
  static let optionalRange = SettingsKey<Int?>("optional-range", .in(1...9))
  static let optionalDefault = SettingsKey<Int?>("optional-default", default: 5, .in(1...9))
  static let plainOptionalDefault = SettingsKey<String?>("plain-optional-default", default: "none")
  static let choice = SettingsKey("choice", default: 2, .oneOf([2, 4, 8]))
  static let only = SettingsKey("only", default: "a", .oneOf(["a"]))
  static let optionalChoice = SettingsKey<String?>("optional-choice", .oneOf(["left", "right"]))
  static let locale = SettingsKey("locale", default: "en", .matching("[a-z]{2}(-[A-Z]{2})?"))
  static let optionalPattern = SettingsKey<String?>("optional-pattern", .matching("[0-9]+"))
  static let tags = SettingsKey<[String]>("tags", default: [], .each(.matching("[a-z]+")))
  static let nick = SettingsKey("nick", default: "ada", .count(1...5))
  static let triple = SettingsKey<[Int]>("triple", default: [1, 2, 3], .count(3...3))
  static let few = SettingsKey<Set<String>>("few", default: [], .count(...2))
  static let some = SettingsKey<[String: Int]?>("some", .count(1...))
  static let even = SettingsKey(
    "even", default: 80, .in(40...), .satisfying("that is even") { $0.isMultiple(of: 2) })
  static let short = SettingsKey(
    "short", default: "abc", .count(1...3), .matching("[a-z]*"))
  static let names = SettingsKey<[String]>(
    "names", default: ["a"], .count(1...2), .each(.count(1...3)), .group(group))
  static let group = SettingsGroup("people", "Who is known.", in: SettingsGroup("data"))
  static let computed = SettingsKey<Int>("computed", .in(0...9), .formerly("calculated"), "Made up.") { 7 }
  static let secret = SettingsKey<String?>("secret", default: "abcd", .matching("[a-z]{4}"), .secret, "A word.")
  static let record = SettingsKey("record", default: AppProfile(name: "r"), .formerly("account"))
  static let bridged = SettingsKey("bridged", default: 1, .in(0...5), "In words.")
}
