extension EtcdClient {
  /// Reads what a member says about itself. One that is cut off from the others answers, too, with no leader.
  ///
  /// - Parameter endpoint: One of the client's endpoints.
  /// - Returns: The member's state.
  /// - Throws: ``EtcdError``.
  public func status(at endpoint: String) async throws(EtcdError) -> EtcdStatus {
    try await call(.status, EmptyMessage(), at: endpoint)
  }

  /// Frees the space that compacted revisions left in a member's database. The member answers nothing else meanwhile.
  ///
  /// - Parameters:
  ///   - endpoint: One of the client's endpoints.
  ///   - deadline: How long it may take.
  /// - Throws: ``EtcdError``.
  public func defragment(at endpoint: String, deadline: Duration = .seconds(60)) async throws(EtcdError) {
    _ = try await call(.defragment, EmptyMessage(), at: endpoint, deadline: deadline, as: EmptyAnswer.self)
  }

  /// Reads why the cluster takes no writes.
  ///
  /// - Returns: The alarms that are on.
  /// - Throws: ``EtcdError``.
  public func alarms() async throws(EtcdError) -> [EtcdAlarm] {
    try await call(.alarm, AlarmMessage(action: .get), .repeatable, as: AlarmsAnswer.self).alarms
  }

  /// Lets the cluster take writes again, after the reason is gone.
  ///
  /// - Throws: ``EtcdError``.
  public func disarmAlarms() async throws(EtcdError) {
    for alarm in try await alarms() {
      _ = try await call(.alarm, AlarmMessage(action: .deactivate, alarm: alarm), .write, as: AlarmsAnswer.self)
    }
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
    let call = Call(.snapshot, EmptyMessage(), .repeatable, needsLeader: false)
    let parts = try await at(endpoint) { endpoint, token, deadline throws(EtcdError) in
      let parts = AnswerParts(call, of: endpoint, token: token)
      try await parts.begin(deadline)
      return parts
    }
    defer { parts.cancel() }
    var left: UInt64?
    while let part = try await parts.next(as: SnapshotPart.self) {
      try write(part.bytes)
      left = part.remaining
    }
    guard !Task.isCancelled else { throw EtcdError(.cancelled, "The task was cancelled.", endpoint: endpoint) }
    guard left == 0 else { throw EtcdError(.unavailable, "The backup ended too early.", endpoint: endpoint) }
  }
}
