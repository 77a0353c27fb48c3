import SettingsTOML

/// A text as the history keeps it: without the values of keys that are secret or unknown.
///
/// Made of the whole text, so that it costs as much as the file is long. A usual write needs none: see ``KeptPlaces``.
///
/// A text that parses stays TOML. ``Redaction/placeholder`` stands for each value that is left out.
struct KeptText: Sendable {
  /// The bytes; TOML if the text is.
  let bytes: [UInt8]
  /// Where the text has what is left out of them.
  let places: KeptPlaces
  let isUnparsed: Bool
  /// Whether more is left out than the keys say: the whole inline table around a secret one with dotted keys.
  let leavesOutMore: Bool
  /// The document of the text, if nothing is left out of it.
  private let whole: TOMLDocument?

  /// Whether nothing is left out.
  var isComplete: Bool { places.isEmpty }
  /// The document of the bytes, which is made when it is asked for; `nil` if the text did not parse.
  var document: TOMLDocument? { whole ?? Self.document(of: bytes) }

  /// Stands for a text that does not parse. It says nothing about the values.
  static let unparsed = Array("# \(Redaction.placeholder): it did not parse\n".utf8)

  /// - Parameters:
  ///   - text: The text.
  ///   - document: Its document; `nil` for one that does not parse, of which nothing is kept.
  init(of text: [UInt8], _ document: TOMLDocument?, _ known: KnownKeys, _ migrations: SettingsMigrations) {
    isUnparsed = document == nil
    guard let document else {
      bytes = Self.unparsed
      places = KeptPlaces([KeptPlaces.Place(0..<text.count, shown: Self.unparsed.count)])
      leavesOutMore = false
      whole = nil
      return
    }
    let redaction = Redaction(of: document, known, migrations, withPaths: false)
    // Of the values without keys of their own, only such a table has a path, as none is asked for.
    leavesOutMore = redaction.parts.contains { !$0.isPlain && $0.kind == .value && $0.key == nil }
    // The same array where nothing is hidden, so that it is in memory once.
    whole = redaction.isComplete ? document : nil
    guard !redaction.isComplete else {
      (bytes, places) = (redaction.bytes, KeptPlaces([]))
      return
    }
    var kept: [UInt8] = []
    places = KeptPlaces(
      [KeptPlaces.Place](unsafeUninitializedCapacity: redaction.parts.count) { places, count in
        kept = redaction.keptText { part, shown in
          places.initializeElement(at: count, to: KeptPlaces.Place(part, shown: shown))
          count += 1
        }
      })
    bytes = kept
  }

  /// The document of a text as it was kept; `nil` if the text did not parse.
  static func document(of bytes: [UInt8]) -> TOMLDocument? {
    bytes.isSameText(as: unparsed) ? nil : try? TOMLDocument(parsing: bytes)
  }

  /// Whether a write of one of some paths can change what is left out of a document.
  static func mayHide(
    _ paths: [TOMLPath], in document: TOMLDocument, _ known: KnownKeys, _ migrations: SettingsMigrations
  ) -> Bool {
    let known = known.adapted(to: document, migrations)
    return paths.contains { path in
      guard !path.isRoot, !path.isReserved else { return true }
      switch document[path] {
      case .table?: return true
      case .array(let items)? where items.contains(where: \.isCollection): return true
      case let value?: return known.hides(path, value)
      case nil: return known.hides(path)
      }
    }
  }
}

extension TOMLValue {
  fileprivate var isCollection: Bool {
    switch self {
    case .table, .array: true
    default: false
    }
  }

  /// Whether the value is a text, or has it in it.
  package func holds(_ text: String) -> Bool {
    switch self {
    case .string(let own): own == text
    case .array(let items): items.contains { $0.holds(text) }
    case .table(let table): table.contains { $0.value.holds(text) }
    default: false
    }
  }
}
