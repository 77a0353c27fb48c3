extension Duration: SettingsSerializable {
  /// Stores the duration as a string with a unit: `"90m"`, `"1.5s"`, `"250ms"`.
  ///
  /// Reading also accepts several units (`"1h 30m"`, from `d h m s ms us ns`) and a plain number of seconds.
  ///
  /// Units must be in descending order, each once: `"1d 12h"`, not `"12h 1d"`. A minus sign may come first: `"-5s"`.
  /// The value is exact to the attosecond. A duration in another form keeps its text until it is set to another value.
  public static let settingsBridge = SettingsBridge<Duration>(
    "a duration, like \"90s\" or \"1h 30m\"", many: "durations, like \"90s\" or \"1h 30m\"", type: .duration,
    read: { stored in
      switch stored {
      case .integer(let seconds): return seconds == .min ? nil : .seconds(seconds)
      case .float(let seconds):
        // The decimal digits as displayed, unless in scientific notation: 0.1 is 100 ms to the attosecond.
        if let duration = Duration(stored: "\(seconds)s") { return duration }
        return seconds.magnitude < 9e18 ? .seconds(seconds) : nil
      case .string(let text): return Duration(stored: text)
      default: return nil
      }
    },
    write: { duration in
      guard duration.isStorable else {
        throw SettingsValueError(
          expected: "a duration of at most \(Int64.max) seconds", foundText: "a duration of \(duration)")
      }
      return .string(duration.storedText)
    })

  /// Whether the number of whole seconds fits 64 bits with either sign.
  private var isStorable: Bool { attoseconds.magnitude / UInt128(Duration.second) <= UInt128(Int64.max) }

  private static let second: Int128 = 1_000_000_000_000_000_000

  /// The units from large to small, each with its size in attoseconds.
  private static let units: [(name: String, size: Int128)] = [
    ("d", 86_400 * second), ("h", 3600 * second), ("m", 60 * second), ("s", second), ("ms", second / 1000),
    ("us", second / 1_000_000), ("µs", second / 1_000_000), ("ns", second / 1_000_000_000),
  ]

  /// Parses a text with units; `nil` if a part of it is malformed.
  private init?(stored text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest.removeFirst() }
    guard !rest.isEmpty else { return nil }
    var total: Int128 = 0
    var previous = Int128.max
    while !rest.isEmpty {
      let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      rest = rest[number.endIndex...]
      let name = rest.prefix { $0.isLetter }
      rest = rest[name.endIndex...].drop { $0 == " " }
      // Units must get smaller and appear once: "5m 3h" is probably a mistake.
      guard let unit = Duration.units.first(where: { $0.name == name }), unit.size < previous,
        let part = Duration.attoseconds(number, unit.size)
      else { return nil }
      previous = unit.size
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { return nil }
      total = sum
    }
    self.init(attoseconds: isNegative ? -total : total)
    guard isStorable else { return nil }
  }

  /// Converts a decimal number of units; `nil` if it is malformed, too large, or finer than an attosecond.
  private static func attoseconds(_ number: Substring, _ unit: Int128) -> Int128? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int128(parts[0]) else { return nil }
    let (result, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    guard parts.count == 2 else { return result }
    guard parts[1].utf8.count <= 18, var fraction = Int128(parts[1]) else { return nil }
    var scale: Int128 = 1
    for _ in parts[1].utf8 { scale *= 10 }
    // 18 digits of days in attoseconds would overflow, so the common factor is removed first.
    while fraction % 10 == 0, scale > 1 {
      fraction /= 10
      scale /= 10
    }
    let (scaled, tooLarge) = fraction.multipliedReportingOverflow(by: unit)
    guard !tooLarge, scaled % scale == 0 else { return nil }
    let (sum, sumTooLarge) = result.addingReportingOverflow(scaled / scale)
    return sumTooLarge ? nil : sum
  }

  /// The text in the largest unit up to hours that gives a whole number; otherwise in seconds with decimals.
  private var storedText: String {
    if self == .zero { return "0s" }
    let sign = self < .zero ? "-" : ""
    let total = attoseconds.magnitude
    let second = UInt128(Duration.second)
    for (name, size) in Duration.units where name != "d" && name != "µs" {
      // Above a second, 1.5s reads better than 1500ms.
      if size < Duration.second && total > second { break }
      if total % UInt128(size) == 0 { return "\(sign)\(total / UInt128(size))\(name)" }
    }
    var fraction = String(total % second + second).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(total / second).\(fraction)s"
  }
}
