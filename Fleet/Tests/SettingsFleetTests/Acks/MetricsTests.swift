import Testing

@testable import SettingsFleet

struct MetricsTests {
  @Test func `a mirror has its documents, its problems and its last contact`() {
    var cluster = Fixture()
    cluster.put("a = 1")
    cluster.put(FleetDocument("editor/group/web")!, "bad")
    cluster.machine = Fixture.machine(groups: ["web"])
    let plan = cluster.follow().plan
    let metrics = MirrorMetrics(
      release: "settings-fleet 1.0", answers: plan.acks(), isConnected: true, revision: 12, written: 3, refused: 1)
    let lines = metrics.text(lastContact: 1_700_000_000).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(
      lines == [
        #"settings_fleet_mirror_info{release="settings-fleet 1.0"} 1"#, "settings_fleet_mirror_connected 1",
        "settings_fleet_mirror_last_contact_timestamp_seconds 1700000000", "settings_fleet_mirror_revision 12",
        "settings_fleet_mirror_held 0", "settings_fleet_mirror_written_total 3",
        "settings_fleet_mirror_refused_total 1",
        "settings_fleet_mirror_problems 1", #"settings_fleet_mirror_documents{state="applied"} 1"#,
        #"settings_fleet_mirror_documents{state="refused"} 1"#, #"settings_fleet_mirror_documents{state="pending"} 0"#,
        #"settings_fleet_mirror_documents{state="rollout"} 0"#,
        #"settings_fleet_mirror_document_revision{app="editor",scope="all",state="applied"} 11"#,
        #"settings_fleet_mirror_document_revision{app="editor",scope="group/web",state="refused"} 12"#,
        #"settings_fleet_mirror_repairs_total{app="editor"} 0"#,
      ])
    #expect(!metrics.text(lastContact: nil).contains("last_contact"))
  }

  @Test func `what others say cannot make a line of its own`() {
    var text = MetricsText()
    text.add("a", .gauge, "A.", [([("b", "\"\\\n")], 1)])
    #expect(text.text == "# HELP a A.\n# TYPE a gauge\na{b=\"\\\"\\\\\\n\"} 1\n")
  }
}
