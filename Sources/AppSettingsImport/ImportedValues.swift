import AppSettings

/// The values read from an original, and the ones that cannot be imported.
struct ImportedValues {
  var values = TOMLTable()
  var skipped: [SettingsImportReport.Skipped] = []
  /// The written text of a value without a type that was read as something other than a string.
  var texts: [TOMLPath: String] = [:]
  /// The texts of the elements of such a value.
  var elements: [TOMLPath: [String]] = [:]
  /// The paths that the original locks.
  var locks: [TOMLPath] = []
  /// How the format writes lists.
  var lists = SchemaType.ImportedLists.explicit
  /// Whether keys are names of variables, unless a comment names the key.
  var hasVariables = false
  /// Whether dots in a name may mean tables, as the format has no other way to write them, or seldom uses it.
  var hasNamesWithDots = true
  /// Whether the format has no types, so that a number may mean a string.
  var isUntyped = false
  /// The original text, if it is TOML.
  var document: TOMLDocument?

  mutating func skip(_ path: TOMLPath, _ reason: String) { skipped.append(.init(source: path, reason: reason)) }

  /// Sets a value. If a path has two values, the second wins, and the report says so.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - path: Its path.
  ///   - text: The written text, for code that knows the type.
  ///   - elements: Those of an array's elements.
  mutating func set(_ value: TOMLValue, at path: TOMLPath, text: String? = nil, elements: [String]? = nil) {
    if let above = values.firstValue(above: path) {
      return skip(path, "'\(above)' is a value, and cannot have keys")
    }
    if let there = values[path: path] {
      guard there.table == nil || value.table != nil else {
        return skip(path, "'\(path)' is a table, and cannot have a value")
      }
      skip(path, "it has several values; the last one is used")
    }
    values.apply(Edit(path: path, value: value))
    (texts[path], self.elements[path]) = (text, elements)
  }

  /// Brings values of a version into another form: those that say theirs, and TOML, which has the first one otherwise.
  ///
  /// - Returns: Whether they have one.
  mutating func adapt(_ body: (TOMLDocument) throws -> TOMLDocument) throws -> Bool {
    guard document != nil || values[path: SettingsFormat.versionPath] != nil else { return false }
    let original = try document ?? TOMLDocument(parsing: Array(values.documentText.utf8))
    guard (try? SettingsMigrations.version(of: original)) != nil else { return false }
    let adapted = try body(original)
    values = adapted.root
    if document != nil { document = adapted }
    return true
  }

  /// Sets the value that a text without a type looks like, and stores the text for code that knows the type.
  mutating func setPlain(_ text: String, at path: TOMLPath) {
    let value = PlainText.value(of: text)
    set(value, at: path, text: value == .string(text) ? nil : text)
  }
}

/// The reason why an original could not be read.
package struct ImportFailure: Error, CustomStringConvertible {
  /// A clause. It shows no value, since a value may be a secret.
  var reason: String
  /// What to do, as a sentence, if that is not to correct the original.
  var advice: String?
  /// Whether the original may be valid, but is above a limit.
  var isLimit = false
  /// The position of the mistake, if there is one.
  var position: TOMLPosition?

  package var description: String { reason }
}
