import Foundation

/// Foundation's `UserDefaults`, with `synchronize()` after each change: its word that the value is stored.
final class UserDefaultsSystem: System {
  static let title = "UserDefaults"
  static let id = "userdefaults"
  static let isInProcess = true

  let home: Home
  private lazy var defaults = UserDefaults(suiteName: "org.example.faults")

  init(home: Home) { self.home = home }

  var file: String { home.path + "/config/org.example.faults.plist" }
  var environment: [String: String] { home.environment }

  func prepare() throws {
    Files.makeDirectory(Files.directory(of: file))
    let data = try PropertyListSerialization.data(fromPropertyList: Fixture.bystanders, format: .xml, options: 0)
    Files.write([UInt8](data), to: file)
  }

  func values(in bytes: [UInt8]) -> [String: Int]? {
    let list = try? PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
    return list as? [String: Int]
  }

  func set(_ key: String, _ value: Int) -> Bool {
    guard let defaults else { return false }
    defaults.set(value, forKey: key)
    return defaults.synchronize()
  }

  func get(_ key: String) -> Int? {
    // Takes over what other processes have stored.
    _ = defaults?.synchronize()
    return defaults?.integer(forKey: key)
  }
}
