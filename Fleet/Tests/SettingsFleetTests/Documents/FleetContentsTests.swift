import SettingsFleet
import Testing

struct FleetContentsTests {
  @Test func `what cannot be read is not there`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.put("/app-settings/1/../all/v1", "evil")
    fixture.put("/app-settings/1/editor/all/v1/successor", "two")
    fixture.put("/app-settings/1/editor/rollout", "{")
    fixture.put("/app-settings/1/.accept", "[]")
    fixture.put("/app-settings/1/editor/group/web/v1/signature", "{}")
    let contents = FleetContents(fixture.snapshot())
    #expect(contents.apps.keys.sorted() == ["editor"])
    #expect(contents.apps["editor"]?.documents.keys.sorted() == [.all])
    #expect(contents.apps["editor"]?.rollout == nil && contents.apps["editor"]?.rolloutRevision != 0)
    #expect(contents.acceptance == nil && contents.versions(of: Fixture.document)[1]?.successor == nil)
    #expect(contents.versions(of: Fixture.document)[1]?.text == Array("a = 1".utf8))
  }

  @Test(arguments: [
    "", "null", "0", "\"x\"", "{", "[[[[[[", #"{"id":1}"#, #"{"key":"a","serial":-1,"signature":""}"#,
    #"{"key":"a","serial":1e400,"signature":""}"#, #"{"key":"a","serial":18446744073709551615,"signature":"AAAA"}"#,
    #"{"key":"../x","serial":1,"signature":"AAAA"}"#, "\u{0}", #"{"share":99999999999999999999}"#,
    String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
    "\"" + String(repeating: "x", count: 1 << 20) + "\"", "{\"id\":\"" + String(repeating: "y", count: 1 << 20) + "\"}",
  ])
  func `hostile JSON is refused by every reader`(text: String) {
    let bytes = Array(text.utf8)
    #expect(Rollout(bytes) == nil)
    #expect(DocumentSignature(json: bytes) == nil)
    #expect(throws: FleetProblem.self) { try MirrorRecord(json: bytes) }
    let key = Array("/app-settings-acks/1/editor/m1".utf8)
    #expect(Ack(FleetItem(key: key, value: bytes, createRevision: 1, modRevision: 1, version: 1)) == nil)
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.put("/app-settings/1/editor/rollout", bytes)
    fixture.put("/app-settings/1/editor/all/v1/signature", bytes)
    fixture.put("/app-settings/1/editor/all/v1/successor", bytes)
    fixture.put("/app-settings/1/.accept", bytes)
    #expect(fixture.follow().changes == ["editor/settings.d/10-all.toml = a = 1"])
    #expect(DocumentWriter(Fixture.document, in: fixture.snapshot(), appVersion: 1).versions[1]?.successor == nil)
  }

  @Test func `ids of clusters and leases are hexadecimal text in JSON`() throws {
    var ack = Ack(
      app: "editor", machine: "m1", host: "a1", revision: 1, lease: LeaseID(rawValue: 0x13b0_a2f1_0000_00ff))
    #expect(String(decoding: ack.json, as: UTF8.self).contains(#""lease":"13b0a2f1000000ff""#))
    ack.lease = LeaseID(rawValue: -1)
    let item = FleetItem(
      key: Array(ack.key.text.utf8), value: ack.json, createRevision: 1, modRevision: 1, version: 1, lease: ack.lease)
    #expect(Ack(item) == ack)
    var record = MirrorRecord()
    record.cluster = ClusterID(rawValue: .max)
    #expect(String(decoding: record.json, as: UTF8.self).contains(#""cluster":"ffffffffffffffff""#))
    #expect(try MirrorRecord(json: record.json) == record)
  }

  @Test func `texts from other machines cannot control a terminal`() {
    let problem = FleetProblem(
      .refused, "a\u{1b}[2Jb\nc\u{202e}d" + String(repeating: "x", count: 5000), key: "k\u{0}")
    #expect(problem.message.hasPrefix("a\u{fffd}[2Jb\u{fffd}c\u{fffd}d"))
    #expect(problem.message.unicodeScalars.count == 1001)
    #expect(problem.key == "k\u{fffd}")
  }
}
