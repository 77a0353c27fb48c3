/// The reason why an edit was refused. The document is unchanged.
public struct TOMLEditError: Error, Sendable, CustomStringConvertible {
  /// A kind of reason.
  public enum Code: Sendable, Hashable {
    /// A path leads through something that is not a table: the path of that value, and its kind, such as `a string`.
    case notATable(TOMLPath, found: String)
    /// The destination of a move has a value.
    case exists(TOMLPath)
    /// The path cannot be edited: it is the root, or lies within the table to be moved.
    case invalidKey(TOMLPath)
    /// TOML has no text for the value: a date that is not in the calendar, or a time out of range.
    case unrepresentable(TOMLPath)
    /// There is no array of tables at the path, or it has no element with that number.
    case noElement(TOMLPath)
    /// The edited text would be too large or too deep to be read back.
    case tooLarge
    /// The edit gave a wrong result and was undone: a defect of this library.
    case internalInconsistency
  }

  /// The kind of reason.
  public let code: Code
  /// A full sentence: what failed and what to do.
  public let message: String

  /// The message.
  public var description: String { message }

  /// The message for a sentence that already says which key cannot be set.
  package var reason: String {
    if case .notATable(let path, let found) = code { return "'\(path)' is \(found), not a table. Remove it first." }
    return message
  }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static func notATable(_ path: TOMLPath, found: String) -> TOMLEditError {
    TOMLEditError(
      .notATable(path, found: found), "Cannot set a key below '\(path)': it is \(found), not a table. Remove it first.")
  }

  /// The error for an edited text that could not be read back: too deep, or invalid.
  static func unreadable(_ error: TOMLSyntaxError) -> TOMLEditError {
    guard error.isLimit else { return .inconsistent("the text would not be TOML (\(error))") }
    return TOMLEditError(.tooLarge, "The edit would make the document too deep to be read back: \(error.message)")
  }

  static func inconsistent(_ what: String) -> TOMLEditError {
    TOMLEditError(
      .internalInconsistency, "The edit was undone, because \(what). This is a fault of the TOML editor; report it.")
  }
}
