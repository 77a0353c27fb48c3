import SettingsTOML

/// Decoded records with the values they were decoded from: each is decoded again only when its value has changed.
///
/// Stamps come from one counter for the whole process, so one cache serves a key used with several stores; see
/// ``ValueCache``.
final class RecordCache<Record: Sendable>: Sendable {
  // Protects the state. Replaced values are released after unlocking: deinitialisers may run foreign code.
  private let state = Lock(RecordCacheState())

  /// The latest result of decoding a table, with the stamp of the newest state in which it was valid.
  func find(_ text: String) -> (decoded: Decoded<Record>, stamp: UInt64)? {
    let key = ExactKey(text)
    guard let found = state.withLock({ $0.entries[key] }) else { return nil }
    // Nothing else is ever stored here.
    return (unsafeDowncast(found.decoded, to: Decoded<Record>.self), found.stamp)
  }

  /// Stores the result of decoding one table in the state with a stamp.
  func store(_ decoded: Decoded<Record>, _ text: String, at stamp: UInt64) {
    let key = ExactKey(text)
    let old = state.withLock { $0.store(decoded, key, at: stamp) }
    _ = old
  }

  /// All latest results.
  var known: [ExactKey: Decoded<Record>] {
    state.withLock { $0.entries }.mapValues { unsafeDowncast($0.decoded, to: Decoded<Record>.self) }
  }

  /// The listing of the state with a stamp; `nil` if it is not cached.
  func listing(at stamp: UInt64) -> RecordListing<Record>? {
    let found = state.withLock { $0.listingStamp == stamp ? $0.listing : nil }
    return found.map { unsafeDowncast($0, to: ListedRecords<Record>.self).listing }
  }

  /// The latest listing, of whichever state.
  var latest: ListedRecords<Record>? {
    state.withLock { $0.listing }.map { unsafeDowncast($0, to: ListedRecords<Record>.self) }
  }

  /// Stores a complete new listing; its results replace all others.
  func store(_ listed: ListedRecords<Record>, at stamp: UInt64) {
    var entries: [ExactKey: RecordCacheState.Entry] = [:]
    entries.reserveCapacity(listed.items.count)
    for (text, decoded) in listed.items {
      entries[ExactKey(text)] = RecordCacheState.Entry(decoded: decoded, stamp: stamp)
    }
    let old = state.withLock { $0.replace(by: listed, entries, at: stamp) }
    _ = old
  }

  /// Stores an updated listing with the new results; `nil` removes one.
  func store(_ listed: ListedRecords<Record>, changes: [ExactKey: Decoded<Record>?], at stamp: UInt64) {
    let old = state.withLock { state in
      let old = changes.map { key, new in
        new.map { state.entries.updateValue(RecordCacheState.Entry(decoded: $0, stamp: stamp), forKey: key) }
          ?? state.entries.removeValue(forKey: key)
      }
      return (old, state.replace(by: listed, nil, at: stamp))
    }
    _ = old
  }

  /// The key for an id in the state with a stamp, if it differs from the id's own text; `nil` if not searched.
  func otherForm(of text: String, at stamp: UInt64) -> String?? {
    state.withLock { state in
      state.otherFormsStamp == stamp ? .some(state.otherForms[ExactKey(text)]) : nil
    }
  }

  /// Stores the keys that stand for ids in another notation, for the state with a stamp.
  func store(otherForms: [ExactKey: String], at stamp: UInt64) {
    state.withLock { state in
      state.otherForms = otherForms
      state.otherFormsStamp = stamp
    }
  }

  /// Whether the key still has to be noted in a store's declarations. A new object at the address of a released store
  /// is missed, which costs only a problem that is not reported.
  func isToBeNoted(by core: AnyObject) -> Bool {
    let id = ObjectIdentifier(core)
    return state.withLock { state in
      defer { state.notedBy = id }
      return state.notedBy != id
    }
  }
}

/// The same for all types of records: generic code would be slow at each look-up.
private struct RecordCacheState: Sendable {
  struct Entry: Sendable {
    let decoded: DecodedRecord
    /// The stamp of the newest state in which it was valid.
    let stamp: UInt64
  }

  var entries: [ExactKey: Entry] = [:]
  /// The number of entries at which all are dropped: entries of removed ids must not stay forever.
  private var limit = 1024
  /// A `ListedRecords`.
  private(set) var listing: (any AnyObject & Sendable)?
  private(set) var listingStamp: UInt64 = .max
  /// Keys that differ from their ids' own text, by that text.
  var otherForms: [ExactKey: String] = [:]
  var otherFormsStamp: UInt64 = .max
  /// The store whose declarations have the key; it may be gone.
  var notedBy: ObjectIdentifier?

  /// - Returns: The replaced values.
  mutating func store(
    _ decoded: DecodedRecord, _ key: ExactKey, at stamp: UInt64
  ) -> (entry: Entry?, entries: [ExactKey: Entry]?) {
    guard entries.count >= limit, entries[key] == nil else {
      return (entries.updateValue(Entry(decoded: decoded, stamp: stamp), forKey: key), nil)
    }
    defer { entries = [key: Entry(decoded: decoded, stamp: stamp)] }
    return (nil, entries)
  }

  /// - Returns: The replaced values.
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
