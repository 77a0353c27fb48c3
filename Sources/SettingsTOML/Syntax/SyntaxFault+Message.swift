/// Describes a fault in words.
struct SyntaxFaultMessage {
  let fault: SyntaxFault
  let base: UnsafePointer<UInt8>
  let end: Int
  let tree: DocumentIndex
  /// Whether the message may quote nothing of the text.
  var isDiscreet = false

  var text: String {
    switch fault.kind {
    case .tooLarge:
      "The text has \(end) bytes, more than the maximum of \(TextLimits.size). Split the file."
    case .tooDeep:
      "Too deep: keys may have \(TextLimits.depth) levels, and brackets may be nested "
        + "\(TextLimits.bracketDepth) deep. Make it flatter."
    case .invalidUTF8:
      "\(faultyByte) is not valid UTF-8 here. Save the file as UTF-8."
    case .bareCarriageReturn:
      "A carriage return has no line feed after it; lines end with a line feed, or with both. "
        + "Remove it, or write it as \\r in a \"string\"."
    case .controlInComment:
      "A comment holds the control character \(codePoint). Remove it."
    case .controlInString:
      "A string holds the control character \(codePoint). Write it as \(escapeForm) in a \"string\"."
    case .expectedKey: expectedKey
    case .multilineKey: "A key cannot be a multi-line string. Write it with one quote on each side."
    case .expectedEquals: expectedEquals
    case .duplicateKey:
      "\(named("The key", quotedKey)) is already set in this table, at \(seenAt). Remove or rename one of the two."
    case .keyIntoFinished: keyIntoFinished
    case .expectedHeaderEnd:
      "Expected ']' to end the table's name, but found \(found(at: fault.at))."
        + (isBlankSeparatedWord ? " A name with spaces needs quotes." : "")
    case .expectedDoubleHeaderEnd:
      "Expected ']]' to end the name of an array of tables, but found \(found(at: fault.at)) after the first ']'."
    case .headerIntoValue:
      "\(quotedKey) is \(seenKind), set at \(seenAt), so it cannot have tables below it. Rename one of the two."
    case .notAnArrayOfTables:
      "\(quotedKey) is already \(seenKind), from \(seenAt), so '[[…]]' cannot add a table to it."
        + (seen.kind == .array
          ? " Write all its items inside the '[…]', or all as '[[…]]'." : " Rename one of the two.")
    case .tableTwice: tableTwice
    case .textAfterHeader:
      "Expected the end of the line after the table's name, but found \(found(at: fault.at)). "
        + "Put it on a line of its own, or '#' before a comment."
    case .textAfterValue: textAfterValue
    case .expectedValue: expectedValue
    default: bracketText
    }
  }

  private var bracketText: String {
    switch fault.kind {
    case .unclosedArray: "This '[' is never closed. Add a ']' where the array ends."
    case .expectedItem: "Expected a value or ']', but found ','. Remove the extra comma."
    case .expectedCommaInArray:
      "Expected ',' or ']' after an item of the array opened at \(place(fault.opened)), but found \(found(at: fault.at))."
    case .unclosedInlineTable: "This '{' is never closed. Add a '}' where the inline table ends."
    case .expectedMember: "Expected a key or '}', but found ','. Remove the extra comma."
    case .expectedCommaInTable:
      "Expected ',' or '}' after a value of the inline table opened at \(place(fault.opened)), "
        + "but found \(found(at: fault.at))."
    case .unclosedString:
      "The string is not closed on its line. Add the closing \(openingQuote), "
        + "or use \(tripled(openingQuote)) for text of more than one line."
    case .unclosedMultilineString:
      "The multi-line string is never closed. Add \(tripled(openingQuote)) where it ends."
    case .tooManyQuotes:
      "Too many quotes: a multi-line string may end with two of its own before the three that close it."
    default: scalarText
    }
  }

  private var scalarText: String {
    switch fault.kind {
    case .invalidEscape:
      "Found '\\' before \(found(at: fault.at + 1)), which is not an escape. Use \\b \\t \\n \\f \\r \\e \\\" "
        + "\\\\ \\xHH \\uHHHH \\UHHHHHHHH, or for a plain backslash '\\\\' or a 'string'."
    case .escapeDigits:
      switch base[fault.at + 1] {
      case UInt8(ascii: "x"): "Expected two hexadecimal digits after '\\x'."
      case UInt8(ascii: "u"): "Expected four hexadecimal digits after '\\u'. For a plain backslash write '\\\\'."
      default: "Expected eight hexadecimal digits after '\\U'. For a plain backslash write '\\\\'."
      }
    case .escapeNotScalar:
      "The escape is not a Unicode scalar: surrogates (D800 to DFFF) and numbers above 10FFFF are not allowed."
    case .invalidNumber:
      "\(quotedToken) is not a number. If it is text, put quotes around it; underscores are only allowed between digits."
    case .invalidFloat: "\(quotedToken) is not a number: a digit must follow the point, the 'e' and each underscore."
    case .leadingZero:
      "\(quotedToken) begins with a zero. Remove the zero, put quotes around it if it is text, "
        + "or write 0o for an octal number."
    case .signedBase: "\(quotedToken) has a sign, which numbers that begin with 0x, 0o or 0b cannot have. Remove it."
    case .integerRange:
      "\(quotedToken) does not fit in 64 bits (-9223372036854775808 to 9223372036854775807). "
        + "Write it as a float with a point, or as text in quotes."
    case .invalidDateTime:
      "\(quotedToken) is not a date or time. Expected 1979-05-27, 07:32:00, 1979-05-27T07:32:00, or that with Z or "
        + "an offset like +01:00; put quotes around it if it is text."
    case .dateRange: "\(quotedToken) is not a day of the calendar. Correct its month or day."
    case .timeRange: "\(quotedToken) is not a time: hours go to 23, minutes to 59, seconds to 60."
    default: "The text is not TOML."
    }
  }
}

extension SyntaxFaultMessage {
  // MARK: Longer ones

  private var expectedKey: String {
    guard fault.at < end else { return "Expected a key, but found the end of the file." }
    switch base[fault.at] {
    case Byte.equals: return "Expected a key before '='. An empty key is written as \"\"."
    case Byte.dot: return "Expected a key before '.'. Keys cannot begin with a dot or have two in a row."
    case Byte.closeBracket:
      guard fault.at > 0, base[fault.at - 1] == Byte.openBracket || base[fault.at - 1] == Byte.dot else {
        return "Expected a key, but found ']', which closes nothing. Remove it."
      }
      return "Expected a table's name before ']'."
    case 0xFE, 0xFF:
      if fault.at == 0 { return "The file is not UTF-8; it looks like UTF-16. Save it as UTF-8." }
      return "\(faultyByte) is not valid UTF-8 here. Save the file as UTF-8."
    case Byte.newline, Byte.carriageReturn, Byte.hash:
      return "Expected a key, but found \(found(at: fault.at)). Write it on one line, as in 'key = value'."
    default:
      return "Expected a key, but found \(found(at: fault.at)). Keys are made of A-Z a-z 0-9 _ -; "
        + "others need quotes, and comments begin with '#'."
    }
  }

  private var expectedEquals: String {
    guard fault.at < end else { return "Expected '=' and a value after the key, but found the end of the file." }
    switch base[fault.at] {
    case Byte.newline, Byte.carriageReturn, Byte.hash:
      return "Expected '=' and a value after the key, but found \(found(at: fault.at))."
    case UInt8(ascii: ":"): return "Expected '=' after the key, but found ':'. TOML writes 'key = value'."
    default:
      return "Expected '=' after the key, but found \(found(at: fault.at)). "
        + "A key with other characters than A-Z a-z 0-9 _ - needs quotes."
    }
  }

  private var keyIntoFinished: String {
    switch seen.kind {
    case .inline:
      "\(quotedKey) is an inline table, complete at \(seenAt). Add the key inside its '{…}'."
    case .header:
      "\(quotedKey) is a table with a header of its own, at \(seenAt). Set the key below a header of that name."
    case .arrayOfTables:
      "\(quotedKey) is an array of tables, from \(seenAt). Set the key below one of its '[[…]]' headers."
    default:
      "\(quotedKey) is \(seenKind), set at \(seenAt), so it cannot have keys below it. Rename one of the two."
    }
  }

  private var tableTwice: String {
    switch seen.kind {
    case .header: "\(named("The table", quotedKey)) is already defined at \(seenAt). Move these keys there."
    case .dotted:
      "\(named("The table", quotedKey)) is already defined by dotted keys, at \(seenAt). Move these keys there."
    case .inline: "\(quotedKey) is an inline table, complete at \(seenAt). Add the keys inside its '{…}'."
    case .arrayOfTables: "\(quotedKey) is an array of tables, from \(seenAt). Write '[[…]]' to add one to it."
    default: "\(quotedKey) is already set to \(seenKind) at \(seenAt). Rename one of the two."
    }
  }

  private var textAfterValue: String {
    let quoted = "Expected the end of the line after the string, but found \(found(at: fault.at)). "
    if fault.at > 0, fault.at < end {
      if base[fault.at - 1] == Byte.apostrophe {
        return quoted + "A 'string' ends at the next apostrophe; write text that has one as \"…\"."
      }
      if base[fault.at - 1] == Byte.quote {
        return quoted + "A quote within a \"string\" is written as \\\"."
      }
    }
    return "Expected the end of the line after the value, but found \(found(at: fault.at)). "
      + "Text needs quotes, each key a line of its own, and comments begin with '#'."
  }

  private var expectedValue: String {
    guard fault.at < end else { return "Expected a value, but found the end of the file." }
    let byte = base[fault.at]
    if byte == Byte.newline || byte == Byte.carriageReturn || byte == Byte.hash {
      return "Expected a value after '=', but found \(found(at: fault.at)). An empty text is written as \"\"."
    }
    if isDiscreet { return "Expected a value, but found \(found(at: fault.at)). Text needs quotes." }
    let word = token
    switch word.lowercased() {
    case "true", "false": return "'\(word)' is not a value; booleans are lower case: \(word.lowercased())."
    case "yes", "on": return "'\(word)' is not a value. Write true, or quotes around it if it is text."
    case "no", "off": return "'\(word)' is not a value. Write false, or quotes around it if it is text."
    case "null", "nil", "none": return "'\(word)' is not a value; TOML has no null. Remove the key instead."
    case "inf", "nan", "infinity": return "'\(word)' is not a value; write inf or nan."
    case "": break
    case _ where byte == Byte.dot && fault.at + 1 < end && base[fault.at + 1].isDigit:
      return "'\(word)' is not a number: a digit must come before the point, as in 0\(word)."
    default:
      if Byte.isBareKey(byte) { return "'\(word)' is not a value. Text needs quotes: \"\(word)\"." }
    }
    return "Expected a value, but found \(found(at: fault.at)). Text needs quotes."
  }

  // MARK: Words

  private func named(_ kind: String, _ name: String) -> String { isDiscreet ? kind : "\(kind) \(name)" }

  private var faultyByte: String {
    isDiscreet ? "A byte" : "The byte 0x\(hex(UInt32(base[fault.at]), digits: 2))"
  }

  private var seen: IndexNode { tree[fault.see] }

  private var seenKind: String {
    switch seen.kind {
    case .array: "an array"
    case .arrayOfTables: "an array of tables"
    case .inline: "an inline table"
    case .root, .header, .implicit, .dotted, .element: "a table"
    case .string: "a string"
    case .integer: "an integer"
    case .float: "a float"
    case .boolean: "a boolean"
    case .offsetDateTime, .localDateTime: "a date-time"
    case .localDate: "a date"
    case .localTime: "a time"
    case .removed: "gone"
    }
  }

  private var seenAt: String {
    let isDefined = seen.kind == .header || seen.kind == .arrayOfTables || seen.kind == .dotted
    return place(Int(isDefined ? seen.start : seen.keyStart))
  }

  private func place(_ offset: Int) -> String {
    let position = TOMLPosition(of: offset, in: UnsafeBufferPointer(start: base, count: end))
    return "line \(position.line)"
  }

  /// The path of the node in the way, as far as it has one.
  private var quotedKey: String {
    if isDiscreet { return "This name" }
    var keys: [String] = []
    var id = fault.see
    while id != DocumentIndex.root {
      // Elements of arrays of tables, and of arrays, have no key of their own.
      if tree[id].kind != .element, tree[id].keyEnd > tree[id].keyStart {
        keys.append(KeyText.string(tree[id], in: base))
      }
      id = tree[id].parent
    }
    return "'\(TOMLEmitter.keyText(keys.reversed()))'"
  }

  private var openingQuote: String { base[fault.at] == Byte.quote ? "\"" : "'" }

  private func tripled(_ quote: String) -> String { quote + quote + quote }

  private var codePoint: String { "U+\(hex(UInt32(base[fault.at]), digits: 4))" }

  private var escapeForm: String {
    switch base[fault.at] {
    case 0x08: "\\b"
    case 0x0C: "\\f"
    case 0x0D: "\\r"
    case let byte: "\\u\(hex(UInt32(byte), digits: 4))"
    }
  }

  private var isBlankSeparatedWord: Bool {
    fault.at < end && fault.at > 0 && Byte.isBlank(base[fault.at - 1]) && Byte.isBareKey(base[fault.at])
  }

  private var quotedToken: String { isDiscreet ? "This" : "'\(token)'" }

  /// The word that begins at the fault, shortened.
  private var token: String {
    var stop = fault.at
    while stop < end, !Byte.endsValue(base[stop]), base[stop] != Byte.equals, stop - fault.at < 200 { stop += 1 }
    return TOMLSyntaxError.shown(UnsafeBufferPointer(start: base + fault.at, count: stop - fault.at)).shortened(to: 40)
  }

  /// What is at an offset, in words.
  private func found(at offset: Int) -> String {
    guard offset < end else { return "the end of the file" }
    let byte = base[offset]
    switch byte {
    case Byte.newline: return "the end of the line"
    case Byte.carriageReturn:
      return offset + 1 < end && base[offset + 1] == Byte.newline ? "the end of the line" : "a carriage return"
    case Byte.hash: return "a comment"
    case Byte.space: return "a space"
    case Byte.tab: return "a tab"
    case _ where isDiscreet: return "something else"
    case 0..<0x20, 0x7F: return "the control character U+\(hex(UInt32(byte), digits: 4))"
    case 0x80...:
      let length = Scan.scalarLength(base, at: offset, end: end)
      guard length > 0 else { return "the byte 0x\(hex(UInt32(byte), digits: 2)), which is not valid UTF-8" }
      let scalar = String(decoding: UnsafeBufferPointer(start: base + offset, count: length), as: UTF8.self)
      return scalar == "\u{FEFF}" ? "a byte order mark, which belongs at the start of a file" : "'\(scalar)'"
    default:
      if Byte.isBareKey(byte) {
        var stop = offset
        while stop < end, Byte.isBareKey(base[stop]), stop - offset < 200 { stop += 1 }
        let word = String(decoding: UnsafeBufferPointer(start: base + offset, count: stop - offset), as: UTF8.self)
        return "'\(word.shortened(to: 40))'"
      }
      return "'\(Unicode.Scalar(byte))'"
    }
  }
}

/// A number in upper-case hexadecimal, with zeros in front.
func hex(_ value: UInt32, digits: Int) -> String {
  String(value, radix: 16, uppercase: true).padded(to: digits)
}
