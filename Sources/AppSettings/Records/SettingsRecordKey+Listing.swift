import SettingsTOML
import Synchronization

// Lists all records. A complete listing is made once; later ones look up only the changes that the store remembers.

extension SettingsRecordKey {
  /// All readable records; each unreadable one is a problem.
  ///
  /// While nothing has changed, this is one look-up by the stamp. Otherwise it decodes only the changed records, as
  /// long as the store remembers which those are.
  package func listing(in core: StoreCore) -> RecordListing<Record> {
    if let listing = cache.listing(at: core.stamp.load(ordering: .acquiring)) { return listing }
    note(in: core)
    let latest = cache.latest
    let (state, stamp) = core.state(since: latest?.position)
    let listing: RecordListing<Record>
    if let latest, let (listed, changes) = update(latest, to: state) {
      cache.store(listed, changes: changes, at: stamp)
      listing = listed.listing
    } else {
      let known = cache.known
      let listed = list(state.snapshot, at: state.position) { known[$0] }
      cache.store(listed, at: stamp)
      listing = listed.listing
    }
    if isSecret { core.checkSecrecy(of: path) }
    guard core.problems.hasAny || !listing.failures.isEmpty else { return listing }
    var problems = listing.failures.prefix(Self.mostProblems).map {
      problem($0.error, at: $0.path, in: state.snapshot)
    }
    if listing.failures.count > Self.mostProblems {
      problems.append(
        SettingsProblem(
          .invalidValue,
          "\(Self.beginning)s '\(path)': \(listing.failures.count) of them cannot be read. The first "
            + "\(Self.mostProblems) are reported one by one.", path: path))
    }
    report(problems, at: { [path] in $0 == path || $0.parent == path }, core.problems)
    return listing
  }

  /// All readable records of a snapshot.
  func listing(in snapshot: SettingsSnapshot) -> RecordListing<Record> {
    let known = cache.known
    return list(snapshot, at: RecentChanges.Position()) { known[$0] }.listing
  }

  /// Makes a complete listing.
  ///
  /// - Parameters:
  ///   - snapshot: The state to list.
  ///   - position: The position of that state among the store's changes.
  ///   - known: Returns an earlier result of decoding a table; it is used if the table's value is the same.
  private func list(
    _ snapshot: SettingsSnapshot, at position: RecentChanges.Position, known: (ExactKey) -> Decoded<Record>?
  ) -> ListedRecords<Record> {
    var listing = RecordListing<Record>()
    var items: [(text: String, decoded: Decoded<Record>)] = []
    var isPlain = true
    switch snapshot.storedRecords(of: self) {
    case .table(let table)?:
      var owners: [ExactKey: String] = [:]
      listing.reserveCapacity(table.count)
      items.reserveCapacity(table.count)
      for (text, stored) in table {
        if coding.ids.hasOtherForms, let own = ownForm(of: text) {
          isPlain = false
          if let owner = table[own] == nil ? owners[ExactKey(own)] : own {
            listing.failures.append((path.appending(text), SettingsValueError(key: text, sameRecordAs: owner)))
            continue
          }
          owners[ExactKey(own)] = text
        }
        var decoded = known(ExactKey(text))
        if decoded?.stored != stored { decoded = nil }
        items.append((text, decoded ?? decodeAnew(stored, text)))
        add(items[items.count - 1], to: &listing)
      }
    case let stored?:
      listing.failures = [(path, SettingsValueError(expected: expected, found: stored))]
      isPlain = false
    case nil: break
    }
    return ListedRecords(items: items, listing: listing, position: position, isPlain: isPlain)
  }

  private func add(_ item: (text: String, decoded: Decoded<Record>), to listing: inout RecordListing<Record>) {
    if let record = item.decoded.record {
      listing.append(item.text, item.decoded, record)
    } else if let error = item.decoded.error {
      listing.failures.append((path.appending(item.text), error))
    }
  }

  // MARK: Changes

  /// Updates a listing.
  ///
  /// - Returns: The new listing, and the results for the changed tables; `nil` if everything must be listed again.
  private func update(
    _ old: ListedRecords<Record>, to state: StoreCore.StateSince
  ) -> (ListedRecords<Record>, [ExactKey: Decoded<Record>?])? {
    guard old.isPlain, let changes = state.changes, let keys = state.snapshot.soleKeys(of: path) else { return nil }
    var changed: [ExactKey: Decoded<Record>?] = [:]
    for changedPath in changes {
      guard !path.hasPrefix(changedPath) else { return nil }
      guard changedPath.hasPrefix(path) else { continue }
      let text = changedPath.components[path.components.count]
      guard changed[ExactKey(text)] == nil else { continue }
      if coding.ids.hasOtherForms, ownForm(of: text) != nil { return nil }
      let stored = state.snapshot.storedRecord(text, of: self)
      changed.updateValue(stored.map { decode($0, text) }, forKey: ExactKey(text))
    }
    guard let listed = patch(old, keys, changed, at: state.position) ?? merge(old, keys, changed, at: state.position)
    else { return nil }
    return (listed, changed)
  }

  /// The listing if the tables and their order are the same, and all can be read.
  private func patch(
    _ old: ListedRecords<Record>, _ keys: [String], _ changed: [ExactKey: Decoded<Record>?],
    at position: RecentChanges.Position
  ) -> ListedRecords<Record>? {
    guard old.listing.failures.isEmpty, keys.count == old.items.count else { return nil }
    var (items, listing) = (old.items, old.listing)
    for index in keys.indices {
      guard keys[index].hasSameCodeUnits(as: old.items[index].text) else { return nil }
      guard !changed.isEmpty, let change = changed[ExactKey(keys[index])] else { continue }
      guard let decoded = change, let record = decoded.record else { return nil }
      items[index].decoded = decoded
      listing.replace(at: index, decoded, record)
    }
    return ListedRecords(items: items, listing: listing, position: position, isPlain: true)
  }

  /// The listing after tables were added, removed or reordered.
  private func merge(
    _ old: ListedRecords<Record>, _ keys: [String], _ changed: [ExactKey: Decoded<Record>?],
    at position: RecentChanges.Position
  ) -> ListedRecords<Record>? {
    var items: [(text: String, decoded: Decoded<Record>)] = []
    var listing = RecordListing<Record>()
    items.reserveCapacity(keys.count)
    listing.reserveCapacity(keys.count)
    var places: [ExactKey: Int]?
    var next = 0
    for text in keys {
      let item: (text: String, decoded: Decoded<Record>)
      if !changed.isEmpty, let change = changed[ExactKey(text)] {
        guard let decoded = change else { continue }
        item = (text, decoded)
      } else {
        if next >= old.items.count || !old.items[next].text.hasSameCodeUnits(as: text) {
          // It has the place of another one, as after a removal.
          if places == nil {
            places = Dictionary(uniqueKeysWithValues: old.items.indices.map { (ExactKey(old.items[$0].text), $0) })
          }
          guard let place = places?[ExactKey(text)] else { return nil }
          next = place
        }
        item = old.items[next]
        next += 1
      }
      items.append(item)
      add(item, to: &listing)
    }
    return ListedRecords(items: items, listing: listing, position: position, isPlain: true)
  }
}

extension SettingsSnapshot {
  /// The keys of a table that only the user's layer has, in order, including pending and removed ones; `nil` if others
  /// have some.
  func soleKeys(of path: TOMLPath) -> [String]? {
    guard overrides.isEmpty, locks.isEmpty else { return nil }
    for index in layers.indices where index != userIndex && layers[index].document.contains(path) { return nil }
    guard let pending = pending.keys(below: path) else { return nil }
    let keys = userDocument.childKeys(of: path)
    guard keys != nil || !userDocument.contains(path) else { return nil }
    guard !pending.isEmpty else { return keys ?? [] }
    return (keys ?? []) + pending.filter { !userDocument.contains(path.appending($0)) }
  }
}

extension StoreCore {
  /// The present state and the changes since another one.
  struct StateSince {
    var snapshot: SettingsSnapshot
    var position: RecentChanges.Position
    /// The paths whose values have changed since; `nil` if that is no longer known.
    var changes: [TOMLPath]?
  }

  fileprivate func state(since position: RecentChanges.Position?) -> (state: StateSince, stamp: UInt64) {
    load()
    return state.withLock { state in
      let changes = position.flatMap { state.recentChanges.since($0) }
      return (
        StateSince(snapshot: state.snapshot, position: state.recentChanges.position, changes: changes),
        stamp.load(ordering: .relaxed)
      )
    }
  }
}
