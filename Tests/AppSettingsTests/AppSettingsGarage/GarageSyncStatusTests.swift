import AppSettings
import AppSettingsGarage
import Testing
import TestSupport

struct GarageSyncStatusTests {
  private let home = GarageHome()

  @Test func `a status is kept with the record, through parking it again`() throws {
    let garage = try home.garage()
    let pets = [Pet(id: 1, name: "a"), Pet(id: 2, name: "b"), Pet(id: 3, name: "c")]
    try garage.park(pets)
    #expect(try garage.syncStatus(of: pets[0]) == .undetermined)
    try garage.setSyncStatus(.synced, for: pets[0])
    try garage.setSyncStatus(.notSynced, for: [pets[1], pets[2]])
    #expect(home.text?.hasPrefix("[Pet.1]\nid = 1\nname = \"a\"\nsettings-sync = \"synced\"\n") == true)
    try garage.park(Pet(id: 1, name: "new", nick: "n"))
    #expect(try garage.syncStatus(of: pets[0]) == .synced)
    #expect(try home.garage().retrieveAll(Pet.self, withStatus: .notSynced).map(\.id) == [2, 3])
    try garage.setSyncStatus(.undetermined, for: pets[0])
    #expect(home.text?.contains("settings-sync = \"synced\"") == false)
    let before = home.text
    try garage.setSyncStatus(.notSynced, for: pets[1])
    #expect(home.text == before)
  }

  @Test func `a status of what is not parked is an error, and of several none is set`() throws {
    let garage = try home.garage()
    let pets = [Pet(id: 1, name: "a"), Pet(id: 2, name: "b")]
    try garage.park(pets[0])
    let before = home.text
    #expect(settingsError { try garage.setSyncStatus(.synced, for: pets) }?.code == .missingRecord)
    #expect(settingsError { _ = try garage.syncStatus(of: pets[1]) }?.code == .missingRecord)
    #expect(
      settingsError { try garage.setSyncStatus(.synced, forValue: Address(street: "", zip: "")) }?.code
        == .missingRecord)
    #expect(home.text == before)
  }

  @Test func `objects of any type can be had by status`() throws {
    let garage = try home.garage()
    let (pet, person, address) = (Pet(id: 1, name: "a"), Person("joan"), Address(street: "s", zip: "z"))
    try garage.update { garage in
      try garage.park([pet, Pet(id: 2, name: "b")])
      try garage.park(person)
      try garage.parkValues([address, Address(street: "t", zip: "z")])
      try garage.setSyncStatus(.syncing, for: pet)
      try garage.setSyncStatus(.syncing, for: person)
      try garage.setSyncStatus(.syncing, forValue: address)
    }
    let objects = try garage.retrieveAll([Pet.self, Person.self], withStatus: .syncing)
    #expect(objects.count == 2 && objects[0] is Pet && (objects[1] as? Person)?.id == "joan")
    #expect(try garage.retrieveValues(Address.self, withStatus: .syncing) == [address])
    #expect(try garage.syncStatus(ofValue: address) == .syncing)
    #expect(try garage.syncStatus(ofValue: Address(street: "t", zip: "z")) == .undetermined)
    #expect(
      Set(try garage.records(withStatus: .syncing).map { "\($0.recordName) \($0.id ?? "-")" })
        == ["Pet 1", "Person joan", "Address -"])
    // Parking it once more changes nothing.
    try garage.parkValue(address)
    #expect(try garage.syncStatus(ofValue: address) == .syncing)
  }

  @Test func `a status of a later release is kept and counts as undetermined`() throws {
    let garage = try home.garage("[Pet.1]\nid = 1\nname = \"a\"\nsettings-sync = \"queued\"\nsettings-hint = 3\n")
    try garage.park(Pet(id: 1, name: "b"))
    #expect(try garage.syncStatus(of: Pet(id: 1, name: "")) == .undetermined)
    #expect(home.text == "[Pet.1]\nid = 1\nname = \"b\"\nsettings-sync = \"queued\"\nsettings-hint = 3\n")
  }
}
