package import SettingsTOML

/// Converts JSON text (RFC 8259) to TOML values and back.
///
/// The reader is strict: it accepts no comments, no comma before a closing bracket, and at most 128 levels.
package enum JSONText {
  /// The reason why a text has no value.
  package struct Failure: Error {
    /// A clause.
    package var reason: String
    /// Whether the text is not JSON; otherwise it is JSON that TOML cannot hold.
    package var isSyntax: Bool

    package init(reason: String, isSyntax: Bool) {
      self.reason = reason
      self.isSyntax = isSyntax
    }
  }

  /// The value of a JSON text; `nil` for `null`. Members keep their order; of two with one name the last one wins.
  ///
  /// A number without a fraction or an exponent is an integer. Above `Int64.max`, if it fits a `UInt64`, it is a
  /// string of its digits, the form in which `UInt64` is stored. All other numbers are floats.
  ///
  /// - Throws: ``Failure`` if the text is not JSON or has a `null` in an array, which TOML cannot hold.
  package static func value(of text: String) throws(Failure) -> TOMLValue? {
    try JSONTree(lenientlyParsing: text, limit: .max).value(at: .root, onNull: nil)
  }

  /// Does the same as ``value(of:)``, but leaves out elements and members that are `null`, and reports each.
  ///
  /// - Parameter limit: The maximum number of values.
  package static func value(
    of text: String, limit: Int = .max, onNull: (TOMLPath) -> Void
  ) throws(Failure) -> TOMLValue? {
    let tree = try JSONTree(lenientlyParsing: text, limit: limit)
    return try withoutActuallyEscaping(onNull) { onNull throws(Failure) -> TOMLValue? in
      try tree.value(at: .root, onNull: onNull)
    }
  }

  /// A value as JSON, on one line; `nil` for infinities and not-a-number. Dates become strings.
  ///
  /// - Parameter shown: The JSON of a string.
  package static func text(of value: TOMLValue, string shown: (String) -> String = quoted) -> String? {
    switch value {
    case .string(let text): return shown(text)
    case .integer(let number): return String(number)
    case .float(let number): return number.isFinite ? "\(number)" : nil
    case .boolean(let flag): return flag ? "true" : "false"
    case .array(let items):
      let texts = items.compactMap { text(of: $0, string: shown) }
      return texts.count == items.count ? "[" + texts.joined(separator: ",") + "]" : nil
    case .table(let table):
      var members: [String] = []
      for (key, value) in table {
        guard let text = text(of: value, string: shown) else { return nil }
        members.append(quoted(key) + ":" + text)
      }
      return "{" + members.joined(separator: ",") + "}"
    default: return quoted(value.tomlText)
    }
  }

  /// A JSON string, RFC 8259 section 7.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    quote(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a JSON string, RFC 8259 section 7.
  package static func quote(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      bytes.append(UInt8(ascii: "\""))
      // Nearly all texts need no escapes, and are copied at once.
      if utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F || $0 == 0xEF }) {
        escape(utf8, to: &bytes)
      } else {
        bytes += utf8
      }
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Appends the content of a string, with escapes for quotes, backslashes, control characters and byte order marks.
  private static func escape(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    for (index, byte) in utf8.enumerated() {
      switch byte {
      // Readers drop a byte order mark at the beginning of a string.
      case 0xEF where utf8[index...].starts(with: [0xEF, 0xBB, 0xBF]): bytes += Array("\\ufeff".utf8)
      case 0xBB where index > 0 && utf8[(index - 1)...].starts(with: [0xEF, 0xBB, 0xBF]): break
      case 0xBF where index > 1 && utf8[(index - 2)...].starts(with: [0xEF, 0xBB, 0xBF]): break
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
      case 0x0D: bytes += [0x5C, UInt8(ascii: "r")]
      case 0x09: bytes += [0x5C, UInt8(ascii: "t")]
      case _ where byte < 0x20 || byte == 0x7F:
        bytes += Array("\\u\(String(byte, radix: 16).padded(to: 4))".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
