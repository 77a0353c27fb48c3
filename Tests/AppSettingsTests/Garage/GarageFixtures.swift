import AppSettings
import AppSettingsGarage
import Foundation
import TestSupport

struct Address: Codable, Hashable {
  var street: String
  var zip: String
}

final class Person: Codable, Identifiable {
  let id: String
  var age: Int
  var address: Address?
  @Reference var mother: Person?
  @References var friends: [Person]

  init(_ id: String, age: Int = 0, address: Address? = nil) {
    self.id = id
    self.age = age
    self.address = address
  }
}

/// A value with an id and no references.
struct Pet: Codable, Identifiable, Hashable {
  var id: Int
  var name: String
  var nick: String?
}

/// A garage with a file of its own.
struct GarageHome {
  let home = ScratchHome()
  var file: String { home.path + "/data/org.example.test/garage.toml" }
  var text: String? { home.text(of: file) }

  var location: SettingsLocation {
    get throws {
      try SettingsLocation(app: "org.example.test", name: "garage", scope: .data, environment: home.environment)
    }
  }

  /// A garage that shares nothing with others: as one of another process.
  func garage(
    _ text: String? = nil, system: Syscalls = Syscalls(), lockTimeout: Duration = .seconds(30)
  ) throws -> Garage {
    if let text { try home.write(text, to: file) }
    return Garage(at: try location, system: system, lockTimeout: lockTimeout)
  }
}
