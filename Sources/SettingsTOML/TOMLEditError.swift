/// Why an edit was not made. The document is unchanged.
public struct TOMLEditError: Error, Sendable, CustomStringConvertible {
  /// The kinds of reasons.
  public enum Code: Sendable, Hashable {
    /// A path leads through something that is not a table; its path, and what it is, as in `a string`.
    case notATable(TOMLPath, found: String)
    /// There is a value already where one is to be moved to.
    case exists(TOMLPath)
    /// The path cannot be edited: the root, or a path within the one that is moved.
    case invalidKey(TOMLPath)
    /// TOML has no text for the value: a date that is not in the calendar, a time out of range.
    case unrepresentable(TOMLPath)
    /// There is no array of tables at the path, or no element with that number.
    case noElement(TOMLPath)
    /// The edited text would be larger, or its keys and values deeper, than what can be read back.
    case tooLarge
    /// The edit came out wrong and was undone: a fault of this library.
    case internalInconsistency
  }

  /// The kind of reason.
  public let code: Code
  /// A full sentence.
  public let message: String

  /// The message.
  public var description: String { message }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  static func notATable(_ path: TOMLPath, found: String) -> TOMLEditError {
    TOMLEditError(
      .notATable(path, found: found), "Cannot set a key below '\(path)': it is \(found), not a table. Remove it first.")
  }

  /// An edited text that would not be read back: too deep, or wrong.
  static func unreadable(_ error: TOMLSyntaxError) -> TOMLEditError {
    guard error.isLimit else { return .inconsistent("the text would not be TOML (\(error))") }
    return TOMLEditError(.tooLarge, "The edit would make the document deeper than can be read: \(error.message)")
  }

  static func inconsistent(_ what: String) -> TOMLEditError {
    TOMLEditError(
      .internalInconsistency, "The edit was undone, because \(what). This is a fault of the TOML editor; report it.")
  }
}
