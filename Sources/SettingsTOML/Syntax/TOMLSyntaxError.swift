/// A place in a text.
public struct TOMLPosition: Sendable, Hashable {
  /// The line, from 1.
  public let line: Int
  /// The column in Unicode scalars, from 1.
  public let column: Int
  /// The offset in bytes, from 0.
  package let byteOffset: Int

  /// Makes a position from its parts.
  package init(line: Int, column: Int, byteOffset: Int) {
    self.line = line
    self.column = column
    self.byteOffset = byteOffset
  }

  init(of offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    let hasMark = bytes.starts(with: Byte.byteOrderMark)
    var line = 1
    var lineStart = hasMark ? 3 : 0
    var at = lineStart
    while at < offset {
      if bytes[at] == Byte.newline {
        line += 1
        lineStart = at + 1
      }
      at += 1
    }
    var column = 1
    at = lineStart
    while at < offset {
      if bytes[at] & 0xC0 != 0x80 { column += 1 }
      at += 1
    }
    self.init(line: line, column: column, byteOffset: offset)
  }
}

/// The reason why a text is not valid TOML: where, what was found, what was expected, and what to do.
public struct TOMLSyntaxError: Error, Sendable, CustomStringConvertible {
  /// Where the fault is.
  public let position: TOMLPosition
  /// Full sentences: what was found, what was expected, what to do.
  public let message: String
  /// The message without anything from the text, for texts that may hold secrets: in a text that does not parse,
  /// nothing tells which word belongs to which key.
  package let discreetMessage: String
  /// The line of the fault without its line break; of a long one, more around the fault than is ever shown. Control
  /// characters and invalid UTF-8 are shown escaped.
  package let sourceLine: String
  /// Whether the text may be valid but is larger or deeper than this library reads.
  package let isLimit: Bool
  /// The number of scalars of `sourceLine` before the fault.
  private let caretOffset: Int

  init(_ fault: SyntaxFault, in bytes: UnsafeBufferPointer<UInt8>, tree: DocumentIndex) {
    let end = bytes.count
    let at = min(fault.at, end)
    position = TOMLPosition(of: at, in: bytes)
    isLimit = fault.kind == .tooLarge || fault.kind == .tooDeep
    let base = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    message = SyntaxFaultMessage(fault: fault, base: base, end: end, tree: tree).text
    discreetMessage = SyntaxFaultMessage(fault: fault, base: base, end: end, tree: tree, isDiscreet: true).text
    let (first, last) = (max(0, at - Self.shownBytes), min(end, at + Self.shownBytes))
    var start = at
    while start > first, bytes[start - 1] != Byte.newline { start -= 1 }
    if start == 0, bytes.starts(with: Byte.byteOrderMark), at >= 3 { start = 3 }
    var stop = at
    while stop < last, bytes[stop] != Byte.newline { stop += 1 }
    if stop > at, bytes[stop - 1] == Byte.carriageReturn { stop -= 1 }
    let before = TOMLSyntaxError.shown(UnsafeBufferPointer(rebasing: bytes[start..<at]))
    let after = TOMLSyntaxError.shown(UnsafeBufferPointer(rebasing: bytes[at..<max(at, stop)]))
    sourceLine = before + after
    caretOffset = before.unicodeScalars.count
  }

  /// The position and the message: `3:7: Expected …`.
  public var description: String { "\(position.line):\(position.column): \(message)" }

  /// How many scalars of a line are shown.
  private static let shownWidth = 100
  /// On each side of the fault: a scalar has at most four bytes, and what is cut in two is not shown.
  private static let shownBytes = 4 * shownWidth + 8

  /// Formats the error as compilers do: `file:line:column: message`, the line, and a caret below the fault.
  ///
  /// A long line is cut to a window around the caret. Tabs keep their width, so the caret is in the right column.
  ///
  /// - Parameter file: The name to show for the text.
  package func formatted(file: String) -> String {
    let scalars = Array(sourceLine.unicodeScalars)
    let width = Self.shownWidth
    var from = 0
    var to = scalars.count
    if scalars.count > width {
      from = max(0, min(caretOffset - width / 2, scalars.count - width))
      to = min(scalars.count, from + width)
    }
    var line = String.UnicodeScalarView()
    var caret = ""
    if from > 0 {
      line.append("…")
      caret += " "
    }
    for index in from..<to {
      line.append(scalars[index])
      if index < caretOffset { caret += TOMLSyntaxError.blank(below: scalars[index]) }
    }
    if to < scalars.count { line.append("…") }
    return "\(file):\(position.line):\(position.column): \(message)\n  \(String(line))\n  \(caret)^"
  }

  /// The position and ``discreetMessage``: `file:line:column: message`.
  package func discreet(file: String) -> String { "\(file):\(discreet)" }

  /// The position and ``discreetMessage``: `3:7: Expected …`.
  package var discreet: String { "\(position.line):\(position.column): \(discreetMessage)" }

  /// Blank text of the same width as a scalar: a tab, nothing, one or two columns.
  private static func blank(below scalar: Unicode.Scalar) -> String {
    if scalar == "\t" { return "\t" }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return ""
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return "  "
    default: return " "
    }
  }

  /// Bytes as printable text: control characters and invalid UTF-8 as `\xHH` or `\u{HHHH}`.
  static func shown(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard let base = bytes.baseAddress else { return "" }
    var text = String.UnicodeScalarView()
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte == Byte.tab || 0x20..<0x7F ~= byte {
        text.append(Unicode.Scalar(byte))
        at += 1
        continue
      }
      let length = byte >= 0x80 ? Scan.scalarLength(base, at: at, end: bytes.count) : 0
      guard length > 0 else {
        text.append(contentsOf: "\\x\(hex(UInt32(byte), digits: 2))".unicodeScalars)
        at += 1
        continue
      }
      for scalar in String(decoding: UnsafeBufferPointer(start: base + at, count: length), as: UTF8.self).unicodeScalars
      {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
          text.append(contentsOf: "\\u{\(hex(scalar.value, digits: 4))}".unicodeScalars)
        default: text.append(scalar)
        }
      }
      at += length
    }
    return String(text)
  }
}

extension String {
  /// The text shortened for a message.
  ///
  /// - Parameter limit: The maximum number of scalars. Not of characters, which can have any number of scalars.
  package func shortened(to limit: Int = 200) -> String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
      return self
    }
    return self[..<end] + "…"
  }

  /// A number's digits with zeros before them, up to a number of digits.
  package func padded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - utf8.count)) + self
  }
}

extension TOMLPosition: CustomStringConvertible {
  /// Line and column: `9:14`.
  public var description: String { "\(line):\(column)" }
}
