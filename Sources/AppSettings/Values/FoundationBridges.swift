public import FoundationEssentials

extension Data: SettingsSerializable {
  /// A string of the bytes in Base64. Spaces and line breaks are read over, so that long data can be wrapped by hand.
  public static let settingsBridge = SettingsBridge<Data>(
    expectation: { Expectation("a string in Base64", many: "strings in Base64") },
    read: { value, _ in
      guard case .string(let text) = value, let data = Data(base64: text) else {
        throw SettingsValueError(expected: "a string in Base64", found: value)
      }
      return data
    },
    write: { data, _ in .string(data.base64EncodedString()) })

  private init?(base64 text: String) {
    let digits = text.utf8.filter { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
    self.init(base64Encoded: Data(digits))
  }
}

extension URL: SettingsSerializable {
  /// A string. Letters outside ASCII are read and percent-encoded; spaces and other characters that no URL has are
  /// refused. A URL relative to a base is stored as the whole it makes with it.
  public static let settingsBridge = SettingsBridge<URL>(
    expectation: { Expectation("a URL as a string", many: "URLs as strings") },
    read: { value, _ in
      guard case .string(let text) = value, let url = URL(stored: text) else {
        throw SettingsValueError(expected: "a URL as a string", found: value)
      }
      return url
    },
    write: { url, _ in .string(url.absoluteString) })

  private init?(stored text: String) {
    // `URL(string:)` would escape these, and take any sentence for a URL.
    let refused: Set<UInt8> = Set("\"<>\\^`{|} ".utf8)
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !refused.contains($0) }) else { return nil }
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    self.init(string: text, encodingInvalidCharacters: !isASCII)
  }
}

extension UUID: SettingsSerializable {
  /// A string, in upper case; either case is read.
  public static let settingsBridge = SettingsBridge<UUID>(
    expectation: { Expectation("a UUID as a string", many: "UUIDs as strings") },
    read: { value, _ in
      guard case .string(let text) = value, let uuid = UUID(uuidString: text) else {
        throw SettingsValueError(expected: "a UUID as a string", found: value)
      }
      return uuid
    },
    write: { uuid, _ in .string(uuid.uuidString) })
}

extension Decimal: SettingsSerializable {
  /// A string, since TOML's floats are binary and would change it: `"19.99"`. Integers and floats are read too, floats
  /// as the digits that a person sees.
  public static let settingsBridge = SettingsBridge<Decimal>(
    expectation: { Expectation("a decimal number as a string", many: "decimal numbers as strings") },
    read: { value, _ in
      switch value {
      case .integer(let integer): return Decimal(integer)
      case .float(let float):
        if let decimal = Decimal(stored: String(float)) { return decimal }
      case .string(let text):
        if let decimal = Decimal(stored: text) { return decimal }
      default: break
      }
      throw SettingsValueError(expected: "a decimal number as a string", found: value)
    },
    write: { decimal, _ in .string(decimal.description) })

  /// The number of a text in full: `Decimal(string:)` would take the digits at its start and drop the rest.
  private init?(stored text: String) {
    if text == "NaN" || text == "nan" {
      self = .nan
      return
    }
    var rest = text.utf8[...]
    func skipSign() { if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() } }
    func takeDigits() -> Substring.UTF8View {
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      rest = rest[digits.endIndex...]
      return digits
    }
    skipSign()
    guard !takeDigits().isEmpty else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard !takeDigits().isEmpty else { return nil }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      skipSign()
      guard !takeDigits().isEmpty else { return nil }
    }
    guard rest.isEmpty, let decimal = Decimal(string: text), !decimal.isNaN else { return nil }
    self = decimal
  }
}

extension TimeZone: SettingsSerializable {
  /// A string, the identifier: `"Europe/Berlin"`, `"GMT+0530"`.
  ///
  /// Identifiers of places need the time zone data of Foundation or FoundationInternationalization: a program that
  /// imports neither reads only those with a fixed offset.
  public static let settingsBridge = SettingsBridge<TimeZone>(
    expectation: { Expectation("a time zone's identifier", many: "time zones' identifiers") },
    read: { value, _ in
      guard case .string(let text) = value else {
        throw SettingsValueError(expected: "a time zone's identifier", found: value)
      }
      guard let zone = TimeZone(stored: text) else {
        throw SettingsValueError(
          expected: "a time zone's identifier", found: value,
          reason: TimeZone(identifier: "Europe/Berlin") == nil ? "this program is built without time zone data" : nil)
      }
      return zone
    },
    write: { zone, _ in .string(zone.identifier) })

  /// The zone of an identifier, also of the form `GMT+hhmm` or `GMT-hhmmss` that zones with a fixed offset have.
  private init?(stored text: String) {
    if let offset = TimeZone.fixedOffset(text) {
      self.init(secondsFromGMT: offset)
    } else {
      self.init(identifier: text)
    }
  }

  private static func fixedOffset(_ text: String) -> Int? {
    guard text.hasPrefix("GMT+") || text.hasPrefix("GMT-") else { return nil }
    let digits = text.utf8.dropFirst(4).map { Int($0) - 0x30 }
    guard digits.count == 4 || digits.count == 6, digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
    let parts = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    guard parts[0] <= 18, parts.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    let seconds = parts[0] * 3600 + parts[1] * 60 + (parts.count > 2 ? parts[2] : 0)
    return text.utf8.dropFirst(3).first == UInt8(ascii: "-") ? -seconds : seconds
  }
}
