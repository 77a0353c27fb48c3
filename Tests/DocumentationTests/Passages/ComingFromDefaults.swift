import AppSettings
import AppSettingsFoundation
import AppSettingsMigrations
import AppSettingsObserve
import Foundation
import Observation
import Testing

// Passages of docs/coming-from-defaults.md.

extension SettingsKeys {
  static let quality = SettingsKey("quality", default: 0.8)
  static let nickname = SettingsKey<String?>("nickname")
  static let greeting = SettingsKey<String?>("greeting", default: "Hello")
  static let session = SettingsKey<UUID>("session") { UUID() }
  static let unicorn = SettingsKey("view.unicorn", default: false, "Whether there is a unicorn.")
}

enum Period: String, Codable, Hashable, SettingsSerializable {
  case tenMinutes = "10 Minutes"
  case halfHour = "30 Minutes"
  case oneHour = "1 Hour"
}

struct Zone: Codable, Hashable, SettingsSerializable {
  var id: String
  var name: String
}

extension SettingsKeys {
  static let period = SettingsKey<Period?>("period")
  static let periods = SettingsKey<Set<Period>>("periods", default: [])
  static let zone = SettingsKey<Zone?>("zone")
  static let zones = SettingsKey<[Zone]>("zones", default: [])
  static let zonesByName = SettingsKey<[String: Zone]>("zones-by-name", default: [:])
  static let steps = SettingsKey<[Int]>("steps", default: [0, 1])
}

/// A user with a form of its own.
struct Account: Hashable, Sendable {
  var name: String
  var age: String
}

extension Account: SettingsSerializable {
  static let settingsBridge = [String: String].settingsBridge.map(
    expecting: "a table with a name and an age",
    read: { table in table["name"].flatMap { name in table["age"].map { Account(name: name, age: $0) } } },
    write: { ["name": $0.name, "age": $0.age] })
}

struct Bag<Element: Hashable & Sendable>: Collection, Sendable {
  var items: [Element]
  init(_ items: [Element]) { self.items = items }
  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { index + 1 }
  subscript(index: Int) -> Element { items[index] }
}

extension Bag: SettingsCollection, SettingsSerializable where Element: SettingsSerializable {}

extension SettingsKeys {
  static let account2 = SettingsKey<Account?>("account2")
  static let bag = SettingsKey("bag", default: Bag(["a"]))
  static let anything = SettingsKey<SettingsValue>("anything", default: ["a": [1, true, "x"]])
  static let corner = SettingsKey("corner", default: CGPoint.zero)
}

/// A view model.
struct Toolbar {
  @Setting var quality: Double

  init(_ settings: SettingsStore) {
    _quality = Setting(.quality, in: settings)
  }
}

struct ComingFromDefaults {
  @Test func `reading and writing`() throws {
    let settings = SettingsStore(inMemory: "")

    settings[.quality] = 0.5
    settings[.quality] += 0.1
    settings[.zones].append(Zone(id: "0", name: "Asia/Taipei"))
    settings.unicorn.toggle()  // the same as settings[.unicorn].toggle()
    settings[.greeting] = nil  // reads as "Hello" again

    #expect(settings[.quality] == 0.6)
    #expect(settings[.zones].count == 1)
    #expect(settings[.unicorn])
    #expect(settings[.greeting] == "Hello")
    #expect(settings[.session] != settings[.session])

    try settings.update { $0[.quality] += 0.1 }  // two processes that do this lose nothing

    #expect(!settings.isDefault(.quality))
    settings.reset(.quality, .zones)
    try settings.reset(named: "nickname", "view.unicorn")
    try settings.reset(named: "view")
    #expect(settings.isDefault(.quality))
    settings.resetAll()
    #expect(settings.storedPaths.isEmpty)
  }

  @Test func `observing`() async throws {
    let settings = SettingsStore(inMemory: "")
    let task = Task {
      for await quality in settings.updates(.quality) {
        print("quality is", quality)
      }
    }
    let pair = Task {
      for await (quality, period) in settings.updates(.quality, .period) {
        print(quality, period ?? .oneHour)
      }
    }
    let changes = Task {
      for await change in settings.changes(.quality) {
        print("from \(change.old) to \(change.new)")
      }
    }
    for task in [task, pair, changes] {
      task.cancel()
      await task.value
    }
  }

  @Test func `properties and objects`() throws {
    let settings = SettingsStore(inMemory: "")
    let toolbar = Toolbar(settings)
    toolbar.quality = 1
    #expect(settings[.quality] == 1)

    let view = ObservableSettings(settings)
    withObservationTracking {
      print(view.quality, view.unicorn)
    } onChange: {
      print("draw again")
    }
    view.unicorn = true
    #expect(settings[.unicorn])
  }

  @Test func `a key of each type`() throws {
    let settings = SettingsStore(inMemory: "")
    settings[.account2] = Account(name: "Ada", age: "36")
    settings[.bag] = Bag(["b", "c"])
    settings[.corner] = CGPoint(x: 1, y: 2)
    settings[.anything] = "text"
    #expect(settings.snapshot.root["account2"] == ["name": "Ada", "age": "36"])
    #expect(settings.snapshot.root["bag"] == ["b", "c"])
    #expect(settings.snapshot.root["corner"] == ["x": 1.0, "y": 2.0])
    #expect(settings[.anything] == "text")
    #expect(settings[.period] == nil)
    #expect(settings[.periods].isEmpty)
    #expect(settings[.zone] == nil)
  }

  @Test func `from JSON strings`() throws {
    let settings = SettingsStore(
      inMemory: """
        steps = "[0, 1, 2]"
        periods = '["10 Minutes", "30 Minutes"]'
        zones-by-name = '{"a": {"id": "0", "name": "Asia/Taipei"}}'
        """)

    try settings.migrate(.steps, from: .jsonString)
    try settings.migrate(.periods, from: .jsonString)
    try settings.migrate(.zonesByName, from: .jsonString)

    #expect(settings[.steps] == [0, 1, 2])
    #expect(settings[.periods] == [.tenMinutes, .halfHour])
    #expect(settings[.zonesByName] == ["a": Zone(id: "0", name: "Asia/Taipei")])
  }

  @Test func `from JSON strings, once`() throws {
    let migrations = SettingsMigrations {
      Migration(2, "store lists and tables as such") {
        MigrateValue(.steps, from: .jsonString)
        MigrateValue(.zonesByName, from: .jsonString)
      }
    }
    let settings = SettingsStore(inMemory: "steps = \"[0, 1, 2]\"\n", migrations: migrations)
    #expect(settings[.steps] == [0, 1, 2])
  }
}
