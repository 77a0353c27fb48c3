import AppSettings
import AppSettingsSchema
import Testing

/// Each step as before and after, as whole texts; and again on its own output, and on a document without its key.
struct StepTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var before: String
    var after: String
    var isRepeatable = true
    var step: MigrationStep

    init(_ name: String, _ before: String, _ after: String, isRepeatable: Bool = true, _ step: MigrationStep) {
      self.name = name
      self.before = before
      self.after = after
      self.isRepeatable = isRepeatable
      self.step = step
    }

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      "Rename keeps comments", "# about\na = 1 # why\nb = 2\n", "# about\nc = 1 # why\nb = 2\n", .rename("a", to: "c")),
    Case(
      "Rename moves a table with its comments", "[old] # t\n# c\na = 1\n[other]\nb = 2\n",
      "[new] # t\n# c\na = 1\n[other]\nb = 2\n", .rename("old", to: "new")),
    Case("Rename lets the new key stand", "a = 1\nc = 3\n", "c = 3\n", .rename("a", to: "c")),
    Case(
      "Rename puts a value below itself", "font = \"Mono\" # f\n", "\n[font]\nname = \"Mono\" # f\n",
      .rename("font", to: "font.name")),
    Case(
      "Rename takes a value out of its own table", "[font]\nname = \"Mono\" # f\n", "font = \"Mono\" # f\n",
      .rename("font.name", to: "font")),
    Case(
      "Move replaces if it is told to", "# n\na = 1 # x\nc = 3\n", "# n\nc = 1 # x\n",
      .rename("a", to: "c", replacing: true)),
    Case("Copy leaves the old key", "a = 1 # x\n", "a = 1 # x\nc = 1\n", .copy("a", to: "c")),
    Case("Copy lets the new key stand", "a = 1\nc = 2\n", "a = 1\nc = 2\n", .copy("a", to: "c")),
    Case("Remove takes comments along", "# about a\na = 1 # x\nb = 2\n", "b = 2\n", .remove("a")),
    Case("MapValues maps what it knows", "a = \"hi\" # x\n", "a = 3 # x\n", .mapValues("a", ["hi": 3, "lo": 1])),
    Case("MapValues leaves what it does not know", "a = \"mid\"\n", "a = \"mid\"\n", .mapValues("a", ["hi": 3])),
    Case("Convert makes a string an integer", "a = \" 12 \" # x\n", "a = 12 # x\n", .convert("a", .integer)),
    Case("Convert makes a whole float an integer", "a = 12.0\n", "a = 12\n", .convert("a", .integer)),
    Case("Convert makes a boolean an integer", "a = true\n", "a = 1\n", .convert("a", .integer)),
    Case("Convert makes an integer a float", "a = 2\n", "a = 2.0\n", .convert("a", .float)),
    Case("Convert makes a string a float", "a = \"2.5\"\n", "a = 2.5\n", .convert("a", .float)),
    Case("Convert makes a number a string", "a = 2.5\n", "a = \"2.5\"\n", .convert("a", .string)),
    Case(
      "Convert reads words as booleans", "a = [\"Yes\", \"off\", \"1\"]\n", "a = [true, false, true]\n",
      .convert("a", .boolean)),
    Case("Convert scales", "a = 1500\n", "a = 1.5\n", isRepeatable: false, .convert("a", .scaled(by: 0.001))),
    Case(
      "Convert scales a large integer", "a = 9007199254740994\n", "a = 4503599627370497.0\n", isRepeatable: false,
      .convert("a", .scaled(by: 0.5))),
    Case(
      "Convert scales integers to integers", "a = 2\n", "a = 2000\n", isRepeatable: false,
      .convert("a", .scaled(by: 1000))),
    Case(
      "Convert chains", "a = \"1.2345\"\n", "a = 1235\n", isRepeatable: false,
      .convert("a", .float, .scaled(by: 1000), .rounded, .integer)),
    Case("Convert splits", "a = \"x, y ,z\" # l\n", "a = [\"x\", \"y\", \"z\"] # l\n", .convert("a", .split(by: ","))),
    Case("Convert splits nothing into nothing", "a = \"\"\n", "a = []\n", .convert("a", .split(by: ","))),
    Case("Convert joins", "a = [1, \"y\"]\n", "a = \"1:y\"\n", .convert("a", .joined(by: ":"))),
    Case(
      "DecodeJSONString decodes", #"a = "[1, {\"b\": 2.0}]" # x"# + "\n", "a = [1, { b = 2.0 }] # x\n",
      .decodeJSONString("a")),
    Case("DecodeJSONString leaves native values", "a = [1]\n", "a = [1]\n", .decodeJSONString("a")),
    Case("DecodeJSONString removes null", "a = \"null\"\nb = 1\n", "b = 1\n", .decodeJSONString("a")),
    Case(
      "DecodeJSONString is flat", #"a = '{"b": "[1]"}'"# + "\n", #"a = { b = "[1]" }"# + "\n",
      .decodeJSONString("a")),
    Case(
      "DecodeJSONString goes deep", #"a = ['{"b": "[1, \"{\\\"c\\\": true}\"]"}', "[x", "y"]"# + "\n",
      #"a = [{ b = [1, { c = true }] }, "[x", "y"]"# + "\n", .decodeJSONString("a", deep: true)),
    Case(
      "DecodeJSONString keeps others if it is told to", "a = \"10 Minutes\"\n", "a = \"10 Minutes\"\n",
      .decodeJSONString("a", keepingOthers: true)),
    Case(
      "DecodeJSONString keeps large numbers", "a = \"[18446744073709551615]\"\n", "a = [\"18446744073709551615\"]\n",
      .decodeJSONString("a")),
    Case(
      "EncodeJSONString encodes", "a = [1, { b = \"x\" }] # c\n", #"a = "[1,{\"b\":\"x\"}]" # c"# + "\n",
      .encodeJSONString("a")),
    Case("EncodeJSONString leaves strings", "a = \"[1]\"\n", "a = \"[1]\"\n", .encodeJSONString("a")),
    Case(
      "Merge joins to a string", "# n\nfirst = \"Ada\" # f\nlast = \"Lovelace\"\n",
      "# n\nname = \"Ada Lovelace\" # f\n",
      .merge("first", "last", into: "name", separator: " ")),
    Case(
      "Merge leaves out what is absent", "last = \"Lovelace\"\n", "name = \"Lovelace\"\n",
      .merge("first", "last", into: "name", separator: " ")),
    Case("Merge makes an array", "x = 1\ny = 2\n", "point = [1, 2]\n", .merge("x", "y", into: "point")),
    Case("Merge takes defaults", "y = 2\n", "point = [0, 2]\n", .merge("x", "y", into: "point", defaults: [0, 0])),
    Case("Merge does nothing without a default", "y = 2\n", "y = 2\n", .merge("x", "y", into: "point")),
    Case(
      "Merge lets the new key stand", "x = 1\ny = 2\npoint = [5, 6]\n", "point = [5, 6]\n",
      .merge("x", "y", into: "point")),
    Case(
      "Merge takes the place of the table around its keys", "[win]\nw = 640 # w\nh = 480\n", "win = [640, 480] # w\n",
      .merge("win.w", "win.h", into: "win")),
    Case(
      "Merge takes the place of the table around its second key", "h = 1 # h\n[w]\nx = 2\n", "w = [1, 2] # h\n",
      .merge("h", "w.x", into: "w")),
    Case(
      "Merge goes below one of its keys", "# n\na = \"x\" # f\nb = \"y\"\n", "\n[a]\n# n\nc = \"x-y\" # f\n",
      .merge("a", "b", into: "a.c", separator: "-")),
    Case(
      "Merge lets the new key stand below one of its keys", "b = \"y\"\n\n[a]\nc = \"z\"\n", "\n[a]\nc = \"z\"\n",
      .merge("a", "b", into: "a.c", separator: "-")),
    Case(
      "Merge with its own result goes below one of its keys", "b = 1\n", "\n[b]\na = \"1\"\n",
      .merge("b.a", "b", into: "b.a", separator: " ")),
    Case(
      "Merge goes below one of its keys in each record", "r = [{ a = \"x\", b = \"y\" }]\n",
      "r = [{ a = { c = \"x-y\" } }]\n", .forEach("r", [.merge("a", "b", into: "a.c", separator: "-")])),
    Case(
      "Split takes a string apart", "# n\nname = \"Ada King Lovelace\" # f\n",
      "# n\nfirst = \"Ada\" # f\nlast = \"King Lovelace\"\n",
      .split("name", into: ["first", "last"], separator: " ")),
    Case("Split takes an array apart", "point = [1, 2]\n", "x = 1\ny = 2\n", .split("point", into: ["x", "y"])),
    Case(
      "Split leaves out parts that are not there", "name = \"Ada\"\n", "first = \"Ada\"\n",
      .split("name", into: ["first", "last"], separator: " ")),
    Case(
      "Split lets keys stand", "name = \"A B\"\nlast = \"C\"\n", "first = \"A\"\nlast = \"C\"\n",
      .split("name", into: ["first", "last"], separator: " ")),
    Case(
      "Split goes below its own key", "size = \"3x4\"\n", "\n[size]\nw = \"3\"\nh = \"4\"\n",
      .split("size", into: ["size.w", "size.h"], separator: "x")),
    Case(
      "Split takes the place of the table around its key", "[w]\nsize = \"640x480\" # s\n",
      "w = \"640\" # s\nh = \"480\"\n", .split("w.size", into: ["w", "h"], separator: "x")),
    Case(
      "Split puts its second part in the place of the table", "[w]\nsize = [640, 480] # s\n",
      "h = 640 # s\nw = 480\n", .split("w.size", into: ["h", "w"])),
    Case(
      "Split goes below its own key where another key stands", "size = \"3x4\" # s\nw = 1\n",
      "w = 1\n\n[size]\nh = \"4\" # s\n", .split("size", into: ["w", "size.h"], separator: "x")),
    Case(
      "Split keeps a part that has a key of its own name", "[s]\na = [{ a = 1 }] # s\n", "s = { a = 1 } # s\n",
      .split("s.a", into: ["s", "t"])),
    Case(
      "Split lets the only key with a part stand", "size = \"3\"\nw = 1\n", "w = 1\n",
      .split("size", into: ["w", "size.h"], separator: "x")),
    Case(
      "Split leaves the rest in its own key", "name = \"Ada King Lovelace\" # f\n",
      "first = \"Ada\" # f\nname = \"King Lovelace\"\n",
      .split("name", into: ["first", "name"], separator: " ")),
    Case(
      "Split leaves an array in its own key", "a = [[1, 2], 3]\n", "a = [1, 2]\nb = 3\n",
      .split("a", into: ["a", "b"])),
    Case(
      "Wrap puts keys into a table", "w = 1 # a\nh = 2\nz = 3\n", "z = 3\n\n[win]\nw = 1 # a\nh = 2\n",
      .wrap("w", "h", in: "win")),
    Case(
      "Wrap puts a table around a value", "font = \"Mono\" # f\n", "\n[font]\nname = \"Mono\" # f\n",
      .wrap("font", as: "name")),
    Case(
      "Wrap leaves a table that is around its own", "k = 2\n", "\n[t.x]\nk = 2\n", .wrap("k", "t", in: "t.x")),
    Case(
      "Wrap puts a table into its own", "k = 2 # k\nt = 1 # t\n", "\n[t]\nt = 1 # t\nk = 2 # k\n",
      .wrap("k", "t", in: "t")),
    Case("Wrap leaves a table", "[font]\nsize = 3\n", "[font]\nsize = 3\n", .wrap("font", as: "name")),
    Case(
      "Unwrap takes all out of a table", "z = 3\n\n[win]\n# about\nw = 1 # a\nh = 2\n",
      "z = 3\n# about\nw = 1 # a\nh = 2\n", .unwrap("win")),
    Case(
      "Unwrap takes one out of a table", "[font]\nname = \"Mono\" # f\n", "font = \"Mono\" # f\n",
      .unwrap("font", taking: "name")),
    Case(
      "Unwrap leaves the table's comments", "z = 3\n\n# of win\n[win] # t\n# about\nw = 1 # a\n\n# end\n",
      "z = 3\n# of win\n# t\n# about\nw = 1 # a\n\n# end\n", .unwrap("win")),
    Case(
      "Unwrap leaves them where one comes out", "z = 3\n\n# of font\n[font] # t\n# about\nname = \"Mono\" # f\n",
      "z = 3\n# of font\n# t\n# about\nfont = \"Mono\" # f\n", .unwrap("font", taking: "name")),
    Case(
      "Rename leaves them in place of the table", "z = 3\n\n# of a\n[a] # t\n\n[a.b] # b\nc = 1\n",
      "z = 3\n\n# of a\n# t\n[a] # b\nc = 1\n", .rename("a.b", to: "a")),
    Case(
      "Rename leaves those of an inline table", "z = 3\n# of a\na = { b = 1 } # t\n", "z = 3\n# of a\n# t\na = 1\n",
      .rename("a.b", to: "a")),
    Case(
      "Rename leaves them in an element", "[[s]]\n# of a\n[s.a] # t\nb = 1 # c\n", "[[s]]\n# of a\n# t\na = 1 # c\n",
      .forEach("s", [.rename("a.b", to: "a")])),
    Case(
      "Merge leaves the comments of all", "# top\n\n# one\na = 1 # 1\n# two\nb = 2 # 2\n",
      "# top\n\n# one\n# two\n# 2\nc = [1, 2] # 1\n", .merge("a", "b", into: "c")),
    Case(
      "Merge leaves those of a table that is first", "k = 1\n# a\na = 1 # 1\n\n# b\n[b] # 2\ny = 1\n",
      "k = 1\n# b\n# 2\n# a\nt = [{ y = 1 }, 1] # 1\n", .merge("b", "a", into: "t")),
    Case(
      "Merge into a table that is one of the keys", "a = 1 # 1\n\n[b] # 2\ny = 1\n",
      "# 1\n# 2\nb = [1, { y = 1 }]\n", .merge("a", "b", into: "b")),
    Case(
      "Merge leaves those of tables alone", "\n# a\n[a] # 1\nx = 1\n\n# b\n[b] # 2\n# in\ny = 1\n",
      "\n# b\n# 2\n# in\n# a\n# 1\n[[t]]\nx = 1\n\n[[t]]\ny = 1\n", .merge("a", "b", into: "t")),
    Case(
      "Merge leaves them in an element", "[[s]]\n[s.a] # 1\nx = 1\n[s.b] # 2\ny = 1\n",
      "[[s]]\n\n# 2\n# 1\n[[s.t]]\nx = 1\n\n[[s.t]]\ny = 1\n", .forEach("s", [.merge("a", "b", into: "t")])),
    Case(
      "EncodeJSONString leaves those of a table", "\n# of a\n[a] # t\nb = 1 # b\n",
      "# of a\n# t\n# b\na = \"{\\\"b\\\":1}\"\n", .encodeJSONString("a")),
    Case(
      "EncodeJSONString leaves those of dotted keys",
      "# of a\na.b = 1 # b\n# of c\na.c = 2 # c\n", "# of a\n# of c\n# c\na = \"{\\\"b\\\":1,\\\"c\\\":2}\" # b\n",
      .encodeJSONString("a")),
    Case(
      "EncodeJSONString leaves those in an inline table", "# of a\na = { x = [ # in\n  1, # one\n] } # t\n",
      "# of a\n# in\n# one\na = \"{\\\"x\\\":[1]}\" # t\n", .encodeJSONString("a")),
    Case(
      "Split leaves those in an array", "# of s\ns = [ # in\n  1, # one\n  2, # two\n] # t\n",
      "# of s\n# in\n# one\n# two\na = 1 # t\nb = 2\n", .split("s", into: ["a", "b"])),
    Case(
      "MapValues leaves those of elements that go", "# of a\na = [\n  1, # one\n  2, # two\n]\n",
      "# of a\n# two\na = [\n  1, # one\n]\n", .mapValues("a", [[1, 2]: [1]])),
    Case(
      "Unwrap leaves them where other keys stand", "a = 1\n\n# of t\n[t] # t\na = 2\n", "# of t\n# t\na = 1\n",
      .unwrap("t")),
    Case(
      "Split leaves those of tables", "\n# of s\n[[s]] # 1\nx = 1\n\n[[s]] # 2\ny = 1\n",
      "\n# of s\n# 1\n# 2\n[a]\nx = 1\n\n[b]\ny = 1\n", .split("s", into: ["a", "b"])),
    Case(
      "ForEach goes over records", "[p.a]\nold = 1 # x\n[p.b]\nkeep = 2\n", "[p.a]\nnew = 1 # x\n[p.b]\nkeep = 2\n",
      .forEach("p", [.rename("old", to: "new")])),
    Case(
      "ForEach goes over arrays of tables", "[[s]]\n# c\nhost = \"a\" # x\nport = \"1\"\n[[s]]\nport = \"2\"\n",
      "[[s]]\n# c\nname = \"a\" # x\nport = 1\n[[s]]\nport = 2\n",
      .forEach(
        "s",
        [
          .rename("host", to: "name"),
          .convert("port", .integer),
        ])),
    Case(
      "ForEach goes over inline tables", "s = [{ host = \"a\" }, 3, { x = 1 }]\n",
      "s = [{ name = \"a\" }, 3, { x = 1 }]\n",
      .forEach("s", [.rename("host", to: "name")])),
    Case(
      "ForEach goes into ForEach", "[[s]]\nd = [{ a = 1 }]\n[[s]]\n[s.d.x]\na = 2\n",
      "[[s]]\nd = [{ b = 1 }]\n[[s]]\n[s.d.x]\nb = 2\n",
      .forEach("s", [.forEach("d", [.rename("a", to: "b")])])),
    Case(
      "ForEach goes into ForEach with comments",
      "[[s]]\nk = 1\n# one\n[[s.d]] # h\n# of a\na = 1 # c\n\n# two\n[[s.d]]\nx = 1 # x\n[[s]]\n[[s.d]]\na = 2 # d\n",
      "[[s]]\nk = 1\n# one\n[[s.d]] # h\n# of a\nb = 1 # c\n\n# two\n[[s.d]]\nx = 1 # x\n[[s]]\n[[s.d]]\nb = 2 # d\n",
      .forEach("s", [.forEach("d", [.rename("a", to: "b")])])),
    Case(
      "When asks", "mode = \"x\"\nold = 1\n", "mode = \"x\"\nnew = 1\n",
      .when(
        .all(.equals("mode", "x"), .not(.equals("old", "1"))), [.rename("old", to: "new")], otherwise: [.remove("old")]
      )),
    Case(
      "When does the other", "old = 1\n", "",
      .when(.any(.exists("mode"), .equals("old", "1")), [.rename("old", to: "new")], otherwise: [.remove("old")])),
  ]

  @Test(arguments: cases)
  func `a step does what it says, and leaves every other byte`(_ test: Case) throws {
    let migration = Migration(version: 2, name: "step", steps: [test.step])
    var document = try TOMLDocument(parsing: "# kept\nkept = 1   # k\n" + test.before)
    try migration.run(on: &document)
    #expect(document.text == "# kept\nkept = 1   # k\n" + test.after)
    guard test.isRepeatable else { return }
    let once = document.text
    try migration.run(on: &document)
    #expect(document.text == once)
  }

  @Test(arguments: [
    (
      "[editor]\n# of the font\nfont = \"Mono\" # f\nsize = 3\n",
      "[editor]\nsize = 3\n\n[editor.font]\n# of the font\nname = \"Mono\" # f\n",
      MigrationStep.wrap("editor.font", as: "name")
    ),
    (
      "[editor.font]\n# of the font\nname = \"Mono\" # f\n", "[editor]\n# of the font\nfont = \"Mono\" # f\n",
      MigrationStep.rename("editor.font.name", to: "editor.font")
    ),
  ])
  func `a key that goes below or above itself takes its comments along in a file of tables alone`(
    before: String, after: String, step: MigrationStep
  ) throws {
    var document = try TOMLDocument(parsing: before)
    try step.run(on: &document)
    #expect(document.text == after)
  }

  @Test(arguments: cases)
  func `a step does nothing where its key is absent`(_ test: Case) throws {
    var document = try TOMLDocument(parsing: "kept = 1\n")
    try Migration(version: 2, name: "step", steps: [test.step]).run(on: &document)
    #expect(document.text == "kept = 1\n")
  }

  @Test(arguments: cases)
  func `a step's form in a schema is the same step`(_ test: Case) throws {
    let schema = SettingsSchema(
      app: "org.example.test",
      migrations: [Migration(version: 2, name: "step", steps: [test.step])])
    #expect(!schema.text.contains("code ="))
    let form = StepForms.form(of: test.step)
    let read = try StepForms().step(.table(form))
    #expect(StepForms.form(of: read) == form)
    var document = try TOMLDocument(parsing: "# kept\nkept = 1   # k\n" + test.before)
    try Migration(version: 2, name: "step", steps: [read]).run(on: &document)
    #expect(document.text == "# kept\nkept = 1   # k\n" + test.after)
  }

  @Test func `SetDefault sets what is absent and leaves what is there`() throws {
    let migration = Migration(2, "keep the old default", [.setDefault("editor.theme", "light")])
    var document = TOMLDocument()
    try migration.run(on: &document)
    #expect(document[["editor", "theme"]] == "light")
    document = try TOMLDocument(parsing: "editor.theme = \"dark\"\n")
    try migration.run(on: &document)
    #expect(document.text == "editor.theme = \"dark\"\n")
  }

  static let refused: [Case] = [
    Case("a fraction as an integer", "a = 1.5\n", "a float cannot be made an integer", .convert("a", .integer)),
    Case("a word as a number", "a = \"x\"\n", "a string cannot be made a float", .convert("a", .float)),
    Case("a number as a boolean", "a = 2\n", "an integer cannot be made a boolean", .convert("a", .boolean)),
    Case("a table as a string", "a = {}\n", "a table cannot be made a string", .convert("a", .string)),
    Case("an overflow", "a = 9223372036854775807\n", "after scaling", .convert("a", .scaled(by: 2))),
    Case(
      "no JSON", "a = \"[1,\"\n", "at 'a', the text is not JSON (it ends where a value is needed)",
      .decodeJSONString("a")),
    Case("a null in an array", "a = \"[null]\"\n", "element [0] of the JSON array is null", .decodeJSONString("a")),
    Case("infinity as JSON", "a = [inf]\n", "which JSON has no form for", .encodeJSONString("a")),
    Case(
      "a table that has more", "[a]\nb = 1\nc = 2\n", "other keys next to 'a.b' would be lost",
      .unwrap("a", taking: "b")
    ),
    Case(
      "a table around a merged key that has more", "h = 0\n[a]\nb = 1\nc = 2\n",
      "other keys next to 'a.b' would be lost",
      .merge("h", "a.b", into: "a")
    ),
    Case(
      "a table around a split key that has more", "[a]\nb = [1, 2]\nc = 2\n", "other keys next to 'a.b' would be lost",
      .split("a.b", into: ["x", "a"])
    ),
    Case("too long an array", "a = [1, 2, 3]\n", "3 elements for 2 keys", .split("a", into: ["x", "y"])),
    Case("a table to join", "a = {}\nb = 1\n", "a table cannot be joined", .merge("a", "b", into: "c", separator: " ")),
    Case(
      "a way through a value", "a = 1\nb = 2\n", "at 'b', an integer is where the step needs a table",
      .rename("a", to: "b.c")),
    Case(
      "a fault in a record", "[[s]]\np = \"1\"\n[[s]]\np = \"x\"\n", "at 's[1].p', a string cannot",
      .forEach("s", [.convert("p", .integer)])),
  ]

  @Test(arguments: refused)
  func `what a step would lose makes the migration fail, and nothing changes`(_ test: Case) throws {
    let migrations = SettingsMigrations([
      Migration(2, "first", [.setDefault("other", 1)]), Migration(version: 3, name: "bad step", steps: [test.step]),
    ])
    var document = try TOMLDocument(parsing: test.before)
    let error = #expect(throws: SettingsError.self) { try migrations.run(on: &document) }
    #expect(document.text == test.before)
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("version 3 'bad step'") == true)
    #expect(error?.message.contains(test.after) == true, "\(error?.message ?? "")")
  }

  @Test func `a step of code in ForEach sees each record as a document`() throws {
    var document = try TOMLDocument(parsing: "[p.a] # a\nn = 1\n[p.b]\nn = 2 # two\n")
    let doubling = MigrationStep.code { document in
      guard case .integer(let number)? = document[["n"]] else { return }
      try document.set(.integer(number * 2), at: ["n"])
    }
    try Migration(2, "code", [.forEach("p", [doubling])]).run(on: &document)
    #expect(document.text == "[p.a] # a\nn = 2\n[p.b]\nn = 4 # two\n")
    #expect(StepForms.form(of: .forEach("p", [doubling])) == ["code": true])
  }
}
