import AppSettings
import AppSettingsImport
import Foundation
import Testing
import TestSupport

/// KDE's, git's and INI's files, as those programs read them.
struct FileFormTests {
  private func take(
    _ text: String, as format: SettingsImportFormat, rules: SettingsImportRules = SettingsImportRules(),
    into old: String = ""
  ) throws -> (root: TOMLTable, report: SettingsImportReport) {
    var document = try TOMLDocument(parsing: old)
    let report = try SettingsImporting.take(Array(text.utf8), of: "old", as: format, by: rules, into: &document)
    return (document.root, report)
  }

  private func skipped(_ report: SettingsImportReport) -> [String] {
    report.skipped.map { "\($0.source): \($0.reason)" }
  }

  private func refusal(_ text: String, as format: SettingsImportFormat) -> String {
    settingsError { _ = try take(text, as: format) }?.message ?? "it was taken"
  }

  // MARK: Keys that stand twice

  @Test(
    arguments: [
      ("[view]\nsize = 1\nother = 2\n[view]\nsize = 3\n", .ini), ("[view]\nsize=1\nother=2\nsize=3\n", .keyFile),
      ("[view]\nsize=1\nother=2\nsize=3\n", .kconfig), ("[view]\nsize=1\nother=2\nsize=3\n", .dconf),
    ] as [(String, SettingsImportFormat)])
  func `of a key that stands twice the last value is taken, and the report names the others`(
    text: String, format: SettingsImportFormat
  ) throws {
    let (root, report) = try take(text, as: format)
    #expect(root == ["view": ["size": 3, "other": 2]])
    #expect(report.taken.map(\.key.description) == ["view.size", "view.other"])
    #expect(skipped(report) == ["view.size: it has several values; the last one is used"])
  }

  @Test func `a variable that is set twice is reported, too`() throws {
    let (root, report) = try take("A=1\nA=2\n", as: .environment)
    #expect(root == ["A": 2] && report.skipped.count == 1)
  }

  @Test func `a value is not put in the place of a table, nor a table in that of a value`() throws {
    let (root, report) = try take("[a \"b\"]\nc = 1\n[a]\nb = 2\n[x]\ny = 3\n[x \"y\"]\nz = 4\n", as: .gitConfig)
    #expect(root == ["a": ["b": ["c": 1]], "x": ["y": 3]])
    #expect(
      skipped(report) == [
        "a.b: 'a.b' is a table, and cannot have a value", "x.y.z: 'x.y' is a value, and cannot have keys",
      ])
  }

  // MARK: INI

  @Test func `INI loses the quotes around a whole value, and no others`() throws {
    let text = #"""
      args = "a b" "c d"
      fonts = 'Noto Sans', 'sans'
      end = "a \" "b"
      said = "a \"b\" c"
      both = 'a "b"'
      empty = ""
      one = "

      """#
    #expect(
      try take(text, as: .ini).root == [
        "args": #""a b" "c d""#, "fonts": "'Noto Sans', 'sans'", "end": #""a \" "b""#, "said": #"a \"b\" c"#,
        "both": #"a "b""#, "empty": "", "one": "\"",
      ])
  }

  // MARK: Environment files

  @Test func `in an environment file a comment begins after a blank, as in a shell`() throws {
    let text = #"""
      COLOR=#ff8800
      TAG=#1 # note
      NONE= # note
      JOINED=\
      #1
      LATER=\
       # note
      QUOTED=''#1

      """#
    #expect(
      try take(text, as: .environment).root == [
        "COLOR": "#ff8800", "TAG": "#1", "NONE": "", "JOINED": "#1", "LATER": "", "QUOTED": "#1",
      ])
  }

  // MARK: KDE

  @Test func `groups of KDE are nested, and escapes are what they stand for`() throws {
    let (root, report) = try take(
      """
      # comment
      top=1
      [A]
      key = value\\swith\\ttab\\n
      [A][B]
      on=true
      list=one,two\\,three
      umlaut=\\xc3\\xa4
      ; no comment = x
      [A\\x5bx\\x5d][C D]
      k\\s1=v

      """, as: .kconfig)
    #expect(
      root == [
        "top": 1,
        "A": [
          "key": "value with\ttab\n",
          "B": ["on": true, "list": #"one,two\,three"#, "umlaut": "ä", "; no comment": "x"],
        ], "A[x]": ["C D": ["k 1": "v"]],
      ])
    #expect(report.skipped.isEmpty)
  }

  @Test func `locked, deleted, expanded and translated entries of KDE`() throws {
    let text = """
      [A][$i]
      a=1
      [B]
      b[$i]=2
      b=3
      gone=1
      gone[$d]
      also[$di]=x
      name=Files
      name[de]=Dateien
      home[$e]=$HOME/x and ${HOME} and $$
      none[$e]=${NOT_SET_ANYWHERE}/x
      run[$e]=$(date)

      """
    let (root, report) = try take(text, as: .kconfig)
    let home = try #require(ProcessInfo.processInfo.environment["HOME"])
    #expect(root == ["A": ["a": 1], "B": ["b": 2, "name": "Files", "home": .string("\(home)/x and \(home) and $")]])
    #expect(
      skipped(report)
        == [
          "B.b: a line above locks it with another value", "B.gone: it is marked as deleted ([$d])",
          "B.also: it is marked as deleted ([$d])", "B.\"name\": it is a translation, for 'de'",
          "B.none: the variable 'NOT_SET_ANYWHERE', which it names ([$e]), is not set",
          "B.run: it is what a command prints ([$e]), and commands are not run",
          "A: its lock is not taken: only an administrator's file has locks, in 'settings-locked'",
          "B.b: its lock is not taken: only an administrator's file has locks, in 'settings-locked'",
          "B.also: its lock is not taken: only an administrator's file has locks, in 'settings-locked'",
        ].map { $0.replacing("\"name\"", with: "name") })
  }

  @Test func `where locks are asked for, what KDE locks is in 'settings-locked'`() throws {
    var rules = SettingsImportRules(mapping: [["B", "b"]: ["c", "d"]], takesLocks: true)
    let (root, report) = try take(
      "[A][$i]\na=1\n[B]\nb[$i]=2\n[A][$i]\nx=2\n", as: .kconfig, rules: rules, into: "settings-locked = ['old']\n")
    #expect(
      root == ["settings-locked": ["old", "A", "c.d"], "A": ["a": 1, "x": 2], "c": ["d": 2]])
    #expect(report.skipped.isEmpty)
    #expect(report.taken.filter { $0.key == ["settings-locked"] }.map(\.source.description) == ["A", "B.b", "A"])
    // A file that is locked as a whole.
    rules = SettingsImportRules(takesLocks: true)
    #expect(
      try take("[$i]\ntop=1\n[A][B]\nx=2\n", as: .kconfig, rules: rules).root == [
        "top": 1, "A": ["B": ["x": 2]], "settings-locked": ["top", "A"],
      ])
  }

  @Test func `what is no file of KDE is refused, and its form is named where another is asked for`() throws {
    for bad in [
      "[A\n", "[A]\nno equals\n", "[A]\n=1\n", "[A]\nk=\\q\n", "[A]\nk=\\xzz\n", "[A]\nk=\\xff\n", "[A]\nk[=1\n",
    ] {
      #expect(refusal(bad, as: .kconfig).contains("Cannot import 'old' as kconfig: line "), "\(bad)")
    }
    for format in [SettingsImportFormat.ini, .keyFile] {
      for text in ["[A][B]\na=1\n", "[A][$i]\na=1\n", "[A]\nk[$i]=1\n"] {
        #expect(
          refusal(text, as: format).contains("is of KDE's form. Nothing was written. Import the file as 'kconfig'."))
      }
    }
  }

  // MARK: git

  @Test func `sections, subsections, escapes and continued lines of git`() throws {
    let (root, report) = try take(
      """
      ; comment
      [user]
      \tname = Ada "King"  Lovelace # who
      \temail = "a;b#c@example.org" ; where
      [Core]
      \tBare
      \tignoreCase = no
      \tlevel = 9
      \tempty =
      \teditor = \\"vi\\" -c \\\\x \\
          more\\tend
      [remote "origin \\"x\\" \\\\"] url = a
      [branch.Main]
      merge = refs/heads/main
      [alias]
      l = "  log  "

      """, as: .gitConfig)
    #expect(
      root == [
        "user": ["name": "Ada King  Lovelace", "email": "a;b#c@example.org"],
        "core": [
          "bare": true, "ignorecase": "no", "level": 9, "empty": "", "editor": "\"vi\" -c \\x     more\tend",
        ], "remote": ["origin \"x\" \\": ["url": "a"]], "branch": ["main": ["merge": "refs/heads/main"]],
        "alias": ["l": "  log  "],
      ])
    #expect(report.skipped.isEmpty)
  }

  @Test func `a key of git with several values is an array, and includes are left out with a word`() throws {
    let (root, report) = try take(
      """
      [remote "origin"]
        fetch = a
        fetch = b
      [include]
        path = ~/.gitconfig.local
      [includeIf "gitdir:~/work/"]
        path = work
      [core]
        flag
        flag = 2
      [remote "origin"]
        fetch = c

      """, as: .gitConfig)
    #expect(root == ["remote": ["origin": ["fetch": ["a", "b", "c"]]], "core": ["flag": [true, 2]]])
    #expect(
      skipped(report) == [
        "include.path: it includes another file, which is not read: import that file, too",
        "includeif.\"gitdir:~/work/\".path: it includes another file, which is not read: import that file, too",
      ])
  }

  @Test(arguments: [
    "[a]\n1b = 2\n", "[a]\nb c\n", "[a\n", "[a b]\n", "[a \"b]\n", "[a]\nb = \"x\n", "[a]\nb = \\q\n",
    "[]\nb = 1\n",
    "[a]\nb # c\n", "[a]\n=\n", "[a \"b\"\n",
  ])
  func `what is no file of git's is refused with its line`(text: String) {
    #expect(refusal(text, as: .gitConfig).contains("Cannot import 'old' as git: line "))
  }

  @Test func `the name of git's file says its form`() {
    for name in ["/home/ada/.gitconfig", "x.gitconfig"] { #expect(SettingsImportFormat(fileName: name) == .gitConfig) }
  }

  @Test(arguments: [SettingsImportFormat.kconfig, .gitConfig])
  func `whatever is in a file, it is taken or refused with its line`(format: SettingsImportFormat) throws {
    let text = Array(
      "[a \"b\"][$i]\nk[$e] = $HOME ${X} \\s\\x41 \"q\" # c\nk[de]=x\n[a.b][c]\n flag\nl[$d]\nm = \\\n n\\t;\n".utf8)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let index = bytes.indices.randomElement(using: &random)!
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = "[]\"\\$={}#;\n\r ".utf8.randomElement(using: &random)!
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
        }
      }
      var document = TOMLDocument()
      if let error = settingsError({
        _ = try SettingsImporting.take(bytes, of: "old", as: format, by: SettingsImportRules(), into: &document)
      }) {
        #expect(
          error.code == .unparsable && (error.message.contains("line ") || error.message.contains("UTF-8")), "\(bytes)")
        #expect(document.bytes.isEmpty)
      }
    }
  }

  // MARK: Property lists

  @Test func `dates before the Gregorian calendar are the same as in Apple's binary form`() throws {
    for text in ["0001-01-01T00:00:00Z", "1500-03-01T12:00:00Z", "2026-01-02T03:04:05Z"] {
      let (root, _) = try take("<plist><dict><key>a</key><date>\(text)</date></dict></plist>", as: .propertyList)
      #expect(root == ["a": try TOMLValue(parsing: text)])
    }
  }

  // MARK: Archives

  @Test func `archived values of Foundation come as what they are, objects as their archive`() throws {
    // As they are in XML, where references are dictionaries.
    func archive(_ objects: String) -> String {
      let list = """
        <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>
        <integer>100000</integer><key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
        <key>$objects</key><array><string>$null</string>\(objects)</array></dict></plist>
        """
      return "<data>\(Data(list.utf8).base64EncodedString())</data>"
    }
    func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
    func type(_ name: String) -> String {
      "<dict><key>$classname</key><string>\(name)</string><key>$classes</key><array><string>\(name)</string></array></dict>"
    }
    func object(_ type: Int, _ fields: String) -> String { "<dict><key>$class</key>\(reference(type))\(fields)</dict>" }
    let cases: [(String, String, TOMLValue?)] = [
      (
        "url",
        object(3, "<key>NS.base</key>\(reference(0))<key>NS.relative</key>\(reference(2))")
          + "<string>https://a/b</string>"
          + type("NSURL"), "https://a/b"
      ), ("text", "<string>x</string>", "x"), ("number", "<integer>5</integer>", 5),
      (
        "date", object(2, "<key>NS.time</key><real>0</real>") + type("NSDate"),
        try TOMLValue(parsing: "2001-01-01T00:00:00Z")
      ),
      (
        "list",
        object(2, "<key>NS.objects</key><array>\(reference(3))\(reference(3))\(reference(0))</array>") + type("NSArray")
          + "<true/>", [true, true]
      ),
      (
        "table",
        object(
          2,
          "<key>NS.keys</key><array>\(reference(3))</array><key>NS.objects</key><array>\(reference(4))</array>")
          + type("NSDictionary") + "<string>k</string><real>0.5</real>", ["k": 0.5]
      ),
      (
        "uuid",
        object(2, "<key>NS.uuidbytes</key><data>5iHh+MNsSVqT/AwkejtuXw==</data>") + type("NSUUID"),
        "E621E1F8-C36C-495A-93FC-0C247A3B6E5F"
      ),
      // What has no end, or is of another class, is data.
      ("circle", object(2, "<key>NS.objects</key><array>\(reference(1))</array>") + type("NSArray"), nil),
      ("frog", object(2, "<key>name</key>\(reference(3))") + type("Pond.Froggy") + "<string>Ada</string>", nil),
      ("nowhere", object(9, ""), nil),
    ]
    for (name, objects, value) in cases {
      let (root, report) = try take(
        "<plist version=\"1.0\"><dict><key>k</key>\(archive(objects))</dict></plist>", as: .propertyList)
      let stored = try #require(root["k"])
      if let value {
        #expect(stored == value, "\(name)")
      } else {
        #expect(try Data.settingsBridge.read(stored).starts(with: Data("<plist".utf8)), "\(name)")
      }
      #expect(report.skipped.isEmpty)
    }
    let null =
      object(2, "<key>NS.objects</key><array>\(reference(3))\(reference(4))</array>") + type("NSArray")
      + "<true/>" + object(5, "") + type("NSNull")
    let (root, report) = try take(
      "<plist version=\"1.0\"><dict><key>k</key>\(archive(null))</dict></plist>", as: .propertyList)
    #expect(root["k"] == [true] && report.skipped.map(\.source.description) == ["k"])
  }
}
