import Glibc
import SettingsTOML

/// Paths as text, byte by byte.
///
/// The kernel treats a path as bytes, which need not be UTF-8; this library uses a `String`. In the text of a path,
/// each byte that is not part of valid UTF-8 is one scalar: U+10FF80 for `0x80` to U+10FFFF for `0xFF`, at the end of
/// the last private use area. Converting back turns each of these scalars into its byte. A name that contains one of
/// them as UTF-8 is also converted byte by byte, so that each path has exactly one text, which leads back to the same
/// bytes.
///
/// A byte path type would not suffice: the paths of ``SettingsLocation`` and ``SettingsBackup`` are public strings.
///
/// Split paths with the members of `StringProtocol` below, never by `Character`: to Swift, a `/` before a combining
/// mark is not a `/`, and two names that differ only in normalization are equal.
package enum PathText {
  private static let base: UInt32 = 0x10FF00
  /// The first byte of each of these scalars in UTF-8, and of no others below U+100000.
  private static let lead: UInt8 = 0xF4

  /// The text of a path's bytes.
  ///
  /// For UTF-8, the usual case, that is the same text.
  package static func text(_ bytes: some Collection<UInt8>) -> String {
    if !bytes.contains(lead), let text = String(validating: bytes, as: UTF8.self) { return text }
    var result = String.UnicodeScalarView()
    var rest = ArraySlice(Array(bytes))
    while let byte = rest.first {
      if let scalar = scalar(at: rest) {
        result.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        result.append(Unicode.Scalar(base + UInt32(byte))!)
        rest = rest.dropFirst()
      }
    }
    return String(result)
  }

  /// The text of a path that ends with a NUL.
  package static func text(_ path: UnsafePointer<CChar>) -> String {
    text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  /// The scalar at the start if the bytes begin with valid UTF-8; `nil` otherwise, and if that encodes a byte.
  private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let length =
      switch bytes.first ?? 0 {
      case 0..<0x80: 1
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard length > 0, bytes.count >= length,
      let scalar = String(validating: bytes.prefix(length), as: UTF8.self)?.unicodeScalars.first,
      byte(of: scalar) == nil
    else { return nil }
    return scalar
  }

  /// The byte that a scalar stands for; `nil` for an ordinary one.
  private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    scalar.value >= base + 0x80 ? UInt8(truncatingIfNeeded: scalar.value) : nil
  }

  /// The bytes of a path.
  ///
  /// This is the inverse of `text(_:)`.
  package static func bytes(_ text: String) -> [UInt8] {
    guard hasBytes(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8) }
  }

  /// The same for a text that is there as UTF-8.
  static func bytes(of text: [UInt8]) -> [UInt8] {
    Scan.contains(lead, in: text) ? bytes(String(decoding: text, as: UTF8.self)) : text
  }

  /// Whether a text contains bytes that are not UTF-8.
  package static func hasBytes(_ text: String) -> Bool {
    text.utf8.contains(lead) && text.unicodeScalars.contains { byte(of: $0) != nil }
  }

  /// The text of a word of the command line or of a variable; `nil` if its bytes are not UTF-8.
  package static func utf8(_ text: String) -> String? {
    hasBytes(text) ? String(validating: bytes(text), as: UTF8.self) : text
  }

  /// A text for people: bytes that are not UTF-8 appear as `\xE9`.
  package static func shown(_ text: String) -> String {
    guard hasBytes(text) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let byte = byte(of: scalar) {
        result += "\\x\(String(byte, radix: 16, uppercase: true))".unicodeScalars
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// A path as a word of a command that a message shows in single quotes: in double quotes if a shell would divide or
  /// expand it, and `nil` if these do not help.
  package static func word(_ path: String) -> String? {
    guard !hasBytes(path), !path.utf8.contains(where: { $0 < 0x20 || "\"$`\\!'".utf8.contains($0) }) else { return nil }
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "@")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "_"), 0x80...: true
      default: false
      }
    }
    return isPlain ? path : "\"\(path)\""
  }
}

extension String {
  /// Calls `body` with the NUL-terminated bytes of a path.
  ///
  /// The bytes are valid only during the call. A NUL in the text would end the path, so locations refuse one.
  package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard PathText.hasBytes(self) else { return withCString(body) }
    return (PathText.bytes(self) + [0]).withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
  }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
  /// Whether a path is absolute.
  package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }

  /// The path from the root; `nil` if it is relative and there is no working directory.
  package var absolutePath: String? {
    isAbsolutePath ? String(self) : ProcessFacts.workingDirectory().map { "\($0)/\(self)" }
  }

  /// Whether a person can move the file at the path: not a device, nor a file that a process has open.
  package var isMovable: Bool { isAbsolutePath && !hasPrefix("/dev/") && !hasPrefix("/proc/") }

  /// The names in a path.
  ///
  /// Leading, trailing and repeated slashes give no empty parts.
  package var pathParts: [SubSequence] { bytewiseSplit(UInt8(ascii: "/")) }

  /// The last part of a path; the whole path if it has no parts, as `/`.
  package var lastPathPart: String { pathParts.last.map { String($0) } ?? String(self) }

  /// The index of the last `/`.
  package var lastSlash: Index? { utf8.lastIndex(of: UInt8(ascii: "/")) }

  /// A path without the slashes at its end; `/` stays.
  package var withoutTrailingSlashes: String {
    let end = utf8.lastIndex { $0 != UInt8(ascii: "/") }
    return end.map { String(self[...$0]) } ?? (isEmpty ? "" : "/")
  }

  /// The parts between bytes, without empty ones.
  package func bytewiseSplit(_ separator: UInt8) -> [SubSequence] {
    var parts: [SubSequence] = []
    var start = startIndex
    var index = start
    while true {
      let isEnd = index == endIndex
      if isEnd || utf8[index] == separator {
        if start < index { parts.append(self[start..<index]) }
        if isEnd { return parts }
        start = utf8.index(after: index)
      }
      index = utf8.index(after: index)
    }
  }

  /// Whether a text begins with the bytes of another.
  package func beginsBytewise(with start: String) -> Bool { utf8.starts(with: start.utf8) }

  /// Whether a text ends with the bytes of another.
  package func endsBytewise(with end: String) -> Bool {
    utf8.count >= end.utf8.count && utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
  }

  /// Whether two texts have the same bytes: `==` treats é and e with an accent as equal.
  package func isBytewise(_ other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// A text without a number of bytes at its end, which must be whole scalars.
  package func droppingLastBytes(_ count: Int) -> String {
    String(self[..<utf8.index(endIndex, offsetBy: -count)])
  }
}
