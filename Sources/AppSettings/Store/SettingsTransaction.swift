import SettingsTOML

/// A read-modify-write on the present values of the file, under its lock.
///
/// ``SettingsStore/update(_:)`` hands one to its closure. Reading sees the fresh values and what the closure has set;
/// nothing becomes visible to anyone else until all of it is on disk, in one write.
public struct SettingsTransaction: SettingsAccess {
  private(set) var view: SettingsSnapshot
  private let problems: ProblemLog
  private var edits: [Edit] = []
  private var failure: SettingsError?

  init(view: SettingsSnapshot, problems: ProblemLog) {
    self.view = view
    self.problems = problems
  }

  /// The value of a key. Setting a value that the key refuses, or for a locked key, makes the whole update fail.
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    get {
      ValueReading.value(
        of: key, stored: StoredValue(of: key, in: view), in: view, problems: problems
      ).value
    }
    set {
      do throws(SettingsError) {
        record(try key.edits(storing: newValue, in: view))
      } catch {
        fail(error)
      }
    }
  }

  /// Removes the user's values of keys, so that lower layers or defaults take effect again.
  public mutating func reset(_ keys: AnySettingsKey...) {
    for key in keys { record(key.removals) }
  }

  /// Adds edits. If an administrator's lock forbids one, the whole update fails.
  mutating func record(_ new: [Edit]) {
    do throws(SettingsError) {
      for edit in try view.permitted(new) {
        edits.append(edit)
        view.pending.add(edit, number: UInt64(edits.count))
      }
    } catch {
      fail(error)
    }
  }

  /// Makes the whole update fail; it throws the first reason.
  mutating func fail(_ error: SettingsError) { failure = failure ?? error }

  /// A placeholder for a transaction that is elsewhere.
  static func placeholder(of transaction: SettingsTransaction) -> SettingsTransaction {
    SettingsTransaction(
      view: SettingsSnapshot(generation: 0, layers: [], pending: PendingEdits()),
      problems: transaction.problems)
  }

  /// The edits to make.
  ///
  /// - Throws: The first reason to refuse one.
  func finish() throws(SettingsError) -> [Edit] {
    if let failure { throw failure }
    return edits
  }
}
