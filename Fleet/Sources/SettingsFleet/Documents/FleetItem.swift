/// A key and its value, as etcd answers a range.
public struct FleetItem: Hashable, Sendable {
  /// The key's bytes.
  public let key: [UInt8]
  /// The value's bytes.
  public let value: [UInt8]
  /// The revision at which the key was made.
  public let createRevision: Int64
  /// The revision of the last change.
  public let modRevision: Int64
  /// The number of changes since it was made.
  public let version: Int64
  /// The lease that it is under; `nil` if it is under none.
  public let lease: LeaseID?

  /// Takes over what etcd says.
  public init(
    key: [UInt8], value: [UInt8], createRevision: Int64, modRevision: Int64, version: Int64, lease: LeaseID? = nil
  ) {
    self.key = key
    self.value = value
    self.createRevision = createRevision
    self.modRevision = modRevision
    self.version = version
    self.lease = lease
  }
}

/// What the cluster had at one revision, from a linearizable range.
public struct FleetSnapshot: Hashable, Sendable {
  /// The cluster that answered.
  public let cluster: ClusterID
  /// The revision of all items: the one in the header of the answer.
  public let revision: Int64
  /// The app whose prefix was asked for; `nil` if the range was ``FleetNames/prefix``.
  public let app: String?
  /// The keys and values, in any order.
  public let items: [FleetItem]

  /// Takes over the answer to a range.
  public init(cluster: ClusterID, revision: Int64, app: String? = nil, items: [FleetItem]) {
    self.cluster = cluster
    self.revision = revision
    self.app = app
    self.items = items
  }
}
