package import SettingsTOML

/// The records of a table at one moment: those that can be read, in the order of the file.
package struct RecordListing<Record: Sendable>: Sendable {
  package struct Entry: Sendable {
    /// The key of the record's table.
    package var text: String
    package var stored: TOMLValue
    package var record: Record
  }

  package var entries: [Entry] = []
  /// What cannot be read, by the paths of the tables; the path of all if that is no table.
  var failures: [(path: TOMLPath, error: SettingsValueError)] = []

  package var records: [Record] { entries.map(\.record) }
}

/// Records that were decoded, with what they were decoded from: each is decoded again only when that has changed.
///
/// Stamps are drawn from one counter for the whole process, so a key that is used with several stores is right with one
/// cache; see ``ValueCache``.
final class RecordCache<Record: Sendable>: Sendable {
  /// What became of one table. On the heap, so that finding it copies a reference.
  final class Decoded: Sendable {
    let stored: TOMLValue
    let result: Result<Record, SettingsValueError>

    init(stored: TOMLValue, result: Result<Record, SettingsValueError>) {
      self.stored = stored
      self.result = result
    }
  }

  /// What was decoded, with the stamp of the state that it was decoded in or found to be the same in.
  typealias Entries = [ExactKey: (decoded: Decoded, stamp: UInt64)]

  private struct State: Sendable {
    var entries: Entries = [:]
    var listing: RecordListing<Record>?
    var listingStamp: UInt64 = .max
    /// Keys that are not written as ids are, by the ids' own text.
    var otherForms: [ExactKey: String] = [:]
    var otherFormsStamp: UInt64 = .max
    /// How many entries there may be before all are dropped: ids that are gone must not stay for ever.
    var limit = 1024
    /// The store whose declarations know the key; it may be gone.
    var notedBy: ObjectIdentifier?
  }

  // Protects the state. What is replaced is released after the lock: its deinitialisation may run anyone's code.
  private let state = Lock(State())

  /// What was decoded last of a table, and in which state.
  func find(_ text: String) -> (decoded: Decoded, stamp: UInt64)? {
    let key = ExactKey(text)
    return state.withLock { $0.entries[key] }
  }

  func store(_ decoded: Decoded, _ text: String, at stamp: UInt64) {
    let key = ExactKey(text)
    let old = state.withLock { state -> (Decoded?, Entries?) in
      guard state.entries.count >= state.limit, state.entries[key] == nil else {
        return (state.entries.updateValue((decoded, stamp), forKey: key)?.decoded, nil)
      }
      defer { state.entries = [key: (decoded, stamp)] }
      return (nil, state.entries)
    }
    _ = old
  }

  /// All that was decoded last, whatever it was decoded for.
  var entries: Entries { state.withLock { $0.entries } }

  /// The listing of the state with a stamp; `nil` if it is not here.
  func listing(at stamp: UInt64) -> RecordListing<Record>? {
    state.withLock { state in state.listingStamp == stamp ? state.listing : nil }
  }

  /// Keeps a listing, with what was decoded for it in the place of all else.
  func store(_ listing: RecordListing<Record>, _ entries: Entries, at stamp: UInt64) {
    let old = state.withLock { state -> (Entries, RecordListing<Record>?) in
      defer {
        state.entries = entries
        state.listing = listing
        state.listingStamp = stamp
        state.limit = entries.count * 2 + 1024
      }
      return (state.entries, state.listing)
    }
    _ = old
  }

  /// The key that stands for an id in the state with a stamp, where it is not the id's own text; `nil` if none were
  /// looked for in that state.
  func otherForm(of text: String, at stamp: UInt64) -> String?? {
    state.withLock { state in
      state.otherFormsStamp == stamp ? .some(state.otherForms[ExactKey(text)]) : nil
    }
  }

  func store(otherForms: [ExactKey: String], at stamp: UInt64) {
    state.withLock { state in
      state.otherForms = otherForms
      state.otherFormsStamp = stamp
    }
  }

  /// Whether a store's declarations are still to be told of the key. An object that has the address of a store that is
  /// gone misses it, which costs no more than a problem that is not reported.
  func isToBeNoted(by core: AnyObject) -> Bool {
    let id = ObjectIdentifier(core)
    return state.withLock { state in
      defer { state.notedBy = id }
      return state.notedBy != id
    }
  }
}
