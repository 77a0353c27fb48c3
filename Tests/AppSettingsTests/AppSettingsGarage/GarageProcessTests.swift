import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

/// Garages shared by real processes, some of which are killed.
struct GarageProcessTests {
  private final class Ringed: Codable, Identifiable, GarageNamed {
    static let recordName = "Person"
    let id: Int
    let age: Int
    @Reference var next: Ringed?
  }

  private let home = GarageHome()

  private func start(_ arguments: String...) throws -> RunningProcess {
    try RunningProcess(
      ChildProcess.product("settings-probe"), arguments, environment: home.home.environment)
  }

  /// The ages of a ring of so many, read by way of its references and as a list.
  private func ages(in garage: Garage, count: Int) throws -> [Int] {
    let all = try garage.retrieveAll(Ringed.self)
    var ages = all.map(\.age)
    let start = try garage.retrieve(Ringed.self, id: 0)
    var next = start?.next
    while let person = next, person !== start {
      ages.append(person.age)
      let following = person.next
      person.next = nil
      next = following
    }
    start?.next = nil
    for person in all { person.next = nil }
    return all.isEmpty ? [] : ages + (start.map { [$0.age] } ?? [])
  }

  @Test func `a retrieve while another process parks sees all of a graph or none of it`() throws {
    let child = try start("park-rings", home.file, "50")
    defer {
      child.signal(SIGKILL)
      child.wait()
    }
    _ = child.nextLine()
    let garage = try home.garage()
    var last = 0
    var seen = 0
    while seen < 40 {
      garage.reload()
      let all = try garage.retrieveAll(Ringed.self)
      for person in all { person.next = nil }
      let ages = Set(all.map(\.age))
      try #require(all.count == 50 && ages.count == 1, "\(ages)")
      try #require(ages.first! >= last)
      if ages.first! > last { seen += 1 }
      last = ages.first!
    }
    #expect(garage.currentProblems == [])
  }

  @Test func `a process that parks, killed at any moment, leaves a whole graph that others go on from`() throws {
    for round in 0..<30 {
      let child = try start("park-rings", home.file, "20")
      let first = child.nextLine().flatMap { Int($0) }
      var last = try #require(first)
      // Not to wait for anything: to be killed at another place each time.
      usleep(UInt32.random(in: 0..<3000))
      child.signal(SIGKILL)
      child.wait()
      while let line = child.nextLine() { last = Int(line) ?? last }
      let ages = try ages(in: home.garage(), count: 20)
      #expect(ages.count == 40 && Set(ages).count == 1, "round \(round)")
      // A last line may have been cut by the kill.
      #expect((last...last + 2).contains(ages[0]), "round \(round): \(last) was said to be parked")
    }
    // What a killed one left behind is swept away by the next that writes.
    try home.garage().deleteAll()
    #expect(home.home.names(in: home.home.path + "/data/org.example.test") == ["garage.toml"])
  }

  @Test(arguments: Syscalls.Call.allCases)
  func `killed at any call while it parks: the old graph or the new one, and the next park works`(
    call: Syscalls.Call
  ) throws {
    let old = "# mine\n[Person.0]\nid = 0\nage = 1\n"
    for number in 1...60 {
      let home = GarageHome()
      try home.home.write(old, to: home.file)
      let result = try ChildProcess.run(
        ChildProcess.product("settings-probe"), ["park-and-die", home.file, call.rawValue, "\(number)"],
        environment: home.home.environment)
      let all = try home.garage().retrieveAll(Ringed.self)
      for person in all { person.next = nil }
      #expect(all.map(\.age) == [1] || all.map(\.age) == [2, 2, 2], "\(call) \(number)")
      if all.count == 1 { #expect(home.text == old) }
      try home.garage().park(Pet(id: 1, name: "a"))
      #expect(try home.garage().retrieveAll(Ringed.self).count == all.count)
      #expect(home.text?.hasPrefix("# mine\n") == true)
      #expect(home.home.names(in: home.home.path + "/data/org.example.test") == ["garage.toml"], "\(call) \(number)")
      if !result.wasKilled { break }
    }
  }

  @Test func `processes that park at once lose nothing`() throws {
    let children = try (0..<4).map { try start("park-many", home.file, "\($0 * 25)", "25") }
    for child in children { #expect(child.wait() == 0) }
    #expect(try home.garage().retrieveAll(Ringed.self).map(\.id).sorted() == Array(0..<100))
  }
}
