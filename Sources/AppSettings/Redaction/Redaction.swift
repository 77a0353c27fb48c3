package import SettingsTOML

/// A text of a settings file, and what of it is hidden.
///
/// ``KnownKeys`` defines what a secret is. Verbs, messages, differences, the history and the settings page all show and
/// keep texts through this type.
///
/// ```swift
/// let redaction = Redaction(of: document, keys, migrations)
/// print(redaction.shownText { _ in "(not shown)" })
/// ```
///
/// Making one takes time in proportion to the text.
package struct Redaction: Sendable {
  /// The whole text.
  package let bytes: [UInt8]
  /// Its document; `nil` if it does not parse.
  package let document: TOMLDocument?
  /// What is hidden, in the order of the text.
  package let parts: [HiddenPart]

  /// - Parameters:
  ///   - keys: What is declared, in the names of the present version.
  ///   - migrations: Those of the app, for the names in a document of an earlier version.
  ///   - withPaths: Whether each part says its path, which ``keptText`` needs for few.
  package init(
    of document: TOMLDocument, _ keys: KnownKeys, _ migrations: SettingsMigrations, withPaths: Bool = true
  ) {
    let parts = document.hiddenParts(keys.adapted(to: document, migrations), withPaths: withPaths)
    self.init(bytes: document.bytes, document: document, parts: parts)
  }

  private init(bytes: [UInt8], document: TOMLDocument?, parts: [HiddenPart]) {
    self.bytes = bytes
    self.document = document
    self.parts = parts
  }

  /// - Parameters:
  ///   - bytes: A text that perhaps does not parse. Up to the fault, and from a later header on, it is text like any
  ///     other. What is between them is hidden if it may have a secret: else it can be mended by hand.
  ///   - hidesFault: Whether what is between them is hidden in any case.
  package init(of bytes: [UInt8], _ keys: KnownKeys, _ migrations: SettingsMigrations, hidesFault: Bool = false) {
    if let document = try? TOMLDocument(parsing: bytes) {
      self.init(of: document, keys, migrations)
    } else {
      self.init(bytes: bytes, document: nil, parts: BrokenText(bytes, keys, migrations, hidesFault).hidden)
    }
  }

  /// Whether an error may show the line where a text does not parse, as far as names say what is secret.
  package static func shows(lineOf error: TOMLSyntaxError, in bytes: [UInt8]) -> Bool {
    let place = error.position.byteOffset
    return !Redaction(of: bytes, KnownKeys(declared: PathTree(), secrets: []), .none).parts.contains {
      $0.kind == .unparsed || $0.range.contains(place) || $0.range.upperBound == place
    }
  }

  /// Whether nothing is hidden.
  package var isComplete: Bool { parts.isEmpty }

  /// The text with something else in the place of each hidden part.
  ///
  /// - Parameter shown: Returns what stands for a part.
  /// - Returns: The new text; if nothing is hidden, the same bytes without a copy.
  package func text(_ shown: (HiddenPart) -> String) -> [UInt8] { text(plain: nil, shown) { _, _ in } }

  /// - Parameters:
  ///   - plain: What stands for a value without a path; `nil` to ask for each.
  ///   - shown: Returns what stands for a part.
  ///   - note: Gets the bytes of each part, and the length of what stands for it.
  private func text(
    plain: String?, _ shown: (HiddenPart) -> String, _ note: (Range<Int>, Int) -> Void
  ) -> [UInt8] {
    guard !parts.isEmpty else { return bytes }
    var others: [String] = []
    var size = bytes.count
    let plainCount = plain?.utf8.count ?? 0
    return parts.withUnsafeBufferPointer { parts in
      for index in parts.indices {
        var count = plainCount
        if plain == nil || !parts[index].isPlain {
          others.append(shown(parts[index]))
          count = others[others.count - 1].utf8.count
        }
        let range = parts[index].range
        size += count - range.count
        note(range, count)
      }
      return [UInt8](unsafeUninitializedCapacity: size) { text, count in
        guard var end = text.baseAddress else { return }
        func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
          guard let base = bytes.baseAddress else { return }
          end.initialize(from: base + range.lowerBound, count: range.count)
          end += range.count
        }
        var usual = plain ?? ""
        usual.withUTF8 { usual in
          bytes.withUnsafeBufferPointer { bytes in
            var (at, next) = (0, 0)
            for index in parts.indices {
              let range = parts[index].range
              append(bytes, at..<range.lowerBound)
              at = range.upperBound
              if plain == nil || !parts[index].isPlain {
                others[next].withUTF8 { append($0, 0..<$0.count) }
                next += 1
              } else {
                append(usual, 0..<usual.count)
              }
            }
            append(bytes, at..<bytes.count)
          }
        }
        count = size
      }
    }
  }

  /// Stands for a value that is not kept.
  package static let placeholder = "(not in the history)"

  /// The text as a history keeps it, which is valid TOML if the text is.
  package var keptText: [UInt8] { keptText { _, _ in } }

  /// - Parameter note: Gets the bytes of each part, and the length of what stands for it.
  func keptText(_ note: (Range<Int>, Int) -> Void) -> [UInt8] {
    let quoted = "\"\(Self.placeholder)\""
    return text(
      plain: quoted,
      { part in
        switch part.kind {
        case .value: (part.key.map { "\($0) = " } ?? "") + quoted
        // With a value, so that it is not taken for an empty table.
        case .section: "[\(part.path)] # \(Self.placeholder)\n\(quoted) = \(quoted)"
        case .rest, .comment, .unparsed: "# \(Self.placeholder)"
        }
      }, note)
  }

  /// The text as it is shown beside others, which need not be valid TOML.
  ///
  /// - Parameter value: What to show for the value at a path.
  package func shownText(_ value: (TOMLPath) -> String) -> String {
    String(
      decoding: text { part in
        switch part.kind {
        case .value: (part.key.map { "\($0) = " } ?? "") + value(part.path)
        case .section: "[\(part.path)] \(value(part.path))"
        case .rest, .comment: "# (not shown)"
        case .unparsed: "# (not shown: it does not parse, and may have a secret)"
        }
      }, as: UTF8.self)
  }
}

/// A text that does not parse, which may have secrets.
private struct BrokenText {
  private(set) var hidden: [HiddenPart] = []

  init(_ bytes: [UInt8], _ keys: KnownKeys, _ migrations: SettingsMigrations, _ hidesFault: Bool) {
    func parts(of document: TOMLDocument) -> [HiddenPart] {
      document.hiddenParts(keys.adapted(to: document, migrations))
    }
    let (document, end) = Self.beginning(of: bytes)
    hidden = parts(of: document)
    var next = Self.headers(in: bytes, after: end).lazy.compactMap { start -> (Int, TOMLDocument)? in
      (try? TOMLDocument(parsing: Array(bytes[start...]))).map { (start, $0) }
    }.first
    let middle = String(decoding: bytes[end..<(next?.0 ?? bytes.count)], as: UTF8.self)
    let isAfterSecret = hidden.contains { part in
      [.section, .rest].contains(part.kind)
        && bytes[min(part.range.upperBound, end)..<end].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
    // A name may be written with escapes.
    if hidesFault || isAfterSecret || keys.hasSecrets && middle.utf8.contains(UInt8(ascii: "\\"))
      || keys.hides(comment: middle)
    {
      // What looks like a header may be in a secret that is not closed.
      if ["\"\"\"", "'''", "[", "{"].contains(where: { middle.utf8.contains($0.utf8) }) { next = nil }
      var last = next?.0 ?? bytes.count
      while last > end, [0x0A, 0x0D].contains(bytes[last - 1]) { last -= 1 }
      if last > end { hidden.append(HiddenPart(.unparsed, .root, end..<last)) }
    }
    guard let next else { return }
    hidden += parts(of: next.1).map { $0.shifted(by: next.0) }
  }

  /// The lines up to those that do not parse. An open bracket or quote may show up only much later, so this tries a few
  /// beginnings, and then accepts nothing.
  private static func beginning(of bytes: [UInt8]) -> (TOMLDocument, end: Int) {
    var end = bytes.count
    for _ in 0..<8 {
      do throws(TOMLSyntaxError) {
        return (try TOMLDocument(parsing: Array(bytes[..<end])), end)
      } catch {
        let before = bytes[..<min(error.position.byteOffset, end)].lastIndex(of: 0x0A)
        end = before.map { $0 + 1 } ?? 0
      }
    }
    return (TOMLDocument(), 0)
  }

  /// Where some lines begin that may be headers.
  private static func headers(in bytes: [UInt8], after start: Int) -> [Int] {
    var found: [Int] = []
    var at = start
    while found.count < 16, let newline = bytes[at...].firstIndex(of: 0x0A) {
      at = newline + 1
      if at < bytes.count, bytes[at] == UInt8(ascii: "[") { found.append(at) }
    }
    return found
  }
}
