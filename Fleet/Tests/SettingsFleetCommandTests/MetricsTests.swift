import EtcdTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import settings_fleet

extension CommandTests.Mirrors {
  /// What monitors read. Prometheus' own parser judges it if `promtool` is in PATH: Debian's package 'prometheus', which has it,
  /// takes 96 MB, so that Scripts/setup leaves it out.
  struct MetricsTests {
    private static let promtool = Tool.path(of: "promtool")

    @Test func `a mirror writes its metrics when something has changed, and answers to those who ask`() async throws {
      let cluster = try await EtcdCluster.start(options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        try fleet.schema("[keys.a]\ntype = \"integer\"\nmaximum = 5\n", in: fleet.root + "/strict")
        let machine = try fleet.machine("m1", share: fleet.root + "/strict")
        let port = FreePorts.next()
        try machine.start(words: ["--listen", "127.0.0.1:\(port)"])
        let file = fleet.root + "/m1/fleet-mirror/metrics/settings-fleet.prom"
        func text() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
        try await ada.run("set", app, "a=1", "--create")
        let applied = "settings_fleet_mirror_document_revision{app=\"\(app)\",scope=\"all\",state=\"applied\"}"
        #expect(try await eventually { text().contains(applied) }, "\(machine.said)")
        #expect(text().contains("settings_fleet_mirror_connected 1\n"))
        #expect(text().contains("settings_fleet_mirror_written_total 1\n"))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o644)
        #expect(try await ada.waitUntilApplied(by: 1))

        let answer = try Self.get("/metrics", port: port)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK") && answer.contains("text/plain; version=0.0.4"), "\(answer)")
        let body = answer.components(separatedBy: "\r\n\r\n").last ?? ""
        #expect(body.contains(applied) && body.contains("_last_contact_timestamp_seconds "), "\(answer)")
        #expect(try Self.get("/", port: port).hasPrefix("HTTP/1.1 404"))

        try await ada.run("set", app, "--host", "m1", "a=9", "--create")
        #expect(try await eventually { text().contains("settings_fleet_mirror_documents{state=\"refused\"} 1\n") })
        #expect(text().contains("settings_fleet_mirror_problems 1\n"))
        let fleetMetrics = try await ada.run("status", "--metrics", "--expect", "web-9")
        #expect(fleetMetrics.status == 0, "\(fleetMetrics)")
        for line in [
          "settings_fleet_machines{state=\"refused\"} 1", "settings_fleet_machines_missing 1",
          "settings_fleet_machine_wrong{host=\"web-9\",machine=\"\",state=\"missing\"} 1",
          "settings_fleet_app_machines{app=\"\(app)\",state=\"applied\"} 0",
        ] { #expect(fleetMetrics.output.contains(line + "\n"), "\(line): \(fleetMetrics)") }
        #expect(try await ada.run("status", app, "--metrics").status == 2)
        for metrics in [text(), body, fleetMetrics.output] { try Self.check(metrics, ["check", "metrics"], in: fleet) }

        cluster.members[0].kill()
        #expect(try await eventually { text().contains("settings_fleet_mirror_connected 0\n") }, "\(machine.said)")
        #expect(text().contains("_last_contact_timestamp_seconds "))
        machine.stop()
        #expect(!FileManager.default.fileExists(atPath: file))
      }
    }

    @Test func `metrics that could not be written are removed, and written when that is possible again`() async throws {
      try await Fleet.with { fleet in
        let (ada, app) = (try fleet.person(), fleet.app)
        let machine = try fleet.machine("m1")
        let file = fleet.root + "/m1/fleet-mirror/metrics/settings-fleet.prom"
        func text() -> String? { try? String(contentsOfFile: file, encoding: .utf8) }
        try machine.start()
        #expect(try await eventually { text()?.contains("settings_fleet_mirror_written_total 0\n") ?? false })
        // As on a disk without room.
        try FileManager.default.createDirectory(atPath: file + ".new", withIntermediateDirectories: false)
        try await ada.run("set", app, "a=1")
        #expect(try await eventually { text() == nil }, "\(machine.said)")
        #expect(try await eventually { machine.said.contains("Cannot write the metrics: ") }, "\(machine.said)")
        try FileManager.default.removeItem(atPath: file + ".new")
        #expect(try await eventually { text()?.contains("settings_fleet_mirror_written_total 1\n") ?? false })
      }
    }

    @Test func `an address that is taken is named`() async throws {
      try await Fleet.with { fleet in
        let port = fleet.cluster.endpoints[0].split(separator: ":").last!
        let machine = try fleet.machine("m1")
        let answer = try await machine.party.run("mirror", "--listen", "127.0.0.1:\(port)")
        #expect(answer.status == 7, "\(answer)")
        #expect(
          answer.error == """
            settings-fleet: Cannot listen at 127.0.0.1:\(port): Address already in use. Choose another port for '--listen'.

            """)
      }
    }

    @Test func `an address that the machine does not have is named, and no other port advised`() throws {
      let address = try #require(MetricsAddress(argument: "[::1]:9477"))
      let failure = MetricsServer.failure(IOError(errnoCode: EADDRNOTAVAIL, reason: "bind"), at: address)
      #expect(
        failure.message
          == "Cannot listen at [::1]:9477: Cannot assign requested address. This machine does not have the address ::1."
      )
    }

    @Test func `a mirror listens for this machine alone`() {
      for text in ["0.0.0.0:9477", "example.org:1", "127.0.0.1", "127.0.0.1:0", ":1", "127.0.0.1:65536", "[::]:1"] {
        #expect(MetricsAddress(argument: text) == nil, "\(text)")
      }
      #expect(MetricsAddress(argument: "[::1]:9477")?.host == "::1")
    }

    @Test func `a user of the machine cannot use up the mirror's descriptors`() async throws {
      let address = try #require(MetricsAddress(argument: "127.0.0.1:\(FreePorts.next())"))
      let server = try await MetricsServer.start(at: address) { "a 1\n" }
      let group = MultiThreadedEventLoopGroup.singleton
      var idle: [any Channel] = []
      for _ in 0..<MetricsServer.mostConnections {
        idle.append(try await ClientBootstrap(group: group).connect(host: address.host, port: address.port).get())
      }
      #expect(
        try await eventually { try Self.get("/metrics", port: address.port).isEmpty }, "one more connection was served")
      try await idle.removeLast().close()
      #expect(
        try await eventually { try Self.get("/metrics", port: address.port).hasSuffix("\r\n\r\na 1\n") })
      for channel in idle { try await channel.close() }
      try await server.close()
    }

    @Test func `a connection that says nothing is closed`() async throws {
      let address = try #require(MetricsAddress(argument: "127.0.0.1:\(FreePorts.next())"))
      let server = try await MetricsServer.start(at: address, idleTime: .milliseconds(10)) { "a 1\n" }
      let idle = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: address.host, port: address.port).get()
      try await idle.closeFuture.get()
      try await server.close()
    }

    @Test(.enabled(if: promtool != nil, "promtool, of Debian's package 'prometheus', is not installed"))
    func `the alerts of the guide are rules of Prometheus`() async throws {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
      let text = try String(contentsOf: root.appendingPathComponent("docs/fleet-metrics.md"), encoding: .utf8)
      let rules = try #require(text.components(separatedBy: "```yaml\ngroups:").dropFirst().first)
      try await Fleet.with { fleet in
        let file = fleet.root + "/rules.yml"
        try fleet.write("groups:" + rules.components(separatedBy: "\n```")[0] + "\n", to: file)
        try Self.check("", ["check", "rules", file], in: fleet, says: "SUCCESS: 3 rules found")
        // The machine a is well, b lost the cluster after ten minutes, c never reached it, d refuses something.
        let problems = fleet.root + "/alerts.yml"
        try fleet.write(
          """
          rule_files: [rules.yml]
          evaluation_interval: 1m
          tests:
            - interval: 1m
              input_series:
                - { series: 'settings_fleet_mirror_connected{instance="a"}', values: "1x60" }
                - { series: 'settings_fleet_mirror_connected{instance="b"}', values: "1x9 0x50" }
                - { series: 'settings_fleet_mirror_connected{instance="c"}', values: "0x60" }
                - { series: 'settings_fleet_mirror_last_contact_timestamp_seconds{instance="a"}', values: "0x60" }
                - { series: 'settings_fleet_mirror_last_contact_timestamp_seconds{instance="b"}', values: "0x9 600x50" }
                - { series: 'settings_fleet_mirror_problems{instance="a"}', values: "0x60" }
                - { series: 'settings_fleet_mirror_problems{instance="d"}', values: "0x9 2x50" }
                - { series: 'settings_fleet_machine_wrong{host="e",state="silent"}', values: "1x60" }
                - { series: 'settings_fleet_machine_wrong{host="f",state="pending"}', values: "1x60" }
              alert_rule_test:
                - { eval_time: 9m, alertname: SettingsFleetDisconnected }
                - eval_time: 12m
                  alertname: SettingsFleetDisconnected
                  exp_alerts: [{ exp_labels: { instance: c }, exp_annotations: { summary: "\(Self.disconnected("c"))" } }]
                - eval_time: 25m
                  alertname: SettingsFleetDisconnected
                  exp_alerts:
                    - { exp_labels: { instance: b }, exp_annotations: { summary: "\(Self.disconnected("b"))" } }
                    - { exp_labels: { instance: c }, exp_annotations: { summary: "\(Self.disconnected("c"))" } }
                - { eval_time: 12m, alertname: SettingsFleetRefused }
                - eval_time: 16m
                  alertname: SettingsFleetRefused
                  exp_alerts:
                    - exp_labels: { instance: d }
                      exp_annotations: { summary: "d does not apply something: settings-fleet machines" }
                - { eval_time: 14m, alertname: SettingsFleetMachineGone }
                - eval_time: 16m
                  alertname: SettingsFleetMachineGone
                  exp_alerts:
                    - exp_labels: { host: e, state: silent }
                      exp_annotations: { summary: "e is silent: its mirror does not answer." }

          """, to: problems)
        try Self.check("", ["test", "rules", problems], in: fleet, says: "SUCCESS")
      }
    }

    private static func disconnected(_ machine: String) -> String {
      "\(machine) has not reached the fleet's cluster for ten minutes. It keeps its settings."
    }

    private static func check(_ input: String, _ words: [String], in fleet: Fleet, says: String = "") throws {
      guard let promtool else { return }
      try fleet.write(input, to: fleet.root + "/input")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: promtool)
      process.arguments = words
      process.standardInput = FileHandle(forReadingAtPath: fleet.root + "/input")
      let output = Pipe()
      (process.standardOutput, process.standardError) = (output, output)
      try process.run()
      let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0 && (says.isEmpty || said.contains(says)), "\(said)\n\(input)")
    }

    private static func get(_ path: String, port: Int) throws -> String {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = [
        "-c",
        "exec 3<>/dev/tcp/127.0.0.1/\(port); printf 'GET \(path) HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; cat <&3",
      ]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
  }
}
