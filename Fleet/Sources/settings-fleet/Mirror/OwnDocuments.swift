import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

/// Reads what the cluster has for one machine. What is for other hosts and groups is neither sent nor held in memory.
struct OwnDocuments: Sendable {
  let client: EtcdClient
  let machine: Machine

  /// How many keys are listed at a time to find the apps.
  private static let page = 100
  /// How many bytes are read at a time, about: far less than the client takes.
  private static let bytesAtOnce = 4 << 20

  /// Everything for the machine, or that of one app, at one revision.
  func snapshot(of app: String?) async throws(EtcdError) -> FleetSnapshot {
    guard let app else { return try await everything() }
    let (header, items) = try await documents(of: [app], at: nil)
    return FleetSnapshot(
      cluster: ClusterID(rawValue: header.cluster), revision: header.revision, app: app, items: items)
  }

  /// Those that the cluster had, as its past says. What that does not say any more was not there.
  func removed(of vanished: [VanishedDocument]) async throws(EtcdError) -> Set<FleetDocument> {
    var removed: Set<FleetDocument> = []
    for gone in vanished {
      do throws(EtcdError) {
        let past = try await client.range(EtcdRange(.key(gone.key), revision: gone.revision))
        // One is enough for nothing to be done.
        guard gone.isRemoved(past: past.keyValues.first.map(FleetItem.init)) else { break }
        removed.insert(gone.document)
      } catch {
        guard error.code == .compacted else { throw error }
        break
      }
    }
    return removed
  }

  private func everything() async throws(EtcdError) -> FleetSnapshot {
    let acceptance = try await client.range(EtcdRange(.key(FleetKey.accept.text)))
    let revision = acceptance.header.revision
    var items = acceptance.keyValues.map(FleetItem.init)
    var rest = try await apps(at: revision).map(\.name)[...]
    let most = max(1, Cluster.mostOperations / (machine.scopes.count + 1))
    var (read, bytes, atOnce) = (0, 0, min(most, 4))
    while !rest.isEmpty {
      let found = try await documents(of: rest.prefix(atOnce), at: revision).items
      items += found
      read += min(atOnce, rest.count)
      rest = rest.dropFirst(atOnce)
      bytes += found.reduce(0) { $0 + $1.value.count }
      atOnce = max(1, min(most, Self.bytesAtOnce / max(1, bytes / read)))
    }
    return FleetSnapshot(
      cluster: ClusterID(rawValue: acceptance.header.cluster), revision: revision, items: items)
  }

  /// The documents and rollouts of some apps, in one transaction.
  private func documents(
    of apps: some Sequence<String>, at revision: Int64?
  ) async throws(EtcdError) -> (header: EtcdHeader, items: [FleetItem]) {
    let spans = apps.flatMap(ownSpans)
    let answer = try await client.transaction(
      EtcdTransaction(then: spans.map { .range(EtcdRange($0, revision: revision)) }))
    return (answer.header, answer.ranges.flatMap(\.keyValues).map(FleetItem.init))
  }

  /// The keys to watch: what is for this machine, and what nobody knows yet.
  ///
  /// If all apps are mirrored, new ones have to be noticed. So everything is watched but the groups and hosts of those apps
  /// that have documents for others. A single document for another machine may come, of an app that had none: then the
  /// spans are chosen again.
  func spans() async throws(EtcdError) -> [EtcdSpan] {
    if let apps = machine.apps {
      return [.key(FleetKey.accept.text)] + apps.filter(machine.mirrors).sorted().flatMap(ownSpans)
    }
    let end = FleetNames.end(ofPrefix: FleetNames.prefix)
    var spans: [EtcdSpan] = []
    var start = Array(FleetNames.prefix.utf8)
    for app in try await apps(at: nil) where app.isForOthers {
      let prefix = FleetNames.prefix(ofApp: app.name)
      spans.append(.keys(from: start, to: Array("\(prefix)group/".utf8)))
      spans += machine.prefixes(of: app.name).dropFirst().map { .prefix($0) }
      start = FleetNames.end(ofPrefix: "\(prefix)host/")
    }
    return spans + [.keys(from: start, to: end)]
  }

  private func ownSpans(of app: String) -> [EtcdSpan] {
    machine.prefixes(of: app).map { .prefix($0) } + [.key(FleetKey.rollout(app: app).text)]
  }

  /// An app that the cluster has something about.
  private struct App {
    var name: String
    /// Whether it has documents for other machines, as far as that is known.
    var isForOthers = false
  }

  /// The apps that the cluster has something about, as far as they are mirrored.
  private func apps(at revision: Int64?) async throws(EtcdError) -> [App] {
    if let apps = machine.apps { return apps.filter(machine.mirrors).sorted().map { App(name: $0) } }
    var apps: [App] = []
    var start = Array(FleetNames.prefix.utf8)
    let end = FleetNames.end(ofPrefix: FleetNames.prefix)
    while true {
      let page = try await client.range(
        EtcdRange(.keys(from: start, to: end), revision: revision, limit: Self.page, keysOnly: true))
      var last: String?
      for item in page.keyValues {
        last = Self.app(of: item.key)
        guard let last, machine.mirrors(last) else { continue }
        if apps.last?.name != last { apps.append(App(name: last)) }
        if machine.isForOthers(item.key) { apps[apps.count - 1].isForOthers = true }
      }
      guard page.more, let lastKey = page.keyValues.last?.key else { return apps }
      // The keys of ten thousand hosts are not listed.
      if let last, apps.last?.name == last { apps[apps.count - 1].isForOthers = true }
      start = last.map { FleetNames.end(ofPrefix: FleetNames.prefix(ofApp: $0)) } ?? lastKey + [0]
    }
  }

  private static func app(of key: [UInt8]) -> String? {
    let rest = key.dropFirst(FleetNames.prefix.utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let app = String(decoding: rest[..<slash], as: UTF8.self)
    return FleetNames.isApp(app) ? app : nil
  }
}
