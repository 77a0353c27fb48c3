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
  /// What became of one table.
  struct Decoded: Sendable {
    var stored: TOMLValue
    var result: Result<Record, SettingsValueError>
  }

  private struct State: Sendable {
    var decoded: [ExactKey: (Decoded, stamp: UInt64)] = [:]
    var listing: RecordListing<Record>?
    var listingStamp: UInt64 = .max
    /// Keys that are not written as ids are, by the ids' own text; `nil` if none were looked for in that state.
    var otherForms: [ExactKey: String] = [:]
    var otherFormsStamp: UInt64 = .max
    /// How many entries there may be before all are dropped: ids that are gone must not stay for ever.
    var limit = 1024
  }

  // Protects the state. What is replaced is released after the lock: its deinitialisation may run anyone's code.
  private let state = Lock(State())

  /// What was decoded in the state with a stamp; `nil` if it is not here.
  func result(_ text: String, at stamp: UInt64) -> Result<Record, SettingsValueError>? {
    state.withLock { state in
      guard let (decoded, known) = state.decoded[ExactKey(text)], known == stamp else { return nil }
      return decoded.result
    }
  }

  /// What a table was decoded to before, if it was the same then.
  func decoded(_ text: String, from stored: TOMLValue) -> Result<Record, SettingsValueError>? {
    guard let found = state.withLock({ $0.decoded[ExactKey(text)]?.0 }), found.stored == stored else { return nil }
    return found.result
  }

  func store(_ decoded: Decoded, _ text: String, at stamp: UInt64) {
    let old = state.withLock { state -> (Any?, Any?) in
      let key = ExactKey(text)
      guard state.decoded.count >= state.limit, state.decoded[key] == nil else {
        return (state.decoded.updateValue((decoded, stamp), forKey: key), nil)
      }
      defer { state.decoded = [key: (decoded, stamp)] }
      return (nil, state.decoded)
    }
    _ = old
  }

  /// The listing of the state with a stamp; `nil` if it is not here.
  func listing(at stamp: UInt64) -> RecordListing<Record>? {
    state.withLock { state in state.listingStamp == stamp ? state.listing : nil }
  }

  func store(_ listing: RecordListing<Record>, _ all: [ExactKey: Decoded], at stamp: UInt64) {
    let new = all.mapValues { ($0, stamp: stamp) }
    let old = state.withLock { state -> (Any, Any?) in
      defer {
        state.decoded = new
        state.listing = listing
        state.listingStamp = stamp
        state.limit = new.count * 2 + 1024
      }
      return (state.decoded, state.listing)
    }
    _ = old
  }

  /// All that was decoded last, whatever it was decoded for.
  var all: [ExactKey: Decoded] { state.withLock { $0.decoded }.mapValues(\.0) }

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
}
