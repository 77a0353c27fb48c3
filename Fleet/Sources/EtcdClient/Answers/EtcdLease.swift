/// How long a lease lives.
public struct EtcdLeaseStatus: Sendable, Hashable {
  /// How long it lives without being kept alive.
  public let granted: Int
  /// How many seconds are left.
  public let remaining: Int
}
