import AppSettings
import AppSettingsFoundation
import AppSettingsImport
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

// Passages of docs/coming-from-swiftyuserdefaults.md.

extension SettingsKeys {
  static let username = SettingsKey<String?>("username")
  static let launchCount = SettingsKey("launch-count", default: 0)
  static let food = SettingsKey<String?>("food", default: "cheese")
  static let frog = SettingsKey<Frog?>("frog")
  static let frogs = SettingsKey<[Frog]>("frogs", default: [])
}

struct Frog: Equatable, SettingsSerializable {
  let name: String
  static let settingsBridge = String.settingsBridge.map(read: Frog.init(name:), write: \.name)
}

struct Best: Codable, Equatable, Sendable, SettingsSerializable {
  var order: Int
  var label = "none"

  // What an earlier release stored: the number alone.
  static let settingsBridge = SettingsBridge<Best>.codable.fallingBack(
    to: Int.settingsBridge.map(read: { Best(order: $0) }, write: { $0.order }))
}

final class Froggy: NSObject, NSSecureCoding, SettingsSerializable, Sendable {
  let name: String

  init(name: String) { self.name = name }
  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
  }
  func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
  static var supportsSecureCoding: Bool { true }
}

extension SettingsKeys {
  static let best = SettingsKey("best", default: Best(order: 1))
  static let froggy = SettingsKey<Froggy?>("frog")
  static let names = SettingsKey<[String]>("names", default: [])
  static let scores = SettingsKey<[Int]>("scores", default: [])
  static let tadpole = SettingsKey<Tadpole?>("frog")
  static let folder = SettingsKey<URL?>("folder")
}

struct Tadpole: Codable, Equatable, SettingsSerializable { var name: String }

struct Player {
  @Setting var launches: Int

  init(_ settings: SettingsStore) {
    _launches = Setting(.launchCount, in: settings)
  }
}

/// What reads the process's own arguments: compiled, and not run.
private func documentedCalls() {
  let arguments = Array(CommandLine.arguments.dropFirst())
  let overrides = SettingsOverrides.arguments(arguments, keys: [.launchCount, .username])
  print(overrides.unknownArguments)
}

struct ComingFromSwiftyUserDefaults {
  @Test func `reading and writing`() throws {
    let settings = SettingsStore(inMemory: "")

    settings.username = "ada"
    settings[\.launchCount] += 1
    settings[.frogs].append(Frog(name: "Froggy"))
    if settings.isSet(.username) { settings.reset(.username) }

    #expect(settings.username == nil)
    #expect(settings.launchCount == 1)
    #expect(settings.snapshot.root["frogs"] == ["Froggy"])
    settings.food = nil
    #expect(settings.food == "cheese")
    settings.frog = Frog(name: "a")
    #expect(settings.frog?.name == "a")
    let player = Player(settings)
    player.launches += 1
    #expect(settings.launchCount == 2)
    settings.resetAll()
    #expect(settings.storedPaths.isEmpty)
  }

  @Test func `a type with two forms, and an archived one`() throws {
    let settings = SettingsStore(inMemory: "best = 5\n")
    #expect(settings.best == Best(order: 5))
    settings.best.label = "x"
    #expect(settings.snapshot.root["best"] == ["order": 5, "label": "x"])
    settings.froggy = Froggy(name: "Ada")
    #expect(settings.froggy?.name == "Ada")
  }

  @Test func `observing`() async throws {
    let settings = SettingsStore(inMemory: "")
    let task = Task {
      for await change in settings.changes(.launchCount) {
        print("from \(change.old) to \(change.new)")
      }
    }
    task.cancel()  // and nothing comes after this
    await task.value
  }

  @Test func `observing without a task`() throws {
    let settings = SettingsStore(inMemory: "")
    let counter = Counter()

    let observation = settings.observeChanges(.launchCount) { change in
      print("from \(change.old) to \(change.new)")
    }
    let counting = settings.observeChanges(.launchCount) { counter.label = "\($0.old) → \($0.new)" }

    settings.launchCount = 1
    #expect(counter.label == "0 → 1")
    observation.cancel()
    counting.cancel()
  }

  @Test(arguments: ["swiftyuserdefaults-5.plist", "swiftyuserdefaults-5.xml.plist"])
  func `the property list of an app`(_ name: String) throws {
    let scratch = ScratchHome()
    let export = Repository.root + "/Tests/DocumentationTests/Fixtures/exports/" + name
    let migrations = [
      Migration(
        2, "import the property list",
        [
          .importFile(export, as: .propertyList, mapping: ["launchCount": "launch-count"]),
          .migrate(.best, from: .json),
          .migrate(.names, from: .json),
          .migrate(.scores, from: .json),
          .migrate(.froggy, from: .archive(of: Froggy.self)),
          .migrate(.pond, from: .archive(of: Froggy.self)),
        ])
    ]
    let settings = try scratch.store(migrations: migrations)
    #expect(settings.username == "ada" && settings.launchCount == 12)
    #expect(settings.best == Best(order: 5, label: "x"))
    #expect(settings.names == ["ada", "bob"] && settings.scores == [3, 1, 2])
    #expect(settings.froggy?.name == "Ada" && settings[.pond].map(\.name) == ["Ada", "Bob"])
    #expect(settings[SettingsKey<URL?>("site")]?.absoluteString == "https://example.org/")
    #expect(
      settings[SettingsKey<[URL]>("links", default: [])].map(\.absoluteString) == [
        "https://example.org/a", "https://example.org/b?c=d",
      ])
    #expect(settings[SettingsKey<Date?>("lastSeen")] == Date(timeIntervalSince1970: 1_678_307_200))
    #expect(settings[SettingsKey<[String]>("colors", default: [])] == ["red", "blue"])
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
  }

  @Test func `file URLs, which are paths, and words for truth values`() throws {
    let migrations = [
      Migration(
        2, "store folders as URLs",
        [
          .migrate(
            .folder,
            from: .string { path in
              guard path.hasPrefix("/") || path.hasPrefix("~") else { return nil }
              return URL(filePath: NSString(string: path).expandingTildeInPath)
            }),
          .convert("enabled", .boolean),
        ])
    ]
    let settings = SettingsStore(inMemory: "folder = \"~/Documents\"\nenabled = \"YES\"\n", migrations: migrations)
    #expect(settings.folder?.isFileURL == true && settings.folder?.path.hasSuffix("/Documents") == true)
    #expect(settings.snapshot.root["enabled"] == true)
    let kept = SettingsStore(inMemory: "folder = \"https://example.org/\"\n", migrations: migrations)
    #expect(kept.folder?.absoluteString == "https://example.org/")
  }

  @Test func `an archived class that gives way to a type people can read`() throws {
    let settings = SettingsStore(inMemory: "")
    try settings.importFile(
      Repository.root + "/Tests/DocumentationTests/Fixtures/exports/swiftyuserdefaults-5.plist", as: .propertyList)

    try settings.migrate(.tadpole, from: .archive(of: Froggy.self) { ["name": .string($0.name)] })

    #expect(settings.tadpole == Tadpole(name: "Ada"))
    #expect(settings.snapshot.root["frog"] == ["name": "Ada"])
  }

  @Test func `launch arguments`() throws {
    let arguments = ["-launch-count", "5", "--username=bob"]
    let overrides = SettingsOverrides.arguments(arguments, keys: [.launchCount, .username])
    let settings = SettingsStore(inMemory: "", overrides: overrides)
    #expect(settings.launchCount == 5)
    #expect(settings.username == "bob")
  }
}

private final class Counter: @unchecked Sendable {  // used by one thread
  var label = ""
}
