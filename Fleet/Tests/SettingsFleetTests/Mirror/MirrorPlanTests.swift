import SettingsFleet
import Testing

struct MirrorPlanTests {
  static let path = "editor/settings.d/10-all.toml"

  // MARK: Documents

  @Test func `a document becomes a file, once`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.plan().answer == ["all applied"])
    fixture.put("a = 2")
    #expect(fixture.follow().changes == ["\(Self.path) = a = 2"])
  }

  @Test func `each scope of the machine has its file, and others have none`() {
    var fixture = Fixture()
    fixture.machine = Fixture.machine(host: "a1", groups: ["web"])
    for scope in ["all", "group/web", "group/db", "host/a1", "host/a2"] {
      fixture.put(FleetDocument("editor/\(scope)")!, scope)
    }
    #expect(
      fixture.follow().changes == [
        "\(Self.path) = all", "editor/settings.d/20-group-web.toml = group/web",
        "editor/settings.d/30-host.toml = host/a1",
      ])
  }

  @Test func `a file that was edited or removed is written again`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    fixture.files[Fixture.document] = TextDigest(of: "a = 9".utf8)
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    fixture.files = [:]
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
  }

  @Test func `a document that is gone leaves no file`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    fixture.remove()
    #expect(fixture.follow().changes == ["\(Self.path) -"])
    #expect(fixture.record.files.isEmpty)
    #expect(fixture.follow().plan.answer == [])
  }

  @Test func `a group that was left, an app that is filtered and a former host leave no file`() {
    var fixture = Fixture()
    fixture.machine = Fixture.machine(host: "a1", groups: ["web"])
    fixture.put(FleetDocument("editor/group/web")!, "g")
    fixture.put(FleetDocument("editor/host/a1")!, "h")
    fixture.put(FleetDocument("player/all")!, "p")
    fixture.follow()
    #expect(fixture.files.count == 3)
    fixture.machine = Fixture.machine(host: "a2", apps: ["editor"])
    // The file of the former host is now at the path of this one.
    fixture.files[FleetDocument("editor/host/a2")!] = fixture.files.removeValue(
      forKey: FleetDocument("editor/host/a1")!)
    #expect(
      fixture.follow().changes == [
        "editor/settings.d/30-host.toml -", "editor/settings.d/20-group-web.toml -", "player/settings.d/10-all.toml -",
      ])
    _ = fixture.follow()
    #expect(fixture.record.files.isEmpty)
  }

  @Test func `a former host's file goes although this host's document is refused`() {
    var fixture = Fixture()
    fixture.put(FleetDocument("editor/host/a1")!, "h")
    fixture.follow()
    fixture.machine = Fixture.machine(host: "a2")
    fixture.put(FleetDocument("editor/host/a2")!, "bad")
    fixture.files = [FleetDocument("editor/host/a2")!: TextDigest(of: "h".utf8)]
    #expect(fixture.follow().changes == ["editor/settings.d/30-host.toml -"])
    #expect(fixture.plan().answer == ["host/a2 refused refused"])
  }

  @Test func `a range of one app leaves the others alone`() {
    var fixture = Fixture()
    fixture.apps["player"] = InstalledApp()
    fixture.put("a = 1")
    fixture.put(FleetDocument("player/all")!, "p")
    fixture.follow()
    fixture.put("a = 2")
    let (changes, plan) = fixture.follow(app: "editor")
    #expect(changes == ["\(Self.path) = a = 2"])
    #expect(plan.acks().map(\.app) == ["editor", FleetNames.ownApp])
    #expect(fixture.record.files.count == 2 && fixture.record.revision == fixture.revision)
    #expect(fixture.follow().changes.isEmpty)
  }

  // MARK: Refusals

  @Test func `a refused text leaves the last good one and is not tried again`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    fixture.put("bad")
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.checked == ["bad"])
    #expect(fixture.plan().answer == ["all refused refused"])
    #expect(fixture.follow().plan.acks()[0].documents[0].problem?.line == 7)
    #expect(fixture.checked.isEmpty)
    // A restart remembers it; another release of the app does not.
    fixture.apps["editor"] = InstalledApp(version: 1, stamp: "s2")
    fixture.follow()
    #expect(fixture.checked == ["bad"])
    fixture.apps["editor"] = InstalledApp(version: 2, stamp: "s2")
    fixture.follow()
    #expect(fixture.checked == ["bad"])
    fixture.put("a = 3")
    #expect(fixture.follow().changes == ["\(Self.path) = a = 3"])
    #expect(fixture.record.refusals.isEmpty)
  }

  @Test func `a check that cannot be carried out is tried again`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    var plan = fixture.plan()
    let check = try #require(plan.nextCheck)
    plan.settle(check, .unavailable(FleetProblem(.notChecked, "Not now.")))
    #expect(plan.nextCheck == nil && plan.changes.isEmpty && plan.needsRetry)
    #expect(plan.answer == ["all pending not-checked"])
    #expect(plan.record.refusals.isEmpty && plan.record.files.isEmpty)
  }

  @Test func `a file that cannot be written is reported and tried again`() throws {
    var fixture = Fixture()
    fixture.put("a = 1")
    var plan = fixture.plan()
    // Also before it is checked: the record could not be stored for another app.
    var later = plan
    later.failAll(FleetProblem(.notWritten, "The disk is full."))
    #expect(later.needsRetry && later.answer == ["all pending not-written"])
    plan.settle(try #require(plan.nextCheck), .accepted)
    plan.failAll(FleetProblem(.notWritten, "The disk is full."))
    #expect(plan.needsRetry && plan.answer == ["all pending not-written"])
    fixture.record = plan.record
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
  }

  @Test(arguments: [[0x61, 0x00], [0xff], [0xc0, 0xaf], [UInt8](repeating: 0x20, count: 1 << 20 + 1)])
  func `bytes that are no text never reach a check`(bytes: [UInt8]) {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    fixture.put(Fixture.document.key(version: 1), bytes)
    #expect(fixture.follow().changes.isEmpty && fixture.checked.isEmpty)
    #expect(fixture.plan().answer == ["all refused invalid-text"])
  }

  // MARK: Versions

  @Test func `the highest version that the app reads counts`() {
    var fixture = Fixture()
    fixture.put("one", version: 1)
    fixture.put("three", version: 3)
    #expect(fixture.follow().changes == ["\(Self.path) = one"])
    fixture.apps["editor"] = InstalledApp(version: 4)
    #expect(fixture.follow().changes == ["\(Self.path) = three"])
    fixture.apps["editor"] = InstalledApp(version: 2)
    #expect(fixture.follow().changes == ["\(Self.path) = one"])
    fixture.apps = [:]
    #expect(fixture.follow().changes == ["\(Self.path) = three"])
  }

  @Test func `with newer versions only, the last good text stays`() {
    var fixture = Fixture()
    fixture.put("one", version: 1)
    fixture.follow()
    fixture.remove(version: 1)
    fixture.put("two", version: 2)
    #expect(fixture.follow().changes.isEmpty)
    #expect(fixture.plan().answer == ["all refused newer-version"])
    fixture.put("one", version: 1)
    #expect(fixture.follow().plan.answer == ["all applied"])
  }

  // MARK: The cluster

  @Test func `another cluster changes nothing until an operator accepts it`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    var former = fixture.record
    fixture.cluster = ClusterID(rawValue: 0xc2)
    fixture.items = [:]
    let (changes, plan) = fixture.follow()
    former.hold = plan.problem
    #expect(changes.isEmpty && plan.answer == ["other-cluster"] && fixture.record == former)
    fixture.accept("a1", cluster: 0xc1)
    #expect(fixture.follow().plan.answer == ["other-cluster"])
    fixture.accept("a2", cluster: 0xc2)
    #expect(fixture.follow().changes == ["\(Self.path) -"])
    #expect(fixture.record.cluster == fixture.cluster)
  }

  @Test func `a revision that went back changes nothing until an operator accepts it`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    let backup = fixture
    fixture.put("a = 2")
    fixture.follow()
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    #expect(fixture.follow().plan.answer == ["revision-went-back"])
    #expect(fixture.plan(app: "editor").needsEverything && !fixture.plan().needsEverything)
    fixture.accept("a1")
    #expect(fixture.revision < fixture.record.revision || fixture.modRevision() < fixture.record.revision)
    #expect(fixture.follow().changes == ["\(Self.path) = a = 1"])
    #expect(fixture.record.revision == fixture.revision)
    #expect(fixture.follow().plan.answer == ["all applied"])
  }

  @Test func `a restored cluster that has grown beyond the record is noticed by its documents`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    let backup = fixture
    fixture.put("a = 2")
    fixture.follow()
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    for _ in 0..<9 { fixture.put("/app-settings/1/other/all/v1", "x") }
    #expect(fixture.follow().plan.answer == ["revision-went-back"])
    // The same revision with another text.
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    fixture.put("a = 3")
    #expect(fixture.follow().plan.answer == ["revision-went-back"])
    fixture.accept("a1")
    #expect(fixture.follow().changes == ["\(Self.path) = a = 3"])
  }

  @Test func `a machine holds a restored cluster until it is accepted, whatever is stored meanwhile`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    let backup = fixture
    fixture.put("a = 2")
    fixture.follow()
    var restored = backup
    (restored.record, restored.files) = (fixture.record, fixture.files)
    #expect(restored.follow().plan.problem?.kind == .revisionWentBack)
    // What the machine remembers is what it has at its next start.
    for number in 1...3 {
      restored.put("a = 1\nb = \(number)")
      restored.put(FleetDocument("viewer/all")!, "c = \(number)")
      #expect(restored.follow().plan.problem?.kind == .revisionWentBack)
      #expect(restored.follow(app: "viewer").plan.needsEverything)
    }
    restored.accept("a0", cluster: 0xc2)
    #expect(restored.follow().plan.problem?.kind == .revisionWentBack)
    restored.accept("a1")
    #expect(restored.follow().changes.count == 2)
    restored.put("a = 5")
    #expect(restored.follow().plan.problem == nil)
  }

  @Test func `an acceptance is used up by the first plan that sees it`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.accept("a1")
    let backup = fixture
    fixture.put("a = 2")
    fixture.follow()
    // The backup has the acceptance in it.
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    #expect(fixture.follow().plan.answer == ["revision-went-back"])
    fixture.accept("a2")
    fixture.follow()
    fixture.accept("a3")
    fixture.follow()
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    fixture.accept("a2")
    #expect(fixture.follow().plan.answer == ["revision-went-back"])
    #expect(fixture.record.usedAcceptances == ["a1", "a2", "a3"])
  }

  @Test func `an acceptance does not bring back a refused document's problem`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    let backup = fixture
    fixture.put("a = 2")
    fixture.follow()
    (fixture.items, fixture.revision) = (backup.items, backup.revision)
    fixture.items[Fixture.document.key(version: 1)] = nil
    fixture.put("bad")
    fixture.accept("a1")
    #expect(fixture.follow().plan.answer == ["all refused refused"])
    #expect(fixture.follow().plan.answer == ["all refused refused"])
  }
}

extension Fixture {
  mutating func accept(_ id: String, cluster: UInt64? = nil) {
    let acceptance = Acceptance(
      id: id, cluster: cluster.map { ClusterID(rawValue: $0) } ?? self.cluster, created: "2026-01-01T00:00:00Z")
    put(FleetKey.accept.text, acceptance.json)
  }
}
