public import AppSettings
import AppSettingsFoundation
import AppSettingsObserve
import Foundation
import Testing

// Passages of docs/getting-started.md.

extension SettingsKeys {
  static let zoom = SettingsKey("view.zoom", default: 1.0, "Scale of the whole window.")
  static let columns = SettingsKey("editor.columns", default: 80, .in(20...400), "Column at which lines wrap.")
  static let account = SettingsKey<String?>("sync.account")
  static let token = SettingsKey<String?>("sync.token", .secret)
  static let window = SettingsKey("window", default: Window(width: 640, height: 480))
  static let spelling = SettingsKey<Language>("editor.spelling", default: .english)
  static let accent = SettingsKey("view.accent", default: Color(red: 0, green: 90, blue: 200))
}

extension SettingsKeys {
  static let proxy = SettingsGroup("network.proxy", "Connection to the internet.")
  static let proxyHost = SettingsKey<String?>("host", .matching("[a-z0-9.-]+"), .group(proxy))
  static let proxyPort = SettingsKey("port", default: 3128, .in(1...65535), .formerly("proxy-port"), .group(proxy))
  static let proxyKind = SettingsKey("kind", default: "http", .oneOf(["http", "socks"]), .group(proxy))
}

enum Language: String, CaseIterable, SettingsSerializable {
  case english = "en", french = "fr", swahili = "sw"
}

struct Window: Codable, SettingsSerializable {
  var width, height: Int
}

struct Draft: Codable, SettingsSerializable {
  var title = ""
  var isPinned = false  // added later

  static let settingsBridge = SettingsBridge<Draft>.codable(over: Draft())
}

struct Color: Equatable, SettingsSerializable {
  var red, green, blue: UInt8

  // Stored as an array of three numbers.
  static let settingsBridge = [UInt8].settingsBridge.map(
    expecting: "a colour as [red, green, blue]",
    read: { $0.count == 3 ? Color(red: $0[0], green: $0[1], blue: $0[2]) : nil },
    write: { [$0.red, $0.green, $0.blue] })
}

func position(in document: String) -> SettingsKey<Int> {
  SettingsKey(TOMLPath(["positions", document]), default: 0)
}

/// The space between lines.
public enum Density: String, CaseIterable, Sendable, SettingsSerializable {
  case compact, comfortable
}

/// The space beside the text, in points.
public struct Margins: Codable, Sendable, SettingsSerializable {
  public var left, right: Int
}

final class Palette: Codable, Sendable, SettingsSerializable {
  let colours: [String]

  init(colours: [String]) { self.colours = colours }
}

final class Badge: NSObject, Codable, NSSecureCoding, Sendable, SettingsSerializable {
  static let settingsBridge: SettingsBridge<Badge> = .codable
  static let supportsSecureCoding = true
  let text: String

  init(text: String) { self.text = text }
  init?(coder: NSCoder) { text = coder.decodeObject(of: NSString.self, forKey: "text").map { "\($0)" } ?? "" }
  func encode(with coder: NSCoder) { coder.encode(NSString(string: text), forKey: "text") }
}

extension SettingsKeys {
  static let density = SettingsKey("view.density", default: Density.compact)
  static let margins = SettingsKey("view.margins", default: Margins(left: 1, right: 2))
  static let palette = SettingsKey("view.palette", default: Palette(colours: ["red"]))
  static let badge = SettingsKey("view.badge", default: Badge(text: "new"))
  static let plugins = SettingsKey<[String: SettingsValue]>("plugins", default: [:])
  static let ratings = SettingsKey<[Int?]>("ratings", default: [])
}

struct GettingStarted {
  @Test func `reading and writing`() async throws {
    let settings = SettingsStore(inMemory: "")

    let zoom = settings[.zoom]  // 1.0, until someone sets another value
    settings[.zoom] = zoom * 2  // visible in this process at once, on disk a moment later
    settings.columns += 20  // each key is a property, too
    settings[.account] = "ada"
    settings[.account] = nil  // removes the value
    settings.reset(.zoom, .columns)  // back to the value of a lower layer, or the default

    try await settings.set(120, for: .columns)  // returns when the value is on disk

    try await settings.update {
      $0[.columns] = min($0[.columns], 100)
      $0[.zoom] = Double($0[.columns]) / 80
    }

    try await settings.flush()
    let task = Task {
      for await columns in settings.updates(.columns) {
        print("lines wrap at \(columns)")
      }
    }
    task.cancel()
    await task.value

    #expect(settings[.zoom] == 1.25)
    #expect(settings[.columns] == 100)
    #expect(settings[.account] == nil)
    #expect(settings[.accent].blue == 200)
  }

  @Test func `reading and writing in code that is not async`() throws {
    let settings = SettingsStore(inMemory: "")

    try settings.set(120, for: .columns)
    try settings.update { $0[.columns] += 1 }
    try settings.flush()

    #expect(settings[.columns] == 121)
  }

  @Test func `names from data`() throws {
    let settings = SettingsStore(inMemory: "")

    settings[position(in: "/home/ada/notes = été.txt")] = 120  // positions."/home/ada/notes = été.txt" = 120

    try settings.flush()
    #expect(settings.storedPaths == [["positions", "/home/ada/notes = été.txt"]])
    #expect(settings[position(in: "/home/ada/notes = été.txt")] == 120)
    #expect(position(in: "a b") == position(in: "a b"))
    #expect(position(in: "a b").name == #"positions."a b""#)
  }

  @Test func `what a stored type must be`() throws {
    let settings = SettingsStore(
      inMemory: """
        [view]
        density = "comfortable"
        margins = { left = 8 }
        palette.colours = ["blue"]
        badge.text = "old"

        [plugins]
        spelling = { words = ["TOML"], strict = true }
        """)
    #expect(settings[.density] == .comfortable)
    #expect(settings[.margins].left == 8 && settings[.margins].right == 2)
    #expect(settings[.palette].colours == ["blue"])
    #expect(settings[.badge].text == "old")
    #expect(settings[.plugins]["spelling"]?.table?["strict"] == true)
    #expect(throws: SettingsError.self) { try settings.set([1, nil], for: .ratings) }

    settings[.plugins]["spelling"] = try SettingsValue(Language.french)
    let language = settings[.plugins]["spelling"]?.get(Language.self)  // nil if it is of another type
    #expect(language == .french)
    #expect(settings[.plugins]["spelling"]?.get(Int.self) == nil)
  }

  @Test func `the message on an unknown case lists the valid ones`() {
    let settings = SettingsStore(inMemory: "view.density = \"loose\"")
    #expect(settings[.density] == .compact)
    let message = settings.currentProblems.first?.message ?? ""
    #expect(message.contains("compact") && message.contains("comfortable"), "\(message)")
  }

  @Test func `values that cannot be used`() throws {
    let settings = SettingsStore(
      inMemory: """
        [editor]
        columns = "eighty"
        """)

    print(settings[.columns])  // 80, if the file has "eighty"; the text in the file stays as it is
    for problem in settings.currentProblems { print(problem.message) }
    #expect(settings[.columns] == 80)

    #expect(throws: SettingsError.self) { try settings.value(for: .columns) }
    #expect(throws: SettingsError.self) { try settings.set(10, for: .columns) }  // not in 20...400
  }

  @Test func `groups, constraints and former names`() throws {
    let settings = SettingsStore(inMemory: "proxy-port = 8080")
    #expect(settings[.proxyPort] == 8080)
    settings[.proxyPort] += 1
    try settings.flush()
    #expect(settings.storedPaths == [["network", "proxy", "port"]])
    #expect(throws: SettingsError.self) { try settings.set("ftp", for: .proxyKind) }
    settings.reset(SettingsKeys.proxy)
    #expect(settings.isDefault(.proxyPort))
    #expect(settings[.proxyHost] == nil)
  }

  @Test func `overrides`() throws {
    let variables = ["ORG_EXAMPLE_EDITOR_SETTINGS__EDITOR__COLUMNS": "100"]
    let overrides = SettingsOverrides.environment(app: "org.example.editor", variables: variables)
      .adding(.arguments(["--view.zoom=2.5"], keys: [.zoom, .columns]))
    let settings = SettingsStore(inMemory: "editor.columns = 90", overrides: overrides)

    #expect(settings[.columns] == 100)
    #expect(settings[.zoom] == 2.5)
    #expect(settings.origin(of: .columns).layer.kind == .environment)
  }

  @Test func `overrides by two words, and in the table around a key`() throws {
    let wrap = SettingsKey("editor.wrap", default: false)
    let overrides = SettingsOverrides.arguments(
      ["--editor.wrap", "--view.zoom", "2", "-editor.columns", "--window.width=900"],
      keys: [wrap, .zoom, .columns, SettingsKey("window.width", default: 640)])
    let settings = SettingsStore(inMemory: "window = { width = 1, height = 2 }", overrides: overrides)
    #expect(settings[wrap])
    #expect(settings[.zoom] == 2)
    #expect(settings[.columns] == 80)
    #expect(settings[.window].width == 900 && settings[.window].height == 2)
    let mistaken = SettingsOverrides.arguments(["--view.zom=2", "--view.zoom=3"], keys: [.zoom])
    #expect(mistaken.unknownArguments == ["--view.zom=2"])
  }

  func opened() throws -> SettingsStore {
    let overridden = try SettingsStore(
      app: "org.example.editor",
      overrides: .environment(app: "org.example.editor")
        .adding(.arguments(Array(CommandLine.arguments.dropFirst()), keys: [.zoom, .columns])))
    return overridden
  }

  @Test func `a test of an app's own code`() throws {
    let settings = SettingsStore(inMemory: "view.zoom = 2.5")
    #expect(settings[.zoom] == 2.5)
  }
}
