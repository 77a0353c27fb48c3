import Foundation
import TestSupport
import Testing

@testable import AppSettings

/// Threads that change one garage at the same time.
@Suite struct GarageTurnsTests {
  private let home = GarageHome()

  /// A disk on which the first replacement waits, while others get in line.
  private final class SlowDisk: Sendable {
    private let renames = Lock(0)
    private let failing = Lock(Set<Int>())
    private let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    var renameCount: Int { renames.withLock { $0 } }

    /// Makes the n-th replacement fail, the disk being full.
    func fail(_ number: Int) { failing.withLock { _ = $0.insert(number) } }

    func waitForFirst() { reached.wait() }

    func open() { opened.signal() }

    var system: Syscalls {
      Syscalls { [self] (call, _) throws(Errno) -> Int? in
        guard call == .rename else { return nil }
        let number = renames.withLock { count in
          count += 1
          return count
        }
        if number == 1 {
          reached.signal()
          opened.wait()
        }
        if failing.withLock({ $0.contains(number) }) { throw Errno(ENOSPC) }
        return nil
      }
    }
  }

  /// Runs the first on a thread until its write waits for the disk, then all others, each on a thread of its own, until
  /// they wait for their turn, in that order; and then lets all go on.
  ///
  /// - Returns: What each has thrown.
  private func run(
    _ garage: Garage, _ disk: SlowDisk, _ changes: [@Sendable (Garage) throws -> Void]
  ) -> [SettingsError?] {
    let errors = Lock([SettingsError?](repeating: nil, count: changes.count))
    let group = DispatchGroup()
    func start(_ index: Int) {
      group.enter()
      Thread.detachNewThread {
        let error = settingsError { try changes[index](garage) }
        errors.withLock { $0[index] = error }
        group.leave()
      }
    }
    start(0)
    disk.waitForFirst()
    for index in 1..<changes.count {
      start(index)
      while garage.turns.waitingCount < index { sched_yield() }
    }
    disk.open()
    group.wait()
    #expect(garage.turns.waitingCount == 0)
    return errors.withLock { $0 }
  }

  struct Refusing: Codable, Identifiable, GarageRecord {
    struct Refusal: Error {}
    static let recordName = "Refusing"
    var id: Int
    var refuses: Bool

    func encode(to encoder: any Encoder) throws {
      if refuses { throw Refusal() }
      var container = encoder.singleValueContainer()
      try container.encode(["id": id])
    }
  }

  @Test func `changes that wait for a write are one write, and each has its own outcome`() throws {
    let disk = SlowDisk()
    let garage = try home.garage("# mine\n", system: disk.system)
    let errors = run(
      garage, disk,
      [
        { try $0.park(Pet(id: 0, name: "first")) },
        { try $0.park(Pet(id: 1, name: "a")) },
        { try $0.parkAll([Pet(id: 2, name: "b"), Pet(id: 3, name: "c")]) },
        { try $0.delete(Pet.self, id: 77) },
        // What it parks of itself before it fails is taken back.
        { try $0.parkAll([Refusing(id: 1, refuses: false), Refusing(id: 2, refuses: true)]) },
        // What others have changed shows.
        { try $0.setSyncStatus(.synced, for: Pet(id: 2, name: "b")) },
        { try $0.delete(Pet.self, id: 1) },
        { try $0.park(Address(street: "s", zip: "z")) },
      ])
    #expect(errors.map { $0?.code } == [nil, nil, nil, .missingRecord, .invalidValue, nil, nil, nil])
    #expect(disk.renameCount == 2)
    let text = """
      # mine

      [Pet.0]
      id = 0
      name = "first"

      [Pet.2]
      id = 2
      name = "b"
      settings-sync = "synced"

      [Pet.3]
      id = 3
      name = "c"

      [[Address]]
      street = "s"
      zip = "z"

      """
    #expect(home.text == text)
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == [0, 2, 3])
  }

  @Test func `where the first of them fails by itself, the others are written`() throws {
    let disk = SlowDisk()
    let garage = try home.garage(system: disk.system)
    let errors = run(
      garage, disk,
      [
        { try $0.park(Pet(id: 0, name: "first")) }, { try $0.delete(Pet.self, id: 77) },
        { try $0.park(Pet(id: 1, name: "a")) }, { try $0.park(Pet(id: 2, name: "b")) },
      ])
    #expect(errors.map { $0?.code } == [nil, .missingRecord, nil, nil])
    #expect(disk.renameCount == 2)
    #expect(try home.garage().retrieveAll(Pet.self).map(\.id) == [0, 1, 2])
  }

  @Test func `where the shared write fails, each that joined tries by itself`() throws {
    let disk = SlowDisk()
    disk.fail(2)
    disk.fail(4)
    let garage = try home.garage(system: disk.system)
    let errors = run(
      garage, disk,
      [
        { try $0.park(Pet(id: 0, name: "first")) }, { try $0.park(Pet(id: 1, name: "a")) },
        { try $0.park(Pet(id: 2, name: "b")) }, { try $0.park(Pet(id: 3, name: "c")) },
        { try $0.park(Pet(id: 4, name: "d")) },
      ])
    // The one that led has failed, and one of the three that then wrote alone.
    #expect(errors[0] == nil && errors[1]?.code == .io)
    #expect(errors[2...].compactMap { $0?.code } == [.io])
    #expect(disk.renameCount == 5)
    let failed = errors.indices.filter { errors[$0] != nil }
    let parked = try home.garage().retrieveAll(Pet.self).map(\.id).sorted()
    #expect(parked == (0...4).filter { !failed.contains($0) })
    #expect(try garage.retrieveAll(Pet.self).map(\.id).sorted() == parked)
  }

  @Test func `where all that waited fail by themselves, nothing is written`() throws {
    let disk = SlowDisk()
    let garage = try home.garage(system: disk.system)
    let errors = run(
      garage, disk,
      [
        { try $0.park(Pet(id: 0, name: "first")) }, { try $0.delete(Pet.self, id: 7) },
        { try $0.delete(Pet.self, id: 8) }, { try $0.park(Pet(id: 0, name: "first")) },
      ])
    #expect(errors.map { $0?.code } == [nil, .missingRecord, .missingRecord, nil])
    #expect(disk.renameCount == 1)
  }

  /// Parks something while it is parked itself.
  struct Nesting: Codable, Identifiable, GarageRecord {
    static let recordName = "Nesting"
    static let garage = Lock<Garage?>(nil)
    var id = 1
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
      try Self.garage.withLock { $0 }?.park(Pet(id: 5, name: "nested"))
    }
  }

  /// Sets something while it is parked.
  struct Setting: Codable, Identifiable, GarageRecord {
    static let recordName = "Setting"
    static let settings = Lock<SettingsStore?>(nil)
    var id = 1
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
      try Self.settings.withLock { $0 }?.set(1, for: .counter)
    }
  }

  @Test func `a write beside the garage within a joined change is refused, and waits for nobody`() throws {
    let disk = SlowDisk()
    let garage = try home.garage(system: disk.system)
    let location = try SettingsLocation(
      app: "org.example.test", name: "beside", scope: .data, environment: home.home.environment)
    let settings = SettingsStore(
      at: location, migrations: .none, logger: .silent, acceptsAnyVersion: false, system: Syscalls())
    Setting.settings.withLock { $0 = settings }
    defer { Setting.settings.withLock { $0 = nil } }
    let errors = run(
      garage, disk,
      [
        { try $0.park(Pet(id: 0, name: "first")) }, { try $0.park(Pet(id: 1, name: "a")) },
        { try $0.park(Setting()) }, { try $0.park(Pet(id: 2, name: "b")) },
      ])
    #expect(errors.map { $0 == nil } == [true, true, false, true])
    #expect(errors[2]?.description.contains("'\(home.file)', and has locked the directory of both") == true)
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == [0, 1, 2])
    // The locks are those of who leads again.
    try settings.set(2, for: .counter)
  }

  @Test func `recovering a garage within its own batch, or a store's update beside it, is refused at once`() throws {
    let garage = try home.garage("", system: Syscalls())
    try garage.batch {
      let error = settingsError { try garage.recover() }
      #expect(error?.code == .nestedUpdate)
    }
    let location = try SettingsLocation(
      app: "org.example.test", name: "beside", scope: .data, environment: home.home.environment)
    let settings = SettingsStore(
      at: location, migrations: .none, logger: .silent, acceptsAnyVersion: false, system: Syscalls())
    try settings.update { _ in
      #expect(settingsError { try garage.park(Pet(id: 1, name: "a")) }?.code == .nestedUpdate)
    }
  }

  @Test func `a change within another's encoding is refused, and waits for nobody`() throws {
    let disk = SlowDisk()
    let garage = try home.garage(system: disk.system)
    Nesting.garage.withLock { $0 = garage }
    defer { Nesting.garage.withLock { $0 = nil } }
    let errors = run(
      garage, disk,
      [
        { try $0.park(Pet(id: 0, name: "first")) }, { try $0.park(Nesting()) }, { try $0.park(Nesting()) },
        { try $0.park(Pet(id: 1, name: "a")) },
      ])
    #expect(errors.map { $0?.code } == [nil, .invalidValue, .invalidValue, nil])
    #expect(errors[2]?.message.contains("it would wait for itself") == true, "\(errors[2]?.message ?? "")")
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == [0, 1])
  }

  @Test func `batches and single changes of many threads lose nothing and see each other`() throws {
    let garage = try home.garage()
    try garage.park(Pet(id: 1000, name: "0"))
    let failures = Lock<[String]>([])
    let group = DispatchGroup()
    for thread in 0..<8 {
      group.enter()
      Thread.detachNewThread {
        for round in 0..<12 {
          do {
            try garage.park(Pet(id: thread * 100 + round, name: "x"))
            if round % 3 == 2 { try garage.delete(Pet.self, id: thread * 100 + round - 1) }
            if round % 4 == 3 {
              try garage.batch {
                guard var counter = try garage.retrieve(Pet.self, id: 1000) else { return }
                counter.name = "\((Int(counter.name) ?? 0) + 1)"
                try garage.park(counter)
              }
            }
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
        group.leave()
      }
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    let fresh = try home.garage()
    #expect(try fresh.retrieve(Pet.self, id: 1000)?.name == "24")
    #expect(try fresh.retrieveAll(Pet.self).count == 1 + 8 * 8)
    #expect(try garage.retrieveAll(Pet.self) == fresh.retrieveAll(Pet.self))
  }
}
