import AppSettings
import AppSettingsSchema
import SettingsTools

// `edit --text`: a whole text from a program, without an editor and without questions.

extension EditVerb {
  /// Stores the text of a file, or of standard input.
  func store(textIn name: String) throws {
    let bytes = try Self.bytes(of: name)
    let target = try Target(target)
    let location = try target.location()
    try target.findSchema()
    // A migration stays pending: the text has the form of the file.
    let opened = try target.openUnread(isForWriting: true)
    if !create { try target.checkKnown(opened, mayBeNew: true) }
    let before = try SettingsFile(path: location.file).read().bytes
    try opened.checkNotNewer()
    opened.load()
    let guarded = GuardedChange(expected: try condition.digests())
    try guarded.checkFile(of: opened)(before)
    try guarded.checkValues(in: opened.snapshot, opened.schema)

    let replacement = TextReplacement(opened, before: before)
    let text = SubmittedText(bytes, for: replacement)
    if let document = text.document {
      if document.bytes.isSameText(as: before) || before == nil && document.bytes.isEmpty {
        try replacement.makeDurable()
        Output.note("No changes.")
      } else {
        do {
          try replacement.write(document, checking: guarded.checkFile(of: opened))
        } catch let conflict as TextReplacement.Conflict {
          throw conflict.failure
        }
      }
    }
    try text.answer(asJSON: json)
  }

  private static func bytes(of name: String) throws -> [UInt8] {
    if name == "-" { return try StandardInput.all() }
    return try GivenFile.bytes(at: SettingsLocation(file: Arguments.path(name)).file, named: name)
  }
}

/// A text from a program, and what is wrong with it.
private struct SubmittedText {
  private(set) var findings: [SettingsFinding] = []
  /// The text to store, with the secrets for which placeholders stand; `nil` if it cannot be stored.
  private(set) var document: TOMLDocument?
  private var failure: ToolError?

  init(_ bytes: [UInt8], for replacement: TextReplacement) {
    let schema = replacement.schema
    let file = replacement.file
    let edited: TOMLDocument
    do throws(TOMLSyntaxError) {
      edited = try TOMLDocument(parsing: bytes)
    } catch {
      findings = [
        SettingsFinding(.unparsable, schema.message(error, in: bytes), file: file, position: error.position)
      ]
      failure = ToolError(
        .unparsable,
        "Cannot store the text: it does not parse. Nothing was written.\n"
          + schema.message(error, in: bytes, of: "text"))
      return
    }
    let whole: TOMLDocument
    do {
      whole = try HiddenText(replacement.before ?? [], schema).restoring(edited)
    } catch {
      let refusal = error as? HiddenText.Refusal
      let message = refusal?.message ?? "\(error)"
      findings = [SettingsFinding(.invalidValue, message, key: refusal?.key, file: file, position: refusal?.position)]
      failure = ToolError(.invalidValue, Self.line(refusal?.position, message) + " Nothing was written.")
      return
    }
    for fault in replacement.faults(in: whole) {
      // The lines are those of the text that was given.
      let position = edited.position(of: fault.key)
      let message = fault.failure.message ?? ""
      findings.append(SettingsFinding(fault.kind, message, key: fault.key, file: file, position: position))
      guard !fault.isWarning else { continue }
      if failure == nil { failure = ToolError(fault.failure.status, Self.line(position, message)) }
    }
    if failure == nil { document = whole }
  }

  private static func line(_ position: TOMLPosition?, _ message: String) -> String {
    (position.map { "text:\($0.line):\($0.column): " } ?? "") + message
  }

  /// Prints the findings, and fails if the text was not stored.
  func answer(asJSON isJSON: Bool) throws {
    if isJSON {
      Output.line(JSONObject.lines(findings.map(\.json)))
    } else {
      for finding in findings where [.unknownKey, .reserved].contains(finding.kind) { Output.warning(finding.message) }
    }
    if let failure { throw isJSON ? ToolError(failure.status) : failure }
  }
}
