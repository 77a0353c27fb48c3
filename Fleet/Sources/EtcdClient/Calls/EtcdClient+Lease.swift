import FoundationEssentials

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
  /// The keys that go with it, if asked for.
  public let keys: [[UInt8]]
}

extension EtcdClient {
  /// Creates a lease.
  ///
  /// If the answer is lost, another lease is created; nobody knows the first one, and it expires.
  ///
  /// - Parameter seconds: How long it lives without being kept alive.
  /// - Returns: The lease.
  /// - Throws: ``EtcdError``.
  public func grantLease(seconds: Int) async throws(EtcdError) -> EtcdLease {
    let answer = try await call(
      .grantLease, WireGrant(TTL: WireInt(Int64(seconds))), .repeatable, as: WireLease.self)
    return EtcdLease(id: answer.ID?.value ?? 0, seconds: Int(answer.TTL?.value ?? 0))
  }

  /// Lets a lease live for its whole time again.
  ///
  /// - Parameter lease: The lease's number.
  /// - Returns: How many seconds it lives from now; 0 if it is gone.
  /// - Throws: ``EtcdError``.
  public func keepAlive(_ lease: Int64) async throws(EtcdError) -> Int {
    let message = WireLeaseID(ID: WireInt(lease))
    // The answer is a stream with one message. At the gateway it may be an error although the status says success.
    let answer = try await inTurn(.repeatable) { endpoint, token, deadline throws(EtcdError) -> WireLease? in
      let call = try Method.keepAlive.call(message, .repeatable, needsLeader: true, byRPC: endpoint.isTLS)
      let body = try await endpoint.send(call, token: token, deadline: deadline)
      if call.isRPC { return try RPCFrames.onlyMessage(in: body, as: WireLease.self, endpoint: endpoint.url) }
      let answer = try body.decoded(as: WireStreamed<WireLease>.self, endpoint: endpoint.url)
      if let error = answer.error { throw error.error(endpoint: endpoint.url, isWrite: false) }
      return answer.result
    }
    return Int(answer?.TTL?.value ?? 0)
  }

  /// Ends a lease, and deletes its keys.
  ///
  /// - Parameter lease: The lease's number.
  /// - Throws: ``EtcdError``; code `leaseNotFound` if it is gone.
  public func revokeLease(_ lease: Int64) async throws(EtcdError) {
    _ = try await call(.revokeLease, WireLeaseID(ID: WireInt(lease)), .write, as: WireHeaderAnswer.self)
  }

  /// Reads how long a lease lives.
  ///
  /// - Parameters:
  ///   - lease: The lease's number.
  ///   - withKeys: Whether to answer with its keys, too.
  /// - Returns: How long it lives; `nil` if it is gone.
  /// - Throws: ``EtcdError``.
  public func timeToLive(_ lease: Int64, withKeys: Bool = false) async throws(EtcdError) -> EtcdLeaseStatus? {
    let message = WireTimeToLive(ID: WireInt(lease), keys: withKeys ? true : nil)
    let answer = try await call(.timeToLive, message, .repeatable, as: WireLease.self)
    let remaining = Int(answer.TTL?.value ?? 0)
    guard remaining >= 0 else { return nil }
    return EtcdLeaseStatus(
      granted: Int(answer.grantedTTL?.value ?? 0), remaining: remaining, keys: (answer.keys ?? []).map { Array($0) })
  }
}
