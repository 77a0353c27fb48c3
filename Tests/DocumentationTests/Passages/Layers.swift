import AppSettings
import Foundation
import Testing
import TestSupport

// Passages of docs/layers.md. Those that open the app's own settings are compiled and not run.

extension SettingsKeys {
  static let indent = SettingsKey("indent", default: 2, .in(1...8), .allowedInProjects, "Spaces for a level.")
  static let wiki = SettingsKey<URL?>("wiki", .allowedInProjects(safely: "it is shown, and opened on a click"))
  static let formatter = SettingsKey("formatter", default: "fmt", .refers(to: .command), "What formats a file.")
}

extension SettingsKeys {
  static let password = SettingsKey("db.password", default: "", .secret, "What the database asks for.")
}

private func present() throws {
  let settings = try SettingsStore(app: "org.example.editor", profile: .named("presenting"))
  _ = settings
}

private func open(folder: String) throws {
  let settings = try SettingsStore(
    app: "org.example.editor", project: SettingsProject(from: folder, keys: [.indent, .wiki]))
  _ = settings
}

struct LayersPassages {
  @Test func `the keys of the passages may be in a project, or not`() {
    #expect(SettingsProject.fault(of: .indent) == nil && SettingsProject.fault(of: .wiki) == nil)
    #expect(SettingsProject.fault(of: .formatter) != nil && SettingsProject.fault(of: .password) != nil)
  }
}
