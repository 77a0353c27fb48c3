import AppSettings

/// What was read of an original: its values, and what of it cannot be taken.
struct ImportedValues {
  var values = TOMLTable()
  var skipped: [SettingsImportReport.Skipped] = []
  /// What was written, where that has no type and was taken for something else than this string.
  var texts: [TOMLPath: String] = [:]
  /// What the original locks.
  var locks: [TOMLPath] = []
  /// What stands between the elements of a list, where the form writes lists as text.
  var separator: Character?
  /// Whether keys are names of variables, where no comment says what they stand for.
  var hasVariables = false
  /// Whether the form has no types, so that a number may have been meant as a string.
  var isUntyped = false
  /// The text as it is, if it is TOML.
  var document: TOMLDocument?

  mutating func skip(_ path: TOMLPath, _ reason: String) { skipped.append(.init(source: path, reason: reason)) }

  /// Sets a value. Of two for one path the second counts, and the report says so.
  ///
  /// - Parameter text: What was written, for whatever knows the type.
  mutating func set(_ value: TOMLValue, at path: TOMLPath, text: String? = nil) {
    var above = path.parent
    while !above.isRoot {
      if let there = values[path: above], there.table == nil {
        return skip(path, "'\(above)' is a value, and cannot have keys")
      }
      above = above.parent
    }
    if let there = values[path: path] {
      guard there.table == nil || value.table != nil else {
        return skip(path, "'\(path)' is a table, and cannot have a value")
      }
      skip(path, "it has several values, of which the last one counts")
    }
    values.apply(Edit(path: path, value: value))
    texts[path] = text
  }

  /// Sets what a text without a type looks like, and keeps the text for whatever knows the type.
  mutating func setPlain(_ text: String, at path: TOMLPath) {
    let value = PlainText.value(of: text)
    set(value, at: path, text: value == .string(text) ? nil : text)
  }
}

/// Why an original could not be read.
struct ImportFailure: Error, CustomStringConvertible {
  /// A clause. It shows no value: one may be a secret.
  var reason: String
  /// Whether the original may be right, but is more than is read.
  var isLimit = false
  /// Where the original is wrong, if that is one place.
  var position: TOMLPosition?

  var description: String { reason }
}
