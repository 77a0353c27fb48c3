/// Why a call to the cluster failed.
///
/// ``mayHaveHappened`` is what a writer has to ask first: if it is `true`, the cluster may have carried out the write
/// although no answer came, or may still do so: a stopped member sends on what it has when it continues. A transaction
/// that compares revisions does no harm then. Read again before repeating it.
public struct EtcdError: Error, Sendable, Hashable {
  /// What kind of failure it is.
  public let code: Code
  /// What happened, in etcd's words where they came from etcd.
  public let message: String
  /// The endpoint at which this happened, if any was asked.
  public let endpoint: String?
  /// Whether the cluster may have carried out the write whose answer did not come. Always `false` for reads.
  public let mayHaveHappened: Bool

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: What kind of failure it is.
  ///   - message: What happened.
  ///   - endpoint: The endpoint that failed.
  ///   - mayHaveHappened: Whether a write may have been carried out.
  public init(_ code: Code, _ message: String, endpoint: String? = nil, mayHaveHappened: Bool = false) {
    self.code = code
    self.message = message
    self.endpoint = endpoint
    self.mayHaveHappened = mayHaveHappened
  }

  /// Whether the same call may succeed later without anybody changing anything.
  ///
  /// A write is repeated safely only if ``mayHaveHappened`` is `false`, too.
  public var isRetryable: Bool { code == .unavailable || code == .deadlineExceeded }
}

extension EtcdError {
  /// The kinds of failure.
  public enum Code: Sendable, Hashable {
    /// No endpoint could be reached, or the cluster has no leader now.
    case unavailable
    /// No answer came in time.
    case deadlineExceeded
    /// The TLS connection was refused by one of the two sides.
    case certificate
    /// The user or the password is wrong, or the client gives none and the name of its certificate is no user who may do
    /// this.
    case notAuthenticated
    /// The user's roles do not allow this.
    case permissionDenied
    /// The requested revision was compacted away.
    case compacted
    /// The requested revision is not there yet: this is another cluster or a restored backup.
    case futureRevision
    /// The lease has expired or was revoked.
    case leaseNotFound
    /// The request is larger than the cluster accepts (1.5 MiB unless configured).
    case tooLarge
    /// The cluster's database is full. It accepts no writes until an operator acts. The write that filled it was stored.
    case noSpace
    /// The request is not valid.
    case invalidArgument
    /// The user or the role does not exist.
    case notFound
    /// The user, the role or the lease exists already.
    case alreadyExists
    /// The cluster is not in the state that the call needs.
    case failedPrecondition
    /// The connection or the cluster's version cannot do this.
    case unsupported
    /// The task was cancelled.
    case cancelled
    /// The client was shut down.
    case closed
    /// The cluster answered what it never should.
    case `internal`
  }
}

extension EtcdError: CustomStringConvertible {
  /// The message, with the kind, the endpoint and what is known about a write.
  public var description: String {
    let place = endpoint.map { " at \($0)" } ?? ""
    let outcome = mayHaveHappened ? ". The write may have been carried out." : ""
    let message = message.hasSuffix(".") ? message.dropLast() : message[...]
    return "\(message) (\(code)\(place))\(outcome)"
  }
}
