/// A lease: keys that are stored under it go when nobody keeps it alive.
public struct EtcdLease: Sendable, Hashable {
  /// The lease's number.
  public let id: Int64
  /// How long it lives without being kept alive. The cluster may give more than was asked for.
  public let seconds: Int
}

/// How long a lease lives.
public struct EtcdLeaseStatus: Sendable, Hashable {
  /// How long it lives without being kept alive.
  public let granted: Int
  /// How many seconds are left.
  public let remaining: Int
}
