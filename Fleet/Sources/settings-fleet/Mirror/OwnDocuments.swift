import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

/// Reads what the cluster has for one machine. What is for other hosts and groups is neither sent nor held in memory.
struct OwnDocuments: Sendable {
  let client: EtcdClient
  let machine: Machine

  /// How many keys are listed at a time to find the apps.
  private static let page = 500

  /// Everything for the machine, or that of one app, at one revision.
  func snapshot(of app: String?) async throws(EtcdError) -> FleetSnapshot {
    guard let app else { return try await everything() }
    let (header, items) = try await documents(of: [app], at: nil)
    return FleetSnapshot(
      cluster: ClusterID(rawValue: header.cluster), revision: header.revision, app: app, items: items)
  }

  private func everything() async throws(EtcdError) -> FleetSnapshot {
    let acceptance = try await client.range(EtcdRange(.key(FleetKey.accept.text)))
    let revision = acceptance.header.revision
    var items = acceptance.keyValues.map(FleetItem.init)
    var rest = try await apps(at: revision)[...]
    let atOnce = max(1, Cluster.mostOperations / (machine.scopes.count + 1))
    while !rest.isEmpty {
      items += try await documents(of: rest.prefix(atOnce), at: revision).items
      rest = rest.dropFirst(atOnce)
    }
    return FleetSnapshot(
      cluster: ClusterID(rawValue: acceptance.header.cluster), revision: revision, items: items)
  }

  /// The documents and rollouts of some apps, in one transaction.
  private func documents(
    of apps: some Sequence<String>, at revision: Int64?
  ) async throws(EtcdError) -> (header: EtcdHeader, items: [FleetItem]) {
    let spans = apps.flatMap { app in
      machine.prefixes(of: app).map { EtcdSpan.prefix($0) } + [.key(FleetKey.rollout(app: app).text)]
    }
    let answer = try await client.transaction(
      EtcdTransaction(then: spans.map { .range(EtcdRange($0, revision: revision)) }))
    var items: [FleetItem] = []
    for case .range(let range) in answer.results { items += range.keyValues.map(FleetItem.init) }
    return (answer.header, items)
  }

  /// The apps that the cluster has something about, as far as they are mirrored.
  private func apps(at revision: Int64) async throws(EtcdError) -> [String] {
    if let apps = machine.apps { return apps.filter(machine.mirrors).sorted() }
    var apps: [String] = []
    var start = Array(FleetNames.prefix.utf8)
    let end = FleetNames.end(ofPrefix: FleetNames.prefix)
    while true {
      let page = try await client.range(
        EtcdRange(.keys(from: start, to: end), revision: revision, limit: Self.page, keysOnly: true))
      var app: String?
      for item in page.keyValues {
        app = Self.app(of: item.key)
        if let app, apps.last != app, machine.mirrors(app) { apps.append(app) }
      }
      guard page.more, let last = page.keyValues.last else { return apps }
      // The keys of ten thousand hosts are not listed.
      start = app.map { FleetNames.end(ofPrefix: FleetNames.prefix(ofApp: $0)) } ?? last.key + [0]
    }
  }

  private static func app(of key: [UInt8]) -> String? {
    let rest = key.dropFirst(FleetNames.prefix.utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let app = String(decoding: rest[..<slash], as: UTF8.self)
    return FleetNames.isApp(app) ? app : nil
  }
}
