import SettingsFleet

/// etcd as far as a fleet needs it: revisions, transactions, leases, backups.
final class ModelCluster {
  struct Lease {
    var seconds: Int
    var expires: Int
  }

  struct Backup {
    var revision: Int64
    var items: [String: FleetItem]
    var leases: [LeaseID: Lease]
    var history: ItemHistory
  }

  var id = ClusterID(rawValue: 0xc1)
  private(set) var revision: Int64 = 1
  private(set) var items: [String: FleetItem] = [:]
  private(set) var leases: [LeaseID: Lease] = [:]
  private var lastLease: Int64 = 100
  private var history = ItemHistory()
  /// Is told the keys of each change.
  var changed: ([String]) -> Void = { _ in }

  func snapshot(app: String? = nil) -> FleetSnapshot {
    let prefix = app.map(FleetNames.prefix(ofApp:)) ?? FleetNames.prefix
    return FleetSnapshot(cluster: id, revision: revision, app: app, items: range(prefix))
  }

  /// What a key was at a revision.
  func item(_ key: String, at revision: Int64) -> FleetItem? { history.item(key, at: revision) }

  func range(_ prefix: String) -> [FleetItem] { items.filter { $0.key.hasPrefix(prefix) }.map(\.value) }

  /// Whether all comparisons held, so that the changes are made.
  func commit(_ transaction: FleetTransaction) -> Bool {
    guard transaction.compares.allSatisfy(holds),
      transaction.puts.allSatisfy({ $0.lease.map { leases[$0] != nil } ?? true })
    else { return false }
    change(
      puts: transaction.puts.map { (String(decoding: $0.key, as: UTF8.self), $0.value, $0.lease) },
      deletes: transaction.deletes.map { String(decoding: $0, as: UTF8.self) })
    return true
  }

  func put(_ key: String, _ value: [UInt8], lease: LeaseID? = nil) { change(puts: [(key, value, lease)], deletes: []) }

  func delete(_ keys: [String]) { change(puts: [], deletes: keys) }

  private func change(puts: [(String, [UInt8], LeaseID?)], deletes: [String]) {
    let deletes = deletes.filter { items[$0] != nil }
    guard !puts.isEmpty || !deletes.isEmpty else { return }
    revision += 1
    for (key, value, lease) in puts {
      let former = items[key]
      items[key] = FleetItem(
        key: Array(key.utf8), value: value, createRevision: former?.createRevision ?? revision, modRevision: revision,
        version: (former?.version ?? 0) + 1, lease: lease)
    }
    for key in deletes { items[key] = nil }
    for key in puts.map(\.0) + deletes where key.hasPrefix(FleetNames.prefix) {
      history.note(items[key], of: key, at: revision)
    }
    changed(puts.map(\.0) + deletes)
  }

  private func holds(_ compare: FleetTransaction.Compare) -> Bool {
    let first = String(decoding: compare.key, as: UTF8.self)
    guard let end = compare.rangeEnd.map({ String(decoding: $0, as: UTF8.self) }) else {
      let revision = items[first]?.modRevision ?? 0
      return compare.relation == .equal ? revision == compare.modRevision : revision < compare.modRevision
    }
    return items.allSatisfy { key, item in key < first || key >= end || item.modRevision < compare.modRevision }
  }

  // MARK: Leases

  func grant(seconds: Int, now: Int) -> LeaseID {
    lastLease += 1
    let lease = LeaseID(rawValue: lastLease)
    leases[lease] = Lease(seconds: seconds, expires: now + seconds * 1000)
    return lease
  }

  func keepAlive(_ lease: LeaseID, now: Int) -> Int {
    guard let seconds = leases[lease]?.seconds else { return 0 }
    leases[lease]?.expires = now + seconds * 1000
    return seconds
  }

  func expire(now: Int) {
    for (lease, state) in leases where state.expires <= now {
      leases[lease] = nil
      delete(items.filter { $0.value.lease == lease }.map(\.key))
    }
  }

  // MARK: Backups

  func backup() -> Backup { Backup(revision: revision, items: items, leases: leases, history: history) }

  func restore(_ backup: Backup, as id: ClusterID, now: Int) {
    (self.id, revision, items, history) = (id, backup.revision, backup.items, backup.history)
    leases = backup.leases.mapValues { Lease(seconds: $0.seconds, expires: now + $0.seconds * 1000) }
  }
}

/// What keys were at earlier revisions.
struct ItemHistory {
  private var items: [String: [(revision: Int64, item: FleetItem?)]] = [:]
  private var first: Int64 = 0

  mutating func note(_ item: FleetItem?, of key: String, at revision: Int64) {
    items[key, default: []].append((revision, item))
  }

  mutating func compact(to revision: Int64) { first = revision }

  func item(_ key: String, at revision: Int64) -> FleetItem? {
    revision < first ? nil : items[key]?.last { $0.revision <= revision }?.item
  }
}

/// A disk that loses what was not synced, or does not.
struct ModelDisk {
  private var durable: [String: [UInt8]] = [:]
  private(set) var current: [String: [UInt8]] = [:]

  mutating func write(_ name: String, _ bytes: [UInt8]?) { current[name] = bytes }

  mutating func sync(_ name: String) { durable[name] = current[name] }

  mutating func crash(_ random: inout Numbers) {
    for name in Set(durable.keys).union(current.keys).sorted() where durable[name] != current[name] && random.chance(50)
    {
      current[name] = durable[name]
    }
    durable = current
  }
}
