package import SettingsTOML

/// A step that can be stored in a schema file, so that `settings-cli migrate` can run it.
///
/// Such a step contains no code, so another program can run it:
///
/// ```toml
/// steps = [{ rename = "colour", to = "theme.accent" }]
/// ```
package protocol DeclarativeStep: StepContent {
  /// The step as a table: its word with the key, and its other arguments. `nil` if it contains code.
  var schemaForm: TOMLTable? { get }
  /// Reads the step.
  ///
  /// - Throws: ``MigrationStepError`` if a member is missing or has the wrong type.
  init(_ form: StepForm) throws
}

/// Writes the steps of a schema file as tables, and reads them.
package struct StepForms: Sendable {
  private let types: [(word: String, type: any DeclarativeStep.Type)]
  fileprivate let takesUnknown: Bool

  /// - Parameters:
  ///   - more: Steps of other modules to read as well, by their words.
  ///   - takesUnknown: Whether a step may have members that this release does not know.
  package init(and more: [(String, any DeclarativeStep.Type)] = [], takesUnknown: Bool = false) {
    self.takesUnknown = takesUnknown
    types =
      [
        ("rename", RenameStep.self), ("move", RenameStep.self), ("copy", CopyStep.self), ("remove", RemoveStep.self),
        ("set-default", SetDefaultStep.self), ("map-values", MapValuesStep.self), ("convert", ConvertStep.self),
        ("decode-json", DecodeJSONStringStep.self), ("encode-json", EncodeJSONStringStep.self),
        ("merge", MergeStep.self), ("split", SplitStep.self), ("wrap", WrapStep.self), ("unwrap", UnwrapStep.self),
        ("for-each", ForEachStep.self), ("when", WhenStep.self),
      ] + more
  }

  /// A step as a table. For a step of code, the table only says that it is code.
  package static func form(of step: MigrationStep) -> TOMLTable {
    (step.content as? any DeclarativeStep)?.schemaForm ?? ["code": true]
  }

  /// Whether a schema file can store a step completely.
  package static func isDeclarative(_ step: MigrationStep) -> Bool {
    (step.content as? any DeclarativeStep)?.schemaForm != nil
  }

  /// Whether a step is code, in this process or in the schema's app.
  package static func needsTheApp(_ step: MigrationStep) -> Bool { step.content is NeedsTheApp || !isDeclarative(step) }

  /// Returns the step that a table describes.
  ///
  /// - Throws: `MigrationStepError` for an unknown word, or a member that is unknown, missing or has the wrong type.
  package func step(_ value: TOMLValue) throws -> MigrationStep {
    let table = value.table ?? TOMLTable()
    if table["code"] != nil {
      let form = StepForm(word: "code", table: table, forms: self)
      _ = form["code"]
      try form.checkMembers()
      return MigrationStep(NeedsTheApp())
    }
    for (word, type) in types where table[word] != nil {
      let form = StepForm(word: word, table: table, forms: self)
      let step = try type.init(form)
      try form.checkMembers()
      return MigrationStep(step)
    }
    throw MigrationStepError(
      path: .root,
      reason: "the step \(value.tomlText.shortened()) is not one of \(types.map(\.word).joined(separator: ", "))")
  }

  /// Represents a step of code in a schema.
  private struct NeedsTheApp: StepContent {
    func run(in scope: inout MigrationScope) throws {
      throw MigrationStepError(path: .root, reason: "the step is code in the app: start the app once to migrate")
    }
  }
}

/// A step as stored in a schema file, with access to its members by the type that the step needs.
package struct StepForm {
  let word: String
  fileprivate let table: TOMLTable
  fileprivate let forms: StepForms
  /// The members that the step knows: those that it asks for.
  private let known = Names()

  private final class Names { var all: [String] = [] }

  /// Whether members that this release does not know are ignored.
  var takesUnknown: Bool { forms.takesUnknown }

  /// A member; `nil` if it is absent.
  package subscript(member: String) -> TOMLValue? {
    if !known.all.contains(member) { known.all.append(member) }
    return table[member]
  }

  /// Rejects members that the step has not asked for.
  fileprivate func checkMembers() throws {
    guard !takesUnknown, let stray = table.keys.first(where: { !known.all.contains($0) }) else { return }
    throw MigrationStepError(
      path: .root,
      reason: "the step '\(word)' has no member '\(stray.shortened())' here; it has "
        + known.all.joined(separator: ", "))
  }

  /// The error for a member that is missing or has the wrong type.
  package func failure(_ member: String, _ needed: String) -> MigrationStepError {
    MigrationStepError(path: [member], reason: "the step '\(word)' needs \(needed)")
  }

  /// Returns a member that must be a dotted key.
  package func path(_ member: String) throws -> TOMLPath {
    try TOMLPath(parsing: try string(member))
  }

  /// Returns a member that must be a string.
  package func string(_ member: String) throws -> String {
    guard case .string(let text)? = self[member] else { throw failure(member, "a string") }
    return text
  }

  /// Returns a member that must be a boolean; `false` if it is absent.
  package func flag(_ member: String) throws -> Bool {
    switch self[member] {
    case nil: false
    case .boolean(let flag)?: flag
    default: throw failure(member, "true or false")
    }
  }

  /// Returns a member that must be a list of dotted keys.
  package func paths(_ member: String) throws -> [TOMLPath] {
    guard case .array(let items)? = self[member] else { throw failure(member, "an array of keys") }
    return try items.map { item in
      guard case .string(let text) = item else { throw failure(member, "an array of keys") }
      return try TOMLPath(parsing: text)
    }
  }

  /// Returns a member that must be an array.
  package func list(_ member: String) throws -> [TOMLValue] {
    guard case .array(let items)? = self[member] else { throw failure(member, "an array") }
    return items
  }

  /// Returns a member that must be a list of steps; empty if it is absent.
  package func steps(_ member: String) throws -> [MigrationStep] {
    guard let value = self[member] else { return [] }
    guard case .array(let items) = value else { throw failure(member, "an array of steps") }
    return try items.map(forms.step)
  }
}

extension DeclarativeStep {
  /// Steps as the value of a member; `nil` if one of them is code.
  static func form(of steps: [MigrationStep]) -> TOMLValue? {
    guard steps.allSatisfy(StepForms.isDeclarative) else { return nil }
    return .array(steps.map { .table(StepForms.form(of: $0)) })
  }
}

extension TOMLValue {
  /// A key as a string value.
  package static func key(_ path: TOMLPath) -> TOMLValue { .string(path.description) }

  /// Keys as an array of strings.
  package static func keys(_ paths: [TOMLPath]) -> TOMLValue { .array(paths.map(TOMLValue.key)) }
}
