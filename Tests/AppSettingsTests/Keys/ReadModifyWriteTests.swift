import AppSettings
import Testing
import TestSupport

/// A change made from a value that cannot be decoded would be made from the default: it is refused.
struct ReadModifyWriteTests {
  let home = ScratchHome()

  struct Doc: Codable, Hashable, Sendable, SettingsSerializable {
    var title: String
    var modified: Int
  }

  private static let documents = SettingsKey<[Doc]>("documents", default: [])
  private static let count = SettingsKey("count", default: 0, .in(0...100))
  private static let wrap = SettingsKey("wrap", default: false)
  private static let conf = SettingsKey<Doc?>("conf")
  private static let text = """
    count = "four"
    wrap = 1
    conf = { title = "c" }

    [[documents]]
    title = "a"
    modified = 1

    [[documents]]
    title = "b"

    [servers.a]
    port = "x"

    [servers.b]
    port = 2

    """

  private func store() throws -> SettingsStore {
    try home.write(Self.text)
    return try home.store()
  }

  private func expectUnchanged(_ settings: SettingsStore) throws {
    try settings.flush()
    #expect(home.text() == Self.text)
    #expect(home.names(in: home.backups) == [])
  }

  @Test func `an update that changes what it cannot read throws with the place, and changes nothing`() throws {
    let settings = try store()
    let error = settingsError {
      try settings.update {
        $0[Self.wrap] = true
        $0[Self.documents].append(Doc(title: "c", modified: 3))
      }
    }
    #expect(error?.code == .invalidValue && error?.file == home.file && error?.position?.line == 9)
    #expect(
      error?.message == "Cannot change 'documents': settings.toml has nothing at line 9, column 1 (in "
        + "'[1].modified'), but the key needs an integer. Nothing was changed. Correct the value in the file, or "
        + "replace it with 'set'.")
    #expect(settingsError { try settings.update { $0[Self.count] += 1 } }?.position?.line == 1)
    #expect(settingsError { try settings.update { $0[Self.count] = $0[Self.count] + 1 } }?.code == .invalidValue)
    #expect(settingsError { try settings.update { $0[Self.conf]?.title = "d" } }?.code == .invalidValue)
    try expectUnchanged(settings)
  }

  @Test func `an update replaces and removes what it has not read, and goes on from what it has set`() throws {
    let settings = try store()
    try settings.update {
      $0[Self.count] = 1
      $0[Self.count] += 1
      $0.reset(Self.documents)
      $0[Self.documents].append(Doc(title: "c", modified: 3))
      _ = $0[Self.wrap]
      $0.reset(Self.wrap)
      $0[Self.wrap].toggle()
    }
    #expect(settings[Self.count] == 2 && settings[Self.wrap])
    #expect(settings[Self.documents] == [Doc(title: "c", modified: 3)])
    #expect(home.names(in: home.backups).count == 1)
  }

  @Test func `reading what cannot be read does not keep an update from writing other keys`() throws {
    let settings = try store()
    try settings.update { $0[SettingsKey("other", default: 0)] = $0[Self.count] + 1 }
    #expect(home.text()?.contains("other = 1") == true && home.text()?.contains("count = \"four\"") == true)
  }

  @Test func `changes in place leave the file, and are a problem with the place`() throws {
    let settings = try store()
    settings[Self.documents].append(Doc(title: "c", modified: 3))
    settings[Self.documents] += [Doc(title: "c", modified: 3)]
    settings[Self.documents].removeAll()
    settings[Self.count] += 1
    settings[Self.wrap].toggle()
    settings[Self.conf]?.title = "d"
    func change(_ value: inout Int) { value = 5 }
    change(&settings[Self.count])
    try expectUnchanged(settings)
    let problems = settings.currentProblems.filter { $0.message.hasPrefix("Cannot change") }
    #expect(problems.map { "\($0.path!):\($0.position!.line)" } == ["documents:9", "count:1", "wrap:2", "conf:3"])
    #expect(problems.allSatisfy { $0.code == .invalidValue && $0.file == home.file })
    // A plain assignment is deliberate.
    settings[Self.count] = 7
    try settings.flush()
    #expect(settings[Self.count] == 7 && home.names(in: home.backups).count == 1)
    settings[Self.count] += 1
    #expect(settings[Self.count] == 8)
  }

  @Test func `key paths and properties are changed in place the same way`() throws {
    try home.write("name = 1\n[editor]\nfont-size = \"twelve\"\n")
    let text = home.text()
    let settings = try home.store()
    settings.fontSize += 1
    settings[\.fontSize] += 1
    settings.name.append("x")
    try settings.flush()
    #expect(home.text() == text)
    #expect(settings.currentProblems.count { $0.message.hasPrefix("Cannot change") } == 2)
  }

  @Test func `a change in place ends with the value, also if it throws`() throws {
    struct Failure: Error {}
    func change(_ value: inout Int) throws {
      value = 5
      throw Failure()
    }
    let settings = try home.store()
    #expect(throws: Failure.self) { try change(&settings[Self.count]) }
    #expect(settings[Self.count] == 5)
  }

  @Test func `an override that cannot be read does not replace the stored value`() throws {
    try home.write("count = 5\n")
    let settings = try home.store(
      overrides: .environment(app: "org.example.test", variables: ["ORG_EXAMPLE_TEST_SETTINGS__COUNT": "many"]))
    #expect(settings[Self.count] == 0 && settings.origin(of: Self.count).layer.kind == .environment)
    settings[Self.count] += 1
    #expect(settingsError { try settings.update { $0[Self.count] += 1 } }?.code == .invalidValue)
    try settings.flush()
    #expect(home.text() == "count = 5\n")
  }

  @Test func `elements of collections take what they lack from a prototype`() throws {
    try home.write(Self.text + "[table.x]\ntitle = \"t\"\n")
    let settings = try home.store()
    let prototype = SettingsBridge<Doc>.codable(over: Doc(title: "", modified: 9))
    let array = SettingsKey<[Doc]>("documents", default: [], bridge: prototype.array)
    let table = SettingsKey<[String: Doc]>("table", default: [:], bridge: prototype.dictionary())
    let single = SettingsKey<Doc?>("conf", bridge: prototype)
    #expect(settings[array].map(\.modified) == [1, 9])
    #expect(settings[table]["x"] == Doc(title: "t", modified: 9))
    #expect(settings[single] == Doc(title: "c", modified: 9))
    try settings.update { $0[array].append(Doc(title: "c", modified: 3)) }
    #expect(settings[array].map(\.title) == ["a", "b", "c"])
  }

  // MARK: Records

  struct Server: SettingsRecord, Hashable {
    var id: String
    var port: Int
  }

  private static let servers = SettingsRecordKey<Server>("servers")

  @Test func `a record that cannot be read is not changed in place, nor removed by that`() throws {
    let settings = try store()
    settings[Self.servers]["a"]?.port = 5
    func change(_ record: inout Server?) { record = Server(id: "a", port: 1) }
    change(&settings[Self.servers]["a"])
    settings[Self.servers]["none"]?.port = 5
    try expectUnchanged(settings)
    let problem = settings.currentProblems.first { $0.message.hasPrefix("Cannot change") }
    #expect(problem?.path == ["servers", "a"] && problem?.position?.line == 13)
    settings[Self.servers]["b"]?.port = 3
    try settings.flush()
    #expect(settings[Self.servers]["b"]?.port == 3)
    settings[Self.servers]["a"] = Server(id: "a", port: 1)
    try settings.flush()
    #expect(settings[Self.servers].count == 2)
  }

  @Test func `an update does not store a record in place of one that it could not read`() throws {
    let settings = try store()
    let changes: [(inout SettingsTransaction) throws -> Void] = [
      { $0[Self.servers]["a"]?.port = 5 },
      { if $0[Self.servers]["a"] == nil { $0[Self.servers]["a"] = Server(id: "a", port: 1) } },
      { if $0[Self.servers]["a"] == nil { try $0[Self.servers].put(Server(id: "a", port: 1)) } },
      { if $0[Self.servers].all.allSatisfy({ $0.id != "a" }) { try $0[Self.servers].put(Server(id: "a", port: 1)) } },
    ]
    for change in changes {
      let error = settingsError { try settings.update(change) }
      #expect(error?.code == .invalidValue && error?.position?.line == 13, "\(error?.message ?? "none")")
    }
    try expectUnchanged(settings)
    try settings.update { try $0[Self.servers].put(Server(id: "a", port: 1)) }
    try settings.update { $0[Self.servers]["c"] = Server(id: "c", port: $0[Self.servers].all.count) }
    #expect(settings[Self.servers].all.map(\.port) == [1, 2, 2])
  }

  @Test func `an update stores a record in place of one that it could not read and has removed`() throws {
    let changes: [(inout SettingsTransaction) throws -> Void] = [
      { try $0[Self.servers].remove("a") }, { $0[Self.servers]["a"] = nil }, { $0.reset(Self.servers) },
      { try $0[Self.servers].rename("a", to: "d") },
    ]
    for change in changes {
      let settings = try store()
      try settings.update {
        #expect($0[Self.servers]["a"] == nil)
        try change(&$0)
        try $0[Self.servers].put(Server(id: "a", port: 7))
      }
      #expect(settings[Self.servers]["a"] == Server(id: "a", port: 7))
    }
    // A new name makes it no more readable.
    let settings = try store()
    let error = settingsError {
      try settings.update {
        _ = $0[Self.servers]["a"]
        try $0[Self.servers].rename("a", to: "d")
        try $0[Self.servers].put(Server(id: "d", port: 7))
      }
    }
    #expect(error?.code == .invalidValue)
  }
}
