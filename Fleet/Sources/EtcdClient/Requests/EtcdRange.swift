/// A request for keys and their values.
public struct EtcdRange: Sendable, Hashable {
  /// The keys.
  public var span: EtcdSpan
  /// The revision to read at; the newest if `nil`.
  public var revision: Int64?
  /// How many keys to answer with at most; all if `nil`.
  public var limit: Int?
  /// Whether to leave out the values.
  public var keysOnly: Bool
  /// Whether to answer with the number of keys only.
  public var countOnly: Bool
  /// Whether a member may answer from what it has, without asking the others. The answer may be old.
  public var isSerializable: Bool

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - span: The keys.
  ///   - revision: The revision to read at; the newest if `nil`.
  ///   - limit: How many keys to answer with at most.
  ///   - keysOnly: Whether to leave out the values.
  ///   - countOnly: Whether to answer with the number of keys only.
  ///   - isSerializable: Whether an old answer will do.
  public init(
    _ span: EtcdSpan, revision: Int64? = nil, limit: Int? = nil, keysOnly: Bool = false, countOnly: Bool = false,
    isSerializable: Bool = false
  ) {
    self.span = span
    self.revision = revision
    self.limit = limit
    self.keysOnly = keysOnly
    self.countOnly = countOnly
    self.isSerializable = isSerializable
  }
}

/// What every answer says about the cluster.
public struct EtcdHeader: Sendable, Hashable {
  /// The cluster.
  public let cluster: UInt64
  /// The member that answered.
  public let member: UInt64
  /// The newest revision when the answer was made.
  public let revision: Int64
}

/// A key with its value.
public struct EtcdKeyValue: Sendable, Hashable {
  /// The key.
  public let key: [UInt8]
  /// The value; empty if only keys were asked for, and in the event of a deletion.
  public let value: [UInt8]
  /// The revision that created the key.
  public let createRevision: Int64
  /// The revision that changed the key last.
  public let modRevision: Int64
  /// How often the key was written since it was created; 0 in the event of a deletion.
  public let version: Int64
  /// The lease that the key goes with; 0 if none.
  public let lease: Int64
}

/// The answer to a ``EtcdRange``.
public struct EtcdRangeResponse: Sendable, Hashable {
  /// The cluster's state.
  public let header: EtcdHeader
  /// The keys, in order.
  public let keyValues: [EtcdKeyValue]
  /// How many keys the span has, whatever the limit.
  public let count: Int
  /// Whether the limit left out keys.
  public let more: Bool
}
