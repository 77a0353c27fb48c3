import AppSettings
import AppSettingsImport
import Foundation
import Logging
import Testing
import TestSupport

extension SettingsKeys {
  // No other test uses it: it is not declared before a file is read.
  fileprivate static let password = SettingsKey<String?>("canary.password", .secret)
  fileprivate static let pin = SettingsKey<Int?>("canary.pin", .secret)
}

/// Nothing of a secret is told where a file does not parse, or a value cannot be read.
struct BrokenSecretTests {
  private static let canary = "hunter2"

  /// Texts that do not parse, with a secret near the fault, on its line, or in what looks like a key.
  static let broken = [
    "canary.password = \"hunter2\n", "canary.password = hunter2\n", "canary.password = \"hunter2\" hunter2\n",
    "canary.password = \"\\hunter2\"\n", "canary.password = '''\nhunter2\n", "canary = { password = 'hunter2' ] }\n",
    "canary = { password = [ 'hunter2' ; ] }\n", "canary.password = \"\"\"x\nhunter2\"\"\"\"\"\" hunter2 = 1\n",
    "theme = \"\"\"dark\ncanary.password = \"\"\"\nhunter2\"\"\"\n",
    "theme = \"\"\"dark\ncanary.password = \"\"\"hunter2\"\"\"\n", "hunter2 = 1\nhunter2 = 2\n",
    "[hunter2]\n[hunter2]\n", "hunter2 = 1\n[hunter2]\n", "hunter2 = 1\nhunter2.x = 1\n", "[hunter2] hunter2\n",
    "[hunter2 hunter2]\n", "canary.password = 0hunter2\n", "canary.pin = 1hunter2\n",
    "canary.pin = 2026-99-99hunter2\n",
    "hunter2\n", "hunter2 hunter2 = 1\n", "canary.password = \"hunter2\u{1}\"\n",
  ]

  private func texts(of error: any Error) -> String { "\(error) \((error as? SettingsError).debugDescription)" }

  @Test(arguments: broken) func `a text that does not parse tells nothing of itself`(_ text: String) async throws {
    let home = ScratchHome()
    try home.write(text)
    let system = home.path + "/etc/xdg/org.example.test/settings.toml"
    try home.write(text, to: system)
    let lines = Monitor("")
    let logger = Logger(label: "canary") { _ in LineLog(lines: lines) }
    let store = SettingsStore(
      at: try home.location(), migrations: .none, logger: logger, acceptsAnyVersion: false, system: Syscalls())
    #expect(store[.counter] == 0)
    var said = store.currentProblems.map { "\($0)" }
    #expect(store.currentProblems.count == 2)
    said.append(texts(of: try #require(settingsError { try store.set(1, for: .counter) })))
    for file in [home.file, system] {
      #expect(said.contains { $0.contains("\(file):") && $0.contains(":") }, "the place is told")
    }
    // An import and a restore of such a text.
    let fresh = SettingsStore(inMemory: "", logger: logger)
    for format in [SettingsImportFormat.toml] {
      do {
        _ = try fresh.importText(
          Array(text.utf8), of: "x.toml", as: format, rules: SettingsImportRules(), dryRun: false)
      } catch {
        said.append(texts(of: error))
      }
    }
    said.append(lines.withLock { $0 })
    #expect(lines.withLock { $0.contains("Cannot parse") })
    for line in said { #expect(!line.contains(Self.canary), "\(text): \(line)") }
  }

  @Test func `a secret of another type, and one that a step cannot convert, is told by its kind`() throws {
    let home = ScratchHome()
    try home.write("canary.pin = \"hunter2\"\ncanary.password = [\"hunter2\"]\n")
    chmod(home.file, 0o600)
    let store = try home.store()
    #expect(store[.pin] == nil && store[.password] == nil)
    #expect(store.currentProblems.count == 2)
    for problem in store.currentProblems { #expect(!"\(problem)".contains(Self.canary)) }
    let migrations = [Migration(2, "convert", [.convert("canary.pin", .integer)])]
    let error = settingsError { _ = try home.store(migrations: migrations).set(1, for: .counter) }
    #expect(error?.code == .migrationFailed && error?.message.contains("a string cannot be made an integer") == true)
    #expect(!"\(String(describing: error))".contains(Self.canary))
  }

  /// Notes the lines of a log.
  private struct LineLog: LogHandler {
    let lines: Monitor<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { lines.withLock { $0 += "\(event.message)\n" } }
  }
}
