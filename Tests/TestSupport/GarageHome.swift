package import AppSettings
package import AppSettingsGarage

/// A home with a garage in a file of its own.
package struct GarageHome: Sendable {
  package let home = ScratchHome()
  package var file: String { home.path + "/data/org.example.test/garage.toml" }
  package var text: String? { home.text(of: file) }

  package init() {}

  package var location: SettingsLocation {
    get throws {
      try SettingsLocation(app: "org.example.test", name: "garage", scope: .data, environment: home.environment)
    }
  }

  /// A garage that shares nothing with others: as one of another process.
  package func garage(
    _ text: String? = nil, system: Syscalls = Syscalls(), lockTimeout: Duration = .seconds(Aside.endless)
  ) throws -> Garage {
    if let text { try home.write(text, to: file) }
    return Garage(at: try location, system: system, lockTimeout: lockTimeout)
  }
}
