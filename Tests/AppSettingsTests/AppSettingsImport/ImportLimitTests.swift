import AppSettings
import AppSettingsImport
import Foundation
import Testing
import TestSupport

/// What a file of another form says never ends the process, and makes no more than a limit.
struct ImportLimitTests {
  private func take(
    _ bytes: [UInt8], as format: SettingsImportFormat, _ budget: ImportBudget = ImportBudget()
  ) throws -> (TOMLTable, SettingsImportReport) {
    var document = TOMLDocument()
    let report = try SettingsImporting.take(
      bytes, of: "old", as: format, by: SettingsImportRules(), into: &document, budget: budget)
    return (document.root, report)
  }

  private func take(_ text: String, as format: SettingsImportFormat) throws -> (TOMLTable, SettingsImportReport) {
    try take(Array(text.utf8), as: format)
  }

  private func expectRefused(
    _ reason: String, _ bytes: [UInt8], as format: SettingsImportFormat, _ budget: ImportBudget = ImportBudget()
  ) {
    let error = #expect(throws: SettingsError.self) { try take(bytes, as: format, budget) }
    #expect(error?.code == .unparsable && error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  /// A binary property list of objects as they are in the file.
  private func binary(_ objects: [[UInt8]], references: Int = 2, count: Int? = nil, offsets: Int? = nil) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var table: [UInt8] = []
    for object in objects {
      table += number(bytes.count, 8)
      bytes += object
    }
    let start = offsets ?? bytes.count
    bytes += table
    bytes += [0, 0, 0, 0, 0, 0, 8, UInt8(references)]
    return bytes + number(count ?? objects.count, 8) + number(0, 8) + number(start, 8)
  }

  private func number(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private func counted(_ kind: UInt8, _ count: Int) -> [UInt8] { [kind << 4 | 0xF, 0x13] + number(count, 8) }

  private let key: [UInt8] = [0x51, 0x61]

  @Test func `references to one object count as often as they are`() {
    // 60,000 references to a text of 10,000 bytes, in 130 KB.
    let text = counted(5, 10_000) + [UInt8](repeating: 0x78, count: 10_000)
    let references = (0..<60_000).flatMap { _ in number(3, 2) }
    let list = binary([[0xD1] + number(1, 2) + number(2, 2), key, counted(0xA, 60_000) + references, text])
    expectRefused("come to more than 67108864 bytes", list, as: .propertyList)
    // The same of data, which may be a property list itself.
    let inner = binary([
      [0xD1] + number(1, 2) + number(2, 2), key, counted(0xA, 4000) + (0..<4000).flatMap { _ in number(1, 2) },
    ])
    let data = counted(4, inner.count) + inner
    expectRefused(
      "the limit", binary([[0xD1] + number(1, 2) + number(2, 2), key, counted(0xA, 60_000) + references, data]),
      as: .propertyList)
    // Arrays of arrays of arrays: each doubles what there is.
    let few = ImportBudget(mostValues: 20_000)
    var objects: [[UInt8]] = [[0xD1] + number(1, 2) + number(2, 2), key]
    for depth in 0..<60 { objects.append([0xA2] + number(depth + 3, 2) + number(depth + 3, 2)) }
    objects.append([0x09])
    expectRefused("more than 20000 values", binary(objects), as: .propertyList, few)
  }

  @Test func `cycles, and headers that lie, are refused`() {
    let root: [UInt8] = [0xD1] + number(1, 2) + number(2, 2)
    expectRefused("within itself", binary([root, key, [0xA1] + number(2, 2)]), as: .propertyList)
    expectRefused("within itself", binary([[0xD1] + number(1, 2) + number(0, 2), key]), as: .propertyList)
    for object in [
      counted(0xA, .max), counted(0xD, .max), counted(4, .max), counted(5, .max), counted(6, .max / 2 + 1),
      [0x5F, 0x1F], [0x5F, 0x09], [0x14] + [UInt8](repeating: 0x7F, count: 16), [0x1F], [0x2F], [0xF0],
      [0xA3, 0, 1],
    ] {
      expectRefused("Cannot import 'old' as plist: it ", binary([root, key, object]), as: .propertyList)
    }
    for list in [
      binary([root, key, [8]], references: 8), binary([root, key, [8]], count: .max),
      binary([root, key, [8]], count: 0), binary([root, key, [8]], offsets: .max),
      binary([root, key, [8]], offsets: 0),
    ] {
      #expect(throws: SettingsError.self) { try take(list, as: .propertyList) }
    }
  }

  @Test func `texts that are no Unicode, and dates that are none, are left out by name`() throws {
    let root: [UInt8] = [0xD5] + (1...5).flatMap { number($0, 2) } + (6...10).flatMap { number($0, 2) }
    let keys = "abcde".utf8.map { [0x51, $0] }
    let date: (Double) -> [UInt8] = { [0x33] + self.number(Int(truncatingIfNeeded: $0.bitPattern), 8) }
    let (values, report) = try take(
      binary([root] + keys + [[0x52, 0xFF, 0xFE], [0x61, 0xD8, 0x00], date(1e300), date(.nan), [0x08]]),
      as: .propertyList)
    #expect(values == ["e": false])
    #expect(
      report.skipped.map { "\($0.source): \($0.reason)" } == [
        "a: its text is not valid Unicode", "b: its text is not valid Unicode", "c: its date is beyond what TOML has",
        "d: its date is beyond what TOML has",
      ])
    for date in [-1e300, 9.2e18, -9.3e18, 1e11, -6.4e10, .infinity, 2.5e11] {
      _ = try take(
        binary([
          [0xD1] + number(1, 2) + number(2, 2), key, [0x33] + number(Int(truncatingIfNeeded: date.bitPattern), 8),
        ]), as: .propertyList)
    }
    let wide = [0x14] + [UInt8](repeating: 0xFF, count: 16)
    #expect(try take(binary([[0xD1] + number(1, 2) + number(2, 2), key, wide]), as: .propertyList).0 == ["a": -1])
  }

  private func xml(_ value: String) -> String { "<plist><dict><key>a</key>\(value)</dict></plist>" }

  @Test(arguments: [
    "<integer>99999999999999999999</integer>", "<integer></integer>", "<real>1e999</real>", "<real>x</real>",
    "<date>2026-13-41T00:00:00Z</date>", "<date>99999999999999999999-01-01T00:00:00Z</date>", "<string>&b;</string>",
    "<string>&#xD800;</string>", "<string>&#99999999999;</string>",
    "<string>&" + String(repeating: "a", count: 1000),
    "<data>*</data>", "<uid/>", "<string>", String(repeating: "<array>", count: 1000), "<key>b</key>",
  ])
  func `XML that is no property list is refused`(value: String) {
    expectRefused("it is not a property list (", Array(xml(value).utf8), as: .propertyList)
  }

  @Test func `entities of a document's own are not read`() {
    let bomb = "<!DOCTYPE plist [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" + xml("<string>&b;</string>")
    expectRefused("it is not a property list (", Array(bomb.utf8), as: .propertyList)
    let external = "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\">" + xml("<string>&b;</string>")
    expectRefused("unknown reference", Array(external.utf8), as: .propertyList)
  }

  @Test func `numbers beyond what TOML has are said, and what is not UTF-8 is refused`() throws {
    let (values, report) = try take(
      "[/]\na=99999999999999999999\nb=1e999\nc=uint64 18446744073709551615\nd=inf\ne=-99999999999999999999\n",
      as: .dconf)
    #expect(values == ["c": "18446744073709551615", "d": .float(.infinity)])
    #expect(report.skipped.map(\.reason) == Array(repeating: "its number is too large", count: 3))
    let digits = String(repeating: "9", count: 400)
    #expect(
      try take("a=\(digits)\nb=\(digits).5\n", as: .ini).0 == ["a": .string(digits), "b": .string(digits + ".5")])
    expectRefused("a number is malformed, or too large", Array("{\"a\": 1e999}".utf8), as: .json)
    for format in SettingsImportFormat.allCases where format != .toml {
      expectRefused("not UTF-8", Array("a=\"".utf8) + [0xC3, 0x28], as: format)
    }
    // UTF-16 is no UTF-8 either.
    expectRefused("not UTF-8", [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], as: .json)
  }

  @Test func `of a key that is there twice the last one counts`() throws {
    let twice: [(String, SettingsImportFormat)] = [
      (#"{"a": 1, "b": 0, "a": 2}"#, .json), (#"{"a": 1, "a": null, "b": 0, "a": 2}"#, .json),
      ("a=1\nb=0\na=2\n", .ini),
      ("a=1\nb=0\na=2\n", .keyFile), ("a=1\nb=0\na=2\n", .environment), ("[/]\na=1\nb=0\na=2\n", .dconf),
      (
        "<dict><key>a</key><integer>1</integer><key>b</key><integer>0</integer><key>a</key><integer>2</integer></dict>",
        .propertyList
      ),
    ]
    for (text, format) in twice { #expect(try take(text, as: format).0 == ["a": 2, "b": 0], "\(format)") }
    #expect(try take(#"{"a": 1, "a": null, "b": 0}"#, as: .json).0 == ["b": 0])
  }

  @Test(arguments: SettingsImportFormat.allCases)
  func `an original that is too large, too deep or too much is refused`(format: SettingsImportFormat) {
    expectRefused("the limit is 16777216", [UInt8](repeating: 10, count: ImportBudgetSize.most + 1), as: format)
    let many = 2_001
    let much: String
    switch format {
    case .json: much = "{\"a\":[" + String(repeating: "0,", count: many) + "0]}"
    case .propertyList: much = xml("<array>" + String(repeating: "<true/>", count: many) + "</array>")
    case .keyFile: much = "a=" + String(repeating: ";", count: many)
    case .dconf: much = "[/]\na=[" + String(repeating: "0,", count: many) + "0]\n"
    case .ini, .environment, .kconfig: much = (0...many).map { "k\($0)=\n" }.joined()
    case .gitConfig: much = "[a]\n" + String(repeating: "k\n", count: many + 1)
    case .toml: much = (0...many).map { "k\($0)=1\n" }.joined()
    }
    #expect(throws: SettingsError.self) { try take(Array(much.utf8), as: format, ImportBudget(mostValues: 2000)) }
    #expect(throws: Never.self) { try take(Array(much.utf8), as: format, ImportBudget(mostValues: 5000)) }
    // One long name over and over.
    let long = String(repeating: "k", count: 1000)
    if [.ini, .keyFile, .dconf, .kconfig, .gitConfig].contains(format) {
      let text = "[\(long)]\n" + (0..<1000).map { "k\($0)=1\n" }.joined()
      expectRefused("come to more than 100000 bytes", Array(text.utf8), as: format, ImportBudget(mostBytes: 100_000))
    }
  }

  @Test func `what is deep is refused where it would be too deep for settings`() {
    let deep = Array(repeating: "a", count: 200)
    expectRefused("nested", Array("[\(deep.joined(separator: "/"))]\na=1\n".utf8), as: .dconf)
    expectRefused("nested", Array("[\(deep.joined(separator: "]["))]\na=1\n".utf8), as: .kconfig)
    expectRefused("nested", Array("\(deep.joined(separator: ".")) = 1\n".utf8), as: .toml)
    expectRefused("nested", Array((String(repeating: "{\"a\":", count: 100_000)).utf8), as: .json)
  }

  @Test func `many removals and open quotes take no longer than their text`() throws {
    let nulls = (0..<20_000).map { "\"k\($0)\":1" } + (0..<20_000).map { "\"k\($0)\":null" }
    #expect(try take("{" + nulls.joined(separator: ",") + "}", as: .json).0.isEmpty)
    let lines = "a='" + String(repeating: "x\n", count: 50_000)
    expectRefused("line 1 has a quote that is not closed", Array(lines.utf8), as: .environment)
    #expect(try take(lines + "'\n", as: .environment).0.count == 1)
  }

  @Test func `many locks, and many values of one key, take no longer than their text`() throws {
    let locks = (0..<20_000).map { "k\($0)[$i]=1\nk0[$i]=2\n[$i]\n" }.joined()
    var document = TOMLDocument()
    let report = try SettingsImporting.take(
      Array(locks.utf8), of: "old", as: .kconfig, by: SettingsImportRules(takesLocks: true), into: &document)
    #expect(report.taken.count == 40_000 && document[["settings-locked"]]?.array?.count == 20_000)
    let values = "[a]\n" + String(repeating: "k = 1\n", count: 50_000)
    #expect(try take(values, as: .gitConfig).0["a"]?.table?["k"]?.array?.count == 50_000)
  }

  @Test func `many tables are imported at once, into nothing and beside others`() throws {
    let tables = (0..<2000).map { "\"t\($0)\": {\"a\": \($0), \"b\": \"x\"}" }
    let json = Array(("{" + tables.joined(separator: ",") + "}").utf8)
    #expect(try take(json, as: .json).0.count == 2000)
    var document = try TOMLDocument(parsing: "# mine\na = 1\n[t5]\na = 1 # one\n\n[z]\nb = 1\n")
    let report = try SettingsImporting.take(json, of: "old", as: .json, by: SettingsImportRules(), into: &document)
    #expect(report.taken.count == 3999 && report.skipped.map(\.reason) == ["'t5.a' has a value already"])
    #expect(
      document.text.hasPrefix(
        "# mine\na = 1\n[t5]\na = 1 # one\nb = \"x\"\n\n[z]\nb = 1\n\n[t0]\na = 0\nb = \"x\"\n\n[t1]"))
  }
}

private enum ImportBudgetSize {
  /// As the guide says: 16 MiB.
  static let most = 16 << 20
}

extension TOMLValue {
  fileprivate var array: [TOMLValue]? { if case .array(let items) = self { items } else { nil } }
}
