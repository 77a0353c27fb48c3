import AppSettings
import AppSettingsSchema
import SettingsTools
import Testing

/// What differs between two texts, without secrets.
struct ShownChangeTests {
  private func lines(_ old: String, _ new: String, _ keys: [AnySettingsKey] = []) -> [String]? {
    let schema = keys.isEmpty ? nil : SettingsSchema(app: "org.example.test", keys: keys)
    let changes = ShownChange.all(from: Array(old.utf8), to: Array(new.utf8), SchemaLookup(schema: schema))
    return changes?.map { "\($0.path): \($0.old ?? "(none)") -> \($0.new ?? "(none)")" }
  }

  @Test func `a secret is named, and neither of its values is shown`() {
    let keys: [AnySettingsKey] = [
      SettingsKey<String?>("token", .secret), SettingsKey<Int?>("pin", .secret), SettingsKey<Int?>("port"),
      SettingsKey<[String: String]>("logins", default: [:], .secret),
    ]
    #expect(
      lines("token = \"hunter1\"\nport = 1\n", "token = \"hunter2\"\npin = 1234\nport = 2\n", keys)
        == ["token: (secret) -> (another secret)", "pin: (none) -> (secret)", "port: 1 -> 2"])
    #expect(lines("token = \"hunter1\"\n", "", keys) == ["token: (secret) -> (none)"])
    // The names in a secret table are a part of it.
    #expect(
      lines("", "[logins]\nada = \"x\"\neve = \"y\"\n", keys) == ["logins: (none) -> (secret)"])
    // A value in the place of a table with a secret.
    #expect(
      lines("", "sync = [{ key = \"hunter\" }]\n", [SettingsKey<String?>("sync.key", .secret)])
        == ["sync: (none) -> (secret)"])
  }

  @Test func `without a schema, a name can say that it is a secret`() {
    #expect(
      lines("", "db.password = \"hunter2\"\npasswords = 3\nservers = [{ token = \"abc\" }]\n")
        == ["db.password: (none) -> (secret)", "passwords: (none) -> 3", "servers: (none) -> (secret)"])
    #expect(lines("a = nan\n", "a = nan\nb = nan\n") == ["b: (none) -> nan"])
    #expect(lines("a = 1\n", "a = 1 # why\n") == [])
    #expect(lines("a = \n", "a = 1\n") == nil)
  }
}
