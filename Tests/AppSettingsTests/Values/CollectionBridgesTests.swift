import AppSettings
import Foundation
import Testing

struct CollectionBridgesTests {
  @Test func `collections nest to any depth`() throws {
    try expectRoundTrip([[1, 2], []], [[1, 2], []])
    try expectRoundTrip([["a": [1.5]], [:]], [["a": [1.5]], [:]])
    try expectRoundTrip(["x": ["y": ["z": Set([true])]]], ["x": ["y": ["z": [true]]]])
    try expectRoundTrip([0..<1, 5..<5], [[0, 1], [5, 5]])
    try expectRoundTrip(Optional([Theme.dark]), ["dark"])
    try expectRoundTrip([Data([1])], ["AQ=="])
  }

  @Test func `an error names the element`() {
    expectRefusal([Int].self, [1, 2, 3, "four"], "Found the string \"four\" at '[3]', but an integer is needed.")
    expectRefusal(
      [String: [Range<Int>]].self, ["a b": [[1, 2], [2, true]]],
      "Found the boolean true at '\"a b\"[1][1]', but an integer is needed.")
    expectRefusal([UInt8].self, [0, 256], "Found the integer 256 at '[1]', but an integer from 0 to 255 is needed.")
  }

  @Test func `a set is stored sorted, and a repetition in it read once`() throws {
    try expectRoundTrip(Set(["b", "a", "C"]), ["C", "a", "b"])
    try expectRoundTrip(Set([3, -1, 2]), [-1, 2, 3])
    try expectRoundTrip(Set([2.5, -0.5, .infinity]), [-0.5, 2.5, .float(.infinity)])
    try expectRoundTrip(Set([[2], [1, 5], [1]]), [[1], [1, 5], [2]])
    try expectRoundTrip(Set([["b": 1], ["a": 2], ["a": 1]]), [["a": 1], ["a": 2], ["b": 1]])
    #expect(try Set<Int>.settingsBridge.read([1, 2, 1]) == [1, 2])
    // Canonically equivalent, hence one element to Swift.
    #expect(try Set<String>.settingsBridge.read(["\u{E9}", "e\u{301}"]) == ["\u{E9}"])
    // Never equal to Swift, but one text in the file.
    #expect(try Set<Double>.settingsBridge.read([.float(.nan), .float(.nan)]).count == 1)
  }

  @Test func `a set whose elements would be stored alike is refused when it is written`() throws {
    let base = try #require(URL(string: "https://a.b/c/"))
    let urls: Set<URL> = [try #require(URL(string: "d", relativeTo: base)), base.appending(path: "d")]
    try #require(urls.count == 2)
    #expect(throws: SettingsValueError.self) { try Set<URL>.settingsBridge.write(urls) }
  }

  @Test func `a dictionary's keys are the text of what their type is stored as`() throws {
    try expectRoundTrip([1: "a", -2: "b"], ["1": "a", "-2": "b"])
    try expectRoundTrip([UInt64.max: 1], ["18446744073709551615": 1])
    try expectRoundTrip([Theme.dark: 1], ["dark": 1])
    try expectRoundTrip([Level.high: 1], ["3": 1])
    try expectRoundTrip([true: 1, false: 0], ["true": 1, "false": 0])
    try expectRoundTrip([0.5: 1, 2: 2], ["0.5": 1, "2.0": 2])
    try expectRoundTrip([Character("é"): 1], ["é": 1])
    try expectRoundTrip([Version(1, 2): 1], ["1.2": 1])
    try expectRoundTrip([Frog(name: "a b"): 1], ["a b": 1])
    try expectRoundTrip([Duration.seconds(90): 1], ["90s": 1])
    try expectRoundTrip([Place(name: "x"): 1], ["@x": 1])
    let uuid = UUID()
    try expectRoundTrip([uuid: 1], .table([uuid.uuidString: 1]))
  }

  @Test func `a key that its type does not have is refused`() {
    expectRefusal(
      [Int: Int].self, ["1": 1, "x": 2], "Found the key \"x\" at 'x', but a key that stands for an integer is needed.")
    for key in ["01", "+1", "1.0", "", " 1"] {
      #expect(throws: SettingsValueError.self) { try [Int: Int].settingsBridge.read(.table([key: 1])) }
    }
    expectRefusal(
      [Level: Int].self, ["2": 1], "Found the key \"2\" at '2', but a key that stands for one of 1, 3 is needed.")
    expectRefusal(
      [UUID: Int].self,
      ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F": 1, "e621e1f8-c36c-495a-93fc-0c247a3e6e5f": 2],
      "Found the key \"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\" at 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f', "
        + "but a key that differs from those before it is needed.")
  }

  @Test func `a key that cannot be text is refused when it is written`() {
    expectError("Found one of type Profile, but a key that can be written as text is needed.") {
      try [Profile: Int].settingsBridge.write([Profile(name: "a", age: 1): 1])
    }
  }

  @Test func `a nil within a collection is refused when it is written`() {
    expectError("Found nil at '[1]', but an integer is needed\(nullReason).") {
      try [Int?].settingsBridge.write([1, nil])
    }
    expectError("Found nil at 'a', but an integer is needed\(nullReason).") {
      try [String: Int?].settingsBridge.write(["a": nil])
    }
    expectError("Found nil at 'x[0]', but a string is needed\(nullReason).") {
      try [String: [String?]].settingsBridge.write(["x": [nil]])
    }
  }

  @Test func `an optional is its value or nothing`() throws {
    try expectRoundTrip(Int?.some(5), 5)
    #expect(try Optional<Int>.settingsBridge.write(nil) == nil)
    #expect(try Optional<Int?>.settingsBridge.write(.some(nil)) == nil)
    #expect(Int.settingsBridge.absent == nil)
    #expect(Optional<Int>.settingsBridge.absent == .some(nil))
    #expect(
      Optional<Int?>.settingsBridge.absent == .some(.some(.none))
        || Optional<Int?>.settingsBridge.absent == .some(.none))
    #expect(Optional<Int>.settingsBridge.map(read: { $0 ?? 7 }, write: { $0 }).absent == 7)
  }

  @Test func `a range that is reversed, or has not two bounds, is refused`() throws {
    try expectRoundTrip(1..<5, [1, 5])
    try expectRoundTrip(1...5, [1, 5])
    try expectRoundTrip("a"..."b", ["a", "b"])
    try expectRoundTrip(0.5..<1.5, [0.5, 1.5])
    let needed = "but an array of two integers, the lower first is needed."
    expectRefusal(Range<Int>.self, [10, 0], "Found the array [10, 0], \(needed)")
    expectRefusal(ClosedRange<Int>.self, [10, 9], "Found the array [10, 9], \(needed)")
    expectRefusal(ClosedRange<Int>.self, [10], "Found the array [10], \(needed)")
    expectRefusal(Range<Int>.self, [1, 2, 3], "Found the array [1, 2, 3], \(needed)")
    expectRefusal(Range<Int>.self, [1, "x"], "Found the string \"x\" at '[1]', but an integer is needed.")
    #expect(throws: SettingsValueError.self) { try Range<Double>.settingsBridge.read([.float(.nan), 1.0]) }
    #expect(throws: SettingsValueError.self) { try ClosedRange<Double>.settingsBridge.read([1.0, .float(.nan)]) }
  }
}

/// Stored as a table, but with a description that can be a key.
private struct Place: Codable, Hashable, LosslessStringConvertible, SettingsSerializable {
  var name: String

  init(name: String) { self.name = name }

  init?(_ description: String) {
    guard description.hasPrefix("@") else { return nil }
    name = String(description.dropFirst())
  }

  var description: String { "@" + name }
}
