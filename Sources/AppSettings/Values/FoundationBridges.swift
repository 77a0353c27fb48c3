public import FoundationEssentials

extension Data: SettingsSerializable {
  /// Stores the bytes as a string in Base64. Reading ignores spaces and line breaks, so people can wrap long data.
  ///
  /// The encoding is that of RFC 4648, section 4, with padding, written in one line.
  public static let settingsBridge = SettingsBridge<Data>(
    "a string in Base64", many: "strings in Base64", type: .data,
    read: { $0.string.flatMap { Data(base64: $0) } },
    write: { .string($0.base64EncodedString()) })

  /// Decodes a text, ignoring spaces and line breaks; `nil` if the rest is not Base64 with padding.
  private init?(base64 text: String) {
    let digits = text.utf8.filter { $0 > 0x20 || $0 < 0x09 }
    // The decoder takes more of them than RFC 4648 has, and in other places.
    let end = digits.firstIndex(of: UInt8(ascii: "=")) ?? digits.count
    guard digits.count.isMultiple(of: 4), digits.count - end < 3, digits[end...].allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    self.init(base64Encoded: Data(digits))
  }
}

extension URL: SettingsSerializable {
  /// Stores the URL as a string. Reading percent-encodes letters outside ASCII, and refuses spaces and other characters
  /// that are invalid in URLs. A URL relative to a base is stored as an absolute URL.
  ///
  /// That check distinguishes a URL from a sentence: `URL(string:)` accepts nearly any text.
  public static let settingsBridge = SettingsBridge<URL>(
    "a URL as a string", many: "URLs as strings", type: .url,
    read: { $0.string.flatMap { URL(stored: $0) } },
    write: { url in
      let text = url.absoluteString
      guard URL(stored: text) != nil else {
        throw SettingsValueError(expected: "a URL that can be read back", foundText: "the URL \(text)")
      }
      return .string(text)
    })

  /// Makes the URL of a text; `nil` if it has an ASCII character that no URL has. Other characters are percent-encoded.
  private init?(stored text: String) {
    var isASCII = true
    for byte in text.utf8 {
      switch byte {
      // `URL(string:)` would escape these and accept any sentence as a URL.
      case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
        UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
        return nil
      case 0x80...: isASCII = false
      default: break
      }
    }
    self.init(string: text, encodingInvalidCharacters: !isASCII)
  }
}

extension UUID: SettingsSerializable {
  /// Stores the UUID as a string in upper case. Reading accepts either case.
  ///
  /// In a file it looks like `"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"`.
  public static let settingsBridge = SettingsBridge<UUID>(
    "a UUID as a string", many: "UUIDs as strings", type: .uuid,
    read: { $0.string.flatMap { UUID(uuidString: $0) } },
    write: { .string($0.uuidString) })
}

extension Decimal: SettingsSerializable {
  /// Stores the number as a string, `"19.99"`, because a binary TOML float would change it. Reading also accepts
  /// integers, and floats as the decimal digits that are displayed.
  ///
  /// A text with more digits than `Decimal` holds is refused, not rounded. `"NaN"` is not-a-number.
  public static let settingsBridge = SettingsBridge<Decimal>(
    "a decimal number as a string", many: "decimal numbers as strings", type: .decimal,
    read: { stored in
      switch stored {
      case .integer(let integer): Decimal(integer)
      case .float(let float): Decimal(stored: String(float))
      case .string(let text): Decimal(stored: text)
      default: nil
      }
    },
    write: { .string($0.description) })

  /// Parses a whole text. `Decimal(string:)` would parse the digits at its start, ignore the rest, and round numbers
  /// that are too long.
  private init?(stored text: String) {
    if text == "NaN" || text == "nan" {
      self = .nan
      return
    }
    guard let digits = DecimalDigits(text), let decimal = Decimal(string: text),
      DecimalDigits(decimal.description) == digits
    else { return nil }
    self = decimal
  }
}

/// A decimal number as text, normalised so that equal numbers are equal.
package struct DecimalDigits: Equatable {
  private var isNegative = false
  /// The digits without zeros at either end; empty for zero.
  private var digits: ArraySlice<UInt8>
  /// The power of ten that multiplies the digits, taken as an integer.
  private var exponent: Int

  /// The number of digits without zeros at either end.
  package var count: Int { digits.count }

  /// Parses a text; `nil` unless all of it is a decimal number.
  ///
  /// - Parameter limit: What the written power of ten must be below. The default is beyond every `Decimal`.
  package init?(_ text: String, powerBelow limit: Int = 1000) {
    var rest = text.utf8[...]
    func takeSign() -> Bool {
      guard let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else { return false }
      rest.removeFirst()
      return sign == UInt8(ascii: "-")
    }
    func takeDigits() -> [UInt8] {
      let digits = Array(rest.prefix(while: \.isDigit))
      rest.removeFirst(digits.count)
      return digits
    }
    isNegative = takeSign()
    let whole = takeDigits()
    guard !whole.isEmpty else { return nil }
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits()
      guard !fraction.isEmpty else { return nil }
    }
    exponent = -fraction.count
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      let isNegative = takeSign()
      guard let power = Int(String(decoding: takeDigits(), as: UTF8.self)), power < limit else { return nil }
      exponent += isNegative ? -power : power
    }
    guard rest.isEmpty else { return nil }
    let zero = UInt8(ascii: "0")
    digits = (whole + fraction).drop { $0 == zero }
    while digits.last == zero {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }
}

extension TimeZone: SettingsSerializable {
  /// Stores the time zone as a string with its identifier: `"Europe/Berlin"`, `"GMT+0530"`.
  ///
  /// Identifiers of places need the time zone data of Foundation or FoundationInternationalization. A program that
  /// imports neither can read only identifiers with a fixed offset.
  public static let settingsBridge = SettingsBridge<TimeZone>(
    FunctionCore(
      Expectation("a time zone's identifier", many: "time zones' identifiers"), type: SchemaType(.timeZone),
      read: { stored, expected in
        guard case .string(let text) = stored else { throw SettingsValueError(expected: expected, found: stored) }
        if let zone = TimeZone(stored: text) { return zone }
        let hasData = TimeZone(identifier: "Europe/Berlin") != nil
        throw SettingsValueError(
          expected: expected, found: stored,
          reason: hasData ? nil : "this program is built without time zone data")
      },
      write: { .string($0.storedIdentifier) }))

  /// The identifier. Foundation's leaves out the seconds of a fixed offset, and would be read as another one.
  private var storedIdentifier: String {
    let offset = secondsFromGMT()
    guard let written = TimeZone.fixedOffset(identifier), written != offset else { return identifier }
    let parts = [abs(offset) / 3600, abs(offset) / 60 % 60, abs(offset) % 60]
    return "GMT\(offset < 0 ? "-" : "+")" + parts.map { "\($0 < 10 ? "0" : "")\($0)" }.joined()
  }

  /// Makes the zone for an identifier. Fixed offsets do not depend on Foundation's time zone data.
  private init?(stored text: String) {
    if let offset = TimeZone.fixedOffset(text) {
      self.init(secondsFromGMT: offset)
    } else {
      self.init(identifier: text)
    }
  }

  /// Returns the offset in seconds of `GMT` or `UTC`, a sign, and one of `h`, `hh`, `hhmm`, `h:mm`, `hh:mm` and
  /// `hhmmss`. Foundation reads all these forms but the last.
  private static func fixedOffset(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard text.hasPrefix("GMT") || text.hasPrefix("UTC"), bytes.count > 4 else { return nil }
    guard [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[3]) else { return nil }
    let digits = bytes[4...]
    var parts: [ArraySlice<UInt8>]
    switch digits.count {
    case 1, 2: parts = [digits]
    case _ where digits.contains(UInt8(ascii: ":")):
      parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard parts.count == 2, 1...2 ~= parts[0].count, parts[1].count == 2 else { return nil }
    case 4, 6: parts = stride(from: 4, to: bytes.count, by: 2).map { bytes[$0..<$0 + 2] }
    default: return nil
    }
    guard parts.allSatisfy({ $0.allSatisfy(\.isDigit) }) else { return nil }
    let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } } + [0, 0]
    guard numbers[0] <= 18, numbers[1] < 60, numbers[2] < 60 else { return nil }
    let seconds = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    return bytes[3] == UInt8(ascii: "-") ? -seconds : seconds
  }
}
