import AppSettings
import FoundationEssentials

/// What is done with objects: by a ``Garage``, in a write for each call, and by a ``GarageTransaction``, in one for all.
///
/// An object of an `Identifiable` type is kept by its id, and one of a `Hashable` type as a value: it is there or it is
/// not. The calls for values have `Value` in their names, so that a type which gets an id later does not change what they
/// mean.
public protocol GarageObjects {
  /// How the objects are reached. Only this module has a use for it.
  var access: GarageAccess { get }
}

/// Several changes of a garage that are made as one. ``GarageObjects/update(_:)`` hands one to its closure; using it after
/// that is a programming error and traps.
public struct GarageTransaction: GarageObjects {
  /// How the objects are reached.
  public let access: GarageAccess
}

extension GarageObjects {
  /// Makes several changes as one: under one lock, on what the file has now, in one atomic write.
  ///
  /// What is called on the transaction is all on disk when this returns, and a throw writes nothing of it. The
  /// transaction shows what it has changed so far.
  ///
  /// ```swift
  /// try garage.update { transaction in
  ///   try transaction.park(order)
  ///   try transaction.delete(basket)
  /// }
  /// ```
  ///
  /// - Parameter body: Runs on this thread, while other writers wait. It runs once. Within a transaction's own update, it
  ///   is part of that transaction, and a throw takes back what this part has changed.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or `SettingsError` `readOnly`, `unparsable`, `newerVersion`, `lockTimeout`, `io`, or
  ///   `nestedUpdate` if the garage itself is written within `body`. The file is unchanged in each case.
  public func update<Result>(_ body: (inout GarageTransaction) throws -> Result) throws -> Result {
    try access.update(body)
  }
}

/// How objects are reached: those of the file, or those of a transaction.
public struct GarageAccess {
  let garage: Garage
  /// What the transaction has made of the file so far.
  var draft: GarageDraft?

  var names: GarageNames { garage.names }
  var format: GarageFormat { garage.format }

  func update<Result>(_ body: (inout GarageTransaction) throws -> Result) throws -> Result {
    try write { draft in
      var transaction = GarageTransaction(access: GarageAccess(garage: garage, draft: draft))
      return try body(&transaction)
    }
  }

  /// Makes changes: as part of the transaction, or else in one write of their own.
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

  /// As ``write(_:)``, of a change in which no code of the caller runs that could throw something else.
  func change<Result>(_ body: (GarageDraft) throws -> Result) throws(SettingsError) -> Result {
    try SettingsError.only { try write(body) }
  }

  /// Whether there is nothing that could be changed: then not even a directory is to be made for it.
  var hasNoFile: Bool {
    get throws(SettingsError) {
      guard openDraft == nil else { return false }
      return try garage.core.readText() == nil
    }
  }

  /// What there is to read.
  ///
  /// - Throws: `SettingsError` as ``Garage/contents()``.
  func contents() throws -> GarageDraft { try openDraft ?? garage.contents() }

  /// The transaction's draft. What is done in it after the update would be lost without a word, so that is the
  /// programmer's error.
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
