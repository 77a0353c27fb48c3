public import SettingsTOML

/// The form of a file that settings are imported from.
public enum SettingsImportFormat: String, Sendable, Hashable, CaseIterable {
  /// A JSON object.
  case json
  /// A property list, as XML or binary: a `UserDefaults` domain.
  case propertyList = "plist"
  /// Sections of `key = value` or `key: value` lines, comments after `;` or `#`.
  case ini
  /// GLib's key file: lists with `;`, escapes, locales in brackets.
  case keyFile = "keyfile"
  /// `KEY=VALUE` lines as a shell or systemd reads them.
  case environment = "env"
  /// What `dconf dump` prints, and GSettings' own key file: values in GVariant's text form.
  case dconf
  /// TOML at an older path.
  case toml

  /// The format that a file's name says; `nil` if it says none.
  public init?(fileName: String) {
    let name = fileName.split(separator: "/").last.map(String.init)?.lowercased() ?? ""
    switch name.split(separator: ".").last.map(String.init) {
    case "json": self = .json
    case "plist": self = .propertyList
    case "ini", "cfg", "conf": self = .ini
    case "keyfile", "desktop": self = .keyFile
    case "env": self = .environment
    case "dconf": self = .dconf
    case "toml": self = .toml
    default: return nil
    }
  }
}

/// What an import took, and what it did not.
public struct SettingsImportReport: Sendable, Hashable {
  /// A value that was taken.
  public struct Taken: Sendable, Hashable {
    /// The key in the original.
    public var source: TOMLPath
    /// The key in the settings.
    public var key: TOMLPath
  }

  /// A value that was not taken.
  public struct Skipped: Sendable, Hashable {
    /// The key in the original.
    public var source: TOMLPath
    /// A clause: why.
    public var reason: String
  }

  /// The file that was read. It is left as it is.
  public var file: String
  /// What was taken, in the original's order.
  public var taken: [Taken] = []
  /// What was not.
  public var skipped: [Skipped] = []
  /// What was not because an administrator has locked the key; it is among what was skipped, too.
  package private(set) var locked: [Taken] = []
  /// What was not because the app would refuse it; it is among what was skipped, too.
  package private(set) var refused: [Taken] = []

  /// Takes note of what cannot be set, which was skipped as if it had not been asked for.
  mutating func note(locked: [Taken], refused: [(taken: Taken, reason: String)]) {
    self.locked = locked
    self.refused = refused.map(\.taken)
    var reasons: [TOMLPath: String] = [:]
    for (taken, reason) in refused { reasons[taken.source] = reason }
    for taken in locked { reasons[taken.source] = "'\(taken.key)' is locked by an administrator" }
    for (index, entry) in skipped.enumerated() {
      if let reason = reasons[entry.source] { skipped[index].reason = reason }
    }
  }
}

/// The rules of an import: which key becomes which.
public struct SettingsImportRules: Sendable, Hashable {
  /// Keys of the original, and the keys they become. What is below a key goes along.
  public var mapping: [TOMLPath: TOMLPath]
  /// Keys of the original that are left out.
  public var ignoring: Set<TOMLPath>
  /// Whether only what the mapping names is taken.
  public var takesOnlyMapped: Bool
  /// A table that everything that is not mapped goes into; the root by default.
  public var table: TOMLPath
  /// Whether what is imported replaces values that are there.
  public var isReplacing: Bool

  /// Makes rules; as they are, everything is taken under its own name, and nothing is replaced.
  public init(
    mapping: [TOMLPath: TOMLPath] = [:], ignoring: Set<TOMLPath> = [], takesOnlyMapped: Bool = false,
    into table: TOMLPath = .root, isReplacing: Bool = false
  ) {
    self.mapping = mapping
    self.ignoring = ignoring
    self.takesOnlyMapped = takesOnlyMapped
    self.table = table
    self.isReplacing = isReplacing
  }

  /// Where a value goes; `nil` if it is not taken.
  func target(of source: TOMLPath) -> TOMLPath? {
    var above = source
    while !above.isRoot {
      if let new = mapping[above] {
        return TOMLPath(new.components + source.components.dropFirst(above.components.count))
      }
      if ignoring.contains(above) { return nil }
      above = above.parent
    }
    return takesOnlyMapped ? nil : table.appending(source)
  }
}

/// What was read of an original: its values, and what has no value in TOML.
struct ImportedValues {
  var values = TOMLTable()
  var skipped: [SettingsImportReport.Skipped] = []
  /// The text as it is, if it is TOML.
  var document: TOMLDocument?
}

/// Why an original could not be read.
struct ImportFailure: Error {
  /// A clause.
  var reason: String
}

package enum SettingsImporting {
  /// Takes the values of a text into a document.
  ///
  /// - Throws: ``SettingsError`` `unparsable` if the text is not of the format, `invalidKey` if a value cannot stand
  ///   where it is to go. The document is unchanged.
  package static func take(
    _ bytes: [UInt8], of file: String, as format: SettingsImportFormat, by rules: SettingsImportRules,
    into document: inout TOMLDocument
  ) throws(SettingsError) -> SettingsImportReport {
    let imported: ImportedValues
    do throws(ImportFailure) {
      imported = try read(bytes, as: format)
    } catch {
      throw SettingsError(
        .unparsable,
        "Cannot import '\(file)' as \(format.rawValue): \(error.reason). Nothing was written. Correct it, or move it away.",
        file: file)
    }
    var report = SettingsImportReport(file: file)
    report.skipped = imported.skipped
    var result = document
    // Nothing to keep and nothing to change: comments come along.
    let isWhole = document.bytes.isEmpty && rules == SettingsImportRules()
    if isWhole, let whole = imported.document { result = whole }
    var leaves: [(TOMLPath, TOMLValue)] = []
    collect(.table(imported.values), at: .root, rules: rules, into: &leaves)
    do {
      // One check for all: each alone reads the whole text anew.
      try result.edit { draft in
        for (source, value) in leaves {
          func skip(_ reason: String) { report.skipped.append(.init(source: source, reason: reason)) }
          guard let target = rules.target(of: source), !target.isRoot else {
            skip("it is not to be taken")
            continue
          }
          guard !target.components[0].hasPrefix("settings-") else {
            skip("root keys that begin with 'settings-' are reserved")
            if isWhole { _ = try? draft.remove(at: target) }
            continue
          }
          if !(isWhole && imported.document != nil) {
            if draft.contains(target), !rules.isReplacing {
              skip("'\(target)' has a value already")
              continue
            }
            do {
              if let old = draft[target], (old.table == nil) != (value.table == nil) { try draft.remove(at: target) }
              try draft.set(value, at: target)
            } catch {
              skip("it cannot be set: \(error)")
              continue
            }
          }
          report.taken.append(.init(source: source, key: target))
        }
      }
    } catch {
      throw SettingsError(.internalInconsistency, "Cannot import '\(file)': \(error). Nothing was written.", file: file)
    }
    document = result
    return report
  }

  private static func collect(
    _ value: TOMLValue, at path: TOMLPath, rules: SettingsImportRules, into leaves: inout [(TOMLPath, TOMLValue)]
  ) {
    guard case .table(let table) = value, path.isRoot || !table.isEmpty else {
      leaves.append((path, value))
      return
    }
    for (key, value) in table { collect(value, at: path.appending(key), rules: rules, into: &leaves) }
  }

  static func read(_ bytes: [UInt8], as format: SettingsImportFormat) throws(ImportFailure) -> ImportedValues {
    switch format {
    case .propertyList: return try PropertyListText.read(bytes)
    case .toml:
      do throws(TOMLSyntaxError) {
        let document = try TOMLDocument(parsing: bytes)
        return ImportedValues(values: document.root, document: document)
      } catch {
        throw ImportFailure(reason: "\(error)")
      }
    default: break
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw ImportFailure(reason: "it is not UTF-8") }
    switch format {
    case .json: return try json(text)
    case .ini: return try KeyFileText.read(text, as: .ini)
    case .keyFile: return try KeyFileText.read(text, as: .keyFile)
    case .dconf: return try KeyFileText.read(text, as: .dconf)
    default: return try EnvironmentText.read(text)
    }
  }

  private static func json(_ text: String) throws(ImportFailure) -> ImportedValues {
    do throws(JSONText.Failure) {
      var nulls: [SettingsImportReport.Skipped] = []
      guard
        case .table(let table)? = try JSONText.value(
          of: text, onNull: { nulls.append(.init(source: $0, reason: "null has no value in TOML")) })
      else {
        throw JSONText.Failure(reason: "it is no object", isSyntax: false)
      }
      return ImportedValues(values: table, skipped: nulls)
    } catch {
      throw ImportFailure(reason: error.reason)
    }
  }
}
