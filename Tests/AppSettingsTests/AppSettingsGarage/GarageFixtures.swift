import AppSettings
import AppSettingsGarage
import Foundation

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
