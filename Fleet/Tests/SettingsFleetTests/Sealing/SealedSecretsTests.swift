import SettingsFleet
import Testing

struct SealedSecretsTests {
  private static let key = UnsealingKey()
  private static let all = FleetDocument("relay/all")!

  private static func sealed(_ secret: String, _ name: String, in document: FleetDocument = all) throws -> String {
    try SealedValue(
      sealing: Array(secret.utf8), as: SecretName(name.split(separator: ".").map(String.init))!, in: document,
      for: [key.sealingKey]
    ).texts[0]
  }

  private static func read(_ text: String) throws -> SealedSecrets { try SealedSecrets(of: Array(text.utf8)) }

  @Test func `sealed values are found in every form that TOML has for them`() throws {
    let (a, b, c) = (try Self.sealed("1", "a"), try Self.sealed("2", "db.b"), try Self.sealed("3", "db.c"))
    let text = """
      port = 80
      [settings-sealed]
      a = "\(a)"
      db = { b = ["\(b)"] }
      [settings-sealed.empty]
      [other]
      x = 1
      """
    let secrets = try Self.read(text)
    #expect(secrets.entries.map(\.name.description) == ["a", "db.b"])
    #expect(secrets.entries.map(\.line) == [3, 4])
    let plain = try secrets.open(in: Self.all, with: [Self.key])
    #expect(plain.mapValues { String(decoding: $0, as: UTF8.self) }.values.sorted() == ["1", "2"])
    #expect(try Self.read("\"settings-seale\\u0064\".db.c = '\(c)'").entries.count == 1)
    #expect(try Self.read("port = 80\nsettings-locked = ['a']").entries.isEmpty)
    #expect(try Self.read("not TOML").entries.isEmpty)
  }

  @Test(
    arguments: [
      "settings-sealed = 3", "settings-sealed = []", "[settings-sealed]\na = 3", "[settings-sealed]\na = []",
      "[settings-sealed]\na = 'hunter2'", "[settings-sealed]\na = [1]", "[[settings-sealed]]\na = 'v2 x'",
      "[[settings-sealed.a]]\nb = 'v2 x'",
    ])
  func `what is no sealed value is refused with its place, and is not in the message`(text: String) {
    let problem = #expect(throws: FleetProblem.self) { try Self.read("x = 1\n" + text) }
    #expect(problem?.kind == .refused && (problem?.line ?? 0) >= 2, "\(String(describing: problem))")
    #expect(problem?.message.contains("hunter2") == false)
  }

  @Test(arguments: ["'a/b'", "'..'", "\"a\\u0000\"", "'.'", "''", "'a b'", String(repeating: "a", count: 300)])
  func `a key that is no safe name of a file is refused`(key: String) {
    let problem = #expect(throws: FleetProblem.self) { try Self.read("[settings-sealed]\n\(key) = 'v2 x'") }
    #expect(problem?.message.contains("letters, digits") == true && problem?.line == 2)
  }

  @Test func `what does not open says where, which and why`() throws {
    let text = "[settings-sealed.db]\npassword = ['\(try Self.sealed("hunter2", "db.password"))']"
    let secrets = try Self.read(text)
    func problem(_ document: FleetDocument, _ keys: [UnsealingKey]) throws -> FleetProblem {
      try #require(#expect(throws: FleetProblem.self) { try secrets.open(in: document, with: keys) })
    }
    let other = try problem(Self.all, [UnsealingKey()])
    #expect(other.kind == .notOpened && other.line == 2 && other.key == "settings-sealed.db.password")
    #expect(other.message.contains("other keys") && other.message.contains("'db.password'"))
    #expect(try problem(Self.all, []).message.contains("unsealing-keys"))
    #expect(try problem(FleetDocument("relay/group/web")!, [Self.key]).message.contains("another key or document"))
  }

  @Test func `the document whose file is read last counts`() throws {
    // The names of files are compared, in which '-' is below the '.' of '.toml'.
    let documents = ["relay/all", "relay/group/a-b", "relay/group/a", "relay/group/a.b", "relay/host/m1"].map {
      FleetDocument($0)!
    }
    func effective(_ documents: some Sequence<FleetDocument>) throws -> String? {
      let secrets = try documents.map { document in
        (document, try Self.read("settings-sealed.x = '\(try Self.sealed("1", "x", in: document))'"))
      }
      return SealedSecrets.effective(among: Dictionary(uniqueKeysWithValues: secrets)).first?.value.document.description
    }
    #expect(try effective(documents) == "relay/host/m1")
    #expect(try effective(documents.prefix(4)) == "relay/group/a")
    #expect(try effective([documents[0], documents[1], documents[3]]) == "relay/group/a.b")
    #expect(try effective([documents[0], documents[1]]) == "relay/group/a-b")
    #expect(try effective([documents[0]]) == "relay/all")
  }

  @Test func `a file whose keys are gone is checked again, and stays`() {
    var fixture = Fixture()
    fixture.put("a = 1")
    fixture.follow()
    var plan = MirrorPlan.make(
      record: fixture.record, snapshot: fixture.snapshot(), machine: fixture.machine, files: fixture.files,
      doubtful: [Fixture.document], apps: fixture.apps)
    let check = plan.nextCheck
    #expect(check?.document == Fixture.document)
    plan.settle(check!, .refused(FleetProblem(.notOpened, "No key.", line: 1)))
    #expect(plan.changes.isEmpty && plan.answer == ["all refused not-opened"], "\(plan.answer)")
    // Nothing is tried again until something else is there.
    let again = MirrorPlan.make(
      record: plan.record, snapshot: fixture.snapshot(), machine: fixture.machine, files: fixture.files,
      doubtful: [Fixture.document], apps: fixture.apps)
    #expect(again.nextCheck == nil && again.changes.isEmpty && again.answer == plan.answer)
    fixture.apps["editor"] = InstalledApp(version: 1, stamp: "s+key")
    fixture.record = plan.record
    #expect(fixture.plan().answer == ["all applied"])
  }
}
