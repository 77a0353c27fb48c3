extension FleetOverview {
  /// The whole fleet in the text format of Prometheus.
  public var metrics: String {
    var metrics = MetricsText()
    metrics.add(
      "settings_fleet_machines", .gauge, "The machines that are known, by the worst that they have to say.",
      State.allCases.map { state in ([("state", state.rawValue)], Int64(machines.count { $0.state == state })) })
    metrics.add(
      "settings_fleet_machines_missing", .gauge, "The hosts that are expected and not known.", Int64(missing.count))
    metrics.add(
      "settings_fleet_machine_wrong", .gauge, "Each machine that has not applied everything, or is missing.",
      machines.filter { $0.state != .applied }.map {
        ([("host", $0.host), ("machine", $0.machine), ("state", $0.state.rawValue)], 1)
      } + missing.map { ([("host", $0), ("machine", ""), ("state", "missing")], 1) })
    metrics.add(
      "settings_fleet_machine_repairs_total", .counter,
      "How often files of a machine were changed by hand and written again.",
      machines.flatMap { machine in
        machine.apps.map {
          ([("host", machine.host), ("machine", machine.machine), ("app", $0.app)], Int64($0.repairs))
        }
      })
    metrics.add(
      "settings_fleet_app_revision", .gauge, "The revision of the last change of an app's documents.",
      apps.map { ([("app", $0.app)], $0.revision) })
    metrics.add(
      "settings_fleet_app_machines", .gauge, "The machines by what came of an app's documents.",
      apps.flatMap { app in
        let counts: [(State, Int)] = [
          (.applied, app.applied), (.pending, app.pending.count), (.refused, app.refused.count),
          (.held, app.held.count), (.silent, app.silent.count),
        ]
        return counts.map { ([("app", app.app), ("state", $0.0.rawValue)], Int64($0.1)) }
      })
    return metrics.text
  }
}
