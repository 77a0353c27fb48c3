/// What a mirror says of itself to a monitor.
public struct MirrorMetrics: Hashable, Sendable {
  /// The release of the mirror.
  public var release: String
  /// What the machine answers, by app.
  public var answers: [Ack]
  /// Whether the connection to the cluster is there.
  public var isConnected: Bool
  /// The highest revision that was seen.
  public var revision: Int64
  /// How many texts were written, and how many refused, since the mirror started.
  public var (written, refused): (Int64, Int64)

  /// Describes a mirror.
  public init(
    release: String, answers: [Ack], isConnected: Bool, revision: Int64, written: Int64, refused: Int64
  ) {
    self.release = release
    self.answers = answers
    self.isConnected = isConnected
    self.revision = revision
    (self.written, self.refused) = (written, refused)
  }

  /// The metrics.
  ///
  /// - Parameter lastContact: When the cluster last answered, in seconds since 1970; `nil` for never.
  public func text(lastContact: Int64?) -> String {
    var metrics = MetricsText()
    let apps = answers.filter { $0.app != FleetNames.ownApp }.sorted { $0.app < $1.app }
    let documents = apps.flatMap { ack in ack.documents.map { (ack.app, $0) } }
    metrics.add(
      "settings_fleet_mirror_info", .gauge, "The release of the mirror.", [([("release", release)], 1)])
    metrics.add(
      "settings_fleet_mirror_connected", .gauge, "Whether the mirror follows the cluster.", isConnected ? 1 : 0)
    if let lastContact {
      metrics.add(
        "settings_fleet_mirror_last_contact_timestamp_seconds", .gauge,
        "When the cluster last answered. In a file it is not renewed while the mirror is connected.", lastContact)
    }
    metrics.add(
      "settings_fleet_mirror_revision", .gauge, "The revision of the cluster that was read last.", revision)
    metrics.add(
      "settings_fleet_mirror_held", .gauge, "Whether nothing is changed until 'settings-fleet accept'.",
      answers.contains { [.otherCluster, .revisionWentBack].contains($0.problem?.kind) } ? 1 : 0)
    metrics.add(
      "settings_fleet_mirror_written_total", .counter, "The texts that were written since the mirror started.", written)
    metrics.add(
      "settings_fleet_mirror_refused_total", .counter, "The texts that were refused since the mirror started.", refused)
    metrics.add(
      "settings_fleet_mirror_problems", .gauge, "What is not as it should be: documents, rollouts, and the machine.",
      Int64(
        documents.count { $0.1.problem != nil } + apps.count { $0.rollout?.problem != nil }
          + (answers.contains { $0.problem != nil } ? 1 : 0)))
    metrics.add(
      "settings_fleet_mirror_documents", .gauge, "The documents for this machine, by what came of them.",
      Ack.State.allCases.map { state in ([("state", state.rawValue)], Int64(documents.count { $0.1.state == state })) })
    metrics.add(
      "settings_fleet_mirror_document_revision", .gauge, "The revision of each document, and what came of it.",
      documents.map { app, document in
        ([("app", app), ("scope", "\(document.scope)"), ("state", document.state.rawValue)], document.modRevision)
      })
    metrics.add(
      "settings_fleet_mirror_repairs_total", .counter, "How often files were changed by hand and written again.",
      apps.map { ([("app", $0.app)], Int64($0.repairs ?? 0)) })
    return metrics.text
  }
}
