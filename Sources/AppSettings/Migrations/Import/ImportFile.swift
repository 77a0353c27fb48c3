public import SettingsTOML

/// Takes the settings that an earlier release, or another library, kept in a file of another form or place.
///
/// The file is read once, when the migration runs, and left as it is. Nothing happens if there is none. What has a value
/// already is not replaced. An app that had no settings file of its own yet runs its migrations for this step's sake, if
/// there is something to import:
///
/// ```swift
/// Migration(2, "import the old configuration") {
///   ImportFile("~/.editorrc", as: .ini, mapping: ["view.fontsize": "editor.font-size"])
/// }
/// ```
public struct ImportFile: MigrationStep {
  private let source: String
  private let format: SettingsImportFormat
  private let rules: SettingsImportRules
  private let report: (@Sendable (SettingsImportReport) -> Void)?

  /// Makes the step.
  ///
  /// - Parameters:
  ///   - source: The file's path; `~/` and `$NAME/` at its beginning stand for the home directory and a variable.
  ///   - format: The file's form.
  ///   - mapping: Keys of the file, and the keys they become, both dotted.
  ///   - ignoring: Keys of the file that are left out.
  ///   - takesOnlyMapped: Whether only what the mapping names is taken.
  ///   - table: The table that what is not mapped goes into; the root if not given.
  ///   - report: Is told what was taken and what was not. A schema file does not hold it.
  public init(
    _ source: String, as format: SettingsImportFormat, mapping: KeyValuePairs<String, String> = [:],
    ignoring: [String] = [], takesOnlyMapped: Bool = false, into table: String? = nil,
    report: (@Sendable (SettingsImportReport) -> Void)? = nil
  ) {
    self.source = source
    self.format = format
    let pairs = mapping.map { (Self.path($0.key), Self.path($0.value)) }
    rules = SettingsImportRules(
      mapping: Dictionary(pairs, uniquingKeysWith: { _, last in last }), ignoring: Set(ignoring.map(Self.path)),
      takesOnlyMapped: takesOnlyMapped, into: table.map(Self.path) ?? .root)
    self.report = report
  }

  /// Takes the step; see the type.
  public func run(on document: inout TOMLDocument) throws { try take(into: &document, nil) }

  private func take(into document: inout TOMLDocument, _ rights: UserRights?) throws {
    guard let path, let bytes = try SettingsFile(path: path).read(with: rights).bytes else { return }
    let taken = try SettingsImporting.take(bytes, of: path, as: format, by: rules, into: &document)
    report?(taken)
  }

  /// The file's absolute path; `nil` if a variable in it is not set.
  private var path: String? {
    if source.hasPrefix("~/") {
      guard let home = ProcessFacts.variable("HOME") ?? ProcessFacts.homeFromUserDatabase() else { return nil }
      return home + source.dropFirst(1)
    }
    if source.hasPrefix("$"), let slash = source.utf8.firstIndex(of: UInt8(ascii: "/")) {
      let name = String(source[source.index(after: source.startIndex)..<slash])
      guard let value = ProcessFacts.variable(name), value.isAbsolutePath else { return nil }
      return value + source[slash...]
    }
    return source
  }

  /// Whether there is a file to import.
  func hasSource(_ rights: UserRights?) -> Bool {
    guard let path else { return false }
    guard let rights else { return (try? Syscalls().status(at: path))??.isRegular ?? false }
    return (try? rights.perform { try Syscalls().status(at: path)?.isRegular }) ?? false
  }
}

extension ImportFile: DeclarativeStep {
  package static let word = "import"
  package var schemaForm: TOMLTable? {
    var form: TOMLTable = ["import": .string(source), "format": .string(format.rawValue)]
    if !rules.mapping.isEmpty {
      let pairs = rules.mapping.sorted { $0.key.description < $1.key.description }
      form["mapping"] = .array(pairs.map { .array([.key($0.key), .key($0.value)]) })
    }
    if !rules.ignoring.isEmpty {
      form["ignoring"] = .keys(rules.ignoring.sorted { $0.description < $1.description })
    }
    if rules.takesOnlyMapped { form["only-mapped"] = true }
    if !rules.table.isRoot { form["into"] = .key(rules.table) }
    return form
  }

  package init(schemaForm table: TOMLTable) throws {
    source = try Self.string("import", of: table)
    guard let format = SettingsImportFormat(rawValue: try Self.string("format", of: table)) else {
      throw Self.failure(
        "format", "one of \(SettingsImportFormat.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.format = format
    var rules = SettingsImportRules()
    if table["mapping"] != nil {
      for pair in try Self.list("mapping", of: table) {
        guard case .array(let both) = pair, both.count == 2, case .string(let old) = both[0],
          case .string(let new) = both[1]
        else { throw Self.failure("mapping", "an array of pairs [old key, new key]") }
        rules.mapping[try TOMLPath(parsing: old)] = try TOMLPath(parsing: new)
      }
    }
    if table["ignoring"] != nil { rules.ignoring = Set(try Self.paths("ignoring", of: table)) }
    rules.takesOnlyMapped = try Self.flag("only-mapped", of: table)
    if table["into"] != nil { rules.table = try Self.path("into", of: table) }
    self.rules = rules
    report = nil
  }

  package func run(in scope: inout MigrationScope) throws {
    guard case .table(let prefix) = scope.place, prefix.isRoot else {
      throw scope.error(at: .root, "a file can only be imported into the whole document")
    }
    try take(into: &scope.document, scope.importRights)
  }
}

extension SettingsMigrations {
  /// Whether a step imports a file, and that file exists.
  package var hasSomethingToImport: Bool {
    migrations.contains { migration in
      migration.steps.contains { ($0 as? ImportFile)?.hasSource(importRights) ?? false }
    }
  }
}

extension SettingsStore {
  /// Takes the settings of another file into the user's file, with a backup and in one write.
  ///
  /// - Parameters:
  ///   - path: The file, which is left as it is.
  ///   - format: Its form.
  ///   - rules: Which key becomes which.
  ///   - isTrial: Whether only the report is made, and nothing written.
  /// - Returns: What was taken and what was not.
  /// - Throws: ``SettingsError`` `unparsable`, `io` if there is no such file, or as ``set(_:for:)``. The user's file is
  ///   unchanged.
  @discardableResult
  public func importFile(
    _ path: String, as format: SettingsImportFormat, rules: SettingsImportRules = SettingsImportRules(),
    isTrial: Bool = false
  ) throws -> SettingsImportReport {
    guard let original = try SettingsFile(path: path).read().bytes else {
      throw SettingsError(.io, "Cannot import '\(path)': there is no such file.", file: path)
    }
    return try importText(original, of: path, as: format, rules: rules, isTrial: isTrial)
  }

  /// As ``importFile(_:as:rules:isTrial:)``, for a text that may be in no file.
  ///
  /// - Parameter advice: What the app's schema says. What the app would refuse is not taken.
  package func importText(
    _ original: [UInt8], of path: String, as format: SettingsImportFormat, rules: SettingsImportRules, isTrial: Bool,
    advice: ImportAdvice? = nil
  ) throws -> SettingsImportReport {
    let plan = try ImportPlan(SettingsImporting.read(original, of: path, as: format), of: path, by: rules, advice)
    if !isTrial {
      core.load()
      try core.flush()
    }
    func take(into bytes: [UInt8]?) throws -> (text: [UInt8]?, report: SettingsImportReport) {
      var document = try core.interpretStrictly(bytes)
      let view = core.snapshot
      let report = try plan.carryOut(on: &document) { path, value in
        view.locks.isEmpty
          || (try? view.permitted([Edit(path: path, value: value, key: advice?.declared(path))]))?.first?.value == value
      }
      return (report.taken.isEmpty ? nil : document.bytes, report)
    }
    // Before the lock: under it, others wait. It is done again only if the file has changed since.
    let before = try core.backing.read().bytes
    var result = try take(into: before)
    guard !isTrial else { return result.report }
    _ = try core.replaceText(reason: "before-import") { bytes in
      if bytes != before { result = try take(into: bytes) }
      return result.text
    }
    return result.report
  }
}

extension StoreCore {
  /// The user's document as this release would write it.
  fileprivate func interpretStrictly(_ bytes: [UInt8]?) throws(SettingsError) -> TOMLDocument {
    var document = TOMLDocument()
    guard let bytes else {
      guard !reader.acceptsAnyVersion, reader.migrations.currentVersion > 1 else { return document }
      do {
        try SettingsFormat.setVersion(reader.migrations.currentVersion, in: &document)
      } catch {
        throw SettingsError(.migrationFailed, "Cannot begin '\(backing.name)': \(error)", file: location?.file)
      }
      return document
    }
    document = try reader.parse(bytes, file: backing.name)
    try reader.checkNotNewer(document, file: backing.name)
    if try reader.isOutdated(document) { try reader.migrations.run(on: &document) }
    return document
  }

  /// What a store without a file begins with, where the import into one failed or is not possible.
  func importInMemory() -> TOMLDocument {
    var document = TOMLDocument()
    guard !reader.acceptsAnyVersion, reader.migrations.hasSomethingToImport else { return document }
    do throws(SettingsError) {
      try reader.migrations.run(on: &document)
    } catch {
      problems.report(SettingsProblem(error.about(file: location?.file)))
    }
    return document
  }
}
