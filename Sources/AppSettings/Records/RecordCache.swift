import SettingsTOML

/// Records that were decoded, with what they were decoded from: each is decoded again only when that has changed.
///
/// Stamps are drawn from one counter for the whole process, so a key that is used with several stores is right with one
/// cache; see ``ValueCache``.
final class RecordCache<Record: Sendable>: Sendable {
  // Protects the state. What is replaced is released after the lock: its deinitialisation may run anyone's code.
  private let state = Lock(RecordCacheState())

  /// What was decoded last of a table, with the stamp of the state that it was decoded in or found to be the same in.
  func find(_ text: String) -> (decoded: Decoded<Record>, stamp: UInt64)? {
    let key = ExactKey(text)
    guard let found = state.withLock({ $0.entries[key] }) else { return nil }
    // Nothing else is ever stored here.
    return (unsafeDowncast(found.decoded, to: Decoded<Record>.self), found.stamp)
  }

  func store(_ decoded: Decoded<Record>, _ text: String, at stamp: UInt64) {
    let key = ExactKey(text)
    let old = state.withLock { $0.store(decoded, key, at: stamp) }
    _ = old
  }

  /// All that was decoded last, whatever it was decoded for.
  var known: [ExactKey: Decoded<Record>] {
    state.withLock { $0.entries }.mapValues { unsafeDowncast($0.decoded, to: Decoded<Record>.self) }
  }

  /// The listing of the state with a stamp; `nil` if it is not here.
  func listing(at stamp: UInt64) -> RecordListing<Record>? {
    let found = state.withLock { $0.listingStamp == stamp ? $0.listing : nil }
    return found.map { unsafeDowncast($0, to: ListedRecords<Record>.self).listing }
  }

  /// The listing that was made last, of whichever state.
  var latest: ListedRecords<Record>? {
    state.withLock { $0.listing }.map { unsafeDowncast($0, to: ListedRecords<Record>.self) }
  }

  /// Keeps a listing that was made from the ground up, with what was decoded for it in the place of all else.
  func store(_ listed: ListedRecords<Record>, at stamp: UInt64) {
    var entries: [ExactKey: RecordCacheState.Entry] = [:]
    entries.reserveCapacity(listed.items.count)
    for (text, decoded) in listed.items { entries[ExactKey(text)] = RecordCacheState.Entry(decoded, stamp) }
    let old = state.withLock { $0.replace(by: listed, entries, at: stamp) }
    _ = old
  }

  /// Keeps a listing that was brought up to date, with what was decoded for that; `nil` is for what is gone.
  func store(_ listed: ListedRecords<Record>, changes: [ExactKey: Decoded<Record>?], at stamp: UInt64) {
    let old = state.withLock { state in
      let old = changes.map { key, new in
        new.map { state.entries.updateValue(RecordCacheState.Entry($0, stamp), forKey: key) }
          ?? state.entries.removeValue(forKey: key)
      }
      return (old, state.replace(by: listed, nil, at: stamp))
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

/// The same for all types of records: what is generic would be slow at each look.
private struct RecordCacheState: Sendable {
  struct Entry: Sendable {
    let decoded: DecodedRecord
    /// The stamp of the state that it was decoded in or found to be the same in.
    let stamp: UInt64

    init(_ decoded: DecodedRecord, _ stamp: UInt64) {
      self.decoded = decoded
      self.stamp = stamp
    }
  }

  var entries: [ExactKey: Entry] = [:]
  /// How many entries there may be before all are dropped: ids that are gone must not stay for ever.
  private var limit = 1024
  /// A `ListedRecords`.
  private(set) var listing: (any AnyObject & Sendable)?
  private(set) var listingStamp: UInt64 = .max
  /// Keys that are not written as ids are, by the ids' own text.
  var otherForms: [ExactKey: String] = [:]
  var otherFormsStamp: UInt64 = .max
  /// The store whose declarations know the key; it may be gone.
  var notedBy: ObjectIdentifier?

  /// - Returns: What is no longer here.
  mutating func store(
    _ decoded: DecodedRecord, _ key: ExactKey, at stamp: UInt64
  ) -> (entry: Entry?, entries: [ExactKey: Entry]?) {
    guard entries.count >= limit, entries[key] == nil else {
      return (entries.updateValue(Entry(decoded, stamp), forKey: key), nil)
    }
    defer { entries = [key: Entry(decoded, stamp)] }
    return (nil, entries)
  }

  /// - Returns: What is no longer here.
  mutating func replace(
    by new: any AnyObject & Sendable, _ newEntries: [ExactKey: Entry]?, at stamp: UInt64
  ) -> (listing: (any AnyObject & Sendable)?, entries: [ExactKey: Entry]?) {
    defer {
      listing = new
      listingStamp = stamp
      if let newEntries {
        entries = newEntries
        limit = newEntries.count * 2 + 1024
      }
    }
    return (listing, newEntries == nil ? nil : entries)
  }
}
