import AppSettings
import AppSettingsGarage
import Glibc
import SettingsTOML
import TestModels

/// A ring of objects of one age; what a reader may never see is a ring of two.
private final class ProbePerson: Codable, Identifiable, GarageNamed {
  static let recordName = "Person"
  let id: Int
  var age: Int
  @Reference var next: ProbePerson?

  init(_ id: Int, age: Int) {
    self.id = id
    self.age = age
  }
}

extension Probe {
  /// Parks a ring of `count` objects, of age 1, 2, 3 and so on, until it is killed; says each age when it is on disk.
  static func parkRings(_ location: SettingsLocation, count: Int) throws {
    let garage = Garage(at: location, system: Syscalls(), lockTimeout: .seconds(120))
    let people = (0..<count).map { ProbePerson($0, age: 0) }
    for (index, person) in people.enumerated() { person.next = people[(index + 1) % count] }
    var age = try garage.retrieve(ProbePerson.self, id: 0)?.age ?? 0
    while true {
      age += 1
      for person in people { person.age = age }
      try garage.park(people[0])
      print(age)
      fflush(nil)
    }
  }

  /// Parks objects with the ids from `first` on, one write each.
  static func parkMany(_ location: SettingsLocation, first: Int, count: Int) throws {
    let garage = Garage(at: location, system: Syscalls(), lockTimeout: .seconds(120))
    for id in first..<first + count { try garage.park(ProbePerson(id, age: id)) }
  }

  /// Does the steps of a seed, one after the other.
  static func applySteps(_ location: SettingsLocation, seed: UInt64, count: Int, key: UInt64?) throws {
    let garage = Garage(
      at: location, cipher: key.map { .toy($0) }, system: Syscalls(), lockTimeout: .seconds(120))
    for step in GarageStep.steps(count, seed: seed) { _ = try garage.apply(step) }
  }

  /// Does the steps of a seed with records, in one update.
  static func applyRecordSteps(_ location: SettingsLocation, seed: UInt64, count: Int) throws {
    var random = SeededRandom(seed)
    let steps = RecordStep.steps(count, using: &random)
    try SettingsStore(at: location).update { transaction in for step in steps { try transaction.apply(step) } }
  }

  /// Parks a ring of three in one write, and kills itself at the n-th call of a kind.
  static func parkAndDie(_ location: SettingsLocation, at call: Syscalls.Call, number: Int) throws {
    let garage = Garage(at: location, system: .dying(at: call, number: number), lockTimeout: .seconds(120))
    let people = (0..<3).map { ProbePerson($0, age: 2) }
    for (index, person) in people.enumerated() { person.next = people[(index + 1) % 3] }
    try garage.park(people[0])
  }
}
