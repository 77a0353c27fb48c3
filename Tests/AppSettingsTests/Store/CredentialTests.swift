import AppSettings
import Foundation
import Logging
import SettingsTOML
import Testing
import TestSupport

/// Credentials of the service manager: for secrets, above all files, and never shown.
struct CredentialTests {
  private let home = ScratchHome()
  private let password = SettingsKey("db.password", default: "none", .secret)
  private let code = SettingsKey("code", default: 0, .secret)
  private let plain = SettingsKey("plain", default: "none")
  private var directory: String { home.path + "/credentials" }

  private func store(overrides: SettingsOverrides = .none, project: SettingsProject? = nil) throws -> SettingsStore {
    try home.store(overrides: overrides, project: project, variables: ["CREDENTIALS_DIRECTORY": directory])
  }

  @Test func `a credential counts for a secret, above files and below the environment`() throws {
    try home.write("db.password = 'file'\nplain = 'file'\ncode = 1\n")
    for (name, text) in [("db.password", "hunter2\n"), ("plain", "never"), ("code", "42\n")] {
      try home.write(text, to: directory + "/" + name)
    }
    let settings = try store()
    #expect(settings[password] == "hunter2")
    #expect(settings[code] == 42)
    #expect(settings[plain] == "file")
    #expect(settings.origin(of: password).description == "credential \(directory)/db.password")
    #expect(try settings.value(for: password) == "hunter2")
    #expect(settings.snapshot[password] == "hunter2")
    #expect(settings.snapshot[["db"] as TOMLPath]?.table?["password"] == "hunter2")
    #expect(settings.snapshot.root.keys == ["db", "plain", "code"])
    let overrides = SettingsOverrides.arguments(["--db.password=argument"], keys: [password])
    #expect(try store(overrides: overrides)[password] == "argument")
    #expect(try home.store()[password] == "file")
  }

  @Test func `a snapshot from before the first use of the key has it too`() throws {
    try home.write("hunter2", to: directory + "/db.password")
    let snapshot = try store().snapshot
    #expect(snapshot[password] == "hunter2")
    #expect(snapshot.origin(of: password).layer.kind == .credential)
    // Whoever does not know that it is a secret, does not get it.
    #expect(snapshot[["db", "password"] as TOMLPath] == nil)
    #expect(snapshot.root.isEmpty)
  }

  @Test func `only one newline is taken off, and text is read as the key's type`() throws {
    let words = SettingsKey<[String]>("words", default: [], .secret)
    try home.write("a\n\n", to: directory + "/db.password")
    try home.write("['x', 'y']\n", to: directory + "/words")
    let settings = try store()
    #expect(settings[password] == "a\n")
    #expect(settings[words] == ["x", "y"])
  }

  @Test func `a credential for a field that no file has is read as its key's type, also in the struct`() throws {
    struct Database: Codable, SettingsSerializable, Equatable {
      var port = 1
      var isOpen = false
      var ratio: Double?
      var password = ""
    }
    let database = SettingsKey("db", default: Database())
    let fields: [SettingsKeys] = [
      SettingsKey("db.port", default: 1, .secret), SettingsKey("db.isOpen", default: false, .secret),
      SettingsKey<Double?>("db.ratio", .secret), password,
    ]
    for (name, text) in [("port", "5432"), ("isOpen", "1"), ("ratio", "2"), ("password", "12345678")] {
      try home.write(text, to: directory + "/db." + name)
    }
    let read = Database(port: 5432, isOpen: true, ratio: 2, password: "12345678")
    let settings = try store()
    for field in fields { #expect(settings.isSet(field)) }
    #expect(settings[database] == read)
    // What a file has beside them changes nothing.
    try settings.set(Database(port: 2, isOpen: true, ratio: 3, password: "x"), for: database)
    #expect(settings[database] == read)
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
  }

  @Test func `a set is written to the user's file, and the credential stays above it`() throws {
    try home.write("hunter2", to: directory + "/db.password")
    let settings = try store()
    try settings.set("mine", for: password)
    #expect(settings[password] == "hunter2")
    #expect(home.text() == "[db]\npassword = \"mine\"\n")
    #expect(home.text(of: directory + "/db.password") == "hunter2")
  }

  @Test func `administrators' locks hold above a credential`() throws {
    try home.write("settings-locked = ['db.password']\ndb.password = 'company'\n", to: home.systemFile("settings.toml"))
    try home.write("hunter2", to: directory + "/db.password")
    #expect(try store()[password] == "company")
  }

  @Test func `nothing about a credential shows its text`() throws {
    try home.write("hunter2", to: directory + "/code")
    try home.write("hunter2", to: directory + "/db.password")
    let logged = Recorder<String>()
    let logger = Logger(label: "test") { _ in NotingHandler(recorder: logged) }
    let settings = SettingsStore(
      at: try home.location(variables: ["CREDENTIALS_DIRECTORY": directory]), migrations: .none, logger: logger,
      acceptsAnyVersion: false, system: Syscalls())
    #expect(settings[code] == 0)
    #expect(settings[password] == "hunter2")
    let problem = try #require(settings.currentProblems.first)
    #expect(problem.code == .invalidValue && problem.message.contains("the credential"))
    #expect(settingsError { _ = try settings.value(for: code) }?.code == .invalidValue)
    let texts =
      settings.currentProblems.map { "\($0)" } + logged.elements + [
        "\(settings.snapshot)", "\(settings.origin(of: code))",
      ]
      + [settings.snapshot.overrides.description, "\(settings.snapshot.overrides.credentials!)"]
    #expect(!logged.elements.isEmpty)
    #expect(texts.allSatisfy { !$0.contains("hunter2") })
    for folder in [home.path + "/state", home.path + "/config"] { #expect(home.names(in: folder).isEmpty) }
  }

  @Test func `one that is not text is left out, and a problem only if it is a secret's`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for name in ["db.password", "tls.pem", "not a key!"] {
      try Data([0xFF, 0xFE, 0x0A]).write(to: URL(fileURLWithPath: directory + "/" + name))
    }
    let settings = try store()
    #expect(settings[password] == "none")
    settings.reload()
    #expect(settings.currentProblems.map(\.file) == [directory + "/db.password"])
  }

  @Test func `without the variable no call is made, and a missing directory is none`() throws {
    let calls = Recorder<String>()
    let system = Syscalls { (_, path) throws(Errno) in
      calls.note(path)
      return nil
    }
    let settings = try home.store(system: system)
    #expect(settings[password] == "none")
    #expect(!calls.elements.contains { $0.contains("credentials") })
    #expect(try store()[password] == "none")
    #expect(try store().currentProblems.isEmpty)
    #expect(try home.store(variables: ["CREDENTIALS_DIRECTORY": "relative"])[password] == "none")
  }
}
