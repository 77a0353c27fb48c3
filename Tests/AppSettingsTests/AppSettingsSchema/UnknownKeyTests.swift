import AppSettings
import AppSettingsSchema
import Testing
import TestSupport

/// What a check says of keys that the app does not have.
struct UnknownKeyTests {
  private static let schema = """
    app = "org.example.test"
    keys.theme.type = "string"
    keys."editor.theme-name".type = "string"
    keys."editor.tab".type = "integer"
    keys."view.font.size".type = "integer"
    [keys.hosts]
    type = "records"
    fields = { port = { type = "integer" } }
    [keys.open]
    type = "table"
    fields = { port = { type = "integer" } }
    other-fields = true
    [keys.plugins]
    type = "array"
    elements = { type = "table", fields = { name = { type = "string" } } }

    """

  static let cases: [(path: TOMLPath, suggestion: String?)] = [
    (["them"], "theme"), (["Theme"], "theme"), (["editor", "theme"], "theme"), (["view", "deep", "theme"], "theme"),
    (["size"], "view.font.size"), (["font", "size"], "view.font.size"), (["edito"], "editor"),
    (["edito", "tab"], "editor.tab"), (["view", "fnt"], "view.font"), (["view", "font", "sizes"], "view.font.size"),
    (["themeName"], "editor.theme-name"), (["theme_name"], "editor.theme-name"), (["unheard"], nil),
    (["hosts", "a", "prot"], "hosts.a.port"), (["hosts", "a", "port", "x"], nil),
    (["plugins", "[2]", "nmae"], "plugins[2].name"),
  ]

  @Test(arguments: cases) func `the key that was meant is found`(_ path: TOMLPath, _ suggestion: String?) throws {
    let home = ScratchHome()
    try home.write(Self.schema, to: home.path + "/schema.toml")
    let keys = try #require(try SettingsSchema.read(home.path + "/schema.toml")).keys
    let key = keys.first { path.hasPrefix($0.path) }
    #expect(UnknownKey(among: keys).suggestion(for: path, around: key).map(UnknownKey.text) == suggestion)
  }

  @Test func `a check finds unknown fields where all fields are known`() throws {
    let home = ScratchHome()
    try home.write(Self.schema, to: home.path + "/schema.toml")
    let schema = try #require(try SettingsSchema.read(home.path + "/schema.toml"))
    try home.write(
      """
      open.other = 1
      plugins = [{ name = "a" },
        { nmae = "b" }]

      [hosts.a]
      prot = 80

      [editor]
      theme = "dark"

      """)
    let findings = SettingsCheck.findings(at: try home.location(), schema: schema).filter { $0.kind == .unknownKey }
    #expect(
      findings.map { "\($0.position?.line ?? 0) \($0.key?.description ?? ""): \($0.message)" } == [
        "3 plugins: Unknown key 'plugins[1].nmae'. Did you mean 'plugins[1].name'?",
        "6 hosts.a.prot: Unknown key 'hosts.a.prot'. Did you mean 'hosts.a.port'?",
        "9 editor.theme: Unknown key 'editor.theme'. Did you mean 'theme'? A line below '[editor]' belongs to that "
          + "table: move it above the first table.",
      ])
    #expect(findings.map(\.suggestion) == ["plugins[1].name", "hosts.a.port", "theme"])
  }

  @Test func `a schema file says which tables may have other fields`() throws {
    let home = ScratchHome()
    try home.write(Self.schema, to: home.path + "/schema.toml")
    let schema = try #require(try SettingsSchema.read(home.path + "/schema.toml"))
    #expect(schema.keys.map(\.type.isOpen) == [false, false, false, false, false, true, false])
    #expect(schema.text.contains("other-fields = true"))
    try home.write("app = \"a\"\n[keys.k]\ntype = \"table\"\nother-fields = true\n", to: home.path + "/wrong.toml")
    let error = #expect(throws: SettingsError.self) { try SettingsSchema.read(home.path + "/wrong.toml") }
    #expect(error?.message.contains("'other-fields' is for a type with 'fields'") == true)
  }
}
