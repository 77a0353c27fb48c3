import AppSettings
import AppSettingsSchema
import Foundation
import Testing
import TestSupport

/// A JSON Schema of the keys says what the app says, but for differences that the guide lists; every one that it lists
/// is one.
@Suite(.enabled(if: SchemaExportTests.hasValidator, "python3-jsonschema is not installed")) struct JSONVerdictTests {
  /// What JSON Schema cannot say, in the words of the guide.
  enum Difference: String, CaseIterable, Sendable {
    case ranges = "ranges of strings, durations, decimal numbers, characters, dates and `float32`"
    case forms = "the forms of `duration`, `url`, `data`, `decimal`, `character` and `time-zone`"
    case dates =
      "dates and times, which are strings in JSON Schema: it accepts each of them for any other, and a day that no month has"
    case choices = "choices of types with several forms of one value, as `60m` and `1h`"
    case counts = "the bytes of `data`"
    case patterns = "patterns with escapes of letters, options or groups other than `(…)` and `(?:…)`"
    case unique = "`unique`, where an element that is there twice is one"
    case ordered = "`ordered`"
    case ids = "`ids` other than integers and UUIDs, their range, and two keys for one id"
    case large = "integers above 9223372036854775807: it accepts any string of 19 or 20 digits, in the range or not"
    case rounded =
      "integers above 9007199254740992 for a `float`: the app rounds them before it compares them, a validator need not"
    case scalars =
      "characters: it compares and counts Unicode scalars, which are others where there are combining marks or emoji"
    case notANumber = "`nan` and `inf`, which JSON does not have"
    case olderForms = "`reads-older-form`: it accepts anything"
  }

  /// The differences of a type that a verdict may come from.
  static func differences(_ type: SchemaType, _ value: TOMLValue) -> Set<Difference> {
    var result: Set<Difference> = []
    if type.readsOlderForm { result.insert(.olderForms) }
    let hasRange = type.minimum != nil || type.maximum != nil || type.limit != nil
    if hasRange, type.kind != .integer, type.kind != .float { result.insert(.ranges) }
    switch type.kind {
    case .duration, .url, .data, .decimal, .character, .timeZone: result.insert(.forms)
    case .offsetDateTime, .localDateTime, .localDate, .localTime: result.insert(.dates)
    case .integer:
      if case .string(let digits) = value, 19...20 ~= digits.utf8.count { result.insert(.large) }
    case .float:
      if case .integer(let number) = value, number.magnitude > 1 << 53 { result.insert(.rounded) }
    default: break
    }
    switch type.kind {
    case .string, .integer, .float, .boolean, .localDate: break
    default: if type.choices != nil { result.insert(.choices) }
    }
    if type.kind == .data, type.minimumCount != nil { result.insert(.counts) }
    if type.patterns.contains(where: { $0.contains("\\") || $0.contains("(?") }) { result.insert(.patterns) }
    if type.isUnique, type.minimumCount != nil || type.maximumCount != nil { result.insert(.unique) }
    if type.isOrdered { result.insert(.ordered) }
    if type.ids != nil, case .table = value { result.insert(.ids) }
    switch value {
    case .string(let text) where text.utf8.contains { $0 >= 0x80 || $0 == 0x0D }: result.insert(.scalars)
    case .float(let number) where !number.isFinite: result.insert(.notANumber)
    case .offsetDateTime, .localDateTime, .localDate, .localTime: result.insert(.dates)
    case .array(let elements):
      for value in elements { if let element = type.element { result.formUnion(differences(element, value)) } }
    case .table(let table):
      for (name, value) in table {
        let part =
          type.kind == .records
          ? SchemaType.table(type.fields) : type.element ?? type.fields?.first { $0.name == name }?.type
        if let part { result.formUnion(differences(part, value)) }
      }
    default: break
    }
    return result
  }

  private static let script = """
    import json, sys, tomllib, jsonschema
    schema, texts = json.load(sys.stdin)
    jsonschema.Draft4Validator.check_schema(schema)
    def read(text):
      try: return json.loads(json.dumps(tomllib.loads(text), default=lambda v: v.isoformat()))
      except ValueError: return None  # a leap second
    values = [read(text) for text in texts]
    answer = {}
    for name, part in schema["properties"].items():
      validator = jsonschema.Draft4Validator(part)
      answer[name] = "".join("-" if v is None else "1" if validator.is_valid(v["v"]) else "0" for v in values)
    json.dump(answer, sys.stdout)
    """

  /// The verdicts of Python's `jsonschema` on values, for each key of a schema; `nil` for what Python's dates cannot be.
  static func verdicts(of schema: SettingsSchema, on values: [TOMLValue]) throws -> [String: [Bool?]] {
    let texts = try values.map { value in
      var document = TOMLDocument()
      try document.set(value, at: ["v"])
      return document.text
    }
    let home = ScratchHome()
    let json = try JSONSerialization.jsonObject(with: Data(schema.jsonSchema.utf8))
    let input = try JSONSerialization.data(withJSONObject: [json, texts])
    let result = try ChildProcess.run(
      "/usr/bin/python3", ["-c", script], environment: home.environment, input: String(decoding: input, as: UTF8.self))
    try #require(result.status == 0, "\(result.error)")
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: String])
    return answer.mapValues { $0.map { $0 == "-" ? nil : $0 == "1" } }
  }

  @Test func `a JSON Schema agrees with the app, but for what the guide lists`() throws {
    var random = Verdicts.random()
    let all = Verdicts.scalars + Verdicts.parts
    let values =
      Verdicts.isFull
      ? all + (0..<5000).map { _ in Verdicts.random(&random) }
      : (0..<25).map { _ in all.randomElement(using: &random)! } + (0..<15).map { _ in Verdicts.random(&random) }
    let verdicts = try Self.verdicts(of: Verdicts.schema, on: values)
    for (subject, type) in VerdictTests.subjects {
      let verdict = try #require(verdicts[subject.key.description])
      for (value, json) in zip(values, verdict) where !subject.onlyTheAppKnows(value) {
        guard let json else { continue }
        let app = (try? subject.key.check(value)) != nil
        #expect(
          app == json || !Self.differences(type, value).isEmpty,
          "seed \(random.seed): \(subject.key) = \(value.tomlText): app \(app), JSON Schema \(json)")
      }
    }
  }

  /// A value on which a JSON Schema and the app differ, for each line of the guide.
  static let cases: [(Difference, key: String, TOMLValue, app: Bool)] = [
    (.ranges, "string-in", "z", false), (.ranges, "duration-in", "1h", false), (.ranges, "decimal-in", 10, false),
    (.ranges, "character-in", "z", false), (.ranges, "date-in", try! TOMLValue(parsing: "2001-01-01T00:00:00Z"), false),
    (.ranges, "float-in", 0.11, false), (.forms, "duration", "no", false), (.forms, "url", "no url", false),
    (.forms, "data", "AQ", false), (.forms, "decimal", "12 monkeys", false), (.forms, "character", "ab", false),
    (.forms, "zone", "Mars/Phobos", false), (.dates, "date", "2001-01-01T00:00:00Z", false),
    (.dates, "local-date", "2001-99-99", false), (.choices, "duration-of", "61s", false),
    (.choices, "decimal-of", "1.6", false), (.choices, "url-of", "http://z", false),
    (.counts, "data-count", "AQID", false),
    (.patterns, "digits", "a", false), (.unique, "set-string", ["a", "b", "b"], true),
    (.ordered, "range", [9, 1], false),
    (.ids, "by-byte", ["300": true], false), (.ids, "by-decimal", ["x": 1], false),
    (.ids, "by-uuid", ["6D5BA0B4-2F0E-4F6B-9B0A-0D2F0C5F3C11": 1, "6d5ba0b4-2f0e-4f6b-9b0a-0d2f0c5f3c11": 2], false),
    (.large, "uint64", "99999999999999999999", false), (.large, "uint64", "9223372036854775807", false),
    (.large, "uint64-from", "9223372036854775807", false), (.rounded, "rounded", 9_007_199_254_740_993, true),
    (.scalars, "string-of", "é", true), (.notANumber, "double-in", .float(.nan), false),
    (.notANumber, "float", .float(.infinity), true), (.olderForms, "older", true, false),
  ]

  @Test func `every difference that the guide lists is one`() throws {
    let older = SettingsKey(
      "older", default: 1,
      bridge: Int.settingsBridge.fallingBack(
        to: String.settingsBridge.map(expecting: "a word", read: { Int($0) }, write: { "\($0)" })))
    let more: [SettingsKeys] = [older, SettingsKey("rounded", default: 0, .in(...9_007_199_254_740_992.0))]
    let schema = SettingsSchema(app: "org.example.verdicts", keys: Verdicts.subjects.map(\.key) + more)
    let verdicts = try Self.verdicts(of: schema, on: Self.cases.map(\.2))
    for (index, (difference, key, value, app)) in Self.cases.enumerated() {
      let subject = try #require((more + Verdicts.subjects.map(\.key)).first { $0.description == key })
      #expect(((try? subject.check(value)) != nil) == app, "\(key) = \(value.tomlText)")
      #expect(verdicts[key]?[index] == !app, "\(difference): \(key) = \(value.tomlText)")
    }
    #expect(Set(Self.cases.map(\.0)) == Set(Difference.allCases))
  }

  @Test func `the guide lists the differences`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let guide = try String(contentsOf: root.appendingPathComponent("docs/schema.md"), encoding: .utf8)
    let section = try #require(guide.components(separatedBy: "JSON Schema cannot express:\n\n").dropFirst().first)
    let lines = section.components(separatedBy: "\n\n")[0].replacingOccurrences(of: "\n  ", with: " ")
      .split(separator: "\n").map { String($0.dropFirst(2)) }
    #expect(lines == Difference.allCases.map(\.rawValue))
  }

  // MARK: No false alarms

  @Test func `values in another form than the choice, and numbers of another kind, are no errors`() throws {
    let cases: [(String, TOMLValue)] = [
      ("decimal-of", "1.50"), ("decimal-of", 1.5), ("duration-of", "1h"), ("duration-of", 60), ("duration-of", "60s"),
      ("url-of", "http://y/é"), ("uuid-of", "6d5ba0b4-2f0e-4f6b-9b0a-0d2f0c5f3c11"), ("set-any", [1, 1.0]),
      ("url", "../x"), ("uint64", "18446744073709551615"), ("double-of", 2), ("float", 3.4028235e38),
      ("date-of", try TOMLValue(parsing: "2023-03-08T22:26:40+02:00")),
    ]
    let verdicts = try Self.verdicts(of: Verdicts.schema, on: cases.map(\.1))
    for (index, (key, value)) in cases.enumerated() {
      let subject = try #require(Verdicts.subjects.first { $0.key.description == key })
      #expect(throws: Never.self, "\(key) = \(value.tomlText)") { try subject.key.check(value) }
      #expect(verdicts[key]?[index] == true, "\(key) = \(value.tomlText)")
    }
  }
}
