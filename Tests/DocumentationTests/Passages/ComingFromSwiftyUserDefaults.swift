import AppSettings
import AppSettingsFoundation
import AppSettingsObserve
import Foundation
import Testing

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

  // What a former release stored: the number alone.
  static let settingsBridge = SettingsBridge<Best>.codable.orReading(
    Int.settingsBridge.map(read: { Best(order: $0) }, write: { $0.order }))
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
  static let froggy = SettingsKey<Froggy?>("froggy")
}

struct Player {
  @Setting var launches: Int

  init(_ settings: SettingsStore) {
    _launches = Setting(.launchCount, in: settings)
  }
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

  @Test func `launch arguments`() throws {
    let arguments = ["-launch-count", "5", "--username=bob"]
    let overrides = SettingsOverrides.arguments(arguments, keys: [.launchCount, .username])
    let settings = SettingsStore(inMemory: "", overrides: overrides)
    #expect(settings.launchCount == 5)
    #expect(settings.username == "bob")
  }
}
