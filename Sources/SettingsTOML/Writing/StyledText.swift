/// Writes a value in the style of the text that it replaces, as far as possible.
enum StyledText {
  /// - Parameter lineBreak: The line break around the old text, for a string that had none.
  static func text(_ value: TOMLValue, like old: [UInt8], lineBreak: [UInt8]) -> [UInt8] {
    switch value {
    case .string(let text): Array(string(text, like: old, String(decoding: lineBreak, as: UTF8.self)).utf8)
    case .integer(let number): Array(integer(number, like: String(decoding: old, as: UTF8.self)).utf8)
    case .offsetDateTime(let moment):
      Array((dateTime(moment.date, moment.time, like: old) + TOMLEmitter.offset(moment.offsetMinutes)).utf8)
    case .localDateTime(let moment): Array(dateTime(moment.date, moment.time, like: old).utf8)
    case .array(let items): array(items, like: old, lineBreak) ?? Array(value.tomlText.utf8)
    case .table(let table): inlineTable(table, like: old) ?? Array(value.tomlText.utf8)
    default: Array(value.tomlText.utf8)
    }
  }

  // MARK: Strings

  private static func string(_ text: String, like old: [UInt8], _ usual: String) -> String {
    guard let quote = old.first, quote == Byte.quote || quote == Byte.apostrophe else {
      return TOMLEmitter.basicString(text)
    }
    let isMultiline = old.count >= 6 && old[1] == quote && old[2] == quote
    if quote == Byte.apostrophe {
      return literal(text, like: old, usual, isMultiline: isMultiline) ?? TOMLEmitter.basicString(text)
    }
    guard isMultiline else { return TOMLEmitter.basicString(text) }
    let lineBreak = lineBreak(of: old) ?? usual
    let body = TOMLEmitter.escaped(text, isMultiline: true)
    // Reading drops a first line break, unless another precedes it.
    let start = old.count > 3 && (old[3] == Byte.newline || old[3] == Byte.carriageReturn) || body.hasPrefix("\n")
    return "\"\"\"" + (start ? lineBreak : "") + (lineBreak == "\n" ? body : withLineBreaks(body)) + "\"\"\""
  }

  private static func literal(
    _ text: String, like old: [UInt8], _ usual: String, isMultiline: Bool
  ) -> String? {
    var quotes = 0
    for scalar in text.unicodeScalars {
      quotes = scalar == "'" ? quotes + 1 : 0
      if quotes > (isMultiline ? 2 : 0) { return nil }
      let isControl = scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
      if isControl && !(isMultiline && scalar == "\n") { return nil }
    }
    guard isMultiline else { return "'\(text)'" }
    if quotes > 0 { return nil }
    let lineBreak = lineBreak(of: old) ?? usual
    let start = old[3] == Byte.newline || old[3] == Byte.carriageReturn || text.unicodeScalars.first == "\n"
    return "'''" + (start ? lineBreak : "") + (lineBreak == "\n" ? text : withLineBreaks(text)) + "'''"
  }

  private static func lineBreak(of old: [UInt8]) -> String? {
    guard let first = old.firstIndex(of: Byte.newline), first > 0 else { return nil }
    return old[first - 1] == Byte.carriageReturn ? "\r\n" : "\n"
  }

  private static func withLineBreaks(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\n" { result.append("\r") }
      result.append(scalar)
    }
    return String(result)
  }

  // MARK: Numbers and dates

  /// Keeps the base, the case and the width of `0x00FF`, and thousands with underscores.
  private static func integer(_ number: Int64, like old: String) -> String {
    let bases = ["0x": 16, "0o": 8, "0b": 2]
    if let radix = bases[String(old.prefix(2))], number >= 0 {
      let digits = old.dropFirst(2).filter { $0 != "_" }
      let isUpper = digits.contains { $0.isUppercase }
      let width = digits.hasPrefix("0") ? digits.utf8.count : 0
      return old.prefix(2) + String(number, radix: radix, uppercase: isUpper).padded(to: width)
    }
    let text = String(number)
    let groups = old.drop { $0 == "-" || $0 == "+" }.split(separator: "_", omittingEmptySubsequences: false)
    guard groups.count > 1, groups.dropFirst().allSatisfy({ $0.utf8.count == 3 && $0.utf8.allSatisfy(\.isDigit) })
    else { return text }
    var result = ""
    let digits = Array(String(number.magnitude).utf8)
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result += "_" }
      result.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return (number < 0 ? "-" : "") + result
  }

  private static func dateTime(_ date: TOMLLocalDate, _ time: TOMLLocalTime, like old: [UInt8]) -> String {
    let separator = old.count > 10 && old[10] == Byte.space && old[0].isDigit ? " " : "T"
    return TOMLEmitter.date(date) + separator + TOMLEmitter.time(time)
  }

  // MARK: Arrays and tables

  /// Changes the keys that differ, as in a document of the table alone.
  private static func inlineTable(_ table: TOMLTable, like old: [UInt8]) -> [UInt8]? {
    let start = "table = ".utf8
    guard old.first == Byte.openBrace, var document = try? TOMLDocument(parsing: Array(start) + old),
      (try? document.set(.table(table), at: ["table"])) != nil,
      // New keys come last. Only for comments, that is another order than that of the table.
      !document.comments.isEmpty || document[["table"]]?.tomlText == TOMLValue.table(table).tomlText
    else { return nil }
    return Array(document.bytes.dropFirst(start.count))
  }

  /// Changes the items that differ, and keeps the text of equal ones and of what is between them.
  private static func array(_ items: [TOMLValue], like old: [UInt8], _ lineBreak: [UInt8]) -> [UInt8]? {
    guard old.first == Byte.openBracket, var list = InlineItems(old, open: 0), list.close == old.count - 1 else {
      return nil
    }
    guard
      case .array(let oldItems) = old.withUnsafeBufferPointer({ buffer in
        ValueReader.array(buffer.baseAddress!, from: 0, to: buffer.count)
      }), oldItems.count == list.items.count
    else { return nil }
    let kept = keptItems(oldItems, items)
    var gaps: [(old: Range<Int>, new: Range<Int>)] = []
    var end = (old: oldItems.count, new: items.count)
    // From the last to the first, so that earlier items keep their numbers.
    for pair in ([(old: -1, new: -1)] + kept).reversed() {
      gaps.append((pair.old + 1..<end.old, pair.new + 1..<end.new))
      end = pair
    }
    // Each step parses the list again, so many steps on many items would take too long.
    let steps = gaps.reduce(0) { $0 + max($1.old.count, $1.new.count) }
    guard steps * oldItems.count < 1_000_000 else { return lines(items, like: list) }
    let sibling = list.items.first.map { Array(list.bytes[$0]) } ?? []
    // Of a sibling's style only the quotes are followed.
    let style = sibling.first == Byte.apostrophe && !sibling.starts(with: "'''".utf8) ? sibling : []
    for (old, new) in gaps {
      let common = min(old.count, new.count)
      for (index, item) in zip(old, items[new]) where item != oldItems[index] {
        guard !list.isBroken else { return nil }
        let range = list.items[index]
        list.replace(index, with: text(item, like: Array(list.bytes[range]), lineBreak: lineBreak))
      }
      for index in old.dropFirst(common).reversed() { list.remove(index) }
      for (offset, item) in items[new].dropFirst(common).enumerated() {
        list.insert(text(item, like: style, lineBreak: lineBreak), after: old.lowerBound + common + offset - 1)
      }
    }
    return list.isBroken ? nil : list.bytes
  }

  /// The items that stay, with their numbers before and after: the comments beside them are theirs. Where some change
  /// places, the others stay with their places, so that no comment goes.
  private static func keptItems(_ old: [TOMLValue], _ new: [TOMLValue]) -> [(old: Int, new: Int)] {
    let pairs = TOMLDocument.equalElements(old, new)
    let (keptOld, keptNew) = (Set(pairs.map(\.old)), Set(pairs.map(\.new)))
    let removed = Set(old.indices.filter { !keptOld.contains($0) }.map { old[$0] })
    guard new.indices.contains(where: { !keptNew.contains($0) && removed.contains(new[$0]) }) else { return pairs }
    let prefix = pairs.enumerated().prefix { $1.old == $0 && $1.new == $0 }.count
    let suffix = pairs.dropFirst(prefix).reversed().enumerated().prefix {
      $1.old == old.count - 1 - $0 && $1.new == new.count - 1 - $0
    }.count
    return Array(pairs.prefix(prefix) + pairs.suffix(suffix))
  }

  /// Writes all items again, one a line if they were.
  private static func lines(_ items: [TOMLValue], like list: InlineItems) -> [UInt8]? {
    guard let first = list.items.first, list.bytes[..<first.lowerBound].contains(Byte.newline) else { return nil }
    let start = Array(list.bytes[..<first.lowerBound])
    let separator = [Byte.comma] + list.lineStart(of: 0)
    let lastItem = list.items.count - 1
    let end = list.bytes[(list.commas[lastItem] ?? list.items[lastItem].upperBound)...]
    return start + Array(items.map { Array($0.tomlText.utf8) }.joined(separator: separator)) + end
  }
}
