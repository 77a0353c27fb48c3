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

extension EtcdTransaction {
  /// As etcd has it.
  package init(_ transaction: FleetTransaction) {
    self.init(
      if: transaction.compares.map { compare in
        EtcdCompare(
          compare.rangeEnd.map { .keys(from: compare.key, to: $0) } ?? .key(compare.key),
          compare.relation == .less ? .less : .equal, .modRevision(compare.modRevision))
      },
      then: transaction.puts.map { put in
        .put(key: put.key, value: put.value, lease: put.lease?.rawValue ?? 0, returnsPrevious: false)
      } + transaction.deletes.map { .delete(.key($0)) })
  }
}
