/// Decodes numbers that the parser has accepted.
enum Numbers {
  /// The integer, or `nil` if it does not fit in 64 bits.
  static func integer(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int64? {
    var at = start
    let isNegative = base[at] == UInt8(ascii: "-")
    if isNegative || base[at] == UInt8(ascii: "+") { at += 1 }
    var radix: Int64 = 10
    if end - at > 2, base[at] == UInt8(ascii: "0") {
      switch base[at + 1] {
      case UInt8(ascii: "x"): radix = 16
      case UInt8(ascii: "o"): radix = 8
      case UInt8(ascii: "b"): radix = 2
      default: break
      }
      if radix != 10 { at += 2 }
    }
    var value: Int64 = 0
    while at < end {
      let byte = base[at]
      at += 1
      if byte == UInt8(ascii: "_") { continue }
      let (product, overflow) = value.multipliedReportingOverflow(by: radix)
      let digit = Int64(Byte.hexValue(byte))
      let (sum, overflow2) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || overflow2 { return nil }
      value = sum
    }
    return value
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// The nearest double.
  static func float(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Double {
    var at = start
    let isNegative = base[at] == UInt8(ascii: "-")
    if isNegative || base[at] == UInt8(ascii: "+") { at += 1 }
    if base[at] == UInt8(ascii: "i") { return isNegative ? -.infinity : .infinity }
    if base[at] == UInt8(ascii: "n") { return .nan }
    // Up to 15 digits and a power of ten up to 22 are exact doubles: one operation rounds once.
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    var isAfterPoint = false
    while at < end {
      let byte = base[at]
      if byte.isDigit {
        if digits < 19 { mantissa = mantissa * 10 + UInt64(byte - 0x30) }
        if mantissa > 0 { digits += 1 }
        if isAfterPoint { exponent -= 1 }
      } else if byte == Byte.dot {
        isAfterPoint = true
      } else if byte != UInt8(ascii: "_") {
        break
      }
      at += 1
    }
    if at < end {
      guard let written = integer(base, from: at + 1, to: end), -9_999...9_999 ~= written else {
        return slowFloat(base, from: start, to: end)
      }
      exponent += Int(written)
    }
    guard digits <= 15, -22...22 ~= exponent else { return slowFloat(base, from: start, to: end) }
    let magnitude =
      exponent < 0 ? Double(mantissa) / powersOfTen[-exponent] : Double(mantissa) * powersOfTen[exponent]
    return isNegative ? -magnitude : magnitude
  }

  private static func slowFloat(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Double {
    let bytes = UnsafeBufferPointer(start: base + start, count: end - start).filter { $0 != UInt8(ascii: "_") }
    // The text is a float by TOML's grammar, which is narrower than Swift's.
    return Double(String(decoding: bytes, as: UTF8.self)) ?? .nan
  }
}
