import SettingsTOML

/// Files of sections and `key = value` lines.
enum KeyFileText {
  enum Dialect { case ini, keyFile, dconf }

  static func read(_ text: String, as dialect: Dialect) throws(ImportFailure) -> ImportedValues {
    var result = ImportedValues()
    var section = TOMLPath.root
    for (number, line) in text.lines.enumerated() {
      let line = line.withoutBlanks
      if line.isEmpty || line.hasPrefix("#") || (dialect != .dconf && line.hasPrefix(";")) { continue }
      if line.hasPrefix("[") {
        guard let close = line.lastIndex(of: "]"), close == line.index(before: line.endIndex) || dialect == .ini else {
          throw ImportFailure(reason: "line \(number + 1) begins a section and has no ']'")
        }
        section = path(ofSection: String(line[line.index(after: line.startIndex)..<close]), dialect)
        continue
      }
      guard let equals = line.firstIndex(where: { $0 == "=" || (dialect == .ini && $0 == ":") }) else {
        throw ImportFailure(reason: "line \(number + 1) is neither a section nor 'key = value'")
      }
      let key = String(line[..<equals]).withoutBlanks
      let text = String(line[line.index(after: equals)...]).withoutBlanks
      guard !key.isEmpty else { throw ImportFailure(reason: "line \(number + 1) has no key") }
      let path = section.appending(key)
      func skip(_ reason: String) { result.skipped.append(.init(source: path, reason: reason)) }
      switch dialect {
      case .ini: result.set(PlainText.value(of: PlainText.unquoted(text)), at: path)
      case .keyFile:
        if key.hasSuffix("]"), key.contains("[") {
          skip("it is a translation")
        } else {
          result.set(keyFileValue(text), at: path)
        }
      case .dconf:
        do throws(ImportFailure) {
          if let value = try VariantText.value(of: text) {
            result.set(value, at: path)
          } else {
            skip("it is 'nothing'")
          }
        } catch {
          skip(error.reason)
        }
      }
    }
    return result
  }

  /// A section's name as a path: GSettings' are directories, with slashes.
  private static func path(ofSection name: String, _ dialect: Dialect) -> TOMLPath {
    guard dialect == .dconf else { return TOMLPath([name]) }
    return TOMLPath(name.split(separator: "/").map(String.init))
  }

  private static func keyFileValue(_ text: String) -> TOMLValue {
    var items: [String] = []
    var current = ""
    var isList = false
    var characters = text.makeIterator()
    while let character = characters.next() {
      switch character {
      case ";":
        isList = true
        items.append(current)
        current = ""
      case "\\":
        switch characters.next() {
        case "s": current += " "
        case "n": current += "\n"
        case "t": current += "\t"
        case "r": current += "\r"
        case let other?: current.append(other)
        case nil: current += "\\"
        }
      default: current.append(character)
      }
    }
    guard isList else { return PlainText.value(of: current) }
    if !current.isEmpty { items.append(current) }
    return .array(items.map(PlainText.value(of:)))
  }
}

/// Text that has no types.
enum PlainText {
  /// The value that a text looks like: a boolean, a number in its usual form, or a string.
  static func value(of text: String) -> TOMLValue {
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: break
    }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.first, first.isASCII, first.isNumber,
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return .string(text) }
    // What has a leading zero is a code or a number of a telephone, no quantity.
    if digits.count > 1, first == "0", !digits.hasPrefix("0.") { return .string(text) }
    if let integer = Int64(text) { return .integer(integer) }
    if !digits.hasSuffix("."), digits.contains("."), let float = Double(text) { return .float(float) }
    return .string(text)
  }

  /// A text without the quotes around all of it.
  static func unquoted(_ text: String) -> String {
    guard text.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" else {
      return text
    }
    return String(text.dropFirst().dropLast())
  }
}

extension ImportedValues {
  mutating func set(_ value: TOMLValue, at path: TOMLPath) {
    var above = path.parent
    while !above.isRoot {
      if let there = values[path: above], there.table == nil {
        skipped.append(.init(source: path, reason: "'\(above)' is a value, and cannot have keys"))
        return
      }
      above = above.parent
    }
    values.apply(Edit(path: path, value: value))
  }
}

extension String {
  /// The lines without their breaks.
  var lines: [String] {
    // By scalars: CR LF is one character.
    unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.last == "\r" ? line.dropLast() : line)
    }
  }
}
