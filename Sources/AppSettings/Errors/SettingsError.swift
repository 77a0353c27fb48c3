public import FoundationEssentials
public import SettingsTOML

/// The reason why a call on settings failed: a message for a person and a code for a program.
///
/// The message says what failed, on what, why, and what to do. The documentation of each call lists the codes that it
/// throws and the state of the file in that case. Messages never contain values of secret keys.
public struct SettingsError: Error, Sendable, Hashable {
  /// The kind of failure. It is not an enumeration, so a new code in a later release breaks no `switch`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case invalidLocation, invalidKey, invalidValue, locked, readOnly, overridden, unparsable, newerVersion,
        migrationFailed
      case lockTimeout, io, nestedUpdate, exposedSecret, missingRecord, existingRecord, sealedRecord
      case conflict, noHistory
      case internalInconsistency
    }
    private let kind: Kind

    /// An app id or store name is malformed, or a path does not name a file.
    public static let invalidLocation = Code(kind: .invalidLocation)
    /// The text is not a key path, or the key is not allowed in that place.
    public static let invalidKey = Code(kind: .invalidKey)
    /// The value does not have the key's type, or violates its constraint.
    public static let invalidValue = Code(kind: .invalidValue)
    /// An administrator has locked the key.
    public static let locked = Code(kind: .locked)
    /// The process has no permission, or the file system is read-only.
    public static let readOnly = Code(kind: .readOnly)
    /// The value was stored, but a higher layer hides it.
    public static let overridden = Code(kind: .overridden)
    /// The file is not TOML.
    public static let unparsable = Code(kind: .unparsable)
    /// The file was written by a newer release.
    public static let newerVersion = Code(kind: .newerVersion)
    /// A migration failed.
    public static let migrationFailed = Code(kind: .migrationFailed)
    /// Another process has held the lock for longer than the time limit.
    public static let lockTimeout = Code(kind: .lockTimeout)
    /// The system refused an operation on a file.
    public static let io = Code(kind: .io)
    /// A write was called inside an `update` of the same file, or of another file in the same directory, on the same
    /// thread: it would wait for itself.
    public static let nestedUpdate = Code(kind: .nestedUpdate)
    /// A file that other users may open contains a secret. Only problems have this code; no call throws it.
    public static let exposedSecret = Code(kind: .exposedSecret)
    /// A required record with this type and id does not exist.
    public static let missingRecord = Code(kind: .missingRecord)
    /// A record with this type and id already exists.
    public static let existingRecord = Code(kind: .existingRecord)
    /// A sealed record cannot be opened: there is no cipher, the key is different, or the record was changed.
    public static let sealedRecord = Code(kind: .sealedRecord)
    /// A change cannot be undone because the value was changed again.
    public static let conflict = Code(kind: .conflict)
    /// The history of the file does not have what was asked for.
    public static let noHistory = Code(kind: .noHistory)
    /// The new text failed the check before the write. This is a defect of this library.
    public static let internalInconsistency = Code(kind: .internalInconsistency)

    /// The code's name, as in this documentation.
    public var description: String { kind.rawValue }
  }

  /// The kind of failure.
  public var code: Code
  /// One or more full sentences.
  public var message: String
  /// The underlying error, if it says more: the text of a system error or a syntax error.
  public var cause: String?
  /// The path of the file concerned.
  public var file: String?
  /// The position in the file.
  public var position: TOMLPosition?

  /// Makes an error. In the message, bytes of paths that are not UTF-8 appear as `\xE9`.
  public init(
    _ code: Code, _ message: String, cause: String? = nil, file: String? = nil, position: TOMLPosition? = nil
  ) {
    self.code = code
    self.message = PathText.shown(message)
    self.cause = cause
    self.file = file
    self.position = position
  }
}

extension String {
  /// The sentence without its full stop, for use as a clause of another.
  package var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension SettingsError {
  /// Runs code that throws nothing else, where the types cannot say so: generic closures, and the language's coders.
  package static func only<Result>(_ body: () throws -> Result) throws(SettingsError) -> Result {
    do {
      return try body()
    } catch {
      throw error as? SettingsError ?? SettingsError(.io, "\(error)")
    }
  }
}

extension SettingsError: CustomStringConvertible {
  /// The message, followed by the cause on separate lines if there is one.
  public var description: String {
    if let cause { "\(message)\n\(cause)" } else { message }
  }
}

// Provides `localizedDescription` for programs that import Foundation and show it.

extension SettingsError: LocalizedError {
  /// The message, followed by the cause on separate lines if there is one.
  public var errorDescription: String? { description }
}

extension TOMLSyntaxError: LocalizedError {
  /// The message with the position in the text.
  public var errorDescription: String? { description }
}

extension TOMLEditError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}

extension TOMLPathError: LocalizedError {
  /// The message.
  public var errorDescription: String? { description }
}
