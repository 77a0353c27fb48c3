public import FoundationEssentials
public import SettingsTOML

/// The reason why a call on settings failed: a message for a person and a code for a program.
///
/// The message says what failed, on what, why, and what to do. The documentation of each call lists the codes that it
/// throws and the state of the file in that case. Messages never contain values of secret keys.
///
/// ```swift
/// do {
///   try settings.set(14, for: .fontSize)
/// } catch {
///   if error.code == .locked { button.isEnabled = false }
///   show(error.message)
/// }
/// ```
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
    ///
    /// A new value is not stored; a stored one stays in the file.
    public static let invalidValue = Code(kind: .invalidValue)
    /// An administrator has locked the key.
    ///
    /// ``SettingsError/file`` and ``SettingsError/position`` are the place of the lock. Nothing was written.
    public static let locked = Code(kind: .locked)
    /// The process has no permission, or the file system is read-only.
    ///
    /// The file is unchanged, unless the message says otherwise.
    public static let readOnly = Code(kind: .readOnly)
    /// The value was stored, but a higher layer hides it.
    public static let overridden = Code(kind: .overridden)
    /// The file is not TOML.
    ///
    /// The library leaves it as it is; ``SettingsStore/recover()`` moves it to the backups.
    public static let unparsable = Code(kind: .unparsable)
    /// The file was written by a newer release.
    ///
    /// The store reads it as far as possible and does not write it. A history that a newer release wrote has this code,
    /// too.
    public static let newerVersion = Code(kind: .newerVersion)
    /// A migration failed.
    ///
    /// The file keeps its old form, and the app uses the old data. The one exception is a problem about the work of
    /// ``Migration/afterCommit(_:)``: by then the migration is stored.
    public static let migrationFailed = Code(kind: .migrationFailed)
    /// Another process has held the lock for longer than the time limit.
    ///
    /// Nothing was written, unless the message says otherwise. A call has 30 seconds for everything that it waits for:
    /// other threads, other processes, and programs that save the file without locking it.
    public static let lockTimeout = Code(kind: .lockTimeout)
    /// The system refused an operation on a file.
    ///
    /// For example, the disk is full, a quota is used up, the process has reached a limit, or the disk has a fault. The
    /// message says which.
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
    ///
    /// Undoing it would also undo the later change.
    public static let conflict = Code(kind: .conflict)
    /// The history of the file, or its backups, do not have what was asked for.
    ///
    /// There is no such entry or backup, it is too old, or a value was not kept because it is a secret or no program had
    /// declared its key.
    public static let noHistory = Code(kind: .noHistory)
    /// The new text failed the check before the write. This is a defect of this library.
    public static let internalInconsistency = Code(kind: .internalInconsistency)

    /// The code's name, as in this documentation.
    public var description: String { kind.rawValue }
  }

  /// The kind of failure.
  ///
  /// Let the program decide by the code, not by the message.
  public package(set) var code: Code
  /// One or more full sentences.
  ///
  /// You can show them to the person as they are. Paths and keys are in single quotes.
  public package(set) var message: String
  /// The underlying error, if it says more: the text of a system error or a syntax error.
  public package(set) var cause: String?
  /// The path of the file concerned.
  public package(set) var file: String?
  /// The position in the file.
  public package(set) var position: TOMLPosition?

  /// Makes an error. In the message, bytes of paths that are not UTF-8 appear as `\xE9`.
  package init(
    _ code: Code, _ message: String, cause: String? = nil, file: String? = nil, position: TOMLPosition? = nil
  ) {
    self.code = code
    self.message = PathText.shown(message)
    self.cause = cause
    self.file = file
    self.position = position
  }

  /// Makes an error of any other, which is the same if it is one.
  init(_ error: any Error) { self = error as? SettingsError ?? SettingsError(.io, "\(error)") }

  /// Whether another writer has the file, or the thread that asks: it may succeed later.
  var isOfBusyFile: Bool { code == .lockTimeout || code == .nestedUpdate }
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
      throw SettingsError(error)
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
