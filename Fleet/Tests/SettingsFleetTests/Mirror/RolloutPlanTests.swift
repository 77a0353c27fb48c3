import SettingsFleet
import Testing

struct RolloutPlanTests {
  static let path = MirrorPlanTests.path

  private static func fixture() -> Fixture {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    return fixture
  }

  @Test func `a canary takes the text and goes back when it is gone`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2"))
    #expect(fixture.follow().changes == ["\(Self.path) = a = 2"])
    fixture.endRollout()
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    #expect(fixture.record.files[Fixture.document]?.rollout == nil)
  }

  @Test func `who is no canary sees nothing of it`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2", target: .group("web")))
    #expect(fixture.follow().changes.isEmpty && fixture.checked.isEmpty)
    #expect(fixture.plan().answer == ["all applied"])
  }

  @Test func `a published rollout changes nothing on a canary`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2"))
    fixture.follow()
    fixture.put("a = 2")
    fixture.endRollout()
    #expect(fixture.follow().changes.isEmpty && fixture.checked.isEmpty)
    #expect(fixture.plan().answer == ["all applied"])
  }

  @Test func `a canary that refuses the text has the document`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("bad"))
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.plan().answer == ["all applied", "r1 refused refused"])
    fixture.files = [:]
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    fixture.put(fixture.rollout("a = 2", id: "r2"))
    fixture.follow()
    fixture.put(fixture.rollout("bad", id: "r3"))
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
  }

  @Test func `a rollout is void when its document changes`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2"))
    fixture.follow()
    fixture.put("a = 3")
    #expect(fixture.follow().changes == ["\(Self.path) = a = 3"])
    #expect(fixture.plan().answer == ["all applied", "r1 superseded"])
  }

  @Test func `another rollout takes the place of the first`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2"))
    fixture.follow()
    fixture.put(fixture.rollout("a = 3", id: "r2"))
    #expect(fixture.follow().changes == ["\(Self.path) = a = 3"])
    #expect(fixture.plan().answer == ["all rollout", "r2 applied"])
  }

  @Test func `a rollout that ended while the machine was away leaves the document`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2"))
    fixture.follow()
    fixture.endRollout()
    fixture.put("a = 4")
    #expect(fixture.follow().changes == ["\(Self.path) = a = 4"])
  }

  @Test func `a document and its rollout that are both refused leave the last good text`() {
    var fixture = Self.fixture()
    fixture.put("bad 1")
    fixture.put(fixture.rollout("bad 2"))
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.checked == ["bad 2", "bad 1"])
    #expect(fixture.plan().answer == ["all refused refused", "r1 refused refused"])
    fixture.follow()
    #expect(fixture.checked.isEmpty)
  }

  @Test func `a rollout of a new version is for apps that read it`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("v2", version: 2))
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.plan().answer == ["all applied", "r1 not-concerned"])
    fixture.apps["editor"] = InstalledApp(version: 2)
    #expect(fixture.follow().changes == ["\(Self.path) = v2"])
    fixture.endRollout()
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
  }

  @Test func `a rollout of an old version is not for apps that read a newer one`() {
    var fixture = Self.fixture()
    fixture.apps["editor"] = InstalledApp(version: 2)
    fixture.put("v2", version: 2)
    fixture.follow()
    fixture.put(fixture.rollout("a = 2", version: 1))
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.plan().answer == ["all applied", "r1 not-concerned"])
  }

  @Test func `a rollout that cannot be read changes nothing`() {
    var fixture = Self.fixture()
    fixture.put("/app-settings/1/editor/rollout", #"{"id":"r1","scope":"all","version":0}"#)
    let plan = fixture.follow().plan
    #expect(plan.answer == ["all applied"])
  }

  @Test func `the exit status of the check is in the answer`() {
    var fixture = Self.fixture()
    fixture.put(fixture.rollout("a = 2"))
    let plan = fixture.follow().plan
    #expect(plan.acks()[0].rollout?.check == nil)
    #expect(plan.acks(checks: ["r1": 3, "r0": 1])[0].rollout?.check == 3)
    let problem = FleetProblem(.noCheck, "There is no command.")
    let answer = plan.acks(checks: ["r1": 127], unchecked: ["r1": problem])[0].rollout
    #expect(answer?.check == 127 && answer?.problem == problem && answer?.state == .applied)
  }

  @Test func `a share grows without losing a machine, and has about its size`() {
    let fixture = Fixture()
    for salt in ["s1", "s2"] {
      var last: Set<Int> = []
      for share in [1, 10, 500, 2500, 9999, 10_000] {
        let rollout = Rollout(
          id: "r", scope: .all, version: 1, baseModRevision: 0, text: "", target: .share(share), salt: salt,
          waitSeconds: 0, coordinator: "", created: "")!
        let canaries = Set((0..<2000).filter { rollout.isCanary(id: "machine-\($0)", host: "a", groups: []) })
        #expect(canaries.isSuperset(of: last))
        #expect(abs(canaries.count - share / 5) < 80)
        last = canaries
      }
      #expect(last.count == 2000)
    }
    let web = fixture.rollout("", target: .share(10_000), scope: .group("web"))
    #expect(web.isCanary(id: "m", host: "a", groups: ["web"]) && !web.isCanary(id: "m", host: "a", groups: ["db"]))
  }
}
