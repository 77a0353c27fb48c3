import AppSettings
import AppSettingsObserve
import Testing

// Passages of docs/cookbook.md.

extension SettingsKeys {
  fileprivate static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72))
  fileprivate static let theme = SettingsKey("theme", default: "light", .oneOf(["light", "dark"]))
}

/// What opens the app's own settings: compiled, and not run.
private func documentedCalls() throws {
  let store = try SettingsStore(
    app: "org.example.editor",
    overrides: .environment(app: "org.example.editor")
      .adding(.arguments(Array(CommandLine.arguments.dropFirst()), keys: [.fontSize, .theme])))
  print(store[.fontSize])  // 20 after 'editor --editor.font-size=20', without a change to the file
}

struct Cookbook {
  @Test func `what depends on two settings`() async {
    let store = SettingsStore(inMemory: "")
    let task = Task {
      for await (size, theme) in store.updates(.fontSize, .theme) {
        print("drawing with \(size) points in \(theme) colours")  // both values are of one moment
      }
    }
    task.cancel()
    await task.value
  }
}
