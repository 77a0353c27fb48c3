public import AppSettings

extension MigrationStep {
  /// Imports the settings that an earlier release, or another library, stored in a file of another format or at another
  /// path.
  ///
  /// The step reads the file once, when the migration runs, and does not change it. If the file does not exist, nothing
  /// happens. An existing value in the settings stays. If such a file exists, an app without a settings file runs its
  /// migrations too:
  ///
  /// ```swift
  /// Migration(2, "import the old configuration", [
  ///   .importFile("~/.editorrc", as: .ini, mapping: ["view.fontsize": "editor.font-size"])
  /// ])
  /// ```
  ///
  /// - Parameters:
  ///   - source: The file's path, which may begin with `~/` for the home directory or with a variable as `$NAME/`.
  ///   - format: The file's format.
  ///   - mapping: Keys of the file, and the keys they become, both dotted.
  ///   - ignoring: Keys of the file to leave out.
  ///   - takesOnlyMapped: Whether to take only the keys in the mapping.
  ///   - table: The table for keys that are not mapped; the root by default.
  ///   - keys: The app's keys, which say whether the dots in a name of the file separate tables: `view.zoom` goes to the key
  ///     `view.zoom` if there is one. TOML and `git config` have tables of their own, and need no such rule.
  ///   - report: Receives the imported and the skipped values, after the migration, so that it may use the store. A
  ///     schema file cannot store it.
  public static func importFile(
    _ source: String, as format: SettingsImportFormat, mapping: KeyValuePairs<String, String> = [:],
    ignoring: [String] = [], takesOnlyMapped: Bool = false, into table: String? = nil, keys: [AnySettingsKey] = [],
    report: (@Sendable (SettingsImportReport) -> Void)? = nil
  ) -> MigrationStep {
    let rules = SettingsImportRules(
      mapping: mapping, ignoring: ignoring, takesOnlyMapped: takesOnlyMapped, into: table, keys: keys)
    return MigrationStep(ImportStep(source: source, format: format, rules: rules, report: report))
  }
}

/// The step that ``AppSettings/MigrationStep/importFile(_:as:mapping:ignoring:takesOnlyMapped:into:keys:report:)`` makes.
package struct ImportStep: ImportingStep {
  fileprivate let source: String
  fileprivate let format: SettingsImportFormat
  fileprivate let rules: SettingsImportRules
  fileprivate let report: (@Sendable (SettingsImportReport) -> Void)?

  /// The file's absolute path; `nil` if a variable in it is not set.
  private var path: String? {
    if source.hasPrefix("~/") {
      guard let home = ProcessFacts.variable("HOME") ?? UserEntry.current?.home else { return nil }
      return home + source.dropFirst(1)
    }
    if source.hasPrefix("$"), let slash = source.utf8.firstIndex(of: UInt8(ascii: "/")) {
      let name = String(source[source.index(after: source.startIndex)..<slash])
      guard let value = ProcessFacts.variable(name), value.isAbsolutePath else { return nil }
      return value + source[slash...]
    }
    return source
  }

  /// Whether the file exists.
  package func hasSource(_ rights: UserRights?) -> Bool {
    guard let path else { return false }
    guard let rights else { return (try? Syscalls().status(at: path))?.isRegular ?? false }
    return (try? rights.perform { try Syscalls().status(at: path)?.isRegular }) ?? false
  }
}

extension ImportStep: DeclarativeStep {
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
    if !rules.keys.isEmpty { form["keys"] = .keys(rules.keys.sorted { $0.description < $1.description }) }
    return form
  }

  package init(_ form: StepForm) throws {
    source = try form.string("import")
    guard let format = SettingsImportFormat(rawValue: try form.string("format")) else {
      throw form.failure(
        "format", "one of \(SettingsImportFormat.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.format = format
    var rules = SettingsImportRules()
    if form["mapping"] != nil {
      for pair in try form.list("mapping") {
        guard case .array(let both) = pair, both.count == 2, case .string(let old) = both[0],
          case .string(let new) = both[1]
        else { throw form.failure("mapping", "an array of pairs [old key, new key]") }
        rules.mapping[try TOMLPath(parsing: old)] = try TOMLPath(parsing: new)
      }
    }
    if form["ignoring"] != nil { rules.ignoring = Set(try form.paths("ignoring")) }
    rules.takesOnlyMapped = try form.flag("only-mapped")
    if form["into"] != nil { rules.table = try form.path("into") }
    if form["keys"] != nil { rules.keys = Set(try form.paths("keys")) }
    self.rules = rules
    report = nil
  }

  package func run(in scope: inout MigrationScope) throws {
    guard case .table(let prefix) = scope.place, prefix.isRoot else {
      throw scope.error(at: .root, "a file can only be imported into the whole document")
    }
    guard let path, let bytes = try SettingsFile(path: path).read(with: scope.importRights).bytes else { return }
    let taken = try SettingsImporting.take(bytes, of: path, as: format, by: rules, into: &scope.document)
    // The settings are being migrated: code of the app that uses them waits until that has ended.
    if let report { DeferredCalls.run { report(taken) } }
  }
}
