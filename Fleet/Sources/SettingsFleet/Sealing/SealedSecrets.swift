public import SettingsTOML

/// The sealed values of a document's text: what is at `settings-sealed.KEY`.
///
/// Apps and `settings-cli` leave keys alone that begin with `settings-`. So a sealed value is part of the text, with its
/// signature, history and rollouts, and only mirrors read it.
public struct SealedSecrets: Hashable, Sendable {
  /// One secret.
  public struct Entry: Hashable, Sendable {
    /// The key of the secret.
    public let name: SecretName
    /// Its sealed value.
    public let value: SealedValue
    /// Where it is in the text.
    public let line: Int?
    /// Where it is in the line.
    public let column: Int?
  }

  /// The root key of the table.
  public static let table = "settings-sealed"

  /// The secrets, in the order of their names.
  public private(set) var entries: [Entry] = []

  /// Reads the sealed values of a document's text.
  ///
  /// - Throws: ``FleetProblem`` of kind `refused` for what is neither a table nor a sealed value, and for a key that
  ///   cannot be the name of a file.
  public init(in document: TOMLDocument) throws(FleetProblem) {
    guard let value = document[[Self.table]] else { return }
    guard let table = value.table else {
      throw Self.problem("'\(Self.table)' is \(value.kindName), but must be a table.", at: [Self.table], in: document)
    }
    try read(table, at: [], in: document)
    entries.sort { $0.name < $1.name }
  }

  /// Reads the sealed values of a text. One that does not parse has none: others say where and why.
  ///
  /// - Throws: As ``init(in:)``.
  public init(of text: [UInt8]) throws(FleetProblem) {
    try self.init(in: (try? TOMLDocument(parsing: text)) ?? TOMLDocument())
  }

  private mutating func read(
    _ table: TOMLTable, at path: [String], in document: TOMLDocument
  ) throws(FleetProblem) {
    for (key, value) in table {
      let path = path + [key]
      if let inner = value.table {
        try read(inner, at: path, in: document)
        continue
      }
      let place = TOMLPath([Self.table] + path)
      guard let name = SecretName(path) else {
        throw Self.problem("'\(TOMLPath(path))' cannot be sealed. \(SecretName.rule)", at: place, in: document)
      }
      guard let sealed = value.texts.flatMap(SealedValue.init(texts:)) else {
        throw Self.problem(
          "'\(place)' is not a sealed value. 'settings-fleet seal' makes one.", at: place, in: document)
      }
      let position = document.position(of: place)
      entries.append(Entry(name: name, value: sealed, line: position?.line, column: position?.column))
    }
  }

  private static func problem(_ message: String, at path: TOMLPath, in document: TOMLDocument) -> FleetProblem {
    let position = document.position(of: path)
    return FleetProblem(.refused, message, line: position?.line, column: position?.column, key: "\(path)")
  }

  /// Opens all of them.
  ///
  /// - Throws: ``FleetProblem`` of kind `not-opened` for the first one that does not open.
  public func open(
    in document: FleetDocument, with keys: [UnsealingKey]
  ) throws(FleetProblem) -> [SecretName: [UInt8]] {
    var secrets: [SecretName: [UInt8]] = [:]
    for entry in entries { secrets[entry.name] = try entry.open(in: document, with: keys) }
    return secrets
  }

  /// What a machine uses, of all its documents of an app: for each secret that of the document with the highest
  /// precedence.
  ///
  /// That is the order in which apps read the documents' files: by the bytes of their names.
  public static func effective(
    among documents: [FleetDocument: SealedSecrets]
  ) -> [SecretName: (document: FleetDocument, entry: Entry)] {
    let ordered = documents.sorted {
      $0.key.scope.fileName.utf8.lexicographicallyPrecedes($1.key.scope.fileName.utf8)
    }
    var effective: [SecretName: (document: FleetDocument, entry: Entry)] = [:]
    for (document, secrets) in ordered {
      for entry in secrets.entries { effective[entry.name] = (document, entry) }
    }
    return effective
  }
}

extension SealedSecrets.Entry {
  /// Opens it.
  ///
  /// - Throws: ``FleetProblem`` of kind `not-opened`.
  public func open(in document: FleetDocument, with keys: [UnsealingKey]) throws(FleetProblem) -> [UInt8] {
    do {
      return try value.open(as: name, in: document, with: keys)
    } catch {
      let reason =
        switch error {
        case .noKeys: "this machine has no key for it. Name one in 'unsealing-keys' of 'settings-fleet'"
        case .otherKeys: "it is sealed for other keys than this machine's. Seal it for this one, too"
        case .newerForm: "it is sealed in a form of a newer release. Upgrade 'settings-fleet' on this machine"
        default: "it was changed, or sealed for another key or document. Seal it again"
        }
      throw FleetProblem(
        .notOpened, "The sealed value of '\(name)' does not open: \(reason).", line: line, column: column,
        key: "\(SealedSecrets.table).\(name)")
    }
  }
}

extension TOMLValue {
  /// A text or an array of texts.
  fileprivate var texts: [String]? {
    switch self {
    case .string(let text): return [text]
    case .array(let values):
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return texts.count == values.count ? texts : nil
    default: return nil
    }
  }
}
