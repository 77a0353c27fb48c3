import AppSettings
import AppSettingsFoundation
import AppSettingsGarage
import AppSettingsImport
import AppSettingsObserve
import AppSettingsSchema
import Foundation
import Testing

// Passages of the reference: landing pages and articles in Sources/*/*.docc.

extension SettingsKeys {
  static let salutation = SettingsKey("greeting.text", default: "Hello", "What visitors are greeted with.")
  static let volume = SettingsKey("greeting.volume", default: 20, .in(0...100), "How loud the greeting is.")
}

extension SettingsKeys {
  static let stage = SettingsKey("greeting.stage", default: CGRect(x: 0, y: 0, width: 640, height: 480))
}

enum Loudness: String, CaseIterable, SettingsSerializable {
  case quiet, normal, loud
}

struct Door: Codable, Sendable, SettingsSerializable {
  var name = "front"
  var isOpen = true
}

struct Percentage: Equatable, Sendable, SettingsSerializable {
  var fraction: Double

  static let settingsBridge = Int.settingsBridge.map(
    expecting: "a percentage from 0 to 100",
    read: { 0...100 ~= $0 ? Percentage(fraction: Double($0) / 100) : nil },
    write: { Int(($0.fraction * 100).rounded()) })
}

struct Neighbour: Codable, Identifiable {
  let id: String
  var name: String
}

let greeterMigrations = [
  Migration(2, "move the volume into the greeting", [.rename("volume", to: "greeting.volume")]),
  Migration(3, "store names as an array", [.decodeJSONString("names")]),
]

/// What needs an app that is installed: compiled, and not run.
private func documentedCalls() async throws {
  do {
    let settings = try SettingsStore(app: "org.example.greeter")
    print(settings[.salutation])  // Hello, as long as no file says anything else
    settings[.volume] = 30  // visible at once in this process, on disk in a moment
    try await settings.set("Good morning", for: .salutation)  // on disk when it returns
  }
  let settings = try SettingsStore(app: "org.example.greeter", migrations: greeterMigrations)
  let report = try settings.importFile(
    "/home/ada/.greeterrc", as: .ini, mapping: ["hello.text": "greeting.text"], dryRun: true)
  for value in report.taken { print("\(value.source) becomes \(value.key)") }
  for value in report.skipped { print("\(value.source) stays behind: \(value.reason)") }
  let garage = try Garage(app: "org.example.greeter")
  try garage.park(Neighbour(id: "ada", name: "Ada"))  // on disk when it returns
  let ada = try garage.retrieve(Neighbour.self, id: "ada")
  print(ada?.name ?? "")
  let schema = SettingsSchema(
    app: "org.example.greeter", keys: [.salutation, .volume], migrations: greeterMigrations)
  try schema.write()  // where settings-cli finds it
  print(schema.markdown)
  for await volume in settings.updates(.volume) {
    print("the volume is \(volume)")
  }
}

struct LandingPages {
  @Test func `an edit keeps comments`() throws {
    let text = "# Where we listen.\n[server]\nport = 80  # for now\n"
    var document = try TOMLDocument(parsing: text)
    try document.set(8080, at: ["server", "port"])
    print(document.text)  // the comments are where they were
    #expect(document.text == "# Where we listen.\n[server]\nport = 8080  # for now\n")
  }

  @Test func `types of one's own are stored as the article says`() throws {
    #expect(try Loudness.settingsBridge.write(.loud) == "loud")
    #expect(try Door.settingsBridge.write(Door()) == ["name": "front", "isOpen": true])
    #expect(try Percentage.settingsBridge.write(Percentage(fraction: 0.25)) == 25)
    #expect(throws: SettingsValueError.self) { try Percentage.settingsBridge.read(101) }
    #expect(
      SettingsStore(inMemory: "greeting.stage = { x = 1.0, y = 2.0, width = 3.0, height = 4.0 }")[.stage].minY == 2)
  }
}
