import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

private final class Link: Codable, Identifiable {
  let id: Int
  @Reference var next: Link?
  @References var others: [Link]

  init(_ id: Int) { self.id = id }
}

private final class Held: @unchecked Sendable {  // used by one thread after the other
  var link: Link?
}

private struct Value: Codable, Identifiable {
  var id: Int
  @Reference var next: Value?
}

/// Graphs of any length and form: their release, and types that look at what they refer to.
struct GarageGraphTests {
  private let home = GarageHome()
  // Many times what the stack could hold.
  private let count = 20_000

  /// Runs on a thread with the 512 KiB of stack that threads have by default in Foundation.
  private func onSmallStack(_ body: @escaping @Sendable () -> Void) -> Bool {
    let done = Barrier()
    let thread = Thread {
      body()
      done.open()
    }
    thread.stackSize = 512 << 10
    thread.start()
    return done.wait()
  }

  private func chain() throws -> Garage {
    let text = (0..<count).map { number in
      let next = number + 1 < count ? "next = \"\(number + 1)\"\n" : ""
      return "[Link.\(number)]\nid = \(number)\n\(next)others = []\n\n"
    }
    return try home.garage(text.joined())
  }

  @Test func `a chain of twenty thousand references is released on any thread, whole and from its middle`() throws {
    let garage = try chain()
    let isDone1 = onSmallStack { [count] in
      var first = try? garage.retrieve(Link.self, id: 0)
      // Only a part is held.
      var middle = first?.next
      for _ in 0..<count / 2 { middle = middle?.next }
      #expect(middle?.id == count / 2 + 1)
      first = nil
      #expect(middle?.next?.id == count / 2 + 2)
      middle = nil
    }
    #expect(isDone1)
    // All, in the hands of a list, and cut in two by a reference that is set.
    let isDone2 = onSmallStack {
      var all = (try? garage.retrieveAll(Link.self)) ?? []
      let middle = all[all.count / 2]
      all = []
      middle.next = nil
    }
    #expect(isDone2)
    let held = Held()
    held.link = try garage.retrieve(Link.self, id: 0)
    let isDone = onSmallStack { held.link = nil }
    #expect(isDone)
  }

  @Test func `a chain of values, and one through lists, is released as well`() throws {
    let isDone3 = onSmallStack { [count] in
      var value: Value? = Value(id: 0)
      for id in 1..<count { value = Value(id: id, next: value) }
      value = nil
      var link = Link(0)
      for id in 1..<count {
        let before = Link(id)
        before.others = [link]
        link = before
      }
    }
    #expect(isDone3)
  }

  @Test func `what a chain leads to goes when the last that holds it goes`() throws {
    final class Counted: Codable, Identifiable {
      static let living = Lock(0)
      let id: Int
      @Reference var next: Counted?
      init(_ id: Int) {
        self.id = id
        Self.living.withLock { $0 += 1 }
      }
      deinit { Self.living.withLock { $0 -= 1 } }
      required init(from decoder: any Decoder) throws { throw CancellationError() }
      func encode(to encoder: any Encoder) throws {}
    }
    var first: Counted? = Counted(0)
    var last = first
    for id in 1..<100 {
      let next = Counted(id)
      last?.next = next
      last = next
    }
    let held = first?.next?.next
    first = nil
    #expect(Counted.living.withLock { $0 } == 98)
    last = nil
    held?.next = nil
    #expect(Counted.living.withLock { $0 } == 1)
  }

  // MARK: Migration of types that look at what they refer to

  private struct Owner: Codable, Identifiable, GarageNamed {
    static let recordName = "Owner"
    var id: String
    var name: String
  }

  /// Its id, its encoding, its equality and its hash are of what it refers to.
  private struct Pet: Codable, Identifiable, Hashable, GarageNamed {
    static let recordName = "Pet"
    var name: String
    @Reference var owner: Owner
    @Reference var friend: Owner?
    var id: String { "\(owner.name) \(name)" }
    enum CodingKeys: String, CodingKey { case name, owner, friend, label }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      _owner = try container.decode(Reference<Owner>.self, forKey: .owner)
      _friend = try container.decode(Reference<Owner?>.self, forKey: .friend)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(_owner, forKey: .owner)
      try container.encode(_friend, forKey: .friend)
      try container.encode("\(owner.name) and \(friend?.name ?? "nobody")", forKey: .label)
    }
    static func == (lhs: Pet, rhs: Pet) -> Bool { lhs.name == rhs.name && lhs.owner.name == rhs.owner.name }
    func hash(into hasher: inout Hasher) { hasher.combine(owner.name) }
  }

  /// The same without an id.
  private struct Sticker: Codable, Hashable, GarageNamed {
    static let recordName = "Sticker"
    var name: String
    @Reference var owner: Owner
    static func == (lhs: Sticker, rhs: Sticker) -> Bool { lhs.name == rhs.name && lhs.owner.name == rhs.owner.name }
    func hash(into hasher: inout Hasher) { hasher.combine(owner.name) }
  }

  private let owned = """
    [Owner.1]
    id = "1"
    name = "Joan"

    [MCPet.a]
    name = "Rex"
    owner = "1"
    friend = "gone"

    """

  @Test func `a type whose id and encoding are of what it refers to is migrated`() throws {
    let garage = try home.garage(owned)
    #expect(try garage.migrateAll(recordName: "MCPet", to: Pet.self) == 1)
    let pet = try #require(try garage.retrieveAll(Pet.self).first)
    #expect(pet.id == "Joan Rex")
    #expect(pet.owner.name == "Joan")
    #expect(pet.friend == nil)
    // The one that leads nowhere keeps its id.
    #expect(home.text?.contains("[Pet.\"Joan Rex\"]\nname = \"Rex\"\nowner = \"1\"\nfriend = \"gone\"\nlabel") == true)
    #expect(home.text?.contains("[Owner.1]\nid = \"1\"\nname = \"Joan\"\n") == true)
  }

  @Test func `a type whose equality and hash are of what it refers to is migrated`() throws {
    let garage = try home.garage(owned + "\n[MCPet.b]\nname = \"Rex\"\nowner = \"1\"\n")
    #expect(try garage.migrateValues(recordName: "MCPet", to: Sticker.self) == 2)
    #expect(try garage.retrieveValues(Sticker.self).map(\.owner.name) == ["Joan"])
  }

  @Test func `an object that needs a record which is not there yet moves as it is`() throws {
    let text = owned.replacingOccurrences(of: "[Owner.1]", with: "[MCOwner.1]")
    let garage = try home.garage(text)
    #expect(try garage.migrateValues(recordName: "MCPet", to: Sticker.self) == 1)
    #expect(try garage.migrateAll(recordName: "MCOwner", to: Owner.self) == 1)
    #expect(try garage.retrieveValues(Sticker.self).map(\.owner.name) == ["Joan"])
    let other = try home.garage(text)
    #expect(try other.migrateAll(recordName: "MCPet", to: Pet.self) == 1)
    #expect(home.text?.contains("[Pet.a]\nname = \"Rex\"\nowner = \"1\"\nfriend = \"gone\"\n") == true)
  }

  private final class Node: Codable, Identifiable, Hashable, GarageNamed {
    static let recordName = "Node"
    let name: String
    @Reference var next: Node
    @Reference var back: Node?
    var id: String { name + "-" + next.name }
    static func == (lhs: Node, rhs: Node) -> Bool { lhs.next.name == rhs.next.name }
    func hash(into hasher: inout Hasher) { hasher.combine(next.name) }
  }

  @Test func `a circle of objects that look at each other is migrated, and let go`() throws {
    let garage = try home.garage(
      """
      [MCNode.1]
      name = "a"
      next = "2"
      back = "2"

      [MCNode.2]
      name = "b"
      next = "1"

      """)
    #expect(try garage.migrateAll(recordName: "MCNode", to: Node.self) == 2)
    let all = try garage.retrieveAll(Node.self)
    #expect(all.map(\.id) == ["a-b", "b-a"])
    #expect(all[0].next === all[1])
    #expect(all[1].next === all[0])
    #expect(all[0].back === all[1])
  }

  @Test func `where ids change and a needed record is missing, nothing is migrated`() throws {
    let garage = try home.garage(
      """
      [MCNode.1]
      name = "a"
      next = "2"

      [MCNode.2]
      name = "b"
      next = "1"

      [MCNode.3]
      name = "c"
      next = "4"

      [MCNode.5]
      name = "d"
      next = "3"

      """)
    let before = home.text
    let found = settingsError { try garage.migrateAll(recordName: "MCNode", to: Node.self) }
    #expect(found?.code == .migrationFailed)
    #expect(found?.cause?.split(separator: "\n").count == 2)
    #expect(found?.cause?.contains("MCNode \"3\"") == true)
    #expect(found?.cause?.contains("MCNode \"5\"") == true)
    #expect(home.text == before)
  }

  // MARK: A type that gets an id

  @Test func `objects without an id, read by a type that has one, are an error that names the remedy`() throws {
    struct Old: Codable, Hashable, GarageNamed {
      static let recordName = "City"
      var name: String
    }
    struct City: Codable, Identifiable, GarageNamed {
      static let recordName = "City"
      var name: String
      var id: String { name }
    }
    try home.garage().parkValues([Old(name: "Ely"), Old(name: "Wells")])
    let garage = try home.garage()
    for read in [
      { _ = try garage.retrieveAll(City.self) }, { _ = try garage.retrieveAll(City.self) { _ in } },
      { _ = try garage.retrieveAll(City.self, withStatus: .undetermined) },
      { _ = try garage.retrieveAll([City.self], withStatus: .synced) },
    ] as [() throws -> Void] {
      let found = settingsError(read)
      #expect(found?.code == .invalidValue)
      #expect(found?.position?.line == 1)
      let message =
        "Cannot read the records of 'City' in '\(home.file)': they are objects without an id, as [[City]], and 'City' has "
        + "one. To give them their ids, call 'migrateAll(recordName: \"City\", to: City.self)'. The file is unchanged."
      #expect(found?.message == message)
    }
    #expect(try garage.migrateAll(recordName: "City", to: City.self) == 2)
    #expect(try garage.retrieveAll(City.self).map(\.id) == ["Ely", "Wells"])
    let back = settingsError { _ = try self.home.garage().retrieveValues(Old.self) }
    #expect(back?.message.contains("migrateValues(recordName: \"City\"") == true)
  }
}
