/// Writes TOML 1.0 text for keys and values.
enum TOMLEmitter {
  /// A key: bare if possible, else in quotes.
  static func keyText(_ key: String) -> String {
    if !key.isEmpty, key.utf8.allSatisfy(Byte.isBareKey) { return key }
    return basicString(key)
  }

  /// Keys joined by dots.
  static func keyText(_ keys: some Sequence<String>) -> String { keys.map { keyText($0) }.joined(separator: ".") }

  /// A key that takes the place of another, in its quotes: in apostrophes if that has them, and in double quotes if that
  /// has them without need.
  static func keyText(_ key: String, like old: some Collection<UInt8>) -> String {
    let inside = old.dropFirst().dropLast()
    let isLiteral = { !key.utf8.contains { $0 == Byte.apostrophe || $0 < 0x20 && $0 != Byte.tab || $0 == 0x7F } }
    switch old.first {
    case Byte.apostrophe where isLiteral(): return "'\(key)'"
    case Byte.quote where !inside.isEmpty && inside.allSatisfy(Byte.isBareKey): return basicString(key)
    default: return keyText(key)
    }
  }

  /// Keys of which the last ones take the place of others.
  static func keyTexts(_ keys: [String], like old: [[UInt8]]) -> [String] {
    keys.enumerated().map { index, key in
      let place = index - keys.count + old.count
      return place >= 0 ? keyText(key, like: old[place]) : keyText(key)
    }
  }

  /// A string in double quotes.
  static func basicString(_ text: String) -> String {
    var result = "\""
    result.append(contentsOf: escaped(text, isMultiline: false))
    result.append("\"")
    return result
  }

  /// The inside of a basic string. In a multi-line one, newlines are not escaped.
  ///
  /// Only ASCII characters are escaped, so this visits each byte once, and what has none of them is not copied.
  static func escaped(_ text: String, isMultiline: Bool) -> String {
    var text = text
    let escaped: [UInt8]? = text.withUTF8 { bytes in
      var result: [UInt8] = []
      var (copied, quotes, afterQuote) = (0, 0, 0)
      for index in bytes.indices {
        let byte = bytes[index]
        if byte >= 0x23 && byte != 0x5C && byte != 0x7F || byte == 0x20 || byte == 0x21 { continue }
        if byte == UInt8(ascii: "\"") {
          (quotes, afterQuote) = (afterQuote == index ? quotes + 1 : 1, index + 1)
          // Every third would end a multi-line string.
          if isMultiline, quotes % 3 != 0 { continue }
        } else if isMultiline, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") {
          continue
        }
        if copied == 0 { result.reserveCapacity(bytes.count + bytes.count / 8 + 2) }
        if copied < index { result.append(contentsOf: bytes[copied..<index]) }
        copied = index + 1
        result.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): result.append(byte)
        case UInt8(ascii: "\n"): result.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\t"): result.append(UInt8(ascii: "t"))
        case UInt8(ascii: "\r"): result.append(UInt8(ascii: "r"))
        case 0x08: result.append(UInt8(ascii: "b"))
        case 0x0C: result.append(UInt8(ascii: "f"))
        default: result.append(contentsOf: ("u" + hex(UInt32(byte), digits: 4)).utf8)
        }
      }
      guard copied > 0 else { return nil }
      result.append(contentsOf: bytes[copied...])
      return result
    }
    return escaped.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// A value on one line.
  static func text(_ value: TOMLValue) -> String {
    var result = ""
    // Without recursion: a program's value may be deeper than the stack.
    var open: [OpenBracket] = []
    append(value, to: &result, &open)
    while let last = open.indices.last {
      let index = open[last].next
      open[last].next += 1
      let value: TOMLValue
      switch open[last].content {
      case .items(let items):
        guard index < items.count else {
          result += "]"
          open.removeLast()
          continue
        }
        if index > 0 { result += ", " }
        value = items[index]
      case .entries(let entries):
        guard index < entries.count else {
          result += " }"
          open.removeLast()
          continue
        }
        if index > 0 { result += ", " }
        result += keyText(entries[index].key) + " = "
        value = entries[index].value
      }
      append(value, to: &result, &open)
    }
    return result
  }

  /// An array or a table that is being written.
  private struct OpenBracket {
    enum Content {
      case items([TOMLValue])
      case entries([TOMLTable.Entry])
    }
    let content: Content
    var next = 0
  }

  /// Appends a scalar, or the beginning of an array or a table, whose rest follows later.
  private static func append(_ value: TOMLValue, to result: inout String, _ open: inout [OpenBracket]) {
    switch value {
    case .string(let text): result += basicString(text)
    case .integer(let number): result += String(number)
    case .float(let number): result += float(number)
    case .boolean(let flag): result += flag ? "true" : "false"
    case .offsetDateTime(let moment):
      result += date(moment.date) + "T" + time(moment.time) + offset(moment.offsetMinutes)
    case .localDateTime(let moment): result += date(moment.date) + "T" + time(moment.time)
    case .localDate(let day): result += date(day)
    case .localTime(let moment): result += time(moment)
    case .array(let items):
      result += "["
      open.append(OpenBracket(content: .items(items)))
    case .table(let table):
      guard !table.isEmpty else {
        result += "{}"
        return
      }
      result += "{ "
      open.append(OpenBracket(content: .entries(table.entries)))
    }
  }

  static func float(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    return number.description  // always with a point or an exponent, and the shortest that reads back the same
  }

  static func date(_ date: TOMLLocalDate) -> String {
    padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
  }

  static func time(_ time: TOMLLocalTime) -> String {
    var text = padded(time.hour, 2) + ":" + padded(time.minute, 2) + ":" + padded(time.second, 2)
    if time.nanosecond > 0 {
      var digits = padded(time.nanosecond, 9)
      while digits.hasSuffix("0") { digits.removeLast() }
      text += "." + digits
    }
    return text
  }

  static func offset(_ minutes: Int) -> String {
    minutes == 0
      ? "Z" : (minutes < 0 ? "-" : "+") + padded(abs(minutes) / 60, 2) + ":" + padded(abs(minutes) % 60, 2)
  }

  static func padded(_ number: Int, _ digits: Int) -> String { String(number).padded(to: digits) }
}

extension TOMLValue {
  /// The value as TOML 1.0 writes it on one line, with inline tables.
  public var tomlText: String { TOMLEmitter.text(self) }

  /// The kind of the first value in this one that TOML has no text for; `nil` if there is none.
  var unrepresentableKind: String? {
    switch self {
    case .offsetDateTime(let moment): moment.isValid ? nil : kindName
    case .localDateTime(let moment): moment.isValid ? nil : kindName
    case .localDate(let date): date.isValid ? nil : kindName
    case .localTime(let time): time.isValid ? nil : kindName
    case .array(let items): items.lazy.compactMap(\.unrepresentableKind).first
    case .table(let table): table.entries.lazy.compactMap(\.value.unrepresentableKind).first
    default: nil
    }
  }
}
