import AppSettings
import Foundation
import Testing
import TestSupport

/// Every storable type against values at random, most of them hostile.
struct HostileValueTests {
  /// `SETTINGS_HOSTILE_VALUES=full` runs a million, a number that many; `SETTINGS_HOSTILE_SEED` repeats the run that a
  /// failure names.
  private static let variable = ProcessInfo.processInfo.environment["SETTINGS_HOSTILE_VALUES"]
  private static let count = variable.map { $0 == "full" ? 1_000_000 : Int($0) ?? 40_000 } ?? 40_000

  @Test func `random types and hostile values never trap, and what is read comes back`() {
    let seed = SeededRandom.seed(from: "SETTINGS_HOSTILE_SEED", isFull: Self.variable != nil)
    var random = HostileValues(random: SeededRandom(seed))
    for _ in 0..<Self.count {
      let value = random.value(levels: 3)
      let type = random.pick(StorableType.all)
      if let fault = type.fault(value) { Issue.record("SETTINGS_HOSTILE_SEED=\(seed): \(type.name) \(fault)") }
    }
  }
}

/// Values at random, most of them at the edge of what some type takes.
private struct HostileValues {
  var random: SeededRandom

  private mutating func next(_ limit: Int) -> Int { .random(in: 0..<limit, using: &random) }

  mutating func pick<T>(_ items: [T]) -> T { items[next(items.count)] }

  mutating func value(levels: Int) -> TOMLValue {
    switch next(levels > 0 ? 12 : 8) {
    case 0: return .integer(pick([0, 1, -1, 2, 255, 256, -128, .max, .min, .max - 1, 70_000_000_000]))
    case 1: return .float(pick(Self.floats))
    case 2: return .boolean(next(2) == 0)
    case 3: return pick(Self.dates)
    case 8, 9: return .array((0..<next(4)).map { _ in value(levels: levels - 1) })
    case 10: return .table(table(levels: levels - 1))
    case 11:
      // Two of a kind, as ranges and sets have them.
      let one = value(levels: 0)
      return .array([one, next(2) == 0 ? one : value(levels: 0)])
    default: return .string(string())
    }
  }

  private mutating func table(levels: Int) -> TOMLTable {
    var table = TOMLTable()
    for _ in 0..<next(5) {
      let key = next(2) == 0 ? string() : pick(Self.fields)
      table[key] = value(levels: levels)
    }
    return table
  }

  private mutating func string() -> String {
    var text = pick(Self.texts)
    switch next(6) {
    case 0: text += pick(Self.texts)
    case 1 where !text.isEmpty: text.removeLast()
    case 2: text = pick(["-", "+", " ", "0", "."]) + text
    case 3: text += pick(["0", "e9", "s", " ", "\u{0}", "\u{301}", "="])
    default: break
    }
    return text
  }

  private static let floats: [Double] = [
    0, -0.0, 1, 0.1, -1.5, 255, 1e15, 1e16, 9e18, 9.3e18, -9.3e18, 1e19, 3.4e38, 3.5e38, 1e39, 1e308, -1e308, .nan,
    .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0 / 3,
  ]

  private static let dates: [TOMLValue] = [
    "0000-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00-23:59", "9999-12-31T23:59:60Z",
    "9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59-23:59", "2001-01-01T00:00:00.000000001Z",
    "2024-02-29T12:00:00.5+05:30", "1969-12-31T23:59:59.999999999Z", "0000-02-29", "9999-12-31", "00:00:60",
    "23:59:59.9",
    "2024-02-29T00:00:60",
  ].compactMap { try? TOMLValue(parsing: $0) }

  private static let fields = [
    "name", "size", "dates", "weights", "color", "home", "span", "extra", "children", "named", "dot", "circle", "both",
    "radius", "_0", "_1", "one", "other",
  ]

  private static let texts = [
    "", "a", "ab", "é", "e\u{301}", "👩‍🚀", "\r\n", "\u{0}", "true", "false", "1", "01", "1.0", "1e999", "1e-999", "1e127",
    "1e128", "-1e-128", "0e-200", "1.50", "nan", "NaN", "inf", "-inf", "infinity", "0x1p5", "18446744073709551615",
    "18446744073709551616", "99999999999999999999999999999999999999", "340282366920938463463374607431768211455",
    "0.00000000000000000000000000000000000001", "90s", "1h 30m", "0s", "-1d", "9223372036854775807s",
    "9223372036854775808s",
    "106751991167300d", "170141183460469231731s", "0.000000000000000001s", "1.5d", "1m 1h", "1s1s", "AQID", "AQ==", "A",
    "====",
    "https://example.org/ä", "http://[::1", "a:", "//", "%", "%zz", "?", "#", "file:///", "http://a b", "mailto:ü@ö",
    "http://xn--/", "http://ä.ö/", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "GMT", "GMT+1", "GMT+0530", "GMT-235959",
    "GMT+1860",
    "UTC", "Europe/Berlin", "../UTC", "/", ".", "red", "g r", "3:4", "0:9223372036854775808", "[x",
    "2024-02-29T12:00:00Z", "2023-02-29T12:00:00Z", "null", "{}", "[1]",
  ]
}
