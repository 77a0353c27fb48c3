import AppSettings
import AppSettingsFoundation
import AppSettingsImport
import AppSettingsObserve
import Foundation
import Observation
import Testing
import TestSupport

// Passages of docs/coming-from-defaults.md.

extension SettingsKeys {
  static let quality = SettingsKey("quality", default: 0.8)
  static let nickname = SettingsKey<String?>("nickname")
  static let greeting = SettingsKey<String?>("greeting", default: "Hello")
  static let session = SettingsKey<UUID>("session") { UUID() }
  static let unicorn = SettingsKey("view.unicorn", default: false, "Whether there is a unicorn.")
}

enum Period: String, CaseIterable, Codable, Hashable, SettingsSerializable {
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
  static let settingsBridge: SettingsBridge<Account> = [String: String].settingsBridge.map(
    expecting: "a table with a name and an age",
    read: { table in
      guard let name = table["name"], let age = table["age"] else { return nil }
      return Account(name: name, age: age)
    },
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

extension Bag: SettingsSerializable where Element: SettingsSerializable {
  static var settingsBridge: SettingsBridge<Self> {
    [Element].settingsBridge.map(read: Bag.init, write: \.items)
  }
}

extension SettingsKeys {
  static let account2 = SettingsKey<Account?>("account2")
  static let bag = SettingsKey("bag", default: Bag(["a"]))
  static let anything = SettingsKey<SettingsValue>("anything", default: ["a": [1, true, "x"]])
  static let corner = SettingsKey("corner", default: CGPoint.zero)
}

// What the app had in Defaults 7.
extension SettingsKeys {
  static let home = SettingsKey<URL?>("home")
  static let bookmarks = SettingsKey<[URL]>("bookmarks", default: [])
  static let namedZones = SettingsKey<[String: Zone]>("zonesByName", default: [:])
  static let pond = SettingsKey<[Froggy]>("frogs", default: [])
}

/// A view model.
struct Toolbar {
  @Setting var quality: Double

  init(_ settings: SettingsStore) {
    _quality = Setting(.quality, in: settings)
  }
}

/// What opens the app's own settings: compiled, and not run.
private func documentedCalls() throws {
  let settings = try SettingsStore(app: "org.example.app")
  try settings.migrate(.zones, from: .json)
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
    let several = Task {
      for await snapshot in settings.updates([.quality, .period]) {
        print(snapshot[.quality], snapshot[.unicorn])
      }
    }
    let changes = Task {
      for await change in settings.changes(.quality) {
        print("from \(change.old) to \(change.new)")
      }
    }
    for task in [task, pair, several, changes] {
      task.cancel()
      await task.value
    }
  }

  @Test func `observing without a task`() throws {
    let settings = SettingsStore(inMemory: "")
    let slider = Slider()

    let observation = settings.observe(.quality) { quality in
      print("quality is", quality)
    }
    let sliding = settings.observe(.quality) { slider.value = $0 }

    settings[.quality] = 0.3
    #expect(slider.value == 0.3)

    settings.withoutPropagation {
      settings[.quality] = 0.4
    }
    #expect(slider.value == 0.3)
    observation.cancel()
    sliding.cancel()

    let changes = settings.observeChanges(.quality) { change in
      slider.label = "\(change.old) → \(change.new)"
    }
    settings[.quality] = 0.6
    #expect(slider.label == "0.4 → 0.6")
    changes.cancel()

    settings.observe(.quality, tiedTo: slider) { slider, quality in
      slider.value = quality
    }
    settings[.quality] = 0.7
    #expect(slider.value == 0.7)
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

    settings[.anything] = ["size": 12, "tags": ["a", "b"]]
    if case .table(let table) = settings[.anything] { print(table["size"] ?? 0) }

    #expect(settings.snapshot.root["anything"] == ["size": 12, "tags": ["a", "b"]])
    #expect(settings[.period] == nil)
    #expect(settings[.periods].isEmpty)
    #expect(settings[.zone] == nil)
  }

  @Test func `the property list of an app with Defaults 7`() throws {
    let scratch = ScratchHome()
    let exports = Repository.root + "/Tests/DocumentationTests/Fixtures/exports/"
    for name in ["defaults-7.plist", "defaults-7.binary.plist"] {
      let export = exports + name
      let migrations = [
        Migration(
          2, "import the property list",
          [
            .importFile(export, as: .propertyList, keys: [.unicorn]) { report in
              for skipped in report.skipped { print("not taken: \(skipped.source): \(skipped.reason)") }
              for dotted in report.dotted { print("taken as one name: \(dotted.source)") }
            },
            .migrate(.home, from: .json),
            .migrate(.bookmarks, from: .json),
            .migrate(.zone, from: .json),
            .migrate(.zones, from: .json),
            .migrate(.namedZones, from: .json),
            .migrate(.period, from: .json),
            .migrate(.periods, from: .json),
            .migrate(.pond, from: .archive(of: Froggy.self)),
          ])
      ]
      let settings = try scratch.store(name: name.replacing(".", with: "-"), migrations: migrations)
      #expect(settings[.quality] == 0.8 && settings[.nickname] == "Ada")
      #expect(settings[.home] == URL(string: "https://example.org/"))
      #expect(settings[.bookmarks].map(\.absoluteString) == ["https://example.org/a", "https://example.org/b?c=d"])
      let (taipei, paris) = (Zone(id: "0", name: "Asia/Taipei"), Zone(id: "1", name: "Europe/Paris"))
      #expect(settings[.zone] == taipei && settings[.zones] == [taipei, paris])
      #expect(settings[.namedZones] == ["here": taipei, "there": paris])
      #expect(settings[.period] == .tenMinutes && settings[.periods] == [.tenMinutes, .oneHour])
      #expect(settings[.pond].map(\.name) == ["Ada"])
      #expect(settings[.anything] == ["a": [1, true, "x"]])
      #expect(settings[SettingsKey<Range<Int>>("range", default: 0..<1)] == 1..<5)
      #expect(settings[SettingsKey<Data>("avatar", default: Data())] == Data([1, 2, 3]))
      #expect(settings[SettingsKey<Date?>("lastSeen")] == Date(timeIntervalSince1970: 1_678_307_200))
      #expect(settings[SettingsKey<UUID?>("session")]?.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
      #expect(try settings.migrate(SettingsKey<[[Zone]]>("journeys", default: []), from: .json))
      #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
    }
  }

  @Test func `the property list of an app with Defaults 4`() throws {
    let scratch = ScratchHome()
    let export = Repository.root + "/Tests/DocumentationTests/Fixtures/exports/defaults-4.plist"
    let settings = try scratch.store()
    try settings.importFile(export, as: .propertyList)

    try settings.migrate(.zones, from: .json)
    try settings.migrate(.namedZones, from: .json)
    try settings.migrate(.home, from: .json)

    #expect(settings[.zones].map(\.name) == ["Asia/Taipei", "Europe/Paris"])
    #expect(settings[.namedZones]["here"]?.id == "0")
    #expect(settings[.home]?.host() == "example.org")
    #expect(try settings.migrate(SettingsKey<[String]>("recent", default: []), from: .json))
    #expect(try settings.migrate(SettingsKey<[String: Int]>("counts", default: [:]), from: .json))
    #expect(settings.snapshot.root["recent"] == ["a.txt", "b.txt"])
  }

  @Test func `a type that has another form now`() throws {
    struct OldZone: Codable {
      var id: Int
      var name: String
    }
    let settings = SettingsStore(inMemory: "zone = '{\"id\": 7, \"name\": \"Asia/Taipei\"}'\n")

    try settings.migrate(.zone, from: .json(OldZone.self) { Zone(id: String($0.id), name: $0.name) })

    #expect(settings[.zone] == Zone(id: "7", name: "Asia/Taipei"))
  }
}

/// A control of some toolkit.
private final class Slider: @unchecked Sendable {  // used by one thread
  var value = 0.0
  var label = ""
}
