public import AppSettings

/// The format of a file to import settings from.
public enum SettingsImportFormat: String, Sendable, CaseIterable {
  /// A JSON object.
  case json
  /// A property list, as XML or binary, such as a `UserDefaults` domain.
  case propertyList = "plist"
  /// Sections of `key = value` or `key: value` lines, with comments after `;` or `#`.
  case ini
  /// GLib's key file: lists separated by `;`, escapes, and locales in brackets.
  case keyFile = "keyfile"
  /// KDE's configuration: nested groups, `[$i]`, `[$e]` and `[$d]`, locales in brackets, and escapes.
  case kconfig
  /// The form of `git config`: sections with subsections, escapes, and keys with several values.
  case gitConfig = "git"
  /// `KEY=VALUE` lines, as a shell or systemd reads them.
  case environment = "env"
  /// The output of `dconf dump`, or GSettings' own key file: values in GVariant's text form.
  case dconf
  /// TOML, for example at an older path.
  case toml

  /// Chooses the format by a file's name; `nil` if the name does not indicate one.
  package init?(fileName: String) {
    let name = fileName.split(separator: "/").last.map(String.init)?.lowercased() ?? ""
    switch name.split(separator: ".").last.map(String.init) {
    case "json": self = .json
    case "plist": self = .propertyList
    case "ini", "cfg", "conf": self = .ini
    case "keyfile", "desktop": self = .keyFile
    case "gitconfig": self = .gitConfig
    case "env": self = .environment
    case "dconf": self = .dconf
    case "toml": self = .toml
    default: return nil
    }
  }
}

/// The result of an import: the imported and the skipped values.
public struct SettingsImportReport: Sendable {
  /// A value that was imported.
  public struct Taken: Sendable {
    /// The key in the original.
    public package(set) var source: TOMLPath
    /// The key in the settings.
    public package(set) var key: TOMLPath
  }

  /// A value that was skipped.
  public struct Skipped: Sendable {
    /// The key in the original.
    public package(set) var source: TOMLPath
    /// The reason, as a clause that shows no value: `'editor' is a value, and cannot have keys`.
    public package(set) var reason: String
    /// The key that it would have had in the settings, where that is known.
    package internal(set) var key: TOMLPath?
  }

  /// The file that was read. It is unchanged.
  public package(set) var file: String
  /// The imported values, in the original's order.
  public package(set) var taken: [Taken] = []
  /// The skipped values.
  public package(set) var skipped: [Skipped] = []
  /// The imported values whose names have dots and match no rule and no key of the app. Such a name stays as
  /// it is, in quotes: `"view.zoom"` is another key than `zoom` in the table `view`.
  public package(set) var dotted: [Taken] = []
  /// The values skipped because an administrator has locked the key; `skipped` contains them, too.
  package internal(set) var locked: [Taken] = []
  /// The values skipped because the app would reject them; `skipped` contains them, too.
  package internal(set) var refused: [Taken] = []
}

/// The rules of an import: which keys are imported, and where to.
package struct SettingsImportRules: Sendable, Hashable {
  /// Keys of the original, and the keys that they become. Keys below a mapped key move with it. A name of the original
  /// with dots, such as a property list's `view.zoom`, may be written as one name or as a path.
  package var mapping: [TOMLPath: TOMLPath]
  /// Keys of the original to leave out, with the keys below them.
  package var ignoring: Set<TOMLPath>
  /// Whether to import only the keys in the mapping.
  package var takesOnlyMapped: Bool
  /// The table for keys that are not mapped; the root by default.
  package var table: TOMLPath
  /// Whether imported values replace existing ones.
  package var isReplacing: Bool
  /// Whether to lock the keys that the original locks, as KDE's `[$i]` does. This is for an administrator's file, where
  /// `settings-locked` lists the keys.
  package var takesLocks: Bool
  /// The paths of the app's keys. They say whether the dots in a name of the original separate tables: `view.zoom` goes
  /// to the key `view.zoom` if there is one. TOML and `git config` have tables of their own, and need no such rule.
  package var keys: Set<TOMLPath>
  /// The reserved root keys to import, too, in place of skipping them.
  package var reserved: Set<TOMLPath> = []

  /// Creates rules. By default every key is imported under its own name, and no value is replaced.
  package init(
    mapping: [TOMLPath: TOMLPath] = [:], ignoring: Set<TOMLPath> = [], takesOnlyMapped: Bool = false,
    into table: TOMLPath = .root, isReplacing: Bool = false, takesLocks: Bool = false, keys: [AnySettingsKey] = []
  ) {
    self.mapping = mapping
    self.ignoring = ignoring
    self.takesOnlyMapped = takesOnlyMapped
    self.table = table
    self.isReplacing = isReplacing
    self.takesLocks = takesLocks
    self.keys = Set(keys.flatMap(\.paths))
  }

  /// Creates the rules that an app writes. A name that is not a dotted path is a programming error and traps.
  init(
    mapping: KeyValuePairs<String, String>, ignoring: [String], takesOnlyMapped: Bool, into table: String?,
    keys: [AnySettingsKey]
  ) {
    let pairs = mapping.map { (MigrationStep.path($0.key), MigrationStep.path($0.value)) }
    self.init(
      mapping: Dictionary(pairs, uniquingKeysWith: { _, last in last }),
      ignoring: Set(ignoring.map(MigrationStep.path)),
      takesOnlyMapped: takesOnlyMapped, into: table.map(MigrationStep.path) ?? .root, keys: keys)
  }

  /// The key for a value; `nil` if the value is not imported.
  func target(of source: TOMLPath) -> TOMLPath? {
    switch verdict(on: source) {
    case .key(let key): key
    case .ignored: nil
    case .none: takesOnlyMapped ? nil : table.appending(source)
    }
  }

  enum Verdict {
    case key(TOMLPath)
    case ignored
  }

  /// What the mapping and the names to ignore say about a value; `nil` if nothing.
  func verdict(on source: TOMLPath) -> Verdict? {
    guard !mapping.isEmpty || !ignoring.isEmpty else { return nil }
    for above in source.prefixes.reversed() {
      if let new = mapping[above] { return .key(new.appending(source.rest(below: above))) }
      if ignoring.contains(above) { return .ignored }
    }
    return nil
  }
}

package enum SettingsImporting {
  /// Imports the values of a text into a document.
  ///
  /// - Throws: `SettingsError` `unparsable` if the text is not valid in the format, `invalidKey` if a value cannot be
  ///   set at its key. The document is unchanged.
  package static func take(
    _ bytes: [UInt8], of file: String, as format: SettingsImportFormat, by rules: SettingsImportRules,
    into document: inout TOMLDocument, budget: ImportBudget = ImportBudget()
  ) throws(SettingsError) -> SettingsImportReport {
    let plan = try ImportPlan(read(bytes, of: file, as: format, budget), of: file, by: rules, budget: budget)
    return try plan.carryOut(on: &document)
  }

  /// Reads an original.
  ///
  /// - Throws: `SettingsError` `unparsable` if it is not valid in the format, or is above the limits.
  static func read(
    _ bytes: [UInt8], of file: String, as format: SettingsImportFormat, _ budget: ImportBudget = ImportBudget()
  ) throws(SettingsError) -> ImportedValues {
    do throws(ImportFailure) {
      guard bytes.count <= ImportBudget.mostInput else {
        throw ImportFailure(
          reason: "it has \(bytes.count) bytes, and the limit is \(ImportBudget.mostInput)", isLimit: true)
      }
      return try read(bytes, as: format, budget)
    } catch {
      let correct = file.isMovable ? "Correct it, or move it away." : "Correct it."
      let advice = error.advice ?? (error.isLimit ? "Import a part of it." : correct)
      let place = error.position.map { ":\($0.line):\($0.column)" } ?? ""
      throw SettingsError(
        .unparsable,
        "Cannot import '\(file)\(place)' as \(format.rawValue): \(error.reason). Nothing was written. \(advice)",
        file: file, position: error.position)
    }
  }

  private static func read(
    _ bytes: [UInt8], as format: SettingsImportFormat, _ budget: ImportBudget
  ) throws(ImportFailure) -> ImportedValues {
    var budget = budget
    switch format {
    case .propertyList: return try PropertyListText.read(bytes, &budget)
    case .toml:
      do throws(TOMLSyntaxError) {
        let document = try TOMLDocument(parsing: bytes)
        return ImportedValues(values: document.root, hasNamesWithDots: false, document: document)
      } catch {
        throw ImportFailure(
          reason: error.discreetMessage.withoutFullStop, isLimit: error.isLimit, position: error.position)
      }
    default: break
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ImportFailure(reason: "it is not UTF-8") }
    switch format {
    case .json: return try json(text, limit: budget.mostValues)
    case .ini: return try KeyFileText.read(text, as: .ini, &budget)
    case .keyFile: return try KeyFileText.read(text, as: .keyFile, &budget)
    case .kconfig: return try KConfigText.read(text, &budget)
    case .gitConfig: return try GitConfigText.read(text, &budget)
    case .dconf: return try KeyFileText.read(text, as: .dconf, &budget)
    default: return try EnvironmentText.read(text, &budget)
    }
  }

  private static func json(_ text: String, limit: Int) throws(ImportFailure) -> ImportedValues {
    do throws(JSONText.Failure) {
      var nulls: [SettingsImportReport.Skipped] = []
      guard
        case .table(let table)? = try JSONText.value(
          of: text, limit: limit,
          onNull: { nulls.append(.init(source: $0, reason: "null has no value in TOML")) })
      else {
        throw JSONText.Failure(reason: "it is not an object", isSyntax: false)
      }
      return ImportedValues(values: table, skipped: nulls)
    } catch {
      throw ImportFailure(reason: error.reason)
    }
  }
}
