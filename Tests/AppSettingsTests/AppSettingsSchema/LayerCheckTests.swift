import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// The check's findings in the person's own layers, and what schema files say of projects.
struct LayerCheckTests {
  private let home = ScratchHome()

  private static let schema = SettingsSchema(
    app: "org.example.test",
    keys: [
      SettingsKey("theme", default: "light", .allowedInProjects), SettingsKey("size", default: 1, .in(1...9)),
      SettingsKey<URL?>("link", .allowedInProjects(safely: "it is only shown")),
      SettingsKey("shell", default: "sh", .refers(to: .command)), SettingsKey("token", default: 0, .secret),
    ])

  private func found(
    profile: SettingsProfile = .none, project: SettingsProject? = nil, variables: [String: String] = [:]
  ) throws -> [String] {
    SettingsCheck.findings(
      at: try home.location(profile: profile, variables: variables), schema: Self.schema, project: project
    ).map {
      let file = $0.file.replacing(home.path + "/config/org.example.test/", with: "").replacing(home.path, with: "~")
      return "\(file):\($0.position.map { "\($0.line)" } ?? "") \($0.kind.rawValue) \($0.message)"
    }
  }

  private func writePrivately(_ text: String, to file: String) throws {
    try home.write(text, to: file)
    chmod(file, 0o600)
  }

  @Test func `declared files are checked like others, and a condition that never holds is reported`() throws {
    try writePrivately("size = 99\n", to: home.file("settings.d/a.toml"))
    try writePrivately("settings-locked = ['theme']\nthem = 'x'\n", to: home.file("settings.d/b.toml"))
    try writePrivately("theme = 'x'\n", to: home.file("settings.d/@hostname=x/a.toml"))
    try writePrivately("theme = 'x'\n", to: home.file("settings.d/@host=other-than-this/a.toml"))
    try writePrivately("theme = 'x'\n", to: home.file("settings.d/@host=laptop"))
    try writePrivately("theme = 'x'\n", to: home.file("settings.d/@os.toml"))
    #expect(
      try found() == [
        "settings.d/@host=laptop: ignored This file is never used: make '@host=laptop' a directory, with files '*.toml' in "
          + "it.",
        "settings.d/@os.toml: ignored This file is never used: make '@os.toml' a directory, with files '*.toml' in it.",
        "settings.d/@hostname=x: ignored This directory is never used: its name must begin with '@os=', '@arch=' or '@host='.",
        "settings.d/a.toml:1 invalid-value 'size' is the integer 99, but must be an integer from 1 to 9.",
        "settings.d/b.toml:1 reserved 'settings-locked' does nothing here: it locks keys in administrators' files only.",
        "settings.d/b.toml:2 unknown-key Unknown key 'them'. Did you mean 'theme'?",
      ])
  }

  @Test func `the profile, those below it and the user's file are checked, and where a chain ends`() throws {
    try writePrivately("size = 10\nsettings-inherits = 'a'\n", to: home.file)
    try writePrivately("settings-inherits = 'b'\nsize = 11\n", to: home.file("profiles/a.toml"))
    try writePrivately("settings-inherits = 'a'\nsize = 12\n", to: home.file("profiles/b.toml"))
    #expect(
      try found(profile: .named("a")) == [
        "settings.toml:1 invalid-value 'size' is the integer 10, but must be an integer from 1 to 9.",
        "settings.toml:2 reserved 'settings-inherits' does nothing here: only the file of a profile can inherit another profile.",
        "profiles/b.toml:1 reserved 'settings-inherits' cannot be used: 'a' inherits this profile itself. "
          + "Nothing is inherited here.",
        "profiles/b.toml:2 invalid-value 'size' is the integer 12, but must be an integer from 1 to 9.",
        "profiles/a.toml:2 invalid-value 'size' is the integer 11, but must be an integer from 1 to 9.",
      ])
    try writePrivately("settings-inherits = 'gone'\n", to: home.file("profiles/a.toml"))
    #expect(try found(profile: .named("a")).last?.contains("there is no file") == true)
  }

  @Test func `a project's file is checked for what counts there`() throws {
    let file = home.path + "/p/.org.example.test.toml"
    let project = SettingsProject(from: home.path + "/p", keys: [[["theme"]], [["link"]]])
    try writePrivately("theme = 3\nshell = 'evil'\n", to: file)
    #expect(
      try found(project: project) == [
        "~/p/.org.example.test.toml:2 ignored Ignored 'shell' of '\(file)' at line 2: a project's file cannot set it. "
          + "Remove it there.",
        "~/p/.org.example.test.toml:1 invalid-value 'theme' is the integer 3, but must be a string.",
      ])
    try writePrivately("theme = = 3\n", to: file)
    #expect(try found(project: project).map { $0.contains("unparsable") } == [true])
    chmod(file, 0o666)
    #expect(try found(project: project).map { $0.contains("unreadable") && $0.contains("chmod go-w") } == [true])
  }

  @Test func `credentials are checked without being shown`() throws {
    let directory = home.path + "/credentials"
    try writePrivately("hunter2\n", to: directory + "/token")
    try writePrivately("dark\n", to: directory + "/theme")
    #expect(
      try found(variables: ["CREDENTIALS_DIRECTORY": directory]) == [
        "~/credentials/theme: ignored The credential 'theme' is never used: the app does not mark this key as secret.",
        "~/credentials/token: invalid-value The credential cannot be read: the app needs an integer.",
      ])
  }

  @Test func `a schema file says what projects may set, and gives it back`() throws {
    let text = Self.schema.text
    #expect(text.contains("project = true\n") && text.contains("project = \"it is only shown\"\n"))
    #expect(text.contains("refers-to = \"command\"\n"))
    let file = home.path + "/schema.toml"
    try home.write(text, to: file)
    let keys = try #require(try SettingsSchema.read(file)).keys
    #expect(keys.map(\.projects) == [.allowed, .refused, .safe("it is only shown"), .refused, .refused])
    #expect(keys.map(\.reference) == [nil, nil, nil, .command, nil])
    for member in ["project = 3", "refers-to = 'moon'", "secret = true\nproject = true"] {
      try home.write("app = 'org.example.test'\n[keys.a]\ntype = 'string'\n\(member)\n", to: file)
      #expect(settingsError { _ = try SettingsSchema.read(file) }?.code == .invalidValue, "\(member)")
    }
  }

  @Test func `an app with declared files or profiles alone is known`() throws {
    try home.write("a = 1\n", to: home.file("profiles/work.toml"))
    #expect(try !InstalledApp.find("org.example.test", environment: home.environment).isUnknown)
    var environment = home.environment
    environment["APP_SETTINGS_PROFILE"] = "work"
    #expect(try InstalledApp.all(environment: environment).map(\.app) == ["org.example.test"])
  }
}
