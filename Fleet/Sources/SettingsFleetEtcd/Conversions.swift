package import EtcdClient
package import SettingsFleet

extension FleetItem {
  /// What the cluster has.
  package init(_ keyValue: EtcdKeyValue) {
    self.init(
      key: keyValue.key, value: keyValue.value, createRevision: keyValue.createRevision,
      modRevision: keyValue.modRevision, version: keyValue.version,
      lease: keyValue.lease == 0 ? nil : LeaseID(rawValue: keyValue.lease))
  }
}

extension FleetSnapshot {
  /// What the cluster has answered.
  ///
  /// - Parameters:
  ///   - app: The app that was asked for.
  ///   - revision: The revision that was asked for; `nil` for the newest.
  package init(_ answer: EtcdRangeResponse, of app: String? = nil, at revision: Int64? = nil) {
    self.init(
      cluster: ClusterID(rawValue: answer.header.cluster), revision: revision ?? answer.header.revision, app: app,
      items: answer.keyValues.map(FleetItem.init))
  }
}

extension EtcdTransaction {
  /// As etcd has it.
  package init(_ transaction: FleetTransaction) {
    self.init(
      if: transaction.compares.map { compare in
        EtcdCompare(
          compare.rangeEnd.map { .keys(from: compare.key, to: $0) } ?? .key(compare.key),
          compare.relation == .less ? .less : .equal, compare.modRevision)
      },
      then: transaction.puts.map { put in
        .put(key: put.key, value: put.value, lease: put.lease?.rawValue ?? 0)
      } + transaction.deletes.map { .delete(.key($0)) })
  }
}
