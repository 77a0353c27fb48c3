import AppSettings
import AppSettingsImport
import Foundation
import Testing
import TestSupport

/// Files of other forms: what of them is taken, and what is said of the rest.
struct ImportTests {
  let home = ScratchHome()

  private func take(
    _ text: String, as format: SettingsImportFormat, rules: SettingsImportRules = SettingsImportRules(),
    into old: String = ""
  ) throws -> (text: String, report: SettingsImportReport) {
    var document = try TOMLDocument(parsing: old)
    let report = try SettingsImporting.take(Array(text.utf8), of: "old", as: format, by: rules, into: &document)
    return (document.text, report)
  }

  private func skipped(_ report: SettingsImportReport) -> [String] {
    report.skipped.map { "\($0.source): \($0.reason)" }
  }

  // MARK: Forms

  @Test func `JSON keeps order and types, and tells of null`() throws {
    let (text, report) = try take(
      #"{"z": 1, "a": {"b": 2.0, "n": null, "s": "\u00e9\ud83d\ude00"}, "l": [1, null, {"x": true}], "e": []}"#,
      as: .json)
    #expect(
      text == "z = 1\nl = [1, { x = true }]\ne = []\n\n[a]\nb = 2.0\ns = \"é😀\"\n"
        || text == "z = 1\n\n[a]\nb = 2.0\ns = \"é😀\"\n", "\(text)")
    #expect(
      skipped(report) == ["a.n: null has no value in TOML", "l.\"[1]\": null has no value in TOML"])
    #expect(report.taken.map(\.key.description) == ["z", "a.b", "a.s", "l", "e"])
  }

  @Test(arguments: [
    "[1]", "", "{", "{\"a\": 01}", "{\"a\" 1}", "{\"a\": 1,}", "{'a': 1}", "{\"a\": \"\u{1}\"}", "{\"a\": \"\\ud800\"}",
    "{\"a\": tru}", "{\"a\": -}", "{\"a\": 1.}", "{\"a\": 1} x",
  ])
  func `what is not a JSON object is refused`(text: String) throws {
    let error = #expect(throws: SettingsError.self) { try take(text, as: .json) }
    #expect(error?.code == .unparsable && error?.message.contains("Cannot import 'old' as json") == true)
  }

  @Test(
    arguments: [
      ("{\"a\": CANARY}", .json), ("{\"a\": \"CANARY}", .json), ("{\"a\": 1CANARY}", .json), ("{CANARY: 1}", .json),
      ("{\"a\": \"CANARY\\q\"}", .json), ("{\"a\": \"\\uCANARY\"}", .json), ("{} CANARY", .json), ("\"CANARY\"", .json),
      ("[a]\nCANARY\n", .ini), ("[CANARY\n", .ini), ("= CANARY\n", .ini), ("[a]\nCANARY\n", .keyFile),
      ("[CANARY\n", .keyFile),
      ("[CANARY] x\n", .keyFile), ("CANARY\n", .dconf), ("[/]\na = CANARY\n", .dconf), ("[/]\na = 'CANARY\n", .dconf),
      ("CANARY\n", .environment), ("A='CANARY\n", .environment), ("1CANARY=1\n", .environment),
      ("A=\"CANARY", .environment),
      ("a = CANARY\n", .toml), ("a = \"CANARY\n", .toml), ("CANARY", .toml), ("a = 1\na = \"CANARY\"\n", .toml),
      ("CANARY", .propertyList), ("<plist><dict><key>a</key>CANARY</dict></plist>", .propertyList),
      ("<dict><key>a</key><CANARY/></dict>", .propertyList), ("<dict><key>CANARY</key></dict>", .propertyList),
      ("<dict><key>a</key><string>x<CANARY></string></dict>", .propertyList),
      ("<string>CANARY</string>", .propertyList),
      ("<dict><key>a</key><string>&CANARY;</string></dict>", .propertyList),
      ("<dict><key>a</key><integer>CANARY</integer></dict>", .propertyList),
      ("<dict><key>a</key><real>CANARY</real></dict>", .propertyList), ("<dict>CANARY", .propertyList),
      ("<dict><key>a</key><date>CANARY</date></dict>", .propertyList), ("bplist00CANARY", .propertyList),
      ("<dict><key>a</key><data>CANARY!</data></dict>", .propertyList), ("<!-- CANARY", .propertyList),
    ] as [(String, SettingsImportFormat)])
  func `a fault is told without what stands there, which may be a secret`(text: String, format: SettingsImportFormat) {
    do {
      let report = try take(text, as: format).report
      #expect(!report.skipped.isEmpty && !"\(report)".contains("CANARY"), "\(report)")
    } catch {
      #expect(!"\(error)".contains("CANARY"), "\(error)")
    }
  }

  private static let binaryList = """
    YnBsaXN0MDDcAQIDBAUGBwgJCgsMDQ4PEBESExQYGR0eV2FyY2hpdmVTYmlnVGJsb2JVY291bnRVZW1wdHlXZW5hYmxlZFRoYWxmVGxpc3RUbmFt
    ZVZuZXN0ZWRVcmF0aW9Ud2hlbk8QdGJwbGlzdDAw1AECAwQFBgcIWSRhcmNoaXZlclgkb2JqZWN0c1QkdG9wWCR2ZXJzaW9uXxAPTlNLZXllZEFy
    Y2hpdmVyoNASAAGGoAgRGyQpMkRFRgAAAAAAAAEBAAAAAAAAAAkAAAAAAAAAAAAAAAAAAABLFAAAAAAAAAAAgAAAAAAAAABDAQIDEAzQCSM/4AAA
    AAAAAKMVFhdRYRABoRJjAMQAIgB40RobVWEga2V50RwWUWIjQAAAAAAAAAAzQceDtpKAAAAACAAhACkALQAyADgAPgBGAEsAUABVAFwAYgBnAN4A
    7wDzAPUA9gD3AQABBAEGAQgBCgERARQBGgEdAR8BKAAAAAAAAAIBAAAAAAAAAB8AAAAAAAAAAAAAAAAAAAEx
    """

  private static let xmlList = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>
    <key>archive</key><data>
    YnBsaXN0MDDUAQIDBAUGBwhZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25f
    EA9OU0tleWVkQXJjaGl2ZXKg0BIAAYagCBEbJCkyREVGAAAAAAAAAQEAAAAAAAAACQAA
    AAAAAAAAAAAAAAAAAEs=
    </data>
    <key>big</key><integer>9223372036854775808</integer><key>blob</key><data>AQID</data>
    <key>count</key><integer>12</integer><key>empty</key><dict/><key>enabled</key><true/>
    <key>half</key><real>0.5</real>
    <key>list</key><array><string>a</string><integer>1</integer><array><true/></array></array>
    <key>name</key><string>&#196;"x</string>
    <key>nested</key><dict><key>a key</key><dict><key>b</key><integer>1</integer></dict></dict>
    <key>ratio</key><real>2.0</real><key>when</key><date>2026-01-02T03:04:05Z</date>
    </dict></plist>
    """

  @Test(arguments: [true, false])
  func `a UserDefaults domain, binary or XML, comes with its types`(isBinary: Bool) throws {
    let bytes =
      isBinary
      ? Array(try #require(Data(base64Encoded: String(Self.binaryList.filter { !$0.isWhitespace }))))
      : Array(Self.xmlList.utf8)
    var document = TOMLDocument()
    let report = try SettingsImporting.take(
      bytes, of: "old", as: .propertyList, by: SettingsImportRules(), into: &document)
    let archive = try #require(document.root["archive"])
    #expect(try String(decoding: Data.settingsBridge.read(archive).prefix(8), as: UTF8.self) == "bplist00")
    try document.remove(at: ["archive"])
    #expect(
      document.root == [
        "big": "9223372036854775808", "blob": "AQID", "count": 12, "empty": [:], "enabled": true, "half": 0.5,
        "list": ["a", 1, [true]], "name": "Ä\"x", "nested": ["a key": ["b": 1]], "ratio": 2.0,
        "when": try TOMLValue(parsing: "2026-01-02T03:04:05Z"),
      ], "\(document.text)")
    #expect(report.skipped.isEmpty)
  }

  @Test func `a property list that is cut short, or holds no dictionary, is refused`() throws {
    let bytes = Array(try #require(Data(base64Encoded: String(Self.binaryList.filter { !$0.isWhitespace }))))
    for count in stride(from: 0, to: bytes.count, by: 7) {
      var document = TOMLDocument()
      #expect(throws: SettingsError.self) {
        _ = try SettingsImporting.take(
          Array(bytes[..<count]), of: "old", as: .propertyList, by: SettingsImportRules(), into: &document)
      }
    }
    // Whatever is in it: an error or a value, never a trap.
    for index in bytes.indices {
      for value in [0, 0xFF, bytes[index] ^ 0x80, bytes[index] &+ 1] {
        var changed = bytes
        changed[index] = value
        var document = TOMLDocument()
        _ = try? SettingsImporting.take(
          changed, of: "old", as: .propertyList, by: SettingsImportRules(), into: &document)
      }
    }
    for count in 0..<Self.xmlList.utf8.count - 12 where count % 5 == 0 {
      #expect(throws: SettingsError.self) {
        try take(String(decoding: Self.xmlList.utf8.prefix(count), as: UTF8.self), as: .propertyList)
      }
    }
    #expect(throws: SettingsError.self) { try take("<plist><array/></plist>", as: .propertyList) }
  }

  @Test func `INI sections become tables, and what looks like a number is one`() throws {
    let (text, report) = try take(
      "top = 1\r\n; c\r\n# c\r\n[View]\r\nfont size = 12\r\nratio: 0.5\r\nname = \"a; b\"\r\non = True\r\nphone = 0123\r\n"
        + "empty =\r\nurl = http://x/?a=b\r\nversion = 1.2.3\r\n", as: .ini)
    #expect(
      text == """
        top = 1

        [View]
        "font size" = 12
        ratio = 0.5
        name = "a; b"
        on = true
        phone = "0123"
        empty = ""
        url = "http://x/?a=b"
        version = "1.2.3"

        """, "\(text)")
    #expect(report.skipped.isEmpty)
    #expect(throws: SettingsError.self) { try take("nothing here\n", as: .ini) }
    #expect(throws: SettingsError.self) { try take("[open\n", as: .ini) }
  }

  @Test func `a key file has lists, escapes and translations`() throws {
    let (text, report) = try take(
      "[Window State]\nlist=a;b\\;c;\nescaped=\\stab\\tend\\n\nName=App\nName[de]=Anwendung\nsizes=1;2;\n", as: .keyFile
    )
    #expect(
      text
        == "[\"Window State\"]\nlist = [\"a\", \"b;c\"]\nescaped = \" tab\\tend\\n\"\nName = \"App\"\nsizes = [1, 2]\n",
      "\(text)")
    #expect(skipped(report) == ["\"Window State\".\"Name[de]\": it is a translation"])
  }

  @Test func `blanks at the end of a key file's value are part of a text, and of nothing else`() throws {
    let (text, _) = try take(" [g] \n a =  x \nb=1 \nc=true\t\nd= ; \ne=\\s2\nf= \nh=640;480 \n", as: .keyFile)
    #expect(
      text
        == "[g]\na = \"x \"\nb = 1\nc = true\nd = [\"\", \" \"]\ne = \" 2\"\nf = \"\"\nh = [640, 480]\n",
      "\(text)")
  }

  @Test func `a dconf dump has GVariant values`() throws {
    let (text, report) = try take(
      """
      [/]
      theme='it\\'s'
      size=uint32 12
      large=uint64 18446744073709551615
      ratio=0.5
      whole=double 2
      on=true
      list=['a', "b"]
      none=@as []
      pair=(1, 'x')
      map={'a': <1>, 'b': <['x']>}
      maybe=nothing
      maybes={'a': @mi nothing, 'b': just 1, 'c': <nothing>}
      bytes=b'abc'
      hex=byte 0x1f

      [view/editor]
      font='Mono 11'
      bad=[1,

      """, as: .dconf)
    let document = try TOMLDocument(parsing: text)
    #expect(
      document.root == [
        "theme": "it's", "size": 12, "large": "18446744073709551615", "ratio": 0.5, "whole": 2.0, "on": true,
        "list": ["a", "b"], "none": [], "pair": [1, "x"], "map": ["a": 1, "b": ["x"]],
        "maybes": ["b": 1], "bytes": "abc", "hex": 31,
        "view": ["editor": ["font": "Mono 11"]],
      ], "\(text)")
    #expect(
      report.skipped.map(\.source.description) == ["maybe", "maybes.a", "maybes.c", "view.editor.bad"])
  }

  @Test func `environment files have quotes, comments and exports`() throws {
    let (text, report) = try take(
      """
      # c
      export FONT_SIZE=12
      NAME="a \\"b\\" \\$c \\d"  # comment
      RAW='a "b" \\n'
      PLAIN=a b # c
      EMPTY=
      LONG="two
      lines"
      QUOTED="12"

      """, as: .environment)
    #expect(
      try TOMLDocument(parsing: text).root == [
        "FONT_SIZE": 12, "NAME": "a \"b\" $c \\d", "RAW": "a \"b\" \\n", "PLAIN": "a b", "EMPTY": "",
        "LONG": "two\nlines", "QUOTED": "12",
      ], "\(text)")
    #expect(report.skipped.isEmpty)
    for bad in ["no equals\n", "1A=2\n", "A B=2\n", "A=\"open\n"] {
      #expect(throws: SettingsError.self) { try take(bad, as: .environment) }
    }
  }

  @Test func `TOML comes with its comments`() throws {
    let old = "# mine\na   = 1 # x\n[t]\nb = 2\n"
    #expect(try take(old, as: .toml).text == old)
    #expect(try take("settings-version = 3\n" + old, as: .toml).text == old)
  }

  // MARK: Special numbers

  @Test(arguments: [
    ("nan", "nan"), ("NaN", "nan"), ("-nan", "nan"), ("+infinity", "inf"), ("-infinity", "-inf"), ("inf", "inf"),
    ("-inf", "-inf"), ("-0", "-0.0"),
  ])
  func `a property list has numbers that are none, and infinite ones`(text: String, stored: String) throws {
    let list = "<plist><dict><key>a</key><real>\(text)</real><key>b</key><integer>1</integer></dict></plist>"
    #expect(try take(list, as: .propertyList).text == "a = \(stored)\nb = 1\n")
  }

  // MARK: Names with dots

  private static let dotted = #"{"view.unicorn": true, "sites": {"example.org": 1}, "a.b": {"c.d": 2}, ".x.": 3}"#

  @Test func `without keys, names with dots stay whole, and the report has them`() throws {
    let (text, report) = try take(Self.dotted, as: .json)
    #expect(
      try TOMLDocument(parsing: text).root == [
        "view.unicorn": true, "sites": ["example.org": 1], "a.b": ["c.d": 2], ".x.": 3,
      ], "\(text)")
    #expect(
      report.dotted.map(\.source.description) == ["\"view.unicorn\"", "sites.\"example.org\"", "\"a.b\".\"c.d\""])
  }

  @Test func `the app's keys say where names with dots go`() throws {
    let keys: [AnySettingsKey] = [
      SettingsKey("view.unicorn", default: false), SettingsKey<[String: Int]>("sites", default: [:]),
      SettingsKey<[String: Int]>("a.b", default: [:]), SettingsKey("new", default: 1, .formerly("old.name")),
      SettingsKey("\"q.r\"", default: 1),
    ]
    let json = Self.dotted.dropLast() + #", "old.name": 4, "q.r": 5, "other.name": 6}"#
    let (text, report) = try take(String(json), as: .json, rules: SettingsImportRules(keys: keys))
    #expect(
      try TOMLDocument(parsing: text).root == [
        "view": ["unicorn": true], "sites": ["example.org": 1], "a": ["b": ["c.d": 2]], ".x.": 3, "old": ["name": 4],
        "q.r": 5, "other.name": 6,
      ], "\(text)")
    #expect(report.dotted.map(\.source.description) == ["\"other.name\""])
    // In a table, the keys are those of the table.
    let inner = SettingsImportRules(into: ["legacy"], keys: [SettingsKey("legacy.view.unicorn", default: false)])
    #expect(try take(#"{"view.unicorn": true}"#, as: .json, rules: inner).text == "[legacy.view]\nunicorn = true\n")
  }

  @Test func `a rule may name a key with dots by its text`() throws {
    var rules = SettingsImportRules(mapping: [["view", "unicorn"]: ["unicorn"]], ignoring: [["a", "b"]])
    let json = #"{"view.unicorn": true, "a.b": {"c": 2}, "z": 1}"#
    let (text, report) = try take(json, as: .json, rules: rules)
    #expect(text == "unicorn = true\nz = 1\n" && report.dotted.isEmpty)
    #expect(skipped(report) == ["\"a.b\".c: it is not to be taken"])
    // The exact name comes first.
    rules.mapping[["view.unicorn"]] = ["exact"]
    rules.takesOnlyMapped = true
    #expect(try take(json, as: .json, rules: rules).text == "exact = true\n")
  }

  @Test func `names with dots that cannot be tables are reported, and TOML and git mean what they say`() throws {
    let keys: [AnySettingsKey] = [SettingsKey("a.b", default: 1), SettingsKey("branch.x.merge", default: "")]
    let rules = SettingsImportRules(keys: keys)
    let (text, report) = try take(#"{"a": 1, "a.b": 2}"#, as: .json, rules: rules)
    #expect(text == "a = 1\n" && skipped(report) == ["\"a.b\": it cannot be set: 'a' is a value, and cannot have keys"])
    let toml = try take("\"a.b\" = 1\n", as: .toml, rules: rules)
    #expect(toml.text == "\"a.b\" = 1\n" && toml.report.dotted.isEmpty)
    let git = try take("[branch \"release.1\"]\n  merge = x\n", as: .gitConfig, rules: rules)
    #expect(git.text == "[branch.\"release.1\"]\nmerge = \"x\"\n" && git.report.dotted.isEmpty)
  }

  // MARK: Rules

  @Test func `mapping, ignoring and a table say where keys go`() throws {
    let rules = SettingsImportRules(
      mapping: [["View", "fontsize"]: ["editor", "font-size"], ["Servers"]: ["hosts"]], ignoring: [["Junk"]],
      into: ["legacy"])
    let (text, report) = try take(
      #"{"View": {"fontsize": 12, "x": 1}, "Servers": {"a": {"b": 2}}, "Junk": {"c": 3}, "settings-x": 1}"#, as: .json,
      rules: rules)
    #expect(
      try TOMLDocument(parsing: text).root == [
        "editor": ["font-size": 12], "legacy": ["View": ["x": 1], "settings-x": 1], "hosts": ["a": ["b": 2]],
      ], "\(text)")
    #expect(skipped(report) == ["Junk.c: it is not to be taken"])
    var only = rules
    only.takesOnlyMapped = true
    #expect(
      try take(#"{"View": {"fontsize": 12, "x": 1}}"#, as: .json, rules: only).text == "[editor]\nfont-size = 12\n")
  }

  @Test func `what is there stays, unless it is to be replaced`() throws {
    let old = "# c\na = 1 # mine\nt = 5\n"
    let json = #"{"a": 2, "b": 3, "t": {"x": 1}}"#
    let (text, report) = try take(json, as: .json, into: old)
    #expect(text == "# c\na = 1 # mine\nt = 5\nb = 3\n")
    #expect(
      skipped(report) == [
        "a: 'a' has a value already",
        "t.x: it cannot be set: 't' is a value, and cannot have keys",
      ])
    let (replaced, _) = try take(json, as: .json, rules: SettingsImportRules(isReplacing: true), into: old)
    #expect(replaced.hasPrefix("# c\na = 2 # mine\n"))
  }

  @Test func `of two values for one key the first is taken, and the other one is named`() throws {
    let json = #"{"a": 1, "b": 2}"#
    for isReplacing in [false, true] {
      let rules = SettingsImportRules(mapping: [["a"]: ["x"], ["b"]: ["x"]], isReplacing: isReplacing)
      let (text, report) = try take(json, as: .json, rules: rules, into: isReplacing ? "x = 0\n" : "")
      #expect(text == "x = 1\n")
      #expect(report.taken.map(\.source) == [["a"]])
      #expect(skipped(report) == ["b: 'x' has a value already"])
    }
  }

  // MARK: As a step

  private func importing(_ file: String) -> [Migration] {
    [
      Migration(
        2, "import the old file", [.importFile(file, as: .ini, mapping: ["view.fontsize": "editor.font-size"])]),
      Migration(3, "rename name", [.rename("name", to: "title")]),
    ]
  }

  @Test func `an app without a file of its own takes over the old one at the first access, once`() throws {
    let old = home.path + "/.editorrc"
    try home.write("name = x\n[view]\nfontsize = 14\n", to: old)
    let settings = try home.store(migrations: importing(old))
    #expect(settings[SettingsKey("editor.font-size", default: 12)] == 14)
    #expect(settings[SettingsKey("title", default: "")] == "x")
    let text = home.text()
    #expect(text == "settings-version = 3\ntitle = \"x\"\n\n[editor]\nfont-size = 14\n", "\(text ?? "")")
    #expect(home.text(of: old) == "name = x\n[view]\nfontsize = 14\n")
    try home.write("name = changed\n", to: old)
    #expect(try home.store(migrations: importing(old))[SettingsKey("title", default: "")] == "x")
    #expect(home.text() == text)
  }

  @Test func `a file that exists and needs the step gets what it does not have`() throws {
    let old = home.path + "/.editorrc"
    try home.write("name = x\nother = 1\n", to: old)
    try home.write("name = \"mine\"\n")
    _ = try home.store(migrations: importing(old))[.counter]
    #expect(home.text() == "settings-version = 3\ntitle = \"mine\"\nother = 1\n")
  }

  @Test func `the report of an import may use the store`() throws {
    let old = home.path + "/.editorrc"
    try home.write("name = x\n", to: old)
    let own = Lock<SettingsStore?>(nil)
    let seen = Recorder<String>()
    let key = SettingsKey("name", default: "")
    let settings = try home.store(
      migrations: [
        Migration(
          2, "import the old file",
          [.importFile(old, as: .ini) { _ in own.withLock { $0 }.map { seen.note($0[key]) } }])
      ])
    own.withLock { $0 = settings }
    let reader = Aside { _ = settings[key] }
    #expect(reader.ends(within: 60))
    #expect(seen.elements == ["x"])
  }

  @Test func `without an old file nothing is made, and a new file has the newest version`() throws {
    let settings = try home.store(migrations: importing(home.path + "/.editorrc"))
    #expect(settings[.counter] == 0)
    #expect(home.names(in: home.path).isEmpty)
    try settings.set(1, for: .counter)
    #expect(home.text() == "settings-version = 3\ncounter = 1\n")
  }

  @Test func `an old file that is broken is named, and nothing is written`() throws {
    let old = home.path + "/.editorrc"
    try home.write("what is this\n", to: old)
    let settings = try home.store(migrations: importing(old))
    #expect(settings[.counter] == 0)
    #expect(settings.currentProblems.first?.message.contains(old) == true, "\(settings.currentProblems)")
    #expect(home.text() == nil)
  }

  @Test func `where nothing can be written the import is in memory`() throws {
    let old = home.path + "/.editorrc"
    try home.write("name = x\n", to: old)
    let system = Syscalls.failing(.mkdir, with: EROFS)
    let settings = try home.store(migrations: importing(old), system: system)
    #expect(settings[SettingsKey("title", default: "")] == "x")
    #expect(settings.currentProblems.isEmpty, "\(settings.currentProblems)")
    #expect(home.text() == nil)
  }

  @Test func `the step has a form in the schema`() throws {
    let step = MigrationStep.importFile(
      "~/.editorrc", as: .keyFile, mapping: ["a.b": "c"], ignoring: ["d"], takesOnlyMapped: true, into: "legacy",
      keys: [SettingsKey("view.zoom", default: 1), SettingsKey("new", default: 1, .formerly("old"))])
    let forms = StepForms(and: [("import", ImportStep.self)])
    let form = StepForms.form(of: step)
    #expect(
      form == [
        "import": "~/.editorrc", "format": "keyfile", "mapping": [["a.b", "c"]], "ignoring": ["d"], "only-mapped": true,
        "into": "legacy", "keys": ["new", "old", "view.zoom"],
      ])
    #expect(StepForms.form(of: try forms.step(.table(form))) == form)
    #expect(throws: MigrationStepError.self) { try forms.step(["import": "x", "format": "yaml"]) }
  }

  @Test func `a store imports with a backup, and leaves locked keys and the original alone`() throws {
    try home.write("settings-locked = [\"b\"]\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    let old = home.path + "/old.json"
    try home.write(#"{"a": 1, "b": 2}"#, to: old)
    try home.write("c = 3\n")
    let settings = try home.store()
    let trial = try settings.importFile(old, as: .json, dryRun: true)
    #expect(home.text() == "c = 3\n")
    let report = try settings.importFile(old, as: .json)
    #expect(
      report.taken.map(\.key) == trial.taken.map(\.key) && report.skipped.map(\.source) == trial.skipped.map(\.source))
    #expect(report.taken.map(\.key.description) == ["a"] && report.skipped.map(\.source.description) == ["b"])
    #expect(home.text() == "c = 3\na = 1\n")
    #expect(settings[SettingsKey("a", default: 0)] == 1)
    #expect(try settings.backups().map(\.reason) == ["before-import"])
    #expect(home.text(of: old) == #"{"a": 1, "b": 2}"#)
    #expect(throws: SettingsError.self) { try settings.importFile(home.path + "/none", as: .json) }
  }
}
