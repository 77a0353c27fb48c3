import Glibc
public import FoundationEssentials
package import SettingsTOML

/// The history of the user's file.
extension SettingsStore {
  /// The changes of the user's file, newest first: of this program, of others, and by hand.
  ///
  /// What another program has changed is recorded with the next write; until then it is the first entry, marked as
  /// ``SettingsHistoryEntry/isUnrecorded``. Nothing is written here. See ``SettingsHistory`` for what is kept.
  ///
  /// ```swift
  /// for entry in try settings.history(of: SettingsKeys.fontSize, limit: 10) { print(entry) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: A key of whose value the changes are wanted, under its present and former names; `nil` for all.
  ///   - time: The time of the oldest entry wanted; `nil` for all that are kept.
  ///   - most: The maximum number of entries.
  /// - Returns: The entries, newest first; none for a store in memory.
  /// - Throws: ``SettingsError`` `io` or `readOnly` if the file or its history cannot be read, `newerVersion` for a
  ///   history that a newer release has written.
  public func history(
    of key: AnySettingsKey? = nil, since time: Date? = nil, limit most: Int = .max
  ) throws(SettingsError) -> [SettingsHistoryEntry] {
    try history(at: key?.paths, since: time, limit: most)
  }

  /// Does the same for any path.
  ///
  /// - Parameter paths: Names of one key.
  package func history(
    at paths: [TOMLPath]?, since time: Date? = nil, limit most: Int = .max
  ) throws(SettingsError) -> [SettingsHistoryEntry] {
    guard most > 0, let reader = try core.readHistory() else { return [] }
    var found: [SettingsHistoryEntry] = []
    reader.visit(paths, since: time?.milliseconds(.up) ?? .min) { entry, _ in
      found.append(entry)
      return found.count < most
    }
    return found
  }

  /// A value in the user's file, and its last change.
  package struct Blame: Sendable {
    package var path: TOMLPath
    /// Whether it is known to be a secret. One entry stands for the whole secret: the names in it are a part of it.
    package var isSecret: Bool
    /// `nil` if the change is older than the history.
    package var entry: SettingsHistoryEntry?
  }

  /// For each value in the user's file, its last change.
  ///
  /// - Parameter paths: Names of one key; `nil` for all values.
  /// - Returns: One result for each value or secret, in the order of the file. Reserved keys are left out.
  package func blame(_ paths: [TOMLPath]?) throws(SettingsError) -> [Blame] {
    guard let reader = try core.readHistory() else { return [] }
    let document = core.snapshot.userDocument
    let leaves = paths.map { $0.flatMap { document.leafPaths(under: $0) } } ?? document.leafPaths()
    var seen: Set<TOMLPath> = []
    var found = leaves.compactMap { leaf -> Blame? in
      let path = reader.knownKeys.secret(around: leaf) ?? leaf
      guard !path.isReserved, seen.insert(path).inserted else { return nil }
      return Blame(path: path, isSecret: reader.knownKeys.mayBeSecret(leaf))
    }
    let newest = reader.newestEntries(of: found.map(\.path))
    for index in found.indices { found[index].entry = newest[found[index].path] }
    return found
  }

  /// An earlier text of the user's file, without the values that the history does not keep.
  ///
  /// ```swift
  /// let entries = try settings.history(limit: 1)
  /// if let last = entries.first { print(try settings.formerText(after: last.id - 1)) }   // the text before it
  /// ```
  ///
  /// - Parameter number: The number of an entry: the text after it. One less than that of the first entry is the text
  ///   with which the history begins.
  /// - Returns: The text, with a placeholder for each secret and for each value whose key no program has declared.
  /// - Throws: ``SettingsError`` `noHistory` if it is not kept any more, or damaged; otherwise as
  ///   ``history(of:since:limit:)``.
  public func formerText(after number: Int) throws(SettingsError) -> String {
    guard let reader = try core.readHistory() else { throw core.noHistory }
    return String(decoding: try reader.text(after: number), as: UTF8.self)
  }

  /// An earlier text of the user's file in today's form: migrated in memory, if that is possible.
  ///
  /// For a text that did not parse at that time, it is an empty document.
  ///
  /// - Throws: As ``formerText(after:)``.
  package func formerDocument(after number: Int) throws(SettingsError) -> TOMLDocument {
    var document = try core.parse(Array(try formerText(after: number).utf8))
    let former = document
    do throws(SettingsError) {
      try core.reader.migrate(&document, of: core.userLayer)
      return document
    } catch {
      return former
    }
  }

  /// The number of the entry that was the newest at a time; `nil` if there was none yet. For a time that is not past, the
  /// number of the newest entry.
  ///
  /// - Parameter now: When the question was asked.
  package func historyNumber(at time: Date, asked now: Date) throws(SettingsError) -> Int? {
    guard let reader = try core.readHistory() else { return nil }
    return time >= now ? reader.number : reader.number(at: time.milliseconds(.down))
  }

  /// The numbers of entries before which others were lost, other than by age. The last one may be that of an entry that
  /// does not exist yet.
  package var historyLosses: [Int] { ((try? core.readHistory()) ?? nil)?.losses ?? [] }

  /// Whether the history of the user's file would not keep a value at a path, so that a change of it cannot be undone.
  package func historyHides(_ value: TOMLValue, at path: TOMLPath) throws -> Bool {
    try core.history != nil && historyKeys().hides(path, value)
  }

  /// The keys of the user's file as its history knows them: also those that other programs have declared.
  package func historyKeys() throws -> KnownKeys {
    try core.history?.knownKeys(of: core.backing.name) ?? KnownKeys()
  }

  /// Undoes the last change of the user's file that is not undone, like Ctrl-Z in an editor.
  ///
  /// Called again, it steps back further: undos, and what they have undone, are passed over, and so are entries whose
  /// undoing would change nothing, such as a migration: older entries are undone in today's form. ``redo()`` steps
  /// forward again. A change by another program is undone like one by this one.
  ///
  /// ```swift
  /// try settings.undo()
  /// ```
  ///
  /// Undoing is a write like any other: it is checked, durable, and recorded. It changes the values of that entry and
  /// no others. Comments come back as far as the lines that they were in are the same.
  ///
  /// Pending values are written first, so undoing also covers what was set just before.
  ///
  /// - Returns: The entry that was undone.
  /// - Throws: ``SettingsError`` `noHistory` if there is nothing to undo, or an old value is not kept; `conflict` if
  ///   a value was changed since; `invalidValue` if a key refuses the old value today; `migrationFailed` if an old
  ///   text cannot be migrated; `locked`; otherwise as ``set(_:for:)``. The file is unchanged.
  @discardableResult
  public func undo() throws(SettingsError) -> SettingsHistoryEntry { try undo(.last) }

  /// Undoes the last change of a key's value that is not undone.
  ///
  /// Called again, it steps back further. If the entry changed other values as well, those stay.
  ///
  /// ```swift
  /// try settings.undo(.fontSize)
  /// ```
  ///
  /// - Returns: The entry that was undone.
  /// - Throws: As ``undo()``.
  @discardableResult
  public func undo(_ key: AnySettingsKey) throws(SettingsError) -> SettingsHistoryEntry {
    try undo(.value(key.paths))
  }

  /// Undoes an entry of the history: the values that it changed, and no others. An undo or a redo can be undone, too.
  ///
  /// ```swift
  /// if let entry = try settings.history(limit: 5).last { try settings.undo(entry) }
  /// ```
  ///
  /// - Parameter entry: One of ``history(of:since:limit:)``.
  /// - Returns: The entry that was undone.
  /// - Throws: As ``undo()``.
  @discardableResult
  public func undo(_ entry: SettingsHistoryEntry) throws(SettingsError) -> SettingsHistoryEntry {
    try undo(.entry(entry.id))
  }

  /// Takes the last undo back. Called again, it takes back the undo before.
  ///
  /// Any other change of the file ends this, also one by another program.
  ///
  /// - Returns: The undo that was taken back.
  /// - Throws: ``SettingsError`` `noHistory` if no undo is left, or something else was changed since; otherwise as
  ///   ``undo()``.
  @discardableResult
  public func redo() throws(SettingsError) -> SettingsHistoryEntry { try undo(.redo(nil)) }

  /// Takes the last undo of a key's value back, if the value was not changed otherwise since.
  ///
  /// - Returns: The undo that was taken back. Other values that it put back stay.
  /// - Throws: As ``redo()``.
  @discardableResult
  public func redo(_ key: AnySettingsKey) throws(SettingsError) -> SettingsHistoryEntry {
    try undo(.redo(key.paths))
  }

  /// Undoes or redoes a change.
  @discardableResult
  package func undo(_ what: HistoryTarget) throws(SettingsError) -> SettingsHistoryEntry {
    try SettingsError.only { try core.undo(what, check: nil) }.entry
  }

  /// Takes a change back if a check of what that puts back does not throw.
  ///
  /// - Parameter check: Runs under the file's lock; again if another program saves the file meanwhile.
  package func undo(_ what: HistoryTarget, checking check: (UndoPlan) throws -> Void) throws -> UndoPlan {
    try withoutActuallyEscaping(check) { try core.undo(what, check: $0) }
  }

  /// Returns what ``undo(_:checking:)`` would do. Writes nothing.
  ///
  /// - Parameter reached: Gets each change that is reached, the last of which is taken back or cannot be.
  package func previewUndo(
    _ what: HistoryTarget, reaching reached: (SettingsHistoryEntry) -> Void = { _ in },
    checking check: (UndoPlan) throws -> Void
  ) throws -> UndoPlan {
    try withoutActuallyEscaping(check) { try core.previewUndo(what, reaching: reached, check: $0) }
  }
}

extension Date {
  /// The milliseconds since 1970; the nearest number that an `Int` holds.
  fileprivate func milliseconds(_ rule: FloatingPointRoundingRule) -> Int {
    let number = (timeIntervalSince1970 * 1000).rounded(rule)
    return number >= 9e18 ? .max : number > -9e18 ? Int(number) : .min
  }
}

extension StoreCore {
  /// The error of settings without a history.
  var noHistory: SettingsError { SettingsError(.noHistory, "Settings in memory have no history.") }

  /// The history as it is now; `nil` for settings in memory.
  func readHistory() throws(SettingsError) -> HistoryReader? {
    try history.map { history throws(SettingsError) in try readHistory(history).reader }
  }

  /// The history as it is now, with the content of the file.
  func readHistory(
    _ history: HistoryKeeper
  ) throws(SettingsError) -> (reader: HistoryReader, contents: SettingsFile.Contents) {
    let folder = try history.folder(of: backing.name)
    while true {
      let contents = try backing.read()
      let document = contents.bytes.map { try? TOMLDocument(parsing: $0) } ?? TOMLDocument()
      let reader: HistoryReader
      do {
        reader = try HistoryReader(folder, of: backing.name, contents, document, history.migrations)
      } catch {
        throw folder.error(error, "read")
      }
      // The journal may have a write that came after the content was read: no change back.
      guard reader.hasUnrecorded, try !backing.read().bytes.isSameText(as: contents.bytes) else {
        return (reader, contents)
      }
    }
  }
}
