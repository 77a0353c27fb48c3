#if Configuration
  import AppSettings
  import AppSettingsConfiguration
  import AppSettingsObserve
  import Configuration
  import ConfigurationTesting
  import Foundation
  import TestSupport
  import Testing

  extension ScratchHome {
    /// Puts another text in the file's place, as careful programs do.
    fileprivate func replace(_ text: String) throws {
      try write(text, to: file + ".new")
      rename(file + ".new", file)
    }
  }

  @Suite(.timeLimit(.minutes(10))) struct SettingsConfigProviderTests {
    let home = ScratchHome()

    @Test func `a provider has the values of profiles, projects and credentials`() async throws {
      try home.write("a = 'user'\n")
      try home.write("b = 'profile'\n", to: home.file("profiles/work.toml"))
      try home.write("c = 'project'\n", to: home.path + "/p/.org.example.test.toml")
      try home.write("hunter2\n", to: home.path + "/credentials/token")
      let settings = try home.store(
        profile: .named("work"), project: SettingsProject(from: home.path + "/p", keys: [[["c"]]]),
        variables: ["CREDENTIALS_DIRECTORY": home.path + "/credentials"])
      let token = SettingsKey("token", default: "", .secret)
      let config = ConfigReader(provider: SettingsConfigProvider(settings, keys: [token]))
      #expect(["a", "b", "c"].map { config.string(forKey: ConfigKey($0)) } == ["user", "profile", "project"])
      #expect(config.string(forKey: "token") == "hunter2")
    }

    private static let compatible = """
      string = "Hello"
      int = 42
      double = 3.14
      bool = true
      bytes = "\(Data("magic".utf8).base64EncodedString())"
      stringy.array = ["Hello", "World"]
      inty.array = [42, 24]
      doubly.array = [3.14, 2.72]
      booly.array = [true, false]
      byteChunky.array = ["bWFnaWM=", "bWFnaWMy"]
      [other]
      string = "Other Hello"
      int = 24
      double = 2.72
      bool = false
      bytes = "bWFnaWMy"
      stringy.array = ["Hello", "Swift"]
      inty.array = [16, 32]
      doubly.array = [0.9, 1.8]
      booly.array = [false, true, true]
      byteChunky.array = ["bWFnaWM=", "bWFnaWMy", "bWFnaWM="]

      """

    @Test func `the provider passes the library's own test, from memory and from a file`() async throws {
      let provider = SettingsConfigProvider(SettingsStore(inMemory: Self.compatible))
      try await ProviderCompatTest(provider: provider).runTest()
      try home.write(Self.compatible)
      try await ProviderCompatTest(provider: SettingsConfigProvider(try home.store())).runTest()
    }

    @Test func `a key at its default has no value, and one that is set to it has`() throws {
      let settings = SettingsStore(inMemory: "")
      let port = SettingsKey("server.port", default: 8080)
      let provider = SettingsConfigProvider(settings, keys: [port])
      #expect(settings[port] == 8080)
      #expect(try provider.value(forKey: "server.port", type: .int).value == nil)
      let reader = ConfigReader(provider: provider)
      #expect(reader.int(forKey: "server.port", default: 7) == 7)
      settings[port] = 8080
      #expect(try provider.value(forKey: "server.port", type: .int).value == 8080)
      settings.reset(port)
      #expect(try provider.value(forKey: "server.port", type: .int).value == nil)
    }

    @Test func `a value of a secret key is secret, and no error shows it`() throws {
      let settings = SettingsStore(inMemory: "[sync]\ntoken = \"abc\"\nserver = \"x\"\n", logger: .silent)
      let token = SettingsKey<String?>("sync.token", .secret)
      let provider = SettingsConfigProvider(settings, keys: [token])
      let value = try provider.value(forKey: "sync.token", type: .string).value
      #expect(value == ConfigValue("abc", isSecret: true))
      #expect(value?.description.contains("abc") == false)
      #expect(try provider.value(forKey: "sync.server", type: .string).value?.isSecret == false)
      #expect(throws: SettingsError.self) { try provider.value(forKey: "sync.token", type: .int) }
      do {
        _ = try provider.value(forKey: "sync.token", type: .int)
      } catch {
        #expect(!"\(error)".contains("abc"))
      }
    }

    @Test func `a value of another type, or that its key refuses, is an error with its place`() throws {
      try home.write("# mine\n[server]\nport = 99\nname = 7\n")
      let port = SettingsKey("server.port", default: 1, .in(1...10))
      let provider = SettingsConfigProvider(try home.store(), keys: [port])
      for (key, type, text) in [
        ("server.port", ConfigType.int, "99 at line 3"), ("server.name", .string, "7 at line 4"),
        ("server", .string, "a table"),
      ] {
        let key = AbsoluteConfigKey(ConfigKey(key))
        do {
          _ = try provider.value(forKey: key, type: type)
          Issue.record("\(key) was read")
        } catch {
          let message = (error as? SettingsError)?.message ?? ""
          #expect(message.contains(text), "\(message)")
        }
      }
    }

    @Test func `former names, environment and administrators' files count`() throws {
      try home.write("[old]\nport = 5\n")
      try home.write("site = \"here\"\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
      let port = SettingsKey("server.port", default: 1, .formerly("old.port"))
      let settings = SettingsStore(
        at: try home.location(),
        overrides: .environment(
          app: "org.example.test",
          variables: ["ORG_EXAMPLE_TEST_SETTINGS__NUMBERS": "[1, 2]", "ORG_EXAMPLE_TEST_SETTINGS__NAME": "42"]),
        logger: .silent)
      let provider = SettingsConfigProvider(settings, keys: [port])
      #expect(try provider.value(forKey: "server.port", type: .int).value == 5)
      #expect(try provider.value(forKey: "site", type: .string).value == "here")
      #expect(try provider.value(forKey: "numbers", type: .intArray).value?.content == .intArray([1, 2]))
      #expect(try provider.value(forKey: "name", type: .string).value == "42")
      #expect(try provider.value(forKey: "name", type: .int).value == 42)
    }

    @Test func `an override means what it means to its key, and one that the key refuses is an error`() throws {
      let (port, name) = (SettingsKey("server.port", default: 1, .in(1...10)), SettingsKey("name", default: ""))
      func provider(port text: String) -> SettingsConfigProvider {
        let variables = ["ORG_EXAMPLE_TEST_SETTINGS__SERVER__PORT": text, "ORG_EXAMPLE_TEST_SETTINGS__NAME": "42"]
        let settings = SettingsStore(
          inMemory: "[server]\nport = 2\n", overrides: .environment(app: "org.example.test", variables: variables),
          logger: .silent)
        return SettingsConfigProvider(settings, keys: [port, name])
      }
      #expect(try provider(port: "5").value(forKey: "server.port", type: .int).value == 5)
      #expect(try provider(port: "5").value(forKey: "name", type: .string).value == "42")
      let refused: [(String, AbsoluteConfigKey, ConfigType)] = [
        ("99", "server.port", .int), ("99", "server.port", .string), ("many", "server.port", .string),
        ("5", "server.port", .string), ("5", "name", .int),
      ]
      for (text, key, type) in refused {
        let error = #expect(throws: SettingsError.self) { try provider(port: text).value(forKey: key, type: type) }
        #expect(error?.code == .invalidValue, "\(text) \(key) \(type)")
      }
    }

    @Test func `keys that can have no value have none, and are watched without harm`() async throws {
      let settings = SettingsStore(inMemory: "settings-version = 1\n")
      let provider = SettingsConfigProvider(settings)
      for key in [AbsoluteConfigKey([]), ["settings-version"], ["a b", "c.d"], ["", "x"]] {
        #expect(try provider.value(forKey: key, type: .string).value == nil)
        let first = try await provider.watchValue(forKey: key, type: .string) { updates -> LookupResult? in
          for await update in updates { return try update.get() }
          return nil
        }
        #expect(first?.value == nil && first != nil)
      }
      settings[SettingsKey("\"a b\".\"c.d\"", default: "")] = "x"
      #expect(try provider.value(forKey: ["a b", "c.d"], type: .string).value == "x")
    }

    @Test func `a value that is set to the same in other words is no update`() async throws {
      try home.write("n = 1\nm = 0\n")
      let settings = try home.store()
      let provider = SettingsConfigProvider(settings)
      try await provider.watchValue(forKey: "n", type: .double) { updates in
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next()?.get().value == 1.0)
        try home.replace("n = 1.0\n")
        for await _ in settings.snapshots() where !settings.isSet(SettingsKey("m", default: 0)) { break }
        try home.replace("n = 2\n")
        #expect(try await iterator.next()?.get().value == 2.0)
        try home.replace("n = \"two\"\n")
        let error = try await iterator.next()
        #expect(throws: SettingsError.self) { try error?.get() }
        // Another value that cannot be used is no news: the reader goes on with its default.
        try home.replace("n = \"three\"\nm = 1\n")
        for await _ in settings.snapshots() where settings.isSet(SettingsKey("m", default: 0)) { break }
        try home.replace("n = 2\n")
        #expect(try await iterator.next()?.get().value == 2.0)
        try home.replace("")
        #expect(try await iterator.next()?.get().value == nil)
      }
    }

    @Test func `another form of an accent, and what stands beside a not-a-number, are updates`() async throws {
      let settings = SettingsStore(inMemory: "")
      let provider = SettingsConfigProvider(settings)
      let (name, names) = (SettingsKey("name", default: ""), SettingsKey("names", default: [String]()))
      let numbers = SettingsKey("numbers", default: [Double]())
      let words = ["caf\u{E9}", "cafe\u{301}"]
      settings[name] = words[0]
      settings[names] = [words[0]]
      settings[numbers] = [.nan, 1]
      func size(_ result: Result<LookupResult, any Error>?) throws -> Int? {
        switch try result?.get().value?.content {
        case .string(let text)?: text.utf8.count
        case .stringArray(let texts)?: texts.first?.utf8.count
        case .doubleArray(let numbers)?: numbers.last.map { Int($0) }
        default: nil
        }
      }
      try await provider.watchValue(forKey: "name", type: .string) { updates in
        var iterator = updates.makeAsyncIterator()
        for (old, new) in [(0, 1), (1, 0), (0, 0)] {
          let found = try size(await iterator.next())
          #expect(found == words[old].utf8.count)
          settings[name] = words[new]
        }
      }
      try await provider.watchValue(forKey: "names", type: .stringArray) { updates in
        var iterator = updates.makeAsyncIterator()
        for (old, new) in [(0, 1), (1, 0), (0, 0)] {
          let found = try size(await iterator.next())
          #expect(found == words[old].utf8.count)
          settings[names] = [words[new]]
        }
      }
      try await provider.watchValue(forKey: "numbers", type: .doubleArray) { updates in
        var iterator = updates.makeAsyncIterator()
        let found1 = try size(await iterator.next())
        #expect(found1 == 1)
        // The same in other words.
        try await settings.update { $0[SettingsKey<SettingsValue?>("numbers")] = [.float(.nan), 1] }
        settings[numbers] = [.nan, 2]
        let found2 = try size(await iterator.next())
        #expect(found2 == 2)
      }
    }

    @Test(arguments: ChangeWay.all)
    func `a value that a tool changes is pushed, and nothing that was never there`(_ way: ChangeWay) async throws {
      guard !way.isSlow else { return }
      let shared = ScratchHome(under: "/dev/shm")
      let text = home.path + "/text"
      let variables = way.variables(in: home, text: text, shared: shared.path)
      func put(_ number: Int?, _ script: String) throws {
        try home.write(number.map { "other = 1\nnumber = \($0)\n" } ?? "other = 1\n", to: text)
        #expect(try ChildProcess.shell("set -e\n" + script, environment: variables, directory: home.path).status == 0)
      }
      try put(nil, way.begin ?? way.script)
      let provider = SettingsConfigProvider(try way.store(in: home, keys: ["number", "other"]))
      try await provider.watchValue(forKey: "number", type: .int) { updates in
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next()?.get().value == nil)
        for number in [1, 2, nil, 3] {
          try put(number, way.script)
          var seen = try await iterator.next()?.get().value
          // A gap that a busy machine makes long.
          if way.hasGap, seen == nil, number != nil { seen = try await iterator.next()?.get().value }
          #expect(seen == number.map { ConfigValue(.int($0), isSecret: false) })
        }
      }
      try await provider.watchSnapshot { updates in
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next()?.value(forKey: "number", type: .int).value == 3)
        try put(4, way.script)
        while try await iterator.next()?.value(forKey: "number", type: .int).value != 4 {}
      }
    }
  }
#endif
