public import FoundationEssentials

/// The reason why a value cannot be read as a type, or cannot be stored.
///
/// Bridges throw it. A store turns it into a ``SettingsError`` with the code `invalidValue`, which names the key, the
/// file and the line, and hides the content of a secret.
///
/// ```swift
/// throw SettingsValueError(expected: "a colour like \"#ff8800\"", found: value)
/// ```
public struct SettingsValueError: Error, Sendable, Hashable {
  /// The path from the key's value to the invalid part, with array elements as `[3]`; empty for the value itself.
  ///
  /// A bridge of your own leaves it empty: the library adds the path.
  package var path: [String]
  /// A description of a valid value with its article: `an integer from 0 to 255`.
  package var expected: String
  /// A description of the actual value: `the string "four"`. Long values are cut.
  package var found: String
  /// The reason, if `expected` does not make it clear.
  package var reason: String?
  /// The kind of the actual value, without its content: `a string`.
  package var foundKind: String
  /// Whether the error is about the key of the invalid part, and not its value.
  private(set) var isAboutKey = false
  /// Whether the error is about a missing required field.
  ///
  /// If so, a default or a fallback may complete the value.
  package private(set) var isMissing = false
  /// Whether it is about a secret, so that no text shows the names in its path.
  package private(set) var isRedacted = false

  /// Makes an error about a stored value.
  ///
  /// - Parameters:
  ///   - expected: A description of a valid value with its article: `a colour like "#ff8800"`.
  ///   - found: The actual value.
  ///   - reason: The reason, if `expected` does not make it clear.
  public init(expected: String, found: TOMLValue, reason: String? = nil) {
    path = []
    self.expected = expected
    self.found = found.errorDescription
    self.reason = reason
    foundKind = found.kindName
  }

  /// Makes an error about something other than a stored value, described by `foundText`: `nil`, `the key "x"`.
  ///
  /// - Parameters:
  ///   - expected: A description of a valid value with its article.
  ///   - foundText: The description of the actual value.
  ///   - reason: The reason, if `expected` does not make it clear.
  package init(expected: String, foundText: String, reason: String? = nil) {
    path = []
    self.expected = expected
    found = foundText
    self.reason = reason
    foundKind = "something else"
  }

  /// Makes an error about a missing required field.
  init(missing expected: String, at path: [String] = []) {
    self.path = path
    self.expected = expected
    found = "nothing"
    foundKind = "nothing"
    isMissing = true
  }

  /// Makes an error about the key of an entry.
  init(key: String, expected: String, reason: String? = nil) {
    self.init(expected: expected, foundText: "the key \(TOMLValue.quoted(key))", reason: reason)
    foundKind = "another key"
    isAboutKey = true
  }

  /// Makes an error about a key that is not what the keys of its table stand for.
  init(key: String, standingFor type: SchemaType) {
    self.init(key: key, expected: "a key that stands for \(type.expected)")
  }

  /// Makes the error for two keys with the same id.
  init(key: String, sameRecordAs other: String) {
    self.init(key: key, expected: "an id that no other record has")
    found += ", which is the same id as \(TOMLValue.quoted(other))"
  }

  /// Makes an error about a value that is nested deeper than a file can represent.
  init(tooDeepAt place: CodingPathNode?) {
    self.init(
      expected: "a value of at most \(TOMLDocument.maximumDepth) levels", foundText: "a value nested deeper",
      reason: place == nil ? nil : "a value that holds itself has no end")
  }

  /// Makes an error about a `nil` in an array or a dictionary.
  init(nilInPlaceOf expected: String) {
    self.init(
      expected: expected, foundText: "nil",
      reason: "TOML has no null: leave it out, or give the type a bridge that stores another value in its place")
  }

  /// The full message: `Found the string "four" at 'sizes[3]', but an integer is needed.`
  ///
  /// It does not name the key, which the store adds.
  package var message: String {
    let place = path.isEmpty ? "" : " at '\(pathDescription)'"
    return "Found \(found)\(place), but \(expected) is needed\(reasonInParentheses)."
  }

  /// Returns the error as a clause: `'sizes' is the string "four", but must be an integer`.
  ///
  /// - Parameter name: The name of the value in the clause.
  package func clause(about name: String) -> String {
    if path.isEmpty { return "\(name) is \(found), but must be \(expected)\(reasonInParentheses)" }
    if isMissing { return "\(name) has no '\(pathDescription)', which must be \(expected)\(reasonInParentheses)" }
    return "'\(pathDescription)' in \(name) is \(found), but must be \(expected)\(reasonInParentheses)"
  }

  /// Returns a sentence about a missing field: `The record 'servers.a' lacks 'port', which must be an integer. …`.
  package func lack(in place: TOMLPath, isRecord: Bool) -> String {
    "\(isRecord ? "The record '\(place)'" : "'\(place)'") lacks '\(pathDescription)', which must be \(expected). "
      + (isRecord ? "The app leaves the record out until that is set." : "The app cannot read it until that is set.")
  }

  /// The reason in parentheses, for use in a sentence; empty if there is none.
  package var reasonInParentheses: String { reason.map { " (\($0))" } ?? "" }

  /// The path as text: `window.sizes[3]`; empty for the value itself. The middle of a path of more than 16 components
  /// is left out. Names within a secret are part of it.
  package var pathDescription: String {
    if isRedacted { return "(secret)" }
    guard path.count > 16 else { return SettingsValueError.text(of: path[...]) }
    return SettingsValueError.text(of: path.prefix(8)) + " … " + SettingsValueError.text(of: path.suffix(4))
  }

  /// A path within a value as text: `window.sizes[3]`.
  package static func text(of path: some Sequence<String>) -> String {
    var text = ""
    for component in path {
      if isIndex(component) {
        text += component
      } else {
        if !text.isEmpty { text += "." }
        text += TOMLValue.quotedUnlessBare(component)
      }
    }
    return text
  }

  /// The same error without any stored content, for secret values: ``withoutContent``, and no text shows the path.
  package var redacted: SettingsValueError {
    var error = withoutContent
    error.isRedacted = true
    return error
  }

  /// The same error with the kind of the value, such as `a string`, and the description of a valid value. The reason is
  /// left out.
  package var withoutContent: SettingsValueError {
    var error = self
    error.found = foundKind
    error.reason = nil
    return error
  }

  /// Whether a component of a path is an index in brackets: `[3]`.
  package static func isIndex(_ component: String) -> Bool {
    component.hasPrefix("[") && component.hasSuffix("]") && component.utf8.count > 2
      && component.utf8.dropFirst().dropLast().allSatisfy(\.isDigit)
  }
}

extension SettingsValueError: CustomStringConvertible {
  /// The full message.
  public var description: String { message }
}

extension SettingsValueError: LocalizedError {
  /// The full message.
  public var errorDescription: String? { message }
}

extension SettingsValueError {
  /// Converts an error of custom code: a `SettingsValueError` stays as it is; any other error becomes the reason.
  init(wrapping error: any Error, expected: @autoclosure () -> String, found: TOMLValue) {
    self =
      error as? SettingsValueError
      ?? SettingsValueError(expected: expected(), found: found, reason: SettingsValueError.reason(error))
  }

  /// Converts an error that custom code threw for a value to be stored.
  init<Value>(unstorable type: Value.Type, _ error: any Error) {
    self =
      error as? SettingsValueError
      ?? SettingsValueError(
        expected: "a value that can be stored", foundText: "one of type \(Value.self)",
        reason: SettingsValueError.reason(error))
  }

  private static func reason(_ error: any Error) -> String? {
    error is NoSuchValue ? nil : String(describing: error)
  }

  /// Returns the same error with more components in front of its path.
  ///
  /// Each level adds its name as the error passes through, so a path costs nothing unless something fails.
  func under(_ components: [String]) -> SettingsValueError {
    var error = self
    error.path.insert(contentsOf: components, at: 0)
    return error
  }

  func under(_ component: String) -> SettingsValueError { under([component]) }
}

/// Reads or writes a part of a value, and adds its place to the path of an error.
@inline(__always)
func at<Result>(_ place: @autoclosure () -> [String], _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SettingsValueError {
    throw error.under(place())
  }
}
