import AppSettings
import Testing

/// What becomes of a stored table whose fields are not just those that the type has.
struct RecordTests {
  private let stored: TOMLValue = ["name": "Ada", "colour": "red", "window": ["x": 1, "note": "mine"]]

  // MARK: Reading over a default

  @Test func `a required field that was added takes the default's value`() throws {
    let fallback = Player(name: "nobody", score: 7, window: Window(x: 0, y: 9))
    let player = try Player.settingsBridge.read(stored, over: { fallback })
    #expect(player == Player(name: "Ada", score: 7, window: Window(x: 1, y: 9)))
  }

  @Test func `an absent optional field is nil, whatever the default has`() throws {
    let fallback = Player(name: "nobody", score: 7, nick: "n", window: Window(x: 0, y: 9))
    #expect(try Player.settingsBridge.read(stored, over: { fallback }).nick == nil)
    let written = try #require(try Player.settingsBridge.write(Player(name: "a", score: 1, window: Window(x: 1, y: 1))))
    #expect(try Player.settingsBridge.read(written, over: { fallback }).nick == nil)
  }

  @Test func `the default is not made unless a field is absent`() throws {
    let complete: TOMLValue = ["name": "a", "score": 1, "window": ["x": 1, "y": 2]]
    _ = try Player.settingsBridge.read(complete, over: { throw Unwanted() })
    #expect(throws: Unwanted.self) { try Player.settingsBridge.read(stored, over: { throw Unwanted() }) }
    expectError("Found the integer 1 at 'name', but a string is needed.") {
      try Player.settingsBridge.read(["name": 1], over: { throw Unwanted() })
    }
    expectError("Found nothing at 'window.y', but an integer is needed.") {
      try Player.settingsBridge.read(["name": "a", "score": 1, "window": ["x": 1]], over: { nil })
    }
    expectError("Found nothing at 'score', but an integer is needed.") {
      try Optional<Player>.settingsBridge.read(stored, over: { .some(nil) })
    }
  }

  @Test func `a wrong field is an error, and not replaced by the default's`() {
    let fallback = Player(name: "nobody", score: 7, window: Window(x: 0, y: 9))
    expectError("Found the string \"many\" at 'score', but an integer is needed.") {
      try Player.settingsBridge.read(["score": "many"], over: { fallback })
    }
    expectError("Found the boolean true at 'window.x', but an integer is needed.") {
      try Player.settingsBridge.read(["name": "a", "window": ["x": true]], over: { fallback })
    }
  }

  @Test func `entries of a default's dictionary are not added, nor its elements`() throws {
    let fallback = Library(books: ["a": Window(x: 1, y: 1)], tags: ["t"], plain: ["p": Plain(x: 1)], added: 5)
    let library = try Library.settingsBridge.read(
      ["books": ["b": ["x": 2, "y": 2]], "tags": [], "plain": [:]], over: { fallback })
    #expect(library == Library(books: ["b": Window(x: 2, y: 2)], tags: [], plain: [:], added: 5))
    expectError("Found nothing at 'plain.p.x', but an integer is needed.") {
      try Library.settingsBridge.read(["books": [:], "tags": [], "plain": ["p": [:]]], over: { fallback })
    }
  }

  @Test func `the case of a default does not get into a stored enumeration`() throws {
    let fallback = Drawing(shape: .square(side: 4), added: 1)
    #expect(
      try Drawing.settingsBridge.read(["shape": ["circle": ["radius": 2.0]]], over: { fallback })
        == Drawing(shape: .circle(radius: 2), added: 1))
  }

  @Test func `elements are completed by a type's own default`() throws {
    try expectRoundTrip([Theming(name: "a", color: "b")], [["name": "a", "color": "b"]])
    #expect(try [Theming].settingsBridge.read([["name": "x"], [:]]) == [Theming(name: "x"), Theming()])
    #expect(try [String: Theming].settingsBridge.read(["k": ["color": "red"]]) == ["k": Theming(color: "red")])
    // The key's default comes before the type's.
    #expect(
      try Theming.settingsBridge.read(["name": "x"], over: { Theming(name: "y", color: "z") })
        == Theming(name: "x", color: "blue"))
    expectError("Found the integer 1 at '[0].name', but a string is needed.") {
      try [Theming].settingsBridge.read([["name": 1]])
    }
  }

  // MARK: Writing over what is there

  @Test func `fields that the type does not know survive a write`() throws {
    let player = Player(name: "Bob", score: 1, window: Window(x: 2, y: 3))
    #expect(
      try Player.settingsBridge.write(player, over: stored)
        == ["name": "Bob", "colour": "red", "score": 1, "window": ["x": 2, "y": 3, "note": "mine"]])
    #expect(try Optional<Player>.settingsBridge.write(player, over: stored)?.table?["colour"] == "red")
    #expect(try Player.settingsBridge.write(player, over: 5) == Player.settingsBridge.write(player))
    #expect(try Player.settingsBridge.write(player, over: nil) == Player.settingsBridge.write(player))
    #expect(try Optional<Player>.settingsBridge.write(nil, over: stored) == nil)
  }

  @Test func `an optional field set to nil goes`() throws {
    let player = Player(name: "Bob", score: 1, window: Window(x: 2, y: 3))
    let old: TOMLValue = ["name": "Bob", "score": 1, "nick": "B", "window": ["x": 2, "y": 3], "extra": 1]
    #expect(
      try Player.settingsBridge.write(player, over: old)
        == ["name": "Bob", "score": 1, "window": ["x": 2, "y": 3], "extra": 1])
  }

  @Test func `a field that a type writes only at times goes when it does not`() throws {
    #expect(try Sparse.settingsBridge.write(Sparse(count: 0), over: ["count": 5, "extra": 1]) == ["extra": 1])
  }

  @Test func `another case of an enumeration replaces the one that is there`() throws {
    let old: TOMLValue = ["circle": ["radius": 1.0, "note": "mine"]]
    #expect(try Shape.settingsBridge.write(.square(side: 2), over: old) == ["square": ["side": 2.0]])
    #expect(
      try Shape.settingsBridge.write(.circle(radius: 2), over: old) == ["circle": ["radius": 2.0, "note": "mine"]])
  }

  @Test func `entries of a dictionary are just those written, their unknown fields stay`() throws {
    let old: TOMLValue = ["a": ["x": 1, "y": 1, "note": "a"], "b": ["x": 2, "y": 2]]
    #expect(
      try [String: Window].settingsBridge.write(["a": Window(x: 5, y: 1)], over: old)
        == ["a": ["x": 5, "y": 1, "note": "a"]])
    #expect(try [String: Int].settingsBridge.write(["c": 1], over: ["a": 1]) == ["c": 1])
  }

  @Test func `unknown fields follow the elements of an array`() throws {
    let old: TOMLValue = [
      ["x": 1, "y": 1, "note": "one"], ["x": 2, "y": 2, "note": "two"], ["x": 3, "y": 3, "note": "three"],
    ]
    func written(_ xs: Int...) throws -> TOMLValue? {
      try [Window].settingsBridge.write(xs.map { Window(x: $0, y: $0) }, over: old)
    }
    let (one, two, three): (TOMLValue, TOMLValue, TOMLValue) = (
      ["x": 1, "y": 1, "note": "one"], ["x": 2, "y": 2, "note": "two"], ["x": 3, "y": 3, "note": "three"]
    )
    #expect(try written(1, 2, 3) == old)
    #expect(try written(1, 3) == [one, three])
    #expect(try written(2, 3) == [two, three])
    #expect(try written(1, 2, 3, 4) == [one, two, three, ["x": 4, "y": 4]])
    #expect(try written(0, 1, 2, 3) == [["x": 0, "y": 0], one, two, three])
    #expect(try written(1, 9, 3) == [one, ["x": 9, "y": 9, "note": "two"], three])
    #expect(try written(3, 2, 1, 0) == [three, two, one, ["x": 0, "y": 0]])
    #expect(try written() == [])
  }

  @Test func `a set keeps the order that is there`() throws {
    let bridge = Set<String>.settingsBridge
    #expect(try bridge.write(["a", "b", "c"], over: ["c", "a", "b"]) == ["c", "a", "b"])
    #expect(try bridge.write(["a", "c", "d", "B"], over: ["c", "a", "b"]) == ["c", "a", "B", "d"])
    #expect(try bridge.write([], over: ["c"]) == [])
    #expect(
      try Set<Window>.settingsBridge.write([Window(x: 1, y: 1)], over: [["x": 1, "y": 1, "note": 1]])
        == [["x": 1, "y": 1, "note": 1]])
  }

  @Test func `of elements that a set takes for one, all stay until it is removed`() throws {
    let accents = Set<String>.settingsBridge
    for old in [["\u{E9}", "e\u{301}"], ["e\u{301}", "a", "\u{E9}"]] as [TOMLValue] {
      var set = try accents.read(old)
      #expect(try accents.write(set, over: old) == old)
      set.insert("b")
      guard case .array(let elements) = old else { return }
      #expect(try accents.write(set, over: old) == .array(elements + ["b"]))
      set.remove("\u{E9}")
      #expect(try accents.write(set, over: old) == .array(elements.filter { $0 == "a" } + ["b"]))
    }
    #expect(try accents.write(["a", "b"], over: ["a", "a"]) == ["a", "b"])
    let windows = Set<Window>.settingsBridge
    let old: TOMLValue = [["x": 1, "y": 1, "note": 1], ["x": 1, "y": 1]]
    #expect(
      try windows.write([Window(x: 1, y: 1), Window(x: 2, y: 2)], over: old)
        == [["x": 1, "y": 1, "note": 1], ["x": 1, "y": 1], ["x": 2, "y": 2]])
  }

  @Test func `a deep tree and a large set are merged in no time`() throws {
    var tree = Branch(value: 0, children: [])
    for depth in 1...60 { tree = Branch(value: depth, children: [Branch(value: -depth, children: []), tree]) }
    let old = try #require(try Branch.settingsBridge.write(tree))
    var path = old.table ?? [:]
    path["note"] = "mine"
    var leaf = tree
    leaf.increaseDeepest()
    let written = try #require(try Branch.settingsBridge.write(leaf, over: .table(path))?.table)
    #expect(written["note"] == "mine")
    #expect(try Branch.settingsBridge.read(.table(written)) == leaf)

    let numbers = Array(0..<20_000)
    let bridge = Set<Int>.settingsBridge
    let stored = TOMLValue.array(numbers.reversed().map { .integer(Int64($0)) })
    #expect(try bridge.write(Set(numbers), over: stored) == stored)
    #expect(
      try bridge.write(Set(numbers.map { $0 + 20_000 }), over: stored) == bridge.write(Set(numbers.map { $0 + 20_000 }))
    )
  }

  @Test func `what the older form knew goes when the new one is written`() throws {
    let bridge = Player.settingsBridge.fallingBack(
      to: SettingsBridge<Old>.codable.map(
        read: { Player(name: $0.first + $0.last, score: 0, window: Window(x: $0.at.x, y: 0)) },
        write: { Old(first: $0.name, last: "", at: Old.At(x: 0)) }))
    let old: TOMLValue = ["first": "A", "last": "B", "at": ["x": 3, "note": 1], "extra": true]
    let player = try bridge.read(old)
    #expect(player == Player(name: "AB", score: 0, window: Window(x: 3, y: 0)))
    #expect(
      try bridge.write(player, over: old)
        == ["name": "AB", "score": 0, "window": ["x": 3, "y": 0], "at": ["note": 1], "extra": true])
    // What is in the new form already is nobody's older form.
    #expect(
      try bridge.write(player, over: ["name": "x", "score": 0, "window": ["x": 3, "y": 0], "first": 1])?.table?["first"]
        == 1)
  }
}

private struct Unwanted: Error {}

private struct Window: Codable, Hashable, SettingsSerializable { var x, y: Int }

private struct Player: Codable, Equatable, SettingsSerializable {
  var name: String
  var score: Int
  var nick: String?
  var window: Window
}

private struct Plain: Codable, Equatable { var x: Int }

private struct Library: Codable, Equatable, SettingsSerializable {
  var books: [String: Window]
  var tags: [String]
  var plain: [String: Plain]
  var added: Int
}

private enum Shape: Codable, Equatable, SettingsSerializable {
  case circle(radius: Double)
  case square(side: Double)
}

private struct Drawing: Codable, Equatable, SettingsSerializable {
  var shape: Shape
  var added: Int
}

private struct Theming: Codable, Equatable, SettingsSerializable {
  var name = "default"
  var color = "blue"
  static let settingsBridge = SettingsBridge.codable(over: Theming())
}

private struct Branch: Codable, Equatable, SettingsSerializable {
  var value: Int
  var children: [Branch]

  mutating func increaseDeepest() {
    if children.isEmpty { value += 1 } else { children[children.count - 1].increaseDeepest() }
  }
}

private struct Sparse: Codable, SettingsSerializable {
  var count: Int

  init(count: Int) { self.count = count }

  init(from decoder: any Decoder) throws {
    count = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .count) ?? 0
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if count != 0 { try container.encode(count, forKey: .count) }
  }

  private enum CodingKeys: CodingKey { case count }
}

private struct Old: Codable {
  struct At: Codable { var x: Int }
  var first, last: String
  var at: At
}
