/// What a member says about itself.
public struct EtcdStatus: Sendable, Hashable {
  /// The cluster's state, as this member knows it.
  public let header: EtcdHeader
  /// The member's version, such as `3.4.23`.
  public let version: String
  /// The size of the database's file in bytes.
  public let databaseSize: Int64
  /// How many of these bytes are in use. Defragmentation frees the others.
  public let databaseSizeInUse: Int64
  /// The member that leads; 0 if there is none now.
  public let leader: UInt64
  /// How much of the cluster's log the member has.
  public let raftIndex: UInt64
}

/// Why the cluster takes no writes.
public struct EtcdAlarm: Sendable, Hashable {
  /// The member with the problem.
  public let member: UInt64
  /// The problem: `NOSPACE` or `CORRUPT`.
  public let kind: String
}
