import SettingsFleet
import Testing

struct SignedPlanTests {
  static let path = MirrorPlanTests.path

  private static func fixture() -> Fixture {
    var fixture = Fixture()
    fixture.machine = Fixture.machine(isSigned: true)
    return fixture
  }

  @Test func `a signed document is taken, an unsigned one is not`() {
    var fixture = Self.fixture()
    fixture.put("a = 0")
    #expect(fixture.follow().plan.answer == ["all refused unsigned"])
    fixture.putSigned("a = 1", serial: 5)
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    fixture.put("a = 2")
    let (changes, plan) = fixture.follow()
    #expect(changes.isEmpty && plan.answer == ["all refused bad-signature"])
    #expect(plan.acks()[0].documents[0].problem?.message == "'editor/all' was changed after it was signed.")
    fixture.putSigned("a = 2", serial: 6)
    #expect(fixture.follow().changes == ["\(Self.path) = a = 2"])
  }

  @Test func `a signature by another key, of another document or of another version is refused`() {
    var fixture = Self.fixture()
    fixture.putSigned("a = 1", serial: 5, key: Fixture.otherKey)
    #expect(fixture.follow().plan.answer == ["all refused bad-signature"])
    fixture.putSigned(FleetDocument("editor/host/a1")!, "a = 1", serial: 5)
    fixture.put(
      "/app-settings/1/editor/all/v1/signature", fixture.items["/app-settings/1/editor/host/a1/v1/signature"]!.value)
    #expect(fixture.follow().plan.answer == ["all refused bad-signature", "host/a1 applied"])
    fixture.putSigned("a = 1", version: 2, serial: 5)
    fixture.put(
      "/app-settings/1/editor/all/v1/signature", fixture.items["/app-settings/1/editor/all/v2/signature"]!.value)
    #expect(fixture.follow().plan.answer.first == "all refused bad-signature")
  }

  @Test func `an old signed text does not come back, not even after an acceptance`() {
    var fixture = Self.fixture()
    fixture.putSigned("a = 1", serial: 5)
    fixture.follow()
    let backup = fixture
    fixture.putSigned("a = 2", serial: 6)
    fixture.follow()
    fixture.putSigned("a = 1", serial: 5)
    #expect(fixture.follow().plan.answer == ["all refused replayed"])
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    fixture.accept("x")
    let (changes, plan) = fixture.follow()
    #expect(changes.isEmpty && plan.answer == ["all refused replayed"])
    // Signed again, it is a new text.
    fixture.putSigned("a = 1", serial: 7)
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
  }

  @Test func `two texts with one serial do not replace each other`() {
    var fixture = Self.fixture()
    fixture.putSigned("a = 1", serial: 5)
    fixture.follow()
    fixture.putSigned("a = 2", serial: 5)
    #expect(fixture.follow().plan.answer == ["all refused replayed"])
    fixture.putSigned("a = 1", serial: 5)
    #expect(fixture.follow().plan.answer == ["all applied"])
  }

  @Test func `a document that is gone stays on the machine, and a signed empty one takes it away`() {
    var fixture = Self.fixture()
    #expect(fixture.follow().plan.answer == [])
    fixture.putSigned("a = 1", serial: 5)
    fixture.follow()
    fixture.remove()
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.follow().plan.answer == ["all refused missing-document"])
    fixture.putSigned("", serial: 6)
    #expect(fixture.follow().changes == ["\(Self.path) = "])
  }

  @Test func `a machine that was in another group in between does not take an older text`() {
    var fixture = Self.fixture()
    let document = FleetDocument("editor/group/web")!
    fixture.machine = Fixture.machine(groups: ["web"], isSigned: true)
    fixture.putSigned(document, "a = 2", serial: 6)
    fixture.follow()
    fixture.machine = Fixture.machine(isSigned: true)
    #expect(fixture.follow().changes == ["editor/settings.d/20-group-web.toml -"])
    fixture.machine = Fixture.machine(groups: ["web"], isSigned: true)
    fixture.putSigned(document, "a = 1", serial: 5)
    #expect(fixture.follow().plan.answer == ["group/web refused replayed"])
  }

  @Test func `a version that is gone is not replaced by an earlier one, unless the app is older`() {
    var fixture = Self.fixture()
    fixture.apps["editor"] = InstalledApp(version: 2)
    fixture.putSigned("one", version: 1, serial: 5)
    fixture.follow()
    fixture.putSigned("two", version: 2, serial: 6)
    #expect(fixture.follow().changes == ["\(Self.path) = two"])
    fixture.remove(version: 2)
    #expect(fixture.follow().plan.answer == ["all refused missing-document"])
    fixture.apps["editor"] = InstalledApp(version: 1)
    fixture.putSigned("zero", version: 1, serial: 4)
    #expect(fixture.follow().plan.answer == ["all refused replayed"])
    fixture.putSigned("one", version: 1, serial: 5)
    #expect(fixture.follow().changes == ["\(Self.path) = one"])
    // Back again, with the version that was withdrawn.
    fixture.apps["editor"] = InstalledApp(version: 2)
    fixture.putSigned("old two", version: 2, serial: 4)
    #expect(fixture.follow().plan.answer == ["all refused replayed"])
    fixture.putSigned("three", version: 2, serial: 7)
    #expect(fixture.follow().changes == ["\(Self.path) = three"])
  }

  @Test func `a signed rollout comes and goes, and the document's serial still counts`() {
    var fixture = Self.fixture()
    fixture.putSigned("a = 1", serial: 5)
    fixture.follow()
    let rollout = fixture.rollout("a = 2").signed(by: Fixture.key, serial: 6, app: "editor")
    fixture.put(rollout)
    #expect(fixture.follow().changes == ["\(Self.path) = a = 2"])
    #expect(fixture.plan().answer == ["all rollout", "r1 applied"])
    fixture.endRollout()
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    // Once it was seen to be over, it does not come back, and neither does an older one.
    fixture.put(rollout)
    #expect(fixture.follow().plan.answer == ["all applied", "r1 refused replayed"])
    fixture.put(fixture.rollout("a = 3", id: "r2").signed(by: Fixture.key, serial: 6, app: "editor"))
    #expect(fixture.follow().plan.answer == ["all applied", "r2 refused replayed"])
    fixture.put(fixture.rollout("a = 3", id: "r3").signed(by: Fixture.key, serial: 7, app: "editor"))
    #expect(fixture.follow().plan.answer == ["all rollout", "r3 applied"])
  }

  @Test func `a rollout that was not signed for this machine is refused`() {
    var fixture = Self.fixture()
    fixture.putSigned("a = 1", serial: 5)
    fixture.follow()
    fixture.put(fixture.rollout("a = 2"))
    #expect(fixture.follow().plan.answer == ["all applied", "r1 refused unsigned"])
    let narrow = fixture.rollout("a = 2", target: .share(1)).signed(by: Fixture.key, serial: 6, app: "editor")
    let wide = Rollout(
      id: "r1", scope: .all, version: 1, baseModRevision: narrow.baseModRevision, text: "a = 2",
      signature: narrow.signature, target: .share(10_000), salt: "salt", waitSeconds: 1, coordinator: "", created: "")!
    fixture.put(wide)
    #expect(fixture.follow().plan.answer == ["all applied", "r1 refused bad-signature"])
    // The text of the rollout with its signature, as the document.
    fixture.endRollout()
    fixture.put("a = 2")
    fixture.put("/app-settings/1/editor/all/v1/signature", narrow.signature!.json)
    #expect(fixture.follow().plan.answer == ["all refused bad-signature"])
  }

  @Test func `a rollout of a document that never was leaves nothing`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2", base: 0).signed(by: Fixture.key, serial: 6, app: "editor"))
    #expect(fixture.follow().changes == ["\(Self.path) = a = 2"])
    fixture.endRollout()
    #expect(fixture.follow().changes == ["\(Self.path) -"])
  }
}
