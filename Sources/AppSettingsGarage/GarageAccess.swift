import AppSettings
import FoundationEssentials

/// The operations on objects: of a ``Garage``, one write each; of a ``GarageTransaction``, one write for all.
///
/// An object of an `Identifiable` type is stored under its id. An object of a `Hashable` type is a value: it is stored
/// or not. The calls for values have `Value` in their names, so that they still work if a type gets an id.
public protocol GarageObjects {
  /// The access to the objects. Only this module uses it.
  var access: GarageAccess { get }
}

/// Several changes of a garage made as one. ``GarageObjects/update(_:)`` passes one to its closure. Using it after that
/// is a programming error and traps.
public struct GarageTransaction: GarageObjects {
  /// The access to the objects.
  public let access: GarageAccess
}

extension GarageObjects {
  /// Makes several changes as one: under one lock, on the present content of the file, in one atomic write.
  ///
  /// When this returns, all changes are on disk; if `body` throws, none is written. Its reads see its changes.
  ///
  /// ```swift
  /// try garage.update { transaction in
  ///   try transaction.park(order)
  ///   try transaction.delete(basket)
  /// }
  /// ```
  ///
  /// - Parameter body: Runs once, on this thread, while other writers wait. A nested update of the transaction is part
  ///   of it; if that throws, only its own changes are undone.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or `SettingsError` `readOnly`, `unparsable`, `newerVersion`, `lockTimeout`, `io`,
  ///   or `nestedUpdate` if `body` writes the garage itself. The file is unchanged in each case.
  public func update<Result>(_ body: (inout GarageTransaction) throws -> Result) throws -> Result {
    try access.update(body)
  }
}

/// The access to objects: those of the file, or those of a transaction.
public struct GarageAccess {
  let garage: Garage
  /// The transaction's state of the file so far.
  var draft: GarageDraft?

  var names: GarageNames { garage.names }
  var format: GarageFormat { garage.format }

  func update<Result>(_ body: (inout GarageTransaction) throws -> Result) throws -> Result {
    try write { draft in
      var transaction = GarageTransaction(access: GarageAccess(garage: garage, draft: draft))
      return try body(&transaction)
    }
  }

  /// Makes changes: as part of the transaction, or else in a write of their own.
  func write<Result>(_ body: (GarageDraft) throws -> Result) throws -> Result {
    guard let draft = openDraft else { return try garage.write(body) }
    let mark = draft.mark
    do {
      return try body(draft)
    } catch {
      draft.rollBack(to: mark)
      throw error
    }
  }

  /// Does the same as ``write(_:)`` for a change without code of the caller that could throw other errors.
  func change<Result>(_ body: (GarageDraft) throws -> Result) throws(SettingsError) -> Result {
    try SettingsError.only { try write(body) }
  }

  /// Whether there is nothing to change: then not even a directory may be created.
  var hasNoFile: Bool {
    get throws(SettingsError) {
      guard openDraft == nil else { return false }
      return try garage.core.readText() == nil
    }
  }

  /// The content to read.
  ///
  /// - Throws: `SettingsError` as ``Garage/contents()``.
  func contents() throws -> GarageDraft { try openDraft ?? garage.contents() }

  /// The transaction's draft. Changes after the update would be lost silently: a programming error.
  private var openDraft: GarageDraft? {
    precondition(draft?.hasEnded != true, "A transaction of a garage was used after its update had ended.")
    return draft
  }
}

extension GarageObjects {
  var names: GarageNames { access.names }
  var format: GarageFormat { access.format }
  var hasNoFile: Bool { get throws(SettingsError) { try access.hasNoFile } }
  func contents() throws -> GarageDraft { try access.contents() }
  func write<Result>(_ body: (GarageDraft) throws -> Result) throws -> Result { try access.write(body) }
  func change<Result>(_ body: (GarageDraft) throws -> Result) throws(SettingsError) -> Result {
    try access.change(body)
  }
}
