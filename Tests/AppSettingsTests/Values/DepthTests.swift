import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

/// What is nested deeper than a file can hold, or without end, is an error before the stack ends.
struct DepthTests {
  let home = ScratchHome()

  private static let text = "# mine\ncounter = 1\nstate = [1]\n"
  private let state = SettingsKey<SettingsValue?>("state")
  private let chain = SettingsKey<Chain>("chain", default: Chain(length: 1))

  private func nested(_ levels: Int) -> SettingsValue { (0..<levels).reduce(1) { value, _ in [value] } }

  private func isTooDeep(_ error: any Error) -> Bool {
    let message = (error as? SettingsError)?.message ?? (error as? SettingsValueError)?.message ?? "\(error)"
    return message.contains("1024 levels") && message.utf8.count < 700
  }

  private func expectTooDeep(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("There was no error", sourceLocation: sourceLocation)
    } catch {
      #expect(isTooDeep(error), "\(error)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [1025, 2000, 10_000])
  func `setting a value of any depth fails, and the file stays`(levels: Int) throws {
    try home.write(Self.text)
    let settings = try home.store()
    expectTooDeep { try settings.set(nested(levels), for: state) }
    expectTooDeep { try settings.set(Chain(length: levels + 1), for: chain) }
    expectTooDeep { try settings.set(["x": nested(levels)], for: SettingsKey<TOMLTable>("t", default: [:])) }
    expectTooDeep { try settings.set([nested(levels)], for: SettingsKey<[SettingsValue]>("t", default: [])) }
    expectTooDeep { try settings.set(Deep(levels: levels), for: SettingsKey<Deep?>("t")) }
    expectTooDeep { try settings.set(Boxes(levels: levels), for: SettingsKey<Boxes?>("t")) }
    settings[state] = nested(levels)
    settings[chain] = Chain(length: levels + 1)
    #expect(settings[state] == [1] && settings[chain].length == 1)
    #expect(settings.currentProblems.count { $0.message.contains("1024 levels") } == 2)
    try settings.set(2, for: .counter)
    #expect(home.text() == Self.text.replacing("counter = 1", with: "counter = 2"))
  }

  @Test func `an object that holds itself is an error that says so`() throws {
    let ring = Ring()
    ring.next = ring
    defer { ring.next = nil }
    let error = #expect(throws: SettingsValueError.self) { try SettingsEncoder().encode(ring) }
    #expect(
      error?.message
        == "Found a value nested deeper at 'next.next.next.next.next.next.next.next … next.next.next.next', but a value of at most "
        + "1024 levels is needed (a value that holds itself has no end).")
  }

  @Test func `what a file can hold is stored and read again`() throws {
    let settings = try home.store()
    for length in [1, 500, 1000] {
      try settings.set(Chain(length: length), for: chain)
      let other = try home.store()
      #expect(other[chain].length == length)
    }
    try settings.set(nested(128), for: state)
    #expect(try home.store()[state] == nested(128))
    // Brackets have a limit of their own, which the text's check finds.
    let text = home.text()
    #expect(throws: SettingsError.self) { try settings.set(nested(129), for: state) }
    #expect(home.text() == text)
  }

  @Test func `reading types that go deeper than any file is an error`() throws {
    let value = (0..<10_000).reduce([:]) { value, _ in ["next": value] } as SettingsValue
    expectTooDeep { _ = try SettingsDecoder().decode(Chain.self, from: ["first": value]) }
  }

  @Test(arguments: [1025, 20_000])
  func `a name of any number of parts is refused, and nothing changes`(parts: Int) throws {
    try home.write(Self.text)
    let settings = try home.store()
    let name = Array(repeating: "a", count: parts).joined(separator: ".")
    for call in [{ try settings.reset(named: name) }, { try settings.reset(named: [name]) }] {
      let error = settingsError(call)
      #expect(error?.code == .invalidKey)
      #expect(error.map { $0.message.contains("1024 keys") && $0.message.utf8.count < 500 } == true)
    }
    try settings.reset(named: Array(repeating: "a", count: 1000).joined(separator: "."))
    try settings.flush()
    #expect(home.text() == Self.text)
  }

  @Test func `a parked object that holds itself in line is an error, and the garage stays`() throws {
    let garages = GarageHome()
    let garage = try garages.garage()
    let knot = Knot(id: "a")
    knot.next = knot
    defer { knot.next = nil }
    #expect(throws: (any Error).self) { try garage.park(knot) }
    #expect(garages.text == nil)
    try garage.park(Knot(id: "b"))
    #expect(try garage.retrieve(Knot.self, id: "b")?.id == "b")
  }
}

/// A list, which is read and written by its `Codable` conformance at each level.
private struct Chain: Codable, SettingsSerializable, Sendable {
  private final class Link: Codable, Sendable {
    let next: Link?
    init(next: Link?) { self.next = next }
  }
  private var first: Link?

  init(length: Int) { for _ in 0..<length { first = Link(next: first) } }

  var length: Int {
    var (count, link) = (0, first)
    while let current = link {
      count += 1
      link = current.next
    }
    return count
  }
}

private final class Ring: Codable { var next: Ring? }

private final class Knot: Codable, Identifiable {
  let id: String
  var next: Knot?
  init(id: String) { self.id = id }
}

/// A type whose bridge is a function that makes any depth.
private struct Deep: SettingsSerializable, Sendable {
  var levels: Int
  static let settingsBridge = SettingsBridge<Deep>(
    read: { _ in Deep(levels: 0) }, write: { deep in (0..<deep.levels).reduce(1) { value, _ in [value] } })
}

/// A type that opens containers within each other.
private struct Boxes: Codable, SettingsSerializable, Sendable {
  var levels: Int

  init(levels: Int) { self.levels = levels }
  init(from decoder: any Decoder) throws { levels = 0 }

  func encode(to encoder: any Encoder) throws {
    var boxes = encoder.unkeyedContainer()
    for level in 0..<levels {
      if level.isMultiple(of: 2) {
        var table = boxes.nestedContainer(keyedBy: Key.self)
        boxes = table.nestedUnkeyedContainer(forKey: .box)
      } else {
        boxes = boxes.nestedUnkeyedContainer()
      }
    }
  }

  private enum Key: CodingKey { case box }
}
