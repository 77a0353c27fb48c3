import SettingsFleet
import Testing

/// What a machine does when the cluster does not have a document any more: somebody has removed it, or a backup was
/// restored that is older than it is.
struct VanishedDocumentTests {
  private static let later = FleetDocument("editor/host/a1")!
  private static let path = "editor/settings.d/30-host.toml"

  /// A machine with a document that is later than a backup, and the cluster that was restored and has grown beyond what
  /// the machine has seen.
  private static func restored(
    growing: Int = 9, _ file: (inout Fixture) -> Void = { $0.put(later, "b = 1") }
  ) -> Fixture {
    var fixture = Fixture()
    fixture.put("a = 1")
    let backup = fixture
    file(&fixture)
    fixture.follow()
    fixture.restore(backup)
    for number in 0..<growing { fixture.put(FleetDocument("viewer/all")!, "c = \(number)") }
    return fixture
  }

  @Test func `what a restored cluster never had is kept, until the cluster is accepted`() {
    var fixture = Self.restored()
    #expect(fixture.revision > fixture.record.revision)
    #expect(fixture.plan(app: "editor").needsEverything && fixture.plan(app: "viewer").problem == nil)
    for _ in 0..<2 {
      let (changes, plan) = fixture.follow()
      #expect(changes.isEmpty && plan.answer == ["revision-went-back"])
      #expect(plan.problem?.message.contains("'editor/host/a1' is gone, and nothing in the cluster says") == true)
    }
    fixture.accept("a1")
    #expect(fixture.follow().changes.contains("\(Self.path) -"))
    #expect(fixture.follow().plan.problem == nil)
  }

  @Test func `a restored cluster is not asked about revisions that it does not have yet`() {
    var fixture = Self.restored(growing: 0)
    #expect(fixture.revision < fixture.record.revision)
    #expect(fixture.record.vanished(in: fixture.snapshot(), for: fixture.machine).isEmpty)
    let (changes, plan) = fixture.follow()
    #expect(changes.isEmpty && plan.answer == ["revision-went-back"])
    // That is remembered, whatever is stored meanwhile.
    fixture.put("a = 2")
    fixture.put(Self.later, "b = 1")
    #expect(fixture.follow().changes.isEmpty)
  }

  @Test func `so is a version that the restored cluster never had`() {
    var fixture = Self.restored { fixture in
      fixture.apps["editor"] = InstalledApp(version: 2)
      fixture.put("two", version: 2)
    }
    #expect(fixture.follow().changes.isEmpty && fixture.plan().answer == ["revision-went-back"])
  }

  @Test func `so is what a canary has of a rollout`() {
    var fixture = Self.restored { fixture in
      fixture.put("a = 2")
      fixture.put(fixture.rollout("a = 3"))
    }
    #expect(fixture.follow().changes.isEmpty && fixture.plan().answer == ["revision-went-back"])
  }

  @Test func `what was removed leaves no file, whoever removed it and however long ago`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.put(Self.later, "b = 1")
    fixture.put(Self.later.key(version: 1, .change), "{}")
    fixture.follow()
    var other = fixture
    // This program leaves a note.
    fixture.remove(Self.later)
    fixture.put(Self.later.key(version: 1, .change), "{}")
    fixture.compact()
    #expect(fixture.follow().changes == ["\(Self.path) -"])
    // Another one leaves none, or one of before.
    for part in [FleetKey.Part.text, .change] { other.remove(Self.later.key(version: 1, part)) }
    #expect(other.follow().changes == ["\(Self.path) -"])
  }

  @Test func `what has no note is kept if the cluster has forgotten its past`() {
    var fixture = Fixture()
    fixture.put(Self.later, "b = 1")
    fixture.follow()
    // The file is older than what the cluster remembers, and the machine has read everything since.
    fixture.put("a = 1")
    fixture.compact()
    fixture.follow()
    fixture.remove(Self.later)
    var away = fixture
    #expect(fixture.follow().changes == ["\(Self.path) -"])
    away.compact()
    #expect(away.follow().changes.isEmpty && away.plan().answer == ["revision-went-back"])
  }

  @Test func `what was removed before a change of another app that is read first leaves no file`() {
    var fixture = Fixture()
    let other = FleetDocument("viewer/all")!
    fixture.put(Self.later, "b = 1")
    fixture.put(other, "c = 1")
    fixture.follow()
    fixture.remove(Self.later)
    fixture.put(other, "c = 2")
    #expect(fixture.follow(app: "viewer").changes == ["viewer/settings.d/10-all.toml = c = 2"])
    #expect(fixture.follow(app: "editor").changes == ["\(Self.path) -"])
  }

  @Test func `a file that stays without its version is asked about once`() {
    var fixture = Fixture()
    fixture.put("two", version: 2)
    fixture.put("one", version: 1)
    fixture.follow()
    fixture.remove(version: 1)
    for _ in 0..<2 {
      #expect(fixture.follow().plan.answer == ["all refused newer-version"])
      fixture.put(FleetDocument("viewer/all")!, "c")
    }
  }

  @Test func `a record of an earlier release is read, and its files are asked about at their revisions`() throws {
    var fixture = Fixture()
    fixture.put(Self.later, "b = 1")
    fixture.follow()
    fixture.record.wholeRevision = nil
    let json = String(decoding: fixture.record.json, as: UTF8.self)
    #expect(!json.contains("wholeRevision"))
    fixture.record = try MirrorRecord(json: Array(json.utf8))
    fixture.remove(Self.later)
    #expect(fixture.follow().changes == ["\(Self.path) -"])
  }
}
