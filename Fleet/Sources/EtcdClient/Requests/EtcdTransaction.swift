/// Writes that happen together, and only if all comparisons hold.
///
/// ```swift
/// let transaction = EtcdTransaction(
///   if: [.modRevision("a", .equal, 7)], then: [.put("a", "new"), .delete(.key("b"))])
/// let isDone = try await client.transaction(transaction).succeeded
/// ```
public struct EtcdTransaction: Sendable, Hashable {
  /// What has to hold.
  public var compares: [EtcdCompare]
  /// What is done if all hold. No key may be written twice.
  public var success: [EtcdOperation]
  /// What is done otherwise.
  public var failure: [EtcdOperation]

  /// Creates a transaction.
  ///
  /// - Parameters:
  ///   - compares: What has to hold.
  ///   - success: What is done if all hold.
  ///   - failure: What is done otherwise.
  public init(if compares: [EtcdCompare] = [], then success: [EtcdOperation], else failure: [EtcdOperation] = []) {
    self.compares = compares
    self.success = success
    self.failure = failure
  }

  var writes: Bool { (success + failure).contains { if case .range = $0 { false } else { true } } }
}

/// A condition of a transaction, on the revision that changed a key last. A key that does not exist has the revision 0.
public struct EtcdCompare: Sendable, Hashable {
  /// How the two sides relate.
  public enum Relation: Sendable, Hashable {
    /// The two are equal.
    case equal
    /// What is stored is less.
    case less
  }

  /// The keys; each must fulfil the condition.
  public var span: EtcdSpan
  /// How the stored revision relates to the given one.
  public var relation: Relation
  /// The given revision.
  public var revision: Int64

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - span: The keys.
  ///   - relation: How the stored revision relates to the given one.
  ///   - revision: The given revision.
  public init(_ span: EtcdSpan, _ relation: Relation, _ revision: Int64) {
    self.span = span
    self.relation = relation
    self.revision = revision
  }

  /// A comparison of the revision that changed the key last.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - relation: How the stored revision relates to the given one.
  ///   - revision: The given revision.
  public static func modRevision(_ key: String, _ relation: Relation, _ revision: Int64) -> EtcdCompare {
    EtcdCompare(.key(key), relation, revision)
  }
}

/// One step of a transaction.
public enum EtcdOperation: Sendable, Hashable {
  /// A value to store, under a lease if that is not 0.
  case put(key: [UInt8], value: [UInt8], lease: Int64)
  /// Keys to delete.
  case delete(EtcdSpan)
  /// Keys to read, after the writes before it.
  case range(EtcdRange)

  /// A value to store.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - lease: The lease that the key goes with; 0 for none.
  public static func put(_ key: String, _ value: [UInt8], lease: Int64 = 0) -> EtcdOperation {
    .put(key: Array(key.utf8), value: value, lease: lease)
  }

  /// A value to store.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value, as text.
  ///   - lease: The lease that the key goes with; 0 for none.
  public static func put(_ key: String, _ value: String, lease: Int64 = 0) -> EtcdOperation {
    .put(key, Array(value.utf8), lease: lease)
  }
}

/// The answer to a ``EtcdTransaction``.
public struct EtcdTransactionResponse: Sendable, Hashable {
  /// The cluster's state. Its revision is the one that the transaction made, if it wrote.
  public let header: EtcdHeader
  /// Whether all comparisons held.
  public let succeeded: Bool
  /// What was read, by the steps that read, in order.
  public let ranges: [EtcdRangeResponse]
}
