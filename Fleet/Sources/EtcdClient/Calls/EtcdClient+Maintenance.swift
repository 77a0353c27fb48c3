extension EtcdClient {
  /// Reads what a member says about itself. One that is cut off from the others answers, too, with no leader.
  ///
  /// - Parameter endpoint: One of the client's endpoints.
  /// - Returns: The member's state.
  /// - Throws: ``EtcdError``.
  public func status(at endpoint: String) async throws(EtcdError) -> EtcdStatus {
    try await call(.status, [:], at: endpoint)
  }

  /// Frees the space that compacted revisions left in a member's database. The member answers nothing else meanwhile.
  ///
  /// - Parameters:
  ///   - endpoint: One of the client's endpoints.
  ///   - deadline: How long it may take.
  /// - Throws: ``EtcdError``.
  public func defragment(at endpoint: String, deadline: Duration = .seconds(60)) async throws(EtcdError) {
    _ = try await call(.defragment, [:], at: endpoint, deadline: deadline, as: EmptyAnswer.self)
  }

  /// Reads why the cluster takes no writes.
  ///
  /// - Returns: The alarms that are on.
  /// - Throws: ``EtcdError``.
  public func alarms() async throws(EtcdError) -> [EtcdAlarm] {
    try await call(.alarm, [:], .repeatable, as: AlarmsAnswer.self).alarms
  }

  /// Lets the cluster take writes again, after the reason is gone.
  ///
  /// - Throws: ``EtcdError``.
  public func disarmAlarms() async throws(EtcdError) {
    for alarm in try await alarms() {
      _ = try await call(.alarm, alarm.deactivation, .write, as: AlarmsAnswer.self)
    }
  }
}
