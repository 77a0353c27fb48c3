import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

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

extension EtcdClient {
  /// Reads what a member says about itself. One that is cut off from the others answers, too, with no leader.
  ///
  /// - Parameter endpoint: One of the client's endpoints.
  /// - Returns: The member's state.
  /// - Throws: ``EtcdError``.
  public func status(at endpoint: String) async throws(EtcdError) -> EtcdStatus {
    let answer = try await call("/v3/maintenance/status", WireNothing(), at: endpoint, as: WireStatus.self)
    return EtcdStatus(
      header: answer.header.header, version: answer.version ?? "", databaseSize: answer.dbSize?.value ?? 0,
      databaseSizeInUse: answer.dbSizeInUse?.value ?? 0, leader: answer.leader?.value ?? 0,
      raftIndex: answer.raftIndex?.value ?? 0)
  }

  /// Frees the space that compacted revisions left in a member's database. The member answers nothing else meanwhile.
  ///
  /// - Parameters:
  ///   - endpoint: One of the client's endpoints.
  ///   - deadline: How long it may take.
  /// - Throws: ``EtcdError``.
  public func defragment(at endpoint: String, deadline: Duration = .seconds(60)) async throws(EtcdError) {
    _ = try await call(
      "/v3/maintenance/defragment", WireNothing(), at: endpoint, deadline: deadline, as: WireNothing.self)
  }

  /// Reads why the cluster takes no writes.
  ///
  /// - Returns: The alarms that are on.
  /// - Throws: ``EtcdError``.
  public func alarms() async throws(EtcdError) -> [EtcdAlarm] {
    try await alarms(WireAlarmRequest(action: "GET"), .repeatable)
  }

  /// Lets the cluster take writes again, after the reason is gone.
  ///
  /// - Throws: ``EtcdError``.
  public func disarmAlarms() async throws(EtcdError) {
    for alarm in try await alarms() {
      let request = WireAlarmRequest(action: "DEACTIVATE", memberID: WireUInt(alarm.member), alarm: alarm.kind)
      _ = try await alarms(request, .write)
    }
  }

  private func alarms(_ request: WireAlarmRequest, _ kind: Call.Kind) async throws(EtcdError) -> [EtcdAlarm] {
    let answer = try await call("/v3/maintenance/alarm", request, kind, as: WireAlarms.self)
    return (answer.alarms ?? []).map { EtcdAlarm(member: $0.memberID?.value ?? 0, kind: $0.alarm ?? "NONE") }
  }

  /// Reads a backup of a member's whole database, in the form that `etcdctl snapshot restore` takes.
  ///
  /// The deadline of calls is for the beginning of the answer. To end the rest, cancel the task.
  ///
  /// - Parameters:
  ///   - endpoint: One of the client's endpoints.
  ///   - write: Stores the next part.
  /// - Throws: ``EtcdError``, or what `write` throws. What was stored is no backup then.
  public func snapshot(at endpoint: String, write: (_ part: [UInt8]) throws -> Void) async throws {
    let call = try Call("/v3/maintenance/snapshot", WireNothing(), .repeatable, needsLeader: false)
    let response = try await at(endpoint) { endpoint, token, deadline throws(EtcdError) in
      try await endpoint.stream(call, token: token, deadline: deadline)
    }
    guard response.status == .ok else {
      throw WireError(
        status: response.status.code, body: Array(try await response.body.collect(upTo: 1 << 16).readableBytesView)
      )
      .error(endpoint: endpoint, isWrite: false)
    }
    var lines = LineSplitter(limit: 64 << 20)
    var left: UInt64?
    for try await bytes in response.body {
      for line in try lines.append(bytes) {
        let part = try line.decoded(as: WireStreamed<WireSnapshotPart>.self, endpoint: endpoint)
        if let error = part.error { throw error.error(endpoint: endpoint, isWrite: false) }
        try write(Array(part.result?.blob ?? Data()))
        left = part.result?.remaining_bytes?.value ?? 0
      }
    }
    guard left == 0 else { throw EtcdError(.unavailable, "The backup ended too early.", endpoint: endpoint) }
  }
}
