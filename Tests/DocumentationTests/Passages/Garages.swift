import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

// The blocks of docs/garages.md, compiled.

struct PostalAddress: Codable, Hashable {
  var street: String
  var city: String
}

struct Room: Codable, Identifiable {
  var id: Int
  var beds = 2
}

final class Guest: Codable, Identifiable {
  let id: String
  var name: String
  var home: PostalAddress?
  @Reference var room: Room?
  @References var companions: [Guest]

  init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

struct Booking: Codable, Identifiable {
  var id: UUID
  var nights: Int
  @Reference var guest: Guest
}

struct Customer: Codable, Identifiable, GarageNamed {
  static let recordName = "Customer"
  static let formerNames = ["Guest"]
  var id: String
  var name: String
}

struct Stay: Codable, Identifiable {
  var id: String
  var weeks: Int
}

private func open() throws -> Garage {
  let garage = try Garage(app: "org.example.hotel")  // reads and creates nothing yet
  return garage
}

private func park(_ garage: Garage) throws {
  let joan = Guest(id: "joan", name: "Joan")
  joan.room = Room(id: 12)
  try garage.park(joan)  // on disk now, and room 12 with her

  let again = try garage.retrieve(Guest.self, id: "joan")  // nil if she is not parked
  let everyone = try garage.retrieveAll(Guest.self)
  print(again?.room?.beds ?? 0, everyone.count)
}

private func delete(_ garage: Garage, _ joan: Guest) throws {
  try garage.delete(joan)  // the room stays
  try garage.delete(Room.self, id: 12)
  try garage.deleteAll(Guest.self)
}

private func anonymous(_ garage: Garage) throws {
  try garage.parkValue(PostalAddress(street: "12 Main St", city: "Ely"))
  try garage.parkValue(PostalAddress(street: "12 Main St", city: "Ely"))  // parked already: changes nothing
  let addresses = try garage.retrieveValues(PostalAddress.self)
  print(addresses.count)  // 1
}

private func update(_ garage: Garage, _ booking: Booking) throws {
  try garage.update { transaction in
    try transaction.park(booking)
    booking.guest.room = nil
    try transaction.park(booking.guest)
  }
}

private func moveOut(_ garage: Garage, _ id: UUID) async throws {
  try await garage.update { transaction in
    guard let booking = try transaction.retrieve(Booking.self, id: id) else { return }
    booking.guest.room = nil
    try transaction.park(booking.guest)
  }
}

private func status(_ garage: Garage) throws {
  for object in try garage.retrieveAll([Guest.self, Booking.self], withStatus: .notSynced) { print("send", object) }
  for record in try garage.records(withStatus: .syncing) { print(record.recordName, record.id ?? "") }
}

private func migrate(_ garage: Garage) throws {
  try garage.migrateAll(from: Booking.self, to: Stay.self) { old in
    Stay(id: old.id.uuidString, weeks: (old.nights + 6) / 7)
  }
}

private func readable(_ garage: Garage) throws {
  let rooms = try garage.retrieveAll(Room.self) { error in
    print(error.message)  // Cannot read Room "13" in '…/garage.toml', line 7: …
  }
  print(rooms.count)
}

struct Garages {
  private let home = GarageHome()

  @Test func `the guide's code does what the guide says`() async throws {
    let garage = try home.garage()
    try park(garage)
    #expect(
      home.text == """
        [Guest.joan]
        id = "joan"
        name = "Joan"
        room = "12"
        companions = []

        [Room.12]
        id = 12
        beds = 2

        """)
    try anonymous(garage)
    #expect(home.text?.hasSuffix("\n[[PostalAddress]]\nstreet = \"12 Main St\"\ncity = \"Ely\"\n") == true)
    let joan = try #require(try garage.retrieve(Guest.self, id: "joan"))
    #expect(try garage.identifier(of: joan) == "joan")
    let booking = Booking(id: UUID(), nights: 9, guest: joan)
    try update(garage, booking)
    #expect(try garage.retrieve(Booking.self, id: booking.id)?.guest.room == nil)
    let guest = try #require(try garage.retrieve(Guest.self, id: "joan"))
    guest.room = Room(id: 12)
    try garage.park(guest)
    try await moveOut(garage, booking.id)
    #expect(try garage.retrieve(Booking.self, id: booking.id)?.guest.room == nil)
    try garage.setSyncStatus(.notSynced, for: booking)
    try status(garage)
    #expect(try garage.retrieveAll([Guest.self, Booking.self], withStatus: .notSynced).count == 1)
    try migrate(garage)
    #expect(try garage.retrieve(Stay.self, id: booking.id.uuidString)?.weeks == 2)
    #expect(try garage.retrieveAll(Stay.self, withStatus: .notSynced).count == 1)
    try home.home.write((home.text ?? "") + "\n[Room.13]\nbeds = 0\n", to: home.file)
    garage.reload()
    try readable(garage)
    #expect(try garage.retrieveAll(Customer.self).map(\.name) == ["Joan"])
    #expect(try garage.retrieve(Customer.self, id: "joan")?.id == "joan")
    try delete(garage, joan)
    #expect(try garage.retrieveAll(Guest.self).isEmpty)
  }
}
