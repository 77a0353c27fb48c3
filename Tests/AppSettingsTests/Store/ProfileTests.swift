import AppSettings
import Foundation
import Logging
import SettingsTOML
import TestModels
import Testing
import TestSupport

/// Profiles: files that take the place of the user's, chosen by the app, the environment or the person.
struct ProfileTests {
  private let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "none")
  private let size = SettingsKey("size", default: 0)

  @Test func `a profile is above the user's file and is the one that is written`() throws {
    try home.write("theme = 'mine'\nsize = 1\n")
    let settings = try home.store(profile: .named("work"))
    #expect(settings[theme] == "mine")
    #expect(settings.origin(of: theme).description == "user \(home.file):1")
    #expect(home.names(in: home.file("profiles")).isEmpty)
    try settings.set("dark", for: theme)
    #expect(home.text(of: home.file("profiles/work.toml")) == "theme = \"dark\"\n")
    #expect(home.text() == "theme = 'mine'\nsize = 1\n")
    #expect(settings.origin(of: theme).layer == SettingsLayer(.profile, file: home.file("profiles/work.toml")))
    #expect(settings.location?.file == home.file("profiles/work.toml"))
    #expect(settings[size] == 1)
    settings.resetAll()
    try settings.flush()
    #expect(settings[theme] == "mine")
    #expect(home.text() == "theme = 'mine'\nsize = 1\n")
  }

  @Test func `the app's choice counts before the environment's, and that before the person's`() throws {
    for name in ["app", "variable", "chosen"] {
      try home.write("theme = '\(name)'\n", to: home.file("profiles/\(name).toml"))
    }
    try home.write("theme = 'user'\n")
    func value(_ profile: SettingsProfile, _ variable: String? = nil) throws -> String {
      try home.store(profile: profile, variables: variable.map { ["APP_SETTINGS_PROFILE": $0] } ?? [:])[theme]
    }
    #expect(try value(.active) == "user")
    try home.profiles.choose("chosen")
    #expect(try value(.active) == "chosen")
    #expect(try value(.active, "variable") == "variable")
    #expect(try value(.active, "") == "user")
    #expect(try value(.named("app"), "variable") == "app")
    #expect(try value(.named("app")) == "app")
    #expect(try value(.none, "variable") == "user")
    try home.profiles.choose(nil)
    #expect(try value(.active) == "user")
    #expect(home.text(of: try home.profiles.choiceFile) == nil)
  }

  @Test func `a choice that is over while its profile is read is not followed`() throws {
    for name in ["one", "two"] { try home.write("theme = '\(name)'\n", to: home.file("profiles/\(name).toml")) }
    try home.profiles.choose("one")
    let own = Lock<SettingsStore?>(nil)
    let home = home
    let settings = try home.store(
      system: .before(.open, at: .nth(1), where: { $0.hasSuffix("profiles/two.toml") }) { _ in
        // As on another thread.
        _ = try? home.profiles.choose("one")
        own.withLock { $0 }?.reload()
      })
    own.withLock { $0 = settings }
    #expect(settings[theme] == "one")
    try home.profiles.choose("two")
    settings.reload()
    #expect(settings[theme] == "one" && settings.location?.personal?.profile == "one")
  }

  @Test func `names that are paths or hidden are refused`() throws {
    for name in ["", "../x", ".x", "a/b", "a..b"] {
      #expect(settingsError { _ = try home.location(profile: .named(name)) }?.code == .invalidLocation)
      #expect(settingsError { try home.profiles.choose(name) }?.code == .invalidLocation)
      if name.isEmpty { continue }
      #expect(
        settingsError { _ = try home.location(variables: ["APP_SETTINGS_PROFILE": name]) }?.code == .invalidLocation)
    }
    #expect(settingsError { _ = try home.location(name: "window", profile: .named("work")) }?.code == .invalidLocation)
    #expect(
      try home.location(name: "window", variables: ["APP_SETTINGS_PROFILE": "work"]).file == home.file("window.toml"))
  }

  @Test func `the profiles are listed, and the choice keeps what else is in its file`() throws {
    #expect(try home.profiles.names() == [])
    for name in ["b", "a", ".hidden"] { try home.write("", to: home.file("profiles/\(name).toml")) }
    try home.write("", to: home.file("profiles/readme.txt"))
    #expect(try home.profiles.names() == ["a", "b"])
    #expect(try home.profiles.chosen() == nil)
    try home.write("# mine\nother = 1\n", to: try home.profiles.choiceFile)
    #expect(try home.profiles.choose("a"))
    #expect(try !home.profiles.choose("a"))
    #expect(home.text(of: try home.profiles.choiceFile) == "# mine\nother = 1\nactive = \"a\"\n")
    #expect(try home.profiles.chosen() == "a")
    #expect(try home.profiles.choose(nil))
    #expect(home.text(of: try home.profiles.choiceFile) == "# mine\nother = 1\n")
  }

  @Test func `a choice that cannot be used is a problem, and none is used`() throws {
    try home.write("theme = 'user'\n")
    for text in ["active = '../x'\n", "active = 1\n", "active = \n"] {
      try home.write(text, to: try home.profiles.choiceFile)
      let settings = try home.store()
      #expect(settings[theme] == "user")
      #expect(settings.currentProblems.map(\.file) == [try home.profiles.choiceFile], "\(text)")
    }
  }

  @Test func `profiles inherit in a chain`() throws {
    try home.write("theme = 'user'\nsize = 1\n")
    try home.write("theme = 'base'\nsize = 2\n", to: home.file("profiles/base.toml"))
    try home.write("settings-inherits = 'base'\ntheme = 'middle'\n", to: home.file("profiles/middle.toml"))
    try home.write("settings-inherits = 'middle'\n", to: home.file("profiles/top.toml"))
    let settings = try home.store(profile: .named("top"))
    #expect(settings[theme] == "middle")
    #expect(settings[size] == 2)
    #expect(settings.origin(of: size).description == "profile \(home.file("profiles/base.toml")):2")
    #expect(settings.snapshot.root.keys.sorted() == ["size", "theme"])
    #expect(settings.currentProblems.isEmpty)
  }

  @Test(arguments: [
    ("settings-inherits = 'a'\n", "inherits this profile itself"), ("settings-inherits = 'gone'\n", "there is no file"),
    ("settings-inherits = '../x'\n", "must be the name of a profile"),
    ("settings-inherits = 1\n", "must be the name of a profile"),
  ]) func `a chain that cannot go on ends, with a problem that has its place`(_ text: String, _ reason: String) throws {
    try home.write("theme = 'user'\n")
    try home.write("# the first\nsettings-inherits = 'b'\n", to: home.file("profiles/a.toml"))
    try home.write(text, to: home.file("profiles/b.toml"))
    let settings = try home.store(profile: .named("a"))
    #expect(settings[theme] == "user")
    let problem = try #require(settings.currentProblems.first)
    #expect(problem.message.contains(reason) && problem.file == home.file("profiles/b.toml"))
    #expect(settings.currentProblems.count == 1 && problem.position?.line == 1)
    // The same if it is chosen later.
    let other = try home.store()
    #expect(other[theme] == "user" && other.currentProblems.isEmpty)
    try home.profiles.choose("a")
    other.reload()
    #expect(other.currentProblems.map(\.message) == [problem.message])
  }

  @Test func `a profile is migrated on disk with a backup of its own, and the user's file in memory`() throws {
    let migrations = [Migration(2, "rename colour to theme", [.rename("colour", to: "theme")])]
    try home.write("colour = 'user'\nsize = 1\n")
    try home.write("colour = 'profile'\n", to: home.file("profiles/work.toml"))
    let settings = try home.store(profile: .named("work"), migrations: migrations)
    #expect(settings[theme] == "profile")
    #expect(home.text(of: home.file("profiles/work.toml")) == "settings-version = 2\ntheme = 'profile'\n")
    #expect(home.text() == "colour = 'user'\nsize = 1\n")
    #expect(try settings.backups().count == 1)
    #expect(home.names(in: home.backups(of: home.file("profiles/work.toml"))).count == 1)
    try settings.restore()
    #expect(home.text(of: home.file("profiles/work.toml")) == "colour = 'profile'\n")
    settings.reset(theme)
    try settings.flush()
    #expect(settings[theme] == "user")
  }

  @Test func `a broken profile is recovered, and the user's file stays`() throws {
    try home.write("theme = 'user'\n")
    try home.write("theme = \n", to: home.file("profiles/work.toml"))
    let settings = try home.store(profile: .named("work"))
    #expect(settings[theme] == "user")
    #expect(settings.currentProblems.map(\.file) == [home.file("profiles/work.toml")])
    #expect(try settings.recover() != nil)
    #expect(home.text(of: home.file("profiles/work.toml")) == nil)
    #expect(home.text() == "theme = 'user'\n")
  }

  @Test func `administrators' locks hold in a profile`() throws {
    try home.write("settings-locked = ['theme']\ntheme = 'company'\n", to: home.systemFile("settings.toml"))
    try home.write("theme = 'profile'\n", to: home.file("profiles/work.toml"))
    let settings = try home.store(profile: .named("work"))
    #expect(settings[theme] == "company")
    #expect(settingsError { try settings.set("mine", for: theme) }?.code == .locked)
  }

  // MARK: Switching

  @Test func `a switch is one change of the values that differ`() throws {
    try home.write("theme = 'user'\nsize = 1\n")
    try home.write("theme = 'work'\nother = 5\n", to: home.file("profiles/work.toml"))
    let settings = try home.store()
    #expect(settings[theme] == "user")
    let before = settings.snapshot.generation
    try home.profiles.choose("work")
    settings.reload()
    #expect(settings[theme] == "work")
    #expect(settings[size] == 1)
    #expect(settings.snapshot.generation == before + 1)
    #expect(settings.location?.file == home.file("profiles/work.toml"))
    try settings.set(2, for: size)
    #expect(home.text() == "theme = 'user'\nsize = 1\n")
    #expect(home.text(of: home.file("profiles/work.toml")) == "theme = 'work'\nother = 5\nsize = 2\n")
    try home.profiles.choose(nil)
    settings.reload()
    #expect(settings[theme] == "user" && settings[size] == 1)
    #expect(settings.snapshot.generation == before + 3)
    try settings.set(3, for: size)
    #expect(home.text() == "theme = 'user'\nsize = 3\n")
  }

  @Test func `a switch to a profile with the same values is no change`() throws {
    let settings = try home.store()
    let before = settings.snapshot.generation
    try home.profiles.choose("new")
    settings.reload()
    #expect(settings.snapshot.generation == before)
    try settings.set("dark", for: theme)
    #expect(home.text(of: home.file("profiles/new.toml")) == "theme = \"dark\"\n")
  }

  @Test func `a store whose profile is fixed does not follow`() throws {
    try home.write("theme = 'work'\n", to: home.file("profiles/work.toml"))
    for settings in [
      try home.store(profile: .none), try home.store(profile: .named("home")),
      try home.store(variables: ["APP_SETTINGS_PROFILE": "home"]),
    ] {
      #expect(settings[theme] == "none")
      try home.profiles.choose("work")
      settings.reload()
      #expect(settings[theme] == "none")
      try home.profiles.choose(nil)
    }
  }

  @Test func `edits that are pending at a switch go where they were set`() throws {
    // The first write waits until the switch has begun.
    let isWriting = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    let isFirst = Lock(true)
    let system = Syscalls { (call, path) throws(Errno) in
      if call == .rename,
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      {
        isWriting.signal()
        gate.wait()
      }
      return nil
    }
    let settings = try home.store(system: system)
    #expect(settings[theme] == "none")
    settings[theme] = "first"
    isWriting.wait()
    settings[size] = 7
    try home.profiles.choose("work")
    try PlainThread.start("switch") {
      settings.reload()
      isDone.signal()
    }
    gate.signal()
    isDone.wait()
    settings.reload()
    #expect(settings.location?.file == home.file("profiles/work.toml"))
    #expect(home.text() == "theme = \"first\"\nsize = 7\n")
    #expect(home.text(of: home.file("profiles/work.toml")) == nil)
    #expect(settings[size] == 7)
    settings[size] = 8
    try settings.flush()
    #expect(home.text(of: home.file("profiles/work.toml")) == "size = 8\n")
  }

  @Test func `edits that cannot be written at a switch are reported, and are in no file`() throws {
    try home.write("theme = 'work'\n", to: home.file("profiles/work.toml"))
    let fails = Lock(true)
    let system = Syscalls { (call, path) throws(Errno) in
      if call == .rename, fails.withLock({ $0 }) { throw Errno(ENOSPC) }
      return nil
    }
    let logged = Recorder<String>()
    let settings = SettingsStore(
      at: try home.location(), migrations: .none,
      logger: Logger(label: "test") { _ in NotingHandler(recorder: logged) },
      acceptsAnyVersion: false, system: system)
    #expect(settings[theme] == "none")
    settings[theme] = "lost"
    settings[size] = 7
    try home.profiles.choose("work")
    settings.reload()
    #expect(settings.location?.file == home.file("profiles/work.toml"))
    #expect(settings[theme] == "work" && settings[size] != 7)
    #expect(logged.elements.contains { $0.contains(home.file("settings.toml")) && $0.contains("full") })
    fails.withLock { $0 = false }
    try settings.set(8, for: size)
    #expect(home.text() == nil)
    #expect(home.text(of: home.file("profiles/work.toml")) == "theme = 'work'\nsize = 8\n")
  }

  @Test func `no set is lost or in the wrong file while profiles are switched`() async throws {
    let settings = try home.store()
    let counts = (0..<3).map { SettingsKey("count-\($0)", default: 0) }
    let profiles = try home.profiles
    await withTaskGroup(of: Void.self) { group in
      for key in counts {
        group.addTask {
          for number in 1...60 { _ = try? await settings.set(number, for: key) }
        }
      }
      group.addTask {
        for round in 0..<40 {
          _ = try? profiles.choose(round % 2 == 0 ? "work" : nil)
          settings.reload()
        }
      }
      await group.waitForAll()
    }
    try home.profiles.choose("work")
    settings.reload()
    // Each number went into one of the two files, and the last one of each key into the one of its time.
    for key in counts {
      let values = [home.text(), home.text(of: home.file("profiles/work.toml"))].compactMap { $0 }
        .compactMap { try? TOMLDocument(parsing: $0)[key.path] }
      #expect(values.contains(60), "\(key): \(values)")
    }
  }

  @Test func `stores of one process switch together`() throws {
    try home.write("theme = 'work'\n", to: home.file("profiles/work.toml"))
    func store() throws -> SettingsStore {
      SettingsStore(at: try home.location(), logger: .silent)
    }
    let (one, two) = (try store(), try store())
    #expect(one.core === two.core)
    #expect(one[theme] == "none" && two[theme] == "none")
    try home.profiles.choose("work")
    one.reload()
    #expect(two[theme] == "work")
  }
}

extension ProfileTests {
  @Test func `garages and other scopes have no profile`() throws {
    for scope in [SettingsLocation.Scope.data, .state] {
      let environment = home.environment.merging(["APP_SETTINGS_PROFILE": "work"]) { $1 }
      let location = try SettingsLocation(app: "org.example.test", scope: scope, environment: environment)
      #expect(location.personal == nil && location.file.hasSuffix("/org.example.test/settings.toml"))
      #expect(
        settingsError {
          _ = try SettingsLocation(
            app: "org.example.test", scope: scope, profile: .named("work"), environment: environment)
        }?.code == .invalidLocation)
    }
  }

  @Test func `records are written to the profile, and read over the user's`() throws {
    let text = "[servers.a]\nregion = 'one'\nport = 1\n"
    try home.write(text)
    let settings = try home.store(profile: .named("work"))
    #expect(settings[.servers].all == [Server(id: "a", region: "one", port: 1)])
    try settings[.servers].put(Server(id: "b", region: "two", port: 2))
    try settings[.servers].put(Server(id: "a", region: "one", port: 3))
    #expect(settings[.servers].all.compactMap(\.port).sorted() == [2, 3])
    #expect(home.text() == text)
    let written = try #require(home.text(of: home.file("profiles/work.toml")))
    #expect(try TOMLDocument(parsing: written)[["servers"]]?.table?.keys.sorted() == ["a", "b"])
    // A record of the user's file stays there: only what the profile says of it can be removed.
    #expect(settingsError { try settings[.servers].remove("a") }?.code == .readOnly)
  }
}
