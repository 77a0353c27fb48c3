import AppSettings
import AppSettingsGarage
import BenchmarkHarness
import CFloor
import Foundation

extension RecordBenchmarks {
  /// A garage with 10,000 records, and the floor of replacing its file.
  static func garage() throws {
    let directory = "\(home)/garage"
    let location = try SettingsLocation(
      app: "bench", name: "garage", scope: .data,
      environment: ["HOME": directory, "XDG_DATA_HOME": directory + "/data"])
    let garage = Garage(at: location)
    let servers = (0..<10_000).map { server($0) }
    let folder = (location.file as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func replaces(_ body: () throws -> Void) rethrows -> Int {
      let descriptor = cfloor_count_begin(folder)
      try body()
      return cfloor_count_end(descriptor)
    }
    let count = try replaces { try garage.park(servers) }
    Harness.report("park 10,000 at once: file replaces", Double(count), .count, budget: .atMost(1))
    try parks(in: garage, servers)

    let graph = (0..<1_000).map { Person(id: $0) }
    for (index, person) in graph.enumerated() { person.next = graph[(index + 1) % graph.count] }
    let ofGraph = try replaces { try garage.park(graph[0]) }
    Harness.report("park a graph of 1,000: file replaces", Double(ofGraph), .count, budget: .atMost(1))
    for person in graph { person.next = nil }

    let small = Garage(
      at: try SettingsLocation(
        app: "bench", name: "small", scope: .data,
        environment: ["HOME": directory, "XDG_DATA_HOME": directory + "/data"]))
    // Each is a write of its own: for many, there are 'parkAll' and 'batch'. Threads only must not get in each other's way.
    func park(from first: Int, _ threads: Int, _ each: Int) -> Double {
      Harness.nanoseconds {
        let group = DispatchGroup()
        for thread in 0..<threads {
          group.enter()
          Thread.detachNewThread {
            for number in 0..<each { try? small.park(server(first + thread * each + number)) }
            group.leave()
          }
        }
        group.wait()
      }
    }
    let (alone, byThreads) = (park(from: 0, 1, 64), park(from: 64, 8, 8))
    Harness.report(
      "8 threads park 8 each / one parks 64", byThreads / alone, nanoseconds: [byThreads, alone], budget: .atMost(1.5))

    let bridge = SettingsBridge<Server>.codable
    let stored = try servers[9_000..<9_200].compactMap { try bridge.write($0) }
    let read = try Harness.pair(rounds: 31) {
      for number in 9_000..<9_200 { consume(try garage.retrieve(Server.self, id: "server-\(number)")) }
    } _: {
      for value in stored { consume(try bridge.read(value)) }
    }
    Harness.report("retrieve one of 10,000 by id / decode that record", read, per: 200, budget: .atMost(3))
  }

  private final class Person: Codable, Identifiable {
    let id: Int
    @Reference var next: Person?

    init(id: Int) { self.id = id }
  }

  /// One change in one durable file replace, beside that replace alone, and beside what apps do otherwise.
  private static func parks(in garage: Garage, _ servers: [Server]) throws {
    guard let file = garage.location?.file else { return }
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    let floor = "\(home)/garage-floor"
    try FileManager.default.createDirectory(atPath: floor, withIntermediateDirectories: true)
    var number = 0
    func measure(_ name: String, _ change: () throws -> Void) throws {
      let figures = try Harness.pair(rounds: 31) {
        number += 1
        try change()
      } _: {
        precondition(cfloor_replace(floor, "garage.toml", bytes, bytes.count) == 0)
      }
      Harness.report(
        "\(name), garage of 10,000 records, \(bytes.count / 1024) KB / replace in C", figures, budget: .atMost(1.3))
    }
    try measure("park one that changed") {
      var changed = servers[5_000]
      changed.port += number
      try garage.park(changed)
    }
    try measure("park a new one") { try garage.park(server(20_000 + number)) }
    try measure("delete one") { try garage.delete(Server.self, id: "server-\(number)") }

    var all = servers
    let peer = "\(home)/garage-peer.json"
    let figures = try Harness.pair(rounds: 7) {
      var changed = servers[6_000]
      changed.port += number
      number += 1
      try garage.park(changed)
    } _: {
      all[5_000].port += 1
      try JSONEncoder().encode(all).write(to: URL(fileURLWithPath: peer), options: .atomic)
    }
    Harness.report("park one / JSONEncoder and atomic write of all, not durable", figures, budget: .atMost(1))
  }
}
