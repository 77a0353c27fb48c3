import SettingsTOML
import Testing

struct ElementTests {
  static let two = "# first\n[[s]]\nname = 'a' # a\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[z]\n"

  static let three = (1...3).map(element).joined(separator: "\n")

  /// An element with comments of its own.
  private static func element(_ number: Int) -> String { "# above \(number)\n[[s]]\nx = \(number) # \(number)\n" }

  /// Below another key: a comment that the file begins with would be the file's.
  private static func setAll(
    _ name: String, _ before: String = three, to numbers: [Int64], _ after: String...
  ) -> EditCase {
    EditCase(
      name, "z = 0\n\n" + before, { try $0.set(.array(numbers.map { ["x": .integer($0)] }), at: ["s"]) },
      "z = 0\n\n" + after.joined(separator: "\n"))
  }

  static let cases: [EditCase] = [
    EditCase(
      "sets a key of one", two, { try $0.set("c", at: ["name"], inElement: 0, of: ["s"]) },
      "# first\n[[s]]\nname = 'c' # a\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[z]\n"),
    EditCase(
      "inserts a key in one", two, { try $0.set(80, at: ["port"], inElement: 1, of: ["s"]) },
      "# first\n[[s]]\nname = 'a' # a\n\n# second\n[[s]]\nname = 'b'\nport = 80\n[s.sub]\nx = 1\n\n[z]\n"),
    EditCase(
      "inserts a table in one", two, { try $0.set(80, at: ["net", "port"], inElement: 0, of: ["s"]) },
      "# first\n[[s]]\nname = 'a' # a\n\n[s.net]\nport = 80\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[z]\n"),
    EditCase(
      "sets below one", two, { try $0.set(2, at: ["sub", "x"], inElement: 1, of: ["s"]) },
      "# first\n[[s]]\nname = 'a' # a\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 2\n\n[z]\n"),
    EditCase(
      "removes a key of one", two, { try $0.remove(at: ["name"], inElement: 0, of: ["s"]) },
      "# first\n[[s]]\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[z]\n"),
    EditCase(
      "removes a table of one", two, { try $0.remove(at: ["sub"], inElement: 1, of: ["s"]) },
      "# first\n[[s]]\nname = 'a' # a\n\n# second\n[[s]]\nname = 'b'\n\n[z]\n"),
    EditCase(
      "removes the first, but not the comment that the file begins with", two,
      { try $0.removeElement(0, of: ["s"]) }, "# first\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[z]\n"),
    EditCase(
      "removes the last", two, { try $0.removeElement(1, of: ["s"]) }, "# first\n[[s]]\nname = 'a' # a\n\n[z]\n"),
    EditCase("removes the only one", "a = 1\n\n[[s]]\nx = 1\n", { try $0.removeElement(0, of: ["s"]) }, "a = 1\n"),
    EditCase(
      "appends one", two, { try $0.append(["name": "c"], to: ["s"]) },
      "# first\n[[s]]\nname = 'a' # a\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[[s]]\nname = \"c\"\n\n[z]\n"),
    EditCase("appends an empty one", "[[s]]\n", { try $0.append([:], to: ["s"]) }, "[[s]]\n\n[[s]]\n"),
    EditCase("appends the first", "a = 1\n", { try $0.append(["x": 1], to: ["t", "s"]) }, "a = 1\n\n[[t.s]]\nx = 1\n"),
    EditCase(
      "sets all, keeping what is equal", two,
      {
        try $0.set([["name": "a"], ["name": "x"], ["name": "b", "sub": ["x": 1]]], at: ["s"])
      }, "# first\n[[s]]\nname = 'a' # a\n\n[[s]]\nname = \"x\"\n\n# second\n[[s]]\nname = 'b'\n[s.sub]\nx = 1\n\n[z]\n"
    ),
    setAll(
      "sets all without the first, with one more", to: [2, 3, 4], element(2), element(3), "[[s]]\nx = 4\n"),
    setAll(
      "sets all without the second, with one more", to: [1, 3, 4], element(1), element(3), "[[s]]\nx = 4\n"),
    setAll("sets all with the last first", to: [3, 1, 2], element(3), element(1), element(2)),
    setAll("sets all with the first last", to: [2, 3, 1], element(2), element(3), element(1)),
    setAll(
      "sets all with a new one between and another one for the last", to: [1, 4, 2, 5], element(1), "[[s]]\nx = 4\n",
      element(2), "# above 3\n[[s]]\nx = 5 # 3\n"),
    setAll(
      "sets all of which some are equal", "# a\n[[s]]\nx = 1\n\n# b\n[[s]]\nx = 2\n\n# c\n[[s]]\nx = 1\n",
      to: [2, 1, 3], "# b\n[[s]]\nx = 2\n", "# c\n[[s]]\nx = 1\n", "[[s]]\nx = 3\n"),
    EditCase(
      "sets all with a new first", "[[s]]\nx = 2\n", { try $0.set([["x": 1], ["x": 2]], at: ["s"]) },
      "[[s]]\nx = 1\n\n[[s]]\nx = 2\n"),
    EditCase(
      "sets all to none", "a = 1\n\n[[s]]\nx = 2\n\n[t]\n", { try $0.set([], at: ["s"]) }, "a = 1\ns = []\n\n[t]\n"),
    EditCase("sets all to what are not tables", "[[s]]\nx = 2\n", { try $0.set([1, 2], at: ["s"]) }, "s = [1, 2]\n"),
    EditCase(
      "sets a member of an inline one", "s = [{ x = 1 }, { x = 2 }] # c\n",
      {
        try $0.set(3, at: ["x"], inElement: 1, of: ["s"])
      }, "s = [{ x = 1 }, { x = 3 }] # c\n"),
    EditCase(
      "removes an inline one", "s = [{ x = 1 }, { x = 2 }]\n", { try $0.removeElement(0, of: ["s"]) },
      "s = [{ x = 2 }]\n"),
    EditCase(
      "appends an inline one", "s = [\n  { x = 1 }, # one\n]\n", { try $0.append(["x": 2], to: ["s"]) },
      "s = [\n  { x = 1 }, # one\n  { x = 2 },\n]\n"),
    EditCase(
      "edits a nested array of tables", "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\nx = 2\n[[a]]\n[[a.b]]\nx = 3\n",
      {
        try $0.set([["x": 1], ["x": 5]], at: ["b"], inElement: 0, of: ["a"])
      }, "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\nx = 5\n[[a]]\n[[a.b]]\nx = 3\n"),
    EditCase(
      "appends to a nested array of tables", "[[a]]\n[[a.b]]\nx = 1\n[[a]]\n[[a.b]]\nx = 3\n",
      {
        try $0.set([["x": 1], ["x": 5]], at: ["b"], inElement: 0, of: ["a"])
      }, "[[a]]\n[[a.b]]\nx = 1\n\n[[a.b]]\nx = 5\n[[a]]\n[[a.b]]\nx = 3\n"),
  ]

  @Test(arguments: cases) func `editing an array of tables touches one element`(_ edit: EditCase) throws {
    try edit.run()
  }

  @Test func `elements that are not there are named`() throws {
    var document = try TOMLDocument(parsing: "[[s]]\nx = 1\n")
    let error = #expect(throws: TOMLEditError.self) { try document.set(1, at: ["x"], inElement: 1, of: ["s"]) }
    #expect(error?.code == .noElement(["s"]))
    #expect(error?.message == "'s' has no element 1; it has 1.")
    #expect(throws: TOMLEditError.self) { try document.removeElement(0, of: ["t"]) }
  }
}
