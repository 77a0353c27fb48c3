import AppSettings
import AppSettingsSchema
import Testing

/// What a schema tells the history of a file.
struct SchemaHistoryTests {
  @Test func `each name that a secret has had is a secret, also those that migrations have moved it from`() {
    let schema = SettingsSchema(
      app: "org.example.test",
      keys: [
        SettingsKey("theme", default: "light", .formerly("colour")),
        SettingsKey("auth.token", default: "", .secret, .formerly("token")),
        SettingsKey("vault", default: [String: String](), .secret),
      ],
      migrations: [
        Migration(2, "move the pass", [.rename("pass.word", to: "auth.pass")]),
        Migration(
          3, "move it again, and the keys",
          [
            .rename("auth.pass", to: "auth.token"),
            .rename("keyring", to: "safe"),
            .rename("tint", to: "theme"),
          ]),
        Migration(4, "one vault", [.rename("safe", to: "vault.safe")]),
      ])
    let keys = schema.historyKeys
    #expect(
      Set(keys.filter(\.isSecret).map(\.path)) == [
        ["auth", "token"], ["token"], ["auth", "pass"], ["pass", "word"], ["vault"], ["safe"], ["keyring"],
      ])
    #expect(keys.filter { !$0.isSecret }.map(\.path) == [["theme"], ["colour"]])
  }
}
