public import FoundationEssentials
public import SettingsTOML

/// Why a call on settings failed, in a sentence for a person and a code for a program.
///
/// The message says what failed, on what, why, and what to do. Each call's documentation states which codes it
/// throws and what the file holds then. The values of secret keys never appear in a message.
public struct SettingsError: Error, Sendable, Hashable {
  /// The kind of failure. A new code in a later release breaks no `switch`, since this is not an enumeration.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case invalidLocation, invalidKey, invalidValue, locked, readOnly, overridden, unparsable, newerVersion,
        migrationFailed
      case lockTimeout, io, nestedUpdate, exposedSecret, missingRecord, existingRecord, sealedRecord
      case internalInconsistency
    }
    private let kind: Kind

    /// The name of the app cannot be used in a path.
    public static let invalidLocation = Code(kind: .invalidLocation)
    /// The text is not a path of keys, or the key cannot stand where it is asked for.
    public static let invalidKey = Code(kind: .invalidKey)
    /// The value is not of the key's type or breaks its constraint.
    public static let invalidValue = Code(kind: .invalidValue)
    /// An administrator has locked the key.
    public static let locked = Code(kind: .locked)
    /// The process may not write there.
    public static let readOnly = Code(kind: .readOnly)
    /// The value was stored, but a higher layer hides it.
    public static let overridden = Code(kind: .overridden)
    /// The file is not TOML.
    public static let unparsable = Code(kind: .unparsable)
    /// The file was written by a newer release.
    public static let newerVersion = Code(kind: .newerVersion)
    /// A migration failed.
    public static let migrationFailed = Code(kind: .migrationFailed)
    /// Another process has held the lock for too long.
    public static let lockTimeout = Code(kind: .lockTimeout)
    /// The system refused an operation on a file.
    public static let io = Code(kind: .io)
    /// A write was called inside an `update` of the same file, or of another file in the same directory, on the same
    /// thread: it would wait for itself.
    public static let nestedUpdate = Code(kind: .nestedUpdate)
    /// A secret stands in a file that other users may open. This is a problem's code; no call throws it.
    public static let exposedSecret = Code(kind: .exposedSecret)
    /// There is no record of that type and id, where one is needed.
    public static let missingRecord = Code(kind: .missingRecord)
    /// There is a record of that type and id already.
    public static let existingRecord = Code(kind: .existingRecord)
    /// A sealed record cannot be opened: there is no cipher, its key is another, or the record is not as it was sealed.
    public static let sealedRecord = Code(kind: .sealedRecord)
    /// The new text failed the check before the write. This is an error in this library.
    public static let internalInconsistency = Code(kind: .internalInconsistency)

    /// The code's name, as in this documentation.
    public var description: String { kind.rawValue }
  }

  /// The kind of failure.
  public var code: Code
  /// One or more full sentences.
  public var message: String
  /// What lies behind it, if that says more: a system error's or a syntax error's own text.
  public var cause: String?
  /// The file it is about.
  public var file: String?
  /// The place in the file.
  public var position: TOMLPosition?

  /// Makes an error. Bytes of paths that are not UTF-8 stand as `\xE9` in the message.
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
  /// A sentence as a clause of another.
  package var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

extension SettingsError {
  /// Runs what throws nothing else, where that cannot be said in the types: generic closures, and coders of the language.
  package static func only<Result>(_ body: () throws -> Result) throws(SettingsError) -> Result {
    do {
      return try body()
    } catch {
      throw error as? SettingsError ?? SettingsError(.io, "\(error)")
    }
  }
}

extension SettingsError: CustomStringConvertible {
  /// The message, and the cause on lines of its own if there is one.
  public var description: String {
    if let cause { "\(message)\n\(cause)" } else { message }
  }
}

// What `localizedDescription` is, for those who import Foundation and show that.

extension SettingsError: LocalizedError {
  /// The message, and the cause on lines of its own if there is one.
  public var errorDescription: String? { description }
}

extension TOMLSyntaxError: LocalizedError {
  /// The message, with the place.
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
