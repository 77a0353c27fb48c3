import EtcdTesting
import Foundation
import Testing

@testable import settings_fleet

extension CommandTests.Busy {
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

    @Test func `a mirror listens for this machine alone`() {
      for text in ["0.0.0.0:9477", "example.org:1", "127.0.0.1", "127.0.0.1:0", ":1", "127.0.0.1:65536", "[::]:1"] {
        #expect(MetricsAddress(argument: text) == nil, "\(text)")
      }
      #expect(MetricsAddress(argument: "[::1]:9477")?.host == "::1")
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
      }
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
