import SettingsTOML
import Testing

/// Dotted keys in a table that only headers of tables below it have named. The specification does not say whether that
/// is allowed (toml-lang/toml#771); most parsers read it.
struct LateDottedKeyTests {
  static let fruit = "[fruit.apple.texture] # t\nsmooth = true\n\n[fruit]\napple.color = \"red\" # c\n"

  static let cases: [EditCase] = [
    .set(
      "sets a dotted key", fruit, ["fruit", "apple", "color"], "green",
      "[fruit.apple.texture] # t\nsmooth = true\n\n[fruit]\napple.color = \"green\" # c\n"),
    .set("adds one", fruit, ["fruit", "apple", "size"], 3, fruit + "apple.size = 3\n"),
    .set("adds a table of them", fruit, ["fruit", "apple", "skin", "x"], 3, fruit + "apple.skin.x = 3\n"),
    .set("adds another key", fruit, ["fruit", "pear"], 1, fruit + "pear = 1\n"),
    .set(
      "sets a key below the header", fruit, ["fruit", "apple", "texture", "smooth"], false,
      "[fruit.apple.texture] # t\nsmooth = false\n\n[fruit]\napple.color = \"red\" # c\n"),
    .set(
      "adds a key below the header", fruit, ["fruit", "apple", "texture", "x"], 1,
      "[fruit.apple.texture] # t\nsmooth = true\nx = 1\n\n[fruit]\napple.color = \"red\" # c\n"),
    .set("replaces the table", fruit, ["fruit", "apple"], 1, "[fruit]\napple = 1 # c\n"),
    .set(
      "replaces the table with a header", fruit, ["fruit", "apple", "texture"], 1,
      "[fruit]\napple.color = \"red\" # c\napple.texture = 1\n"),
    .remove(
      "removes the dotted key", fruit, ["fruit", "apple", "color"],
      "[fruit.apple.texture] # t\nsmooth = true\n\n[fruit]\n"),
    .remove(
      "removes the table with a header", fruit, ["fruit", "apple", "texture"], "[fruit]\napple.color = \"red\" # c\n"),
    .remove("removes the table", fruit, ["fruit", "apple"], "[fruit]\n"),
    .move(
      "renames the table", fruit, ["fruit", "apple"], ["fruit", "pear"],
      "[fruit.pear.texture] # t\nsmooth = true\n\n[fruit]\npear.color = \"red\" # c\n"),
    .move(
      "renames the dotted key", fruit, ["fruit", "apple", "color"], ["fruit", "apple", "colour"],
      "[fruit.apple.texture] # t\nsmooth = true\n\n[fruit]\napple.colour = \"red\" # c\n"),
    .set(
      "replaces one on several levels", "[a.b.c.d]\nx = 1\n[a]\nb . c.y = 2 # c\nb.z = 3\n", ["a", "b", "c"], 5,
      "[a]\nb . c = 5 # c\nb.z = 3\n"),
  ]

  @Test(arguments: cases) func `such a document can be edited`(_ edit: EditCase) throws { try edit.run() }

  @Test func `such a document is read`() throws {
    let document = try TOMLDocument(parsing: LateDottedKeyTests.fruit)
    #expect(document.root == ["fruit": ["apple": ["texture": ["smooth": true], "color": "red"]]])
    #expect(try TOMLDocument(parsing: "[[a.b.c]]\n[a]\nb.x = 1\n[[a.b.c]]\n")[["a", "b", "c"]] == [[:], [:]])
  }

  @Test(arguments: [
    // A table that a header has defined, and tables that others cannot define any more.
    ("[a.b.c]\nz = 9\n[a]\nb.c.t = 1\n", "'a.b.c' is a table with a header of its own, at line 1."),
    ("[a.b.c.d]\nz = 9\n[a]\nb.c.d.k.t = 1\n", "'a.b.c.d' is a table with a header of its own, at line 1."),
    ("[a.b]\nz = 9\n[a]\nb.t = 1\n", "'a.b' is a table with a header of its own, at line 1."),
    ("[[a.b]]\n[a]\nb.y = 2\n", "'a.b' is an array of tables, from line 1."),
    ("[a.b.c]\n[a]\nb.x = 1\n[a.b]\n", "The table 'a.b' is already defined by dotted keys, at line 3."),
    ("[a.b.c]\n[a]\nb.x = 1\n[[a.b]]\n", "'a.b' is already a table"),
    ("[a.b.c]\n[a]\nb = 1\n", "The key 'a.b' is already set in this table, at line 1."),
  ])
  func `what defines a table twice is refused, with the place`(_ text: String, _ message: String) throws {
    let error = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(parsing: text) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }
}
