public import FoundationEssentials

/// A value that cannot be read as the type it is needed as, or that cannot be stored.
public struct SettingsValueError: Error, Sendable, Hashable {
  /// The way from the key's value to the part that is wrong; elements of an array as `[3]`. Empty for the value itself.
  public var path: [String]
  /// What is needed, with its article: `an integer from 0 to 255`.
  public var expected: String
  /// What is there: `the string "four"`. Long values are cut.
  public var found: String
  /// Why it was refused, where `expected` does not say.
  public var reason: String?
  /// What is there without its content: `a string`.
  package var foundKind: String
  /// What is absent, where what is wrong is that a required field is.
  var missing: MissingValue?
  /// Whether what is wrong is that a required field is absent.
  package var isMissing: Bool { missing != nil }

  /// Makes an error about a stored value.
  ///
  /// - Parameters:
  ///   - expected: What is needed, with its article: `a colour like "#ff8800"`.
  ///   - found: The value that is there.
  ///   - reason: Why it was refused, if `expected` does not say.
  public init(expected: String, found: TOMLValue, reason: String? = nil) {
    path = []
    self.expected = expected
    self.found = found.errorDescription
    self.reason = reason
    foundKind = found.kindName
  }

  /// Makes an error about something that is not a stored value, in words: `nil`, `the key "x"`.
  public init(expected: String, foundText: String, reason: String? = nil) {
    path = []
    self.expected = expected
    found = foundText
    self.reason = reason
    foundKind = "something else"
  }

  /// Makes an error about a required field that is absent.
  init(missing expected: String, as type: Any.Type? = nil, at path: [String] = []) {
    self.path = path
    self.expected = expected
    found = "nothing"
    foundKind = "nothing"
    missing = MissingValue(type: type)
  }

  /// Makes an error about a value that is nested deeper than a file can hold, found at some place in it.
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
  public var message: String {
    let place = path.isEmpty ? "" : " at '\(pathDescription)'"
    return "Found \(found)\(place), but \(expected) is needed\(reasonInParentheses)."
  }

  /// What is wrong with a value, as a clause: `'sizes' is the string "four", but must be an integer`.
  ///
  /// - Parameter name: What the value is called in it.
  package func clause(about name: String) -> String {
    if path.isEmpty { return "\(name) is \(found), but must be \(expected)\(reasonInParentheses)" }
    if isMissing { return "\(name) has no '\(pathDescription)', which must be \(expected)\(reasonInParentheses)" }
    return "'\(pathDescription)' in \(name) is \(found), but must be \(expected)\(reasonInParentheses)"
  }

  /// What a table lacks, as a sentence: `The record 'servers.a' lacks 'port', which must be an integer. …`.
  package func lack(in place: TOMLPath, isRecord: Bool) -> String {
    "\(isRecord ? "The record '\(place)'" : "'\(place)'") lacks '\(pathDescription)', which must be \(expected). "
      + (isRecord ? "The app leaves the record out until that is set." : "The app cannot read it until that is set.")
  }

  /// The reason as a part of a sentence; empty if there is none.
  package var reasonInParentheses: String { reason.map { " (\($0))" } ?? "" }

  /// The path as text: `window.sizes[3]`; empty for the value itself. A path of more than 16 components is shown without
  /// its middle.
  public var pathDescription: String {
    guard path.count > 16 else { return SettingsValueError.text(of: path[...]) }
    return SettingsValueError.text(of: path.prefix(8)) + " … " + SettingsValueError.text(of: path.suffix(4))
  }

  private static func text(of path: ArraySlice<String>) -> String {
    var text = ""
    for component in path {
      if SettingsValueError.isIndex(component) {
        text += component
      } else {
        if !text.isEmpty { text += "." }
        text += TOMLValue.quotedUnlessBare(component)
      }
    }
    return text
  }

  /// The same error without anything of what is stored, for values that are secret.
  package var redacted: SettingsValueError {
    var error = self
    error.found = foundKind
    error.reason = nil
    return error
  }

  private static func isIndex(_ component: String) -> Bool {
    component.hasPrefix("[") && component.hasSuffix("]") && component.utf8.count > 2
      && component.utf8.dropFirst().dropLast().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }
}

/// A value that is absent.
struct MissingValue: Sendable, Hashable {
  /// The type that it is read as, where that is known.
  var type: Any.Type?

  static func == (a: MissingValue, b: MissingValue) -> Bool { a.type == b.type }
  func hash(into hasher: inout Hasher) { hasher.combine(type.map { ObjectIdentifier($0) }) }
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
  /// Makes one of what a user's function threw: itself if it is one, else with the error as the reason.
  init(wrapping error: any Error, expected: @autoclosure () -> String, found: TOMLValue) {
    self =
      error as? SettingsValueError
      ?? SettingsValueError(expected: expected(), found: found, reason: SettingsValueError.reason(error))
  }

  /// Makes one of what a user's function threw for a value to be stored.
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

  /// The same error one level further out.
  func under(_ component: String) -> SettingsValueError {
    var error = self
    error.path.insert(component, at: 0)
    return error
  }

  /// The same error several levels further out.
  func under(_ components: [String]) -> SettingsValueError {
    var error = self
    error.path.insert(contentsOf: components, at: 0)
    return error
  }
}

/// Runs a part of reading or writing, and says in what it throws which part it was.
@inline(__always)
func at<Result>(_ component: @autoclosure () -> String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SettingsValueError {
    throw error.under(component())
  }
}

/// As ``at(_:_:)``, for a part that is some levels down.
@inline(__always)
func at<Result>(_ prefix: [String], _ component: @autoclosure () -> String, _ body: () throws -> Result) throws
  -> Result
{
  do {
    return try body()
  } catch let error as SettingsValueError {
    throw error.under(prefix + [component()])
  }
}

/// As ``at(_:_:)``, for a part that is some levels down or the value itself.
@inline(__always)
func at<Result>(_ prefix: [String], _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as SettingsValueError {
    throw error.under(prefix)
  }
}
