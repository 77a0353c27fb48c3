import AppSettings
import AppSettingsSchema
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// Many keys, locks, former names and findings at once: the work grows with their number, not with its square.
@Suite(.serialized) struct SchemaScaleTests {
  let home = ScratchHome()
  private static let count = 5_000

  private func write(_ text: String, _ locks: [String]) throws {
    try home.write(text)
    chmod(home.file, 0o600)
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write("settings-locked = [\(locks.map { "\"\($0)\"" }.joined(separator: ", "))]\n", to: system)
    chmod(system, 0o644)
  }

  private func schema(renamed: Bool) -> SettingsSchema {
    let keys = (0..<Self.count).map { index in
      var key = SchemaKey(["t\(index % 100)", "k\(index)"], SchemaType(.integer))
      if renamed { key.formerPaths = [["old", "k\(index)"]] }
      return key
    }
    return SettingsSchema(app: "org.example.test", keys: keys, groups: [], migrations: .none)
  }

  private func expectFast(_ findings: Int, _ schema: SettingsSchema) throws {
    let location = try home.location()
    var found = 0
    let taken = ThreadClock.measure { found = SettingsCheck.findings(at: location, schema: schema).count }
    #expect(found == findings)
    #expect(taken < .seconds(5))
  }

  @Test func `a check of as many locks as keys takes no longer than both`() throws {
    let schema = schema(renamed: false)
    try write(
      (0..<Self.count).map { "t\($0 % 100).k\($0) = 1\n" }.joined(),
      (0..<Self.count).map { "t\($0 % 100).k\($0)" }
        + (0..<Self.count).map { "a-name-that-no-key-has-or-could-be-meant\($0)" })
    // Each value is locked, and each unknown lock is told of up to the limit.
    try expectFast(Self.count + 1_001, schema)
  }

  @Test func `a check of as many former names as keys takes no longer than both`() throws {
    let schema = schema(renamed: true)
    try write("[old]\n" + (0..<Self.count).map { "k\($0) = \"x\"\n" }.joined(), (0..<Self.count).map { "old.k\($0)" })
    // A former name, a value of another type, and a lock for each, and a lock by a former name.
    try expectFast(4 * Self.count, schema)
  }

  @Test func `a check of many unknown and reserved keys takes no longer than the file`() throws {
    let schema = schema(renamed: false)
    try write(
      (0..<Self.count).map { "settings-of-another-program\($0) = 1\na-plugin-that-the-app-does-not-know\($0).x = 1\n" }
        .joined(), [])
    try expectFast(Self.count + 1_001, schema)
  }

  @Test func `a check of many unknown fields in an array takes no longer than the array`() throws {
    let element = SchemaType.table([SchemaType.Field("a", SchemaType(.integer))])
    let key = SchemaKey(["x"], .array(of: element))
    try write("x = [\((0..<4 * Self.count).map { "{ a = 1, b = \($0) }" }.joined(separator: ", "))]\n", [])
    try expectFast(1_001, SettingsSchema(app: "org.example.test", keys: [key], groups: [], migrations: .none))
  }

  @Test func `the keys of a table are checked by as many fields in one go`() throws {
    var type = SchemaType(.table)
    type.fields = (0..<Self.count).map { SchemaType.Field("f\($0)", SchemaType(.integer)) }
    var table = TOMLTable()
    for index in 0..<Self.count { table["f\(index)"] = 1 }
    let taken = try ThreadClock.measure { try type.check(.table(table)) }
    #expect(taken < .seconds(5))
    table["f7"] = "x"
    #expect(throws: SettingsValueError.self) { try type.check(.table(table)) }
  }

  @Test func `a tree of keys answers as the list of them does`() {
    var random = SeededRandom(1)
    func path() -> TOMLPath {
      TOMLPath(
        (0..<Int.random(in: 1...4, using: &random)).map { _ in "abcé".randomElement(using: &random).map(String.init)! })
    }
    for _ in 0..<300 {
      var keys: [SchemaKey] = []
      for _ in 0..<12 {
        var key = SchemaKey(path(), .any)
        key.formerPaths = Bool.random(using: &random) ? [path()] : []
        if SchemaConflict.first(in: keys + [key]) == nil { keys.append(key) }
      }
      let tree = PathTree(keys)
      for _ in 0..<50 {
        let path = path()
        func has(_ body: (TOMLPath) -> Bool) -> [Int] { keys.indices.filter { keys[$0].paths.contains(where: body) } }
        let around = has { path.hasPrefix($0) }
        let below = has { $0.hasPrefix(path) }
        #expect(tree.key(at: path) == has { $0 == path }.first)
        #expect(tree.key(around: path).map { around.contains($0) } ?? around.isEmpty)
        #expect(tree.keys(atOrBelow: path) == below)
        #expect(tree.keys(touching: path) == (around.isEmpty ? below : around))
        #expect(tree.touches(path) == !(around + below).isEmpty)
        let inside = has { $0 != path && $0.hasPrefix(path) }
        #expect(tree.key(below: path).map { inside.contains($0) } ?? inside.isEmpty)
      }
    }
  }
}
