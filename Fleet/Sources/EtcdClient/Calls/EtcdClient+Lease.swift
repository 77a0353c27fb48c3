extension EtcdClient {
  /// Creates a lease: keys that are stored under it go when nobody keeps it alive.
  ///
  /// If the answer is lost, another lease is created; nobody knows the first one, and it expires.
  ///
  /// - Parameter seconds: How long it lives without being kept alive.
  /// - Returns: The lease's number.
  /// - Throws: ``EtcdError``.
  public func grantLease(seconds: Int) async throws(EtcdError) -> Int64 {
    try await call(.grantLease, [1: .number(Int64(seconds))], .repeatable, as: LeaseAnswer.self).lease
  }

  /// Lets a lease live for its whole time again.
  ///
  /// - Parameter lease: The lease's number.
  /// - Returns: How many seconds it lives from now; 0 if it is gone.
  /// - Throws: ``EtcdError``.
  public func keepAlive(_ lease: Int64) async throws(EtcdError) -> Int {
    // A stream with one message each way.
    try await call(.keepAlive, [1: .number(lease)], .repeatable, as: LeaseAnswer.self).seconds
  }

  /// Ends a lease, and deletes its keys.
  ///
  /// - Parameter lease: The lease's number.
  /// - Throws: ``EtcdError``; code `leaseNotFound` if it is gone.
  public func revokeLease(_ lease: Int64) async throws(EtcdError) {
    _ = try await call(.revokeLease, [1: .number(lease)], .write, as: HeaderAnswer.self)
  }

  /// Reads how long a lease lives.
  ///
  /// - Parameter lease: The lease's number.
  /// - Returns: How long it lives; `nil` if it is gone.
  /// - Throws: ``EtcdError``.
  public func timeToLive(_ lease: Int64) async throws(EtcdError) -> EtcdLeaseStatus? {
    let answer = try await call(.timeToLive, [1: .number(lease)], .repeatable, as: LeaseAnswer.self)
    guard answer.seconds >= 0 else { return nil }
    return EtcdLeaseStatus(granted: answer.granted, remaining: answer.seconds)
  }
}
