import AppSettings
import Testing

struct SettingsBridgeTests {
  @Test func `a bridge of two functions reads, writes, and explains itself`() throws {
    let bridge = SettingsBridge<Int>(
      expecting: "a number in words",
      read: { value in
        guard case .string(let text) = value else {
          throw SettingsValueError(expected: "a number in words", found: value)
        }
        guard let number = ["one": 1, "two": 2][text] else { throw Mistake(why: "unknown word") }
        return number
      },
      write: { number in
        guard let word = [1: "one", 2: "two"][number] else { throw Mistake(why: "no word for it") }
        return .string(word)
      })
    #expect(try bridge.read("two") == 2)
    #expect(try bridge.write(1) == "one")
    #expect(bridge.expected == "a number in words")
    expectError("Found the integer 1, but a number in words is needed.") { try bridge.read(1) }
    expectError("Found the string \"ten\", but a number in words is needed (unknown word).") { try bridge.read("ten") }
    expectError("Found one of type Int, but a value that can be stored is needed (no word for it).") {
      try bridge.write(3)
    }
    expectError("Found the string \"ten\" at '[0]', but a number in words is needed (unknown word).") {
      try bridge.array.read(["ten"])
    }
    #expect(SettingsBridge<Int>(read: { _ in 1 }, write: { _ in nil }).expected == "a value of type Int")
  }

  @Test func `a mapped bridge gives what its functions throw as the reason`() throws {
    let bridge = Int.settingsBridge.map(
      read: { number -> String in
        if number < 0 { throw Mistake(why: "negative") }
        return String(repeating: "x", count: number)
      },
      write: { text in
        if text.contains("y") { throw Mistake(why: "y") }
        return text.count
      })
    #expect(try bridge.read(3) == "xxx")
    #expect(try bridge.write("xx") == 2)
    #expect(bridge.expected == "an integer")
    expectError("Found the integer -1, but an integer is needed (negative).") { try bridge.read(-1) }
    expectError("Found the boolean true, but an integer is needed.") { try bridge.read(true) }
    expectError("Found one of type String, but a value that can be stored is needed (y).") { try bridge.write("y") }
  }

  @Test func `a mapping that not every value has says what it needs`() throws {
    let bridge = String.settingsBridge.map(
      expecting: "a colour like \"#ff8800\"", read: { Int($0.dropFirst(), radix: 16) },
      write: { "#" + String($0, radix: 16) })
    #expect(try bridge.read("#ff8800") == 0xFF8800)
    #expect(try bridge.write(255) == "#ff")
    expectError("Found the string \"blue\", but a colour like \"#ff8800\" is needed.") { try bridge.read("blue") }
    expectError("Found the string \"blue\" at '[1]', but a colour like \"#ff8800\" is needed.") {
      try bridge.array.read(["#1", "blue"])
    }
    expectError("Found an empty table, but an array whose elements are each a colour like \"#ff8800\" is needed.") {
      try bridge.array.read([:])
    }
  }

  @Test func `bridges compose without a type of their own`() throws {
    let hex = String.settingsBridge.map(
      expecting: "hex", read: { Int($0, radix: 16) }, write: { String($0, radix: 16) })
    #expect(try hex.array.dictionary().optional.write(["a": [255]]) == ["a": ["ff"]])
    #expect(try hex.set.read(["a", "b"]) == [10, 11])
    #expect(try hex.dictionary(Int.self).read(["1": "f"]) == [1: 15])
    #expect(hex.optional.absent == .some(nil))
  }

  @Test func `an older form is read where the new one is not there, and the error is that of the new`() throws {
    let words = String.settingsBridge.map(
      expecting: "a word", read: { ["low": 1, "high": 3][$0] }, write: { _ in "unused" })
    let bridge = Int.settingsBridge.fallingBack(to: words)
    #expect(try bridge.read(3) == 3)
    #expect(try bridge.read("high") == 3)
    #expect(try bridge.write(1) == 1)
    expectError("Found the string \"medium\", but an integer is needed.") { try bridge.read("medium") }
    #expect(try bridge.array.read([1, "low"]) == [1, 1])
    // Two older forms.
    let flags = Bool.settingsBridge.map(read: { $0 ? 3 : 1 }, write: { $0 > 1 })
    #expect(try bridge.fallingBack(to: flags).read("low") == 1)
    #expect(try bridge.fallingBack(to: flags).read(true) == 3)
    #expect(Optional<Int>.settingsBridge.fallingBack(to: words.optional).absent == .some(nil))
  }

  @Test func `the choices are those of a type that lists its cases`() {
    #expect(Level.settingsBridge.choices == [1, 3])
    #expect(Optional<Level>.settingsBridge.choices == [1, 3])
    #expect(Theme.settingsBridge.choices == nil)
    #expect(Int.settingsBridge.choices == nil)
    expectRefusal(Level.self, 2, "Found the integer 2, but one of 1, 3 is needed.")
    expectRefusal(
      Many.self, "z",
      "Found the string \"z\", but one of \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", "
        + "\"i\", \"j\", \"k\", \"l\", … is needed.")
    expectRefusal(Theme.self, "blue", "Found the string \"blue\", but a string that is a raw value of Theme is needed.")
  }

  @Test func `only records are merged`() {
    #expect(Profile.settingsBridge.mergesTables)
    #expect(Optional<Profile>.settingsBridge.mergesTables)
    #expect(Profile.settingsBridge.map(read: { $0 }, write: { $0 }).mergesTables)
    #expect(Profile.settingsBridge.fallingBack(to: Profile.settingsBridge).mergesTables)
    #expect(![String: Int].settingsBridge.mergesTables)
    #expect(![Profile].settingsBridge.mergesTables)
    #expect(!TOMLTable.settingsBridge.mergesTables)
    #expect(!Theme.settingsBridge.mergesTables)
  }
}

private struct Mistake: Error, CustomStringConvertible {
  let why: String
  var description: String { why }
}

private enum Many: String, CaseIterable, SettingsSerializable { case a, b, c, d, e, f, g, h, i, j, k, l, m }
