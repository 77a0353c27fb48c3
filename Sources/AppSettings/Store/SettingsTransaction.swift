import SettingsTOML

/// A read-modify-write on the present values of the file, under its lock.
///
/// ``SettingsStore/update(_:)`` hands one to its closure. Reading sees the fresh values and what the closure has set;
/// nothing becomes visible to anyone else until all of it is on disk, in one write.
///
/// ```swift
/// try settings.update { values in
///   values[.launches] += 1
///   values.reset(.lastCrash)
/// }
/// ```
///
/// It is valid only within the closure. If the closure throws, or one of its changes is refused, nothing is written.
public struct SettingsTransaction: SettingsAccess {
  /// All layers, with the edits so far.
  private(set) var view: SettingsSnapshot
  private let problems: ProblemLog
  let unreadable = UnreadablePlaces()
  private var edits: [Edit] = []
  private var failure: SettingsError?

  /// - Parameters:
  ///   - view: The layers as they are under the file's lock.
  ///   - problems: Receives a problem for each value that cannot be decoded.
  init(view: SettingsSnapshot, problems: ProblemLog) {
    self.view = view
    self.problems = problems
  }

  /// The value of a key.
  ///
  /// The whole update fails if it sets a value that its key refuses, or a locked key. It also fails if the closure
  /// has read the key before and its stored value cannot be decoded: what is set would be made from the default, and
  /// replace what the file has.
  public subscript<Value>(key: SettingsKey<Value>) -> Value {
    get {
      let (value, _, failure) = ValueReading.value(
        of: key, stored: StoredValue(of: key, in: view), in: view, problems: problems)
      if let failure { unreadable.errors[key.path] = failure }
      return value
    }
    set {
      do throws(SettingsError) {
        if let error = unreadable.errors[key.path] { throw error.refusingChange(of: key, in: view) }
        record(try key.edits(storing: newValue, in: view))
      } catch {
        fail(error)
      }
    }
  }

  /// Removes the user's values of keys, so that lower layers or defaults take effect again.
  ///
  /// A value that cannot be decoded may be reset even after it was read.
  public mutating func reset(_ keys: AnySettingsKey...) {
    for key in keys {
      record(key.removals)
      unreadable.forget(below: key.path)
    }
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

/// The places whose values a transaction has read, but could not decode, so that nothing to store there was made from
/// them. An object, because reading changes nothing else of the transaction.
final class UnreadablePlaces {
  /// Why each cannot be decoded.
  var errors: [TOMLPath: SettingsValueError] = [:]

  func forget(below path: TOMLPath) { errors = errors.filter { !$0.key.hasPrefix(path) } }
}
