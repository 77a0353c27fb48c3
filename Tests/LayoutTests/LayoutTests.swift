import Foundation
import Testing

/// Folders are in the order in which they could be built: the files of each use the types of those before it, and of no
/// other. `docs/design.md`, `Page/README.md` and `Fleet/README.md` say what each is for.
struct LayoutTests {
  static let orders = [
    "Sources/SettingsTOML": [
      "Text", "Values", "Index", "Syntax", "Reading", "Document", "Checking", "Writing", "Editing",
    ],
    "Sources/AppSettings": [
      "System", "Errors", "File", "Document", "Patterns", "Values", "Keys", "Layers", "Migrations", "Redaction",
      "History", "Store", "Records",
    ],
    "Sources/AppSettingsObserve": ["Hub", "Streams", "Callbacks", "Access", "Records"],
    "Sources/SettingsTools": ["Base", "Schema", "Text", "Target", "Changes", "Facts", ""],
    "Sources/settings-cli": ["Base", "Terminal", "Shown", "Target", "Verbs", ""],
    "Page/Sources/SettingsPage": [
      "Base", "Assets", "Life", "HTTP", "Command", "Events", "Trials", "Interface", "Server",
    ],
    "Fleet/Sources/EtcdClient": [
      "Configuration", "Requests", "Answers", "RPC", "Wire", "Transport", "Calls",
    ],
    "Fleet/Sources/SettingsFleet": [
      "Names", "Documents", "Signing", "Sealing", "Contents", "Acks", "Writing", "Applying", "Mirror", "Rollout",
      "Metrics",
    ],
    "Fleet/Sources/settings-fleet": [
      "Base", "Settings", "Workspace", "Cluster", "Command", "Mirror", "Documents", "Tree", "Rollout", "Verbs", "",
    ],
  ]
  static let targets =
    [
      "SettingsTOML", "AppSettings", "AppSettingsImport", "AppSettingsGarage",
      "AppSettingsSchema", "AppSettingsObserve", "AppSettingsFoundation", "AppSettingsTesting", "AppSettingsSealed",
      "AppSettingsServiceLifecycle", "AppSettingsConfiguration", "SettingsTools", "settings-cli",
    ].map { "Sources/\($0)" } + [
      "Page/Sources/SettingsPage", "Page/Sources/settings-page", "Fleet/Sources/EtcdClient",
      "Fleet/Sources/SettingsFleet",
      "Fleet/Sources/settings-fleet",
    ]

  @Test(arguments: orders.keys.sorted()) func `folders use only those before them`(_ target: String) throws {
    let order = try #require(Self.orders[target])
    let files = try SourceFile.all(of: target)
    #expect(Set(files.map(\.folder)).subtracting(order) == [], "a folder has no place in the order")
    var homes: [String: Set<String>] = [:]
    for file in files { for type in file.declared { homes[type, default: []].insert(file.folder) } }
    for file in files {
      guard let place = order.firstIndex(of: file.folder) else { continue }
      for type in file.used.sorted() {
        guard let homes = homes[type], !homes.contains(file.folder) else { continue }
        let later = homes.filter { order.firstIndex(of: $0)! > place }
        #expect(later.isEmpty, "\(target)/\(file.path) uses \(type) of \(later.sorted())")
      }
    }
  }

  @Test(arguments: orders.keys.sorted()) func `a document says what each folder is for`(_ target: String) throws {
    let program = target.split(separator: "/")[0]
    let path = SourceFile.path(inRepository: program == "Sources" ? "docs/design.md" : "\(program)/README.md")
    let document = try String(contentsOfFile: path, encoding: .utf8)
    for folder in Self.orders[target, default: []] where !folder.isEmpty {
      #expect(document.contains("`\(folder)`"), "\(target)/\(folder)")
    }
  }

  @Test(arguments: targets) func `no file is longer than 400 lines`(_ target: String) throws {
    let files = try SourceFile.all(of: target)
    #expect(!files.isEmpty)
    for file in files { #expect(file.lineCount <= 400, "\(target)/\(file.path)") }
  }

  @Test func `comments and strings are not code`() {
    let file = SourceFile(
      path: "A/B.swift",
      text: """
        /// As ``Comment``.
        public struct Declared { let text = "Words \\(Code.value(of: "Inner \\(Deep())")) Words2" }
        private struct Hidden {}
        // Trailing
        """)
    #expect(file.declared == ["Declared"])
    #expect(file.used == ["Declared", "Code", "Deep", "Hidden"])
  }
}
