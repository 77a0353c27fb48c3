import AppSettings
import Testing
import TestSupport

struct ConstraintTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: String
    let facts: [ConstraintFact]
    let actualFacts: [ConstraintFact]
    let isFine: @Sendable (TOMLValue) throws -> Void
    let good: [TOMLValue]
    let bad: [TOMLValue]

    init<Value>(
      _ key: SettingsKey<Value>, _ expected: String, _ facts: [ConstraintFact], good: [TOMLValue], bad: [TOMLValue]
    ) {
      testDescription = key.description
      self.expected = expected
      self.facts = facts
      actualFacts = key.constraintFacts
      isFine = { _ = try key.decode($0) }
      self.good = good
      self.bad = bad
    }
  }

  static let cases: [Case] = [
    Case(
      Declared.width, "an integer from 1 to 16", [.minimum(1), .maximum(16)], good: [1, 16], bad: [0, 17, "4", 4.5]),
    Case(
      Declared.exclusive, "a number from 0.0 to below 2.0", [.minimum(0.0), .limit(2.0)], good: [0, 1.9],
      bad: [2, -0.1, .float(.nan), .float(.infinity)]),
    Case(Declared.open, "an integer from 1", [.minimum(1)], good: [1, .integer(.max)], bad: [0]),
    Case(Declared.below, "an integer below 100", [.limit(100)], good: [0, 99], bad: [100, 255, 256, -1]),
    Case(
      Declared.pause, "a duration, like \"90s\" or \"1h 30m\" from \"1s\" to \"1m\"", [.minimum("1s"), .maximum("1m")],
      good: ["1s", "1m"], bad: ["61s", "999ms"]),
    Case(
      Declared.optionalRange, "an integer from 1 to 9", [.minimum(1), .maximum(9)], good: [1, 9], bad: [0, 10, "1"]),
    Case(Declared.optionalDefault, "an integer from 1 to 9", [.minimum(1), .maximum(9)], good: [5], bad: [0]),
    Case(Declared.choice, "one of 2, 4, 8", [.choices([2, 4, 8])], good: [2, 4, 8], bad: [3, "2", 2.5]),
    Case(Declared.only, "\"a\"", [.choices(["a"])], good: ["a"], bad: ["b", 1]),
    Case(
      Declared.optionalChoice, "one of \"left\", \"right\"", [.choices(["left", "right"])], good: ["left"],
      bad: ["up", true]),
    Case(
      Declared.locale, "a string that matches '[a-z]{2}(-[A-Z]{2})?'", [.pattern("[a-z]{2}(-[A-Z]{2})?")],
      good: ["de", "de-AT"], bad: ["de-at", "xde", "de ", "", 1]),
    Case(
      Declared.optionalPattern, "a string that matches '[0-9]+'", [.pattern("[0-9]+")], good: ["123"],
      bad: ["12a", "", 12]),
    Case(
      Declared.tags, "an array whose elements are each a string that matches '[a-z]+'", [.each(.pattern("[a-z]+"))],
      good: [[], ["a", "b"]], bad: [["a", "B"], "a"]),
    Case(
      Declared.nick, "a string of 1 to 5 characters", [.count(minimum: 1, maximum: 5)], good: ["a", "ééééé"],
      bad: ["", "abcdef", 5]),
    Case(
      Declared.triple, "an array of integers with 3 elements", [.count(minimum: 3, maximum: 3)], good: [[1, 2, 3]],
      bad: [[], [1, 2], [1, 2, 3, 4]]),
    Case(
      Declared.few, "an array of strings with at most 2 elements", [.count(minimum: nil, maximum: 2)],
      good: [[], ["a", "b"]], bad: [["a", "b", "c"]]),
    Case(
      Declared.some, "a table of integers with 1 or more elements", [.count(minimum: 1, maximum: nil)],
      good: [["a": 1]], bad: [[:]]),
    Case(
      Declared.even, "an integer from 40 that is even", [.minimum(40)], good: [40, 42], bad: [38, 41]),
    Case(
      Declared.short, "a string of 1 to 3 characters that matches '[a-z]*'",
      [.count(minimum: 1, maximum: 3), .pattern("[a-z]*")], good: ["abc"], bad: ["", "abcd", "AB"]),
    Case(
      Declared.names, "an array whose elements are each a string of 1 to 3 characters with 1 to 2 elements",
      [.each(.count(minimum: 1, maximum: 3)), .count(minimum: 1, maximum: 2)], good: [["abc"]],
      bad: [[], ["a", "b", "c"]]),
  ]

  @Test(arguments: cases) func `a constraint takes what it should, and says what is needed of the rest`(_ c: Case) {
    #expect(c.actualFacts == c.facts)
    for value in c.good { #expect(throws: Never.self) { try c.isFine(value) } }
    for value in c.bad {
      do {
        try c.isFine(value)
        Issue.record("\(value) was read")
      } catch let error as SettingsValueError {
        // What is wrong in an element is told of that element.
        if error.path.isEmpty { #expect(error.expected == c.expected, "\(value)") }
      } catch {
        Issue.record("\(value): \(error)")
      }
    }
  }

  @Test func `a bad element is named, with what it has to be`() {
    expectError("Found the string \"B\" at '[1]', but a string that matches '[a-z]+' is needed.") {
      try Declared.tags.decode(["a", "B"])
    }
    expectError("Found the string \"abcd\" at '[0]', but a string of 1 to 3 characters is needed.") {
      try Declared.names.decode(["abcd"])
    }
  }

  @Test func `setting what a constraint refuses changes nothing and is a problem or an error`() throws {
    let settings = SettingsStore(inMemory: "choice = 4\n", logger: .silent)
    settings[Declared.choice] = 5
    #expect(settings[Declared.choice] == 4)
    let message = "Cannot set 'choice' to the integer 5: the key needs one of 2, 4, 8. Nothing was changed."
    #expect(settings.currentProblems.map(\.message) == [message])
    #expect(throws: SettingsError(.invalidValue, message)) { try settings.set(5, for: Declared.choice) }
    #expect(throws: SettingsError(.invalidValue, message)) {
      try settings.update { $0[Declared.choice] = 5 }
    }
    #expect(throws: SettingsError.self) { try settings.set("abcdef", for: Declared.nick) }
    #expect(throws: SettingsError.self) { try settings.set(0, for: Declared.optionalRange) }
    #expect(try settings.set(nil, for: Declared.optionalRange) == false)
    #expect(settings.storedPaths == [["choice"]])
  }

  @Test func `reading what a constraint refuses gives the default and a problem`() throws {
    let settings = SettingsStore(inMemory: "[editor]\ntab-width = 99\n", logger: .silent)
    #expect(settings[Declared.width] == 4)
    #expect(
      settings.currentProblems.map(\.message) == [
        "Cannot read 'editor.tab-width': the text in memory has the integer 99, but the key needs an integer "
          + "from 1 to 16. Using the default 4."
      ])
    #expect(throws: SettingsError.self) { try settings.value(for: Declared.width) }
  }

  @Test func `a secret that breaks its constraint stays out of the message`() throws {
    let settings = SettingsStore(inMemory: "secret = \"Hunter2\"\n", logger: .silent)
    #expect(settings[Declared.secret] == "abcd")
    let problem = try #require(settings.currentProblems.first)
    #expect(!problem.message.contains("Hunter2"))
    #expect(!problem.message.contains("abcd"))
  }

  /// A number that counts how often it is compared.
  struct Compared: RawRepresentable, SettingsSerializable, Hashable {
    static let count = Lock(0)
    var rawValue: Int

    static func == (lhs: Self, rhs: Self) -> Bool {
      count.withLock { $0 += 1 }
      return lhs.rawValue == rhs.rawValue
    }
    func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  }

  @Test func `the type of a key with very many choices is found without comparing each with all`() {
    let choices = (0..<1_000).map(Compared.init)
    let key = SettingsKey("many-choices", default: choices[999], .oneOf(choices))
    let optional = SettingsKey("many-choices.optional", .oneOf(choices))
    Compared.count.withLock { $0 = 0 }
    #expect(key.schemaType.choices == (0..<1_000).map { .integer($0) })
    #expect(optional.schemaType.choices?.count == 1_000)
    #expect(Compared.count.withLock { $0 } < 20_000)
    #expect(throws: SettingsValueError.self) { try key.decode(1_000) }
  }

  @Test func `of very many choices nil is one if it is named`() throws {
    let named = try #require(SettingsKeyDetail<Int?>.oneOf([nil] + (0..<20).map { $0 }).constraint)
    #expect(named.violation(of: nil) == nil && named.violation(of: 3) == nil && named.violation(of: 20) != nil)
    #expect(SettingsKeyDetail<Int?>.oneOf((0..<20).map { $0 }).constraint?.violation(of: nil) != nil)
  }
}
