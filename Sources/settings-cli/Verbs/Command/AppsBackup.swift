import AppSettings
import AppSettingsImport
import AppSettingsSchema
import SettingsTools

/// The settings of all apps as one document: a table for each file, by the app's id, with the file's own text in it. The
/// table of a profile is `"APP/profile:NAME"`.
enum AppsBackup {
  /// The key that marks such a document, with the version of its form.
  private static let mark = "settings-apps"
  private static let version: Int64 = 1

  /// A file's settings.
  struct Part {
    /// The app's id, and for a profile its name.
    let app: String
    let profile: String?
    let document: TOMLDocument

    var name: String { profile.map { "\(app)/profile:\($0)" } ?? app }

    /// Where it belongs.
    ///
    /// - Parameter isSystem: Whether it is administrators'.
    func location(isSystem: Bool = false) throws -> SettingsLocation {
      isSystem
        ? try SettingsLocation(administratorsOf: app)
        : try SettingsLocation(app: app, profile: profile.map(SettingsProfile.named) ?? .none)
    }
  }

  // MARK: Making one

  /// The part for a file; `nil` if there is nothing in it.
  static func part(of file: Target, withSecrets: Bool) throws -> Part? {
    guard
      let document = try TextReader.document(
        at: file.location(), showsText: file.schema.showsText, advice: file.repairAdvice),
      !document.root.isEmpty
    else { return nil }
    let profile: String? = if case .personal(.profile(let name)) = file.layer { name } else { nil }
    guard !withSecrets else { return Part(app: file.name, profile: profile, document: document) }
    let (rest, secrets) = try file.schema.withoutSecrets(document)
    let part = Part(app: file.name, profile: profile, document: rest)
    if !secrets.isEmpty {
      let names = secrets.map { "'\($0)'" }.joined(separator: ", ")
      Output.warning("Left out of '\(part.name)' because they are secret: \(names). Use --secrets to include them.")
    }
    return part
  }

  /// The text of a backup.
  static func text(of parts: [Part]) -> String {
    let beginning =
      "# The settings of all apps. To bring them back: settings-cli import --all FILE\n\(mark) = \(version)\n"
    let sections = parts.map { part in
      let text = part.document.text(nestedIn: part.name)
      let isSame = (try? TOMLDocument(parsing: text))?.root == [part.name: .table(part.document.root)]
      return String(decoding: isSame ? text : Array(table(of: [part]).documentText.utf8), as: UTF8.self)
    }
    return ([beginning] + sections).joined(separator: "\n")
  }

  /// The values of a backup, for JSON.
  static func values(of parts: [Part]) -> TOMLTable {
    var values = TOMLTable()
    values[mark] = .integer(version)
    for (name, value) in table(of: parts) { values[name] = value }
    return values
  }

  private static func table(of parts: [Part]) -> TOMLTable {
    var table = TOMLTable()
    for part in parts { table[part.name] = .table(part.document.root) }
    return table
  }

  // MARK: Reading one

  /// Whether a text is a backup. Costs next to nothing for one that is not.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.contains(Array(mark.utf8))
      && (try? parts(in: bytes, of: "", isJSON: looksLikeJSON(bytes), isSystem: false)) != nil
  }

  /// Whether a text without a format is JSON.
  static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
    bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x7B
  }

  /// The parts of a backup.
  ///
  /// - Parameters:
  ///   - file: Its name, for messages.
  ///   - isSystem: Whether it is to be imported into administrators' files.
  /// - Throws: ``ToolError`` with status 6 for a text that is no backup, or not one of them.
  static func parts(in bytes: [UInt8], of file: String, isJSON: Bool, isSystem: Bool) throws -> [Part] {
    func failure(_ reason: String) -> ToolError {
      ToolError(
        .unparsable,
        "Cannot import '\(file)' into all apps: \(reason). Nothing was written. To import it into one app, use "
          + "'settings-cli import TARGET FILE'.")
    }
    var document: TOMLDocument?
    var values: TOMLTable?
    do {
      if isJSON {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("it is not UTF-8") }
        values = try JSONText.value(of: text)?.table
      } else {
        document = try TOMLDocument(parsing: bytes)
        values = document?.root
      }
    } catch let error as TOMLSyntaxError {
      throw failure("\(error.discreetMessage.withoutFullStop) (line \(error.position.line))")
    } catch let error as JSONText.Failure {
      throw failure(error.reason)
    }
    guard let values, case .integer(let version)? = values[mark], version > 0 else {
      throw failure("it is no export of all apps, which '\(mark)' marks")
    }
    guard version <= self.version else { throw failure("a newer release has made it. Update settings-cli") }
    let texts = document?.tableTexts ?? [:]
    return try values.filter { $0.key != mark }.map { name, value in
      guard let table = value.table else { throw failure("'\(name)' is not a table") }
      let text = texts[name].flatMap { try? TOMLDocument(parsing: $0) }
      let part: Part
      do {
        part = try Part(
          name: name, text?.root == table ? text! : TOMLDocument(parsing: Array(table.documentText.utf8)))
      } catch {
        throw failure((ToolError(any: error).message ?? "").withoutFullStop)
      }
      if isSystem, part.profile != nil { throw failure("administrators have no profiles such as '\(name)'") }
      return part
    }
  }

  /// Imports a part into its file.
  ///
  /// - Returns: What was taken, and what was not, except for values that are there already.
  static func take(
    _ part: Part, into target: Target, replacing: Bool, isDryRun: Bool
  ) throws -> (report: SettingsImportReport, kept: Int) {
    let isSystem = target.layer == .system
    let schema = try target.findSchema()
    let opened = try target.openUnread(isForWriting: !isDryRun, at: part.location(isSystem: isSystem))
    let before = opened.snapshot.userDocument
    let document = try schema.adapted(part.document, to: before)
    var rules = SettingsImportRules()
    rules.isReplacing = replacing
    // Those that say something about the file.
    rules.reserved = [SettingsFormat.historyPath, SettingsFormat.versionPath]
    if isSystem { rules.reserved.insert(SettingsFormat.locksPath) }
    if part.profile != nil { rules.reserved.insert(SettingsFormat.inheritsPath) }
    var report = try opened.writing {
      try opened.store.importText(
        document.bytes, of: part.name, as: .toml, rules: rules, dryRun: isDryRun,
        advice: schema.importAdvice(app: part.app, takesUnknown: true))
    }
    report.taken.removeAll { $0.key == SettingsFormat.versionPath || before[$0.key] == document[$0.source] }
    report.skipped.removeAll { $0.source.isReserved }
    let kept = report.skipped.filter { before[$0.source] != nil && !replacing }
    report.skipped.removeAll { before[$0.source] != nil && !replacing }
    return (report, kept.filter { before[$0.source] != document[$0.source] }.count)
  }
}

extension AppsBackup.Part {
  /// - Throws: ``ToolError`` for a name that cannot be that of an app.
  init(name: String, _ document: TOMLDocument) throws {
    let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    app = parts[0]
    profile = parts.count > 1 ? String(parts[1].dropFirst("profile:".count)) : nil
    self.document = document
    if parts.count > 1, !parts[1].hasPrefix("profile:") {
      throw ToolError(.usage, "'\(name)' is neither an app's id nor a profile of one.")
    }
    _ = try location()
  }
}

extension SchemaLookup {
  /// A document without its secrets and without comments that may hold one.
  fileprivate func withoutSecrets(_ document: TOMLDocument) throws -> (TOMLDocument, [TOMLPath]) {
    let redaction = redaction(of: document.bytes)
    guard !redaction.isComplete else { return (document, []) }
    var rest = try TOMLDocument(parsing: redaction.keptText)
    // The content of a secret table is left out as a whole; a value stands for each other secret.
    let sections = redaction.parts.filter { $0.kind == .section }.map(\.path)
    let values = rest.leafPaths().filter { rest[$0]?.holds(Redaction.placeholder) == true }
    try rest.edit { draft in
      try draft.removeAll(at: sections + values)
      try draft.removeEmptied(above: sections + values)
    }
    var seen: Set<TOMLPath> = []
    return (rest, (sections + values.map { key(around: $0)?.path ?? $0 }).filter { seen.insert($0).inserted })
  }
}
