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

/// A condition of a transaction. For a key that does not exist, each number is 0; a comparison of values fails.
public struct EtcdCompare: Sendable, Hashable {
  /// How the two sides relate.
  public enum Relation: Sendable, Hashable {
    /// The two are equal.
    case equal
    /// The two differ.
    case notEqual
    /// What is stored is greater.
    case greater
    /// What is stored is less.
    case less
  }

  /// What is compared, with what it is compared to.
  public enum Target: Sendable, Hashable {
    /// The value, by bytes.
    case value([UInt8])
    /// How often the key was written since it was created.
    case version(Int64)
    /// The revision that created the key.
    case createRevision(Int64)
    /// The revision that changed the key last.
    case modRevision(Int64)
    /// The lease.
    case lease(Int64)
  }

  /// The keys; each must fulfil the condition.
  public var span: EtcdSpan
  /// How the stored side relates to the given one.
  public var relation: Relation
  /// What is compared.
  public var target: Target

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - span: The keys.
  ///   - relation: How the stored side relates to the given one.
  ///   - target: What is compared.
  public init(_ span: EtcdSpan, _ relation: Relation, _ target: Target) {
    self.span = span
    self.relation = relation
    self.target = target
  }

  /// The key does not exist.
  ///
  /// - Parameter key: The key.
  public static func isAbsent(_ key: String) -> EtcdCompare {
    EtcdCompare(.key(key), .equal, .createRevision(0))
  }

  /// A comparison of the revision that changed the key last.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - relation: How the stored revision relates to the given one.
  ///   - revision: The given revision.
  public static func modRevision(_ key: String, _ relation: Relation, _ revision: Int64) -> EtcdCompare {
    EtcdCompare(.key(key), relation, .modRevision(revision))
  }
}

/// One step of a transaction.
public enum EtcdOperation: Sendable, Hashable {
  /// A value to store, under a lease if that is not 0.
  case put(key: [UInt8], value: [UInt8], lease: Int64, returnsPrevious: Bool)
  /// Keys to delete.
  case delete(EtcdSpan, returnsPrevious: Bool)
  /// Keys to read, after the writes before it.
  case range(EtcdRange)

  /// A value to store.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - lease: The lease that the key goes with; 0 for none.
  public static func put(_ key: String, _ value: [UInt8], lease: Int64 = 0) -> EtcdOperation {
    .put(key: Array(key.utf8), value: value, lease: lease, returnsPrevious: false)
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

  /// Keys to delete.
  ///
  /// - Parameter span: The keys.
  public static func delete(_ span: EtcdSpan) -> EtcdOperation { .delete(span, returnsPrevious: false) }
}

/// The answer to a ``EtcdTransaction``.
public struct EtcdTransactionResponse: Sendable, Hashable {
  /// What one step of the transaction answered.
  public enum Result: Sendable, Hashable {
    /// A value was stored; what was there before, if asked for.
    case put(previous: EtcdKeyValue?)
    /// So many keys were deleted; what was there before, if asked for.
    case delete(count: Int, previous: [EtcdKeyValue])
    /// What was read.
    case range(EtcdRangeResponse)
  }

  /// The cluster's state. Its revision is the one that the transaction made, if it wrote.
  public let header: EtcdHeader
  /// Whether all comparisons held.
  public let succeeded: Bool
  /// The answers of the steps that were done, in order.
  public let results: [Result]
}
