import SettingsTOML
import Testing

/// Comments in arrays: those above the first element are about the whole array.
struct ArrayCommentTests {
  private static let template = """
    exceptions = [
        # Each entry is a crate.
        #{ allow = ["Zlib"], crate = "adler32" },
    ]

    """

  private static func set(_ name: String, _ before: String, _ items: [TOMLValue], _ after: String) -> EditCase {
    .set(name, before, ["a"], .array(items), after)
  }

  static let cases: [EditCase] = [
    set("keeps a comment above the first", "a = [\n  # All.\n  1,\n  2,\n]\n", [2], "a = [\n  # All.\n  2,\n]\n"),
    set("keeps a comment above the only one", "a = [\n  # All.\n  1,\n]\n", [], "a = [\n  # All.\n]\n"),
    set(
      "keeps a comment above the first of a line", "a = [\n  # All.\n  1, 2,\n]\n", [2], "a = [\n  # All.\n  2,\n]\n"),
    set(
      "takes the comment of another one", "a = [\n  # All.\n  1,\n  # of 2\n  2,\n  3,\n]\n", [1, 3],
      "a = [\n  # All.\n  1,\n  3,\n]\n"),
    set("takes the comment beside the first", "a = [\n  1, # one\n  2, # two\n]\n", [2], "a = [\n  2, # two\n]\n"),
    set(
      "leaves comments beside their elements",
      "a = [\n  1, # one\n  2, # two\n  3, # three\n  4, # four\n  5, # five\n]\n", [2, 4, 5],
      "a = [\n  2, # two\n  4, # four\n  5, # five\n]\n"),
    set(
      "removes some and adds others", "a = [\n  1, # one\n  2, # two\n  3, # three\n  4, # four\n]\n", [2, 4, 5],
      "a = [\n  2, # two\n  4, # four\n  5,\n]\n"),
    set(
      "loses no comment when elements change places", "a = [\n  3, # x\n  1, # y\n  2, # z\n]\n", [1, 2, 3],
      "a = [\n  1, # x\n  2, # y\n  3, # z\n]\n"),
    set(
      "indents the first like the comments", "a = [\n      # All.\n]\n", [1], "a = [\n      # All.\n      1,\n]\n"),
    set(
      "puts a new first below the comments", "a = [\n  # All.\n  2,\n]\n", [1, 2],
      "a = [\n  # All.\n  1,\n  2,\n]\n"),
    set(
      "takes the comment beside the first on the bracket's line", "a = [ 1, # one\n      2 ]\n", [2],
      "a = [\n      2 ]\n"),
    set("takes the comment beside the only one", "a = [ 1 # one\n]\n", [], "a = [\n]\n"),
    set(
      "takes the comment beside one behind a comma", "a = [ 1 # one\n    , 2 # two\n    ]\n", [1],
      "a = [ 1 # one\n    ]\n"),
    set("keeps the blanks of an empty one", "a = [ ] # c\n", [1], "a = [ 1 ] # c\n"),
    set(
      "lets tables change places with their comments",
      """
      # top

      # one
      [[a]] # 1
      n = 1 # n
      l = [
        1, # x
      ]
      # end

      [a.s]
      k = 1

      # two
      [[a]]
      n = 2

      [o]
      x = 1
      [[a]] # 3
      n = 3
      """, [["n": 3], ["n": 2], ["n": 1, "l": [1], "s": ["k": 1]]],
      """
      # top

      [[a]] # 3
      n = 3

      # two
      [[a]]
      n = 2

      [o]
      x = 1
      # one
      [[a]] # 1
      n = 1 # n
      l = [
        1, # x
      ]
      # end

      [a.s]
      k = 1
      """),
    set(
      "changes a table between two that change places",
      "[[a]] # 1\nn = 1\n# of two\n[[a]] # 2\nn = 2\n[[a]] # 3\nn = 3\n",
      [["n": 3], ["n": 5], ["n": 1]], "[[a]] # 3\nn = 3\n# of two\n[[a]] # 2\nn = 5\n[[a]] # 1\nn = 1\n"),
    .remove(
      "takes the comment above a member", "t = {\n  # one\n  x = 1,\n  y = 2,\n}\n", ["t", "x"],
      "t = {\n  y = 2,\n}\n"),
    .remove(
      "takes the comment beside a member on the brace's line", "t = { x = 1, # one\n  y = 2 }\n", ["t", "x"],
      "t = {\n  y = 2 }\n"),
    .set(
      "puts a first member above the comments", "t = {\n  # y = 2\n}\n", ["t", "x"], 1,
      "t = {\n  x = 1\n  # y = 2\n}\n"),
  ]

  @Test(arguments: cases) func `an edit keeps the comments about an array`(_ edit: EditCase) throws { try edit.run() }

  @Test(arguments: [
    template,
    "a = []", "a = [ ]", "a = [\t ]\n", "a = [\n]\n", "a = [\n\n]\n", "a = [ # c\n]\n", "a = [ # c\n  # d\n]\n",
    "a = [\r\n  # c\r\n]\r\n", "a = [\n\t# c\n\n\t# d\n  ]\n", "a = [1]\n", "a = [ 1 ]\n", "a = [1,]\n", "a = [1 ,]\n",
    "a = [1 , 2 , ]\n", "a = [1,2]\n", "a = [\n  1]\n", "a = [\n  1,]\n", "a = [\n  1\n]\n", "a = [\n  1, # c\n]\n",
    "a = [\n  1 # c\n]\n", "a = [\n  1 # c\n  # d\n]\n", "a = [\n  1,\n  # 2,\n]\n", "a = [\n  # c\n  1, 2\n]\n",
    "a = [ 1,\n      2 ]\n", "a = [ 1, # c\n  2, # d\n]\n", "a = [1 # c\n]\n", "a = [1, # c\n  # d\n]\n",
    "a = [\n    1\n  , 2\n]\n", "a = [1,\n]\n", "a = [\n  1 \n]\n", "a = [\n  [1, # c\n   2],\n]\n",
    "a = [1 # c\n  ,\n  # d\n]\n", "a = [\n  1 # c\n  ,]\n", "a = [\n  1 # c\n  # d\n  ,]\n",
  ])
  func `appending an element and removing it gives the same bytes`(_ text: String) throws {
    try appendAndRemove(text)
  }

  @Test func `appending an element and removing it gives the same bytes in any array`() throws {
    for seed in 0..<400 {
      var generator = Generator(seed: UInt64(seed) &+ 50_000)
      let text = generator.document()
      try appendAndRemove(text, "seed \(seed)")
    }
  }

  private func appendAndRemove(_ text: String, _ note: String = "") throws {
    let before = try TOMLDocument(parsing: text)
    for path in before.leafPaths() {
      guard case .array(let items)? = before[path] else { continue }
      let isOfTables = before.isArrayOfTables(at: path)
      let new: TOMLValue = isOfTables ? .table(["appended": 1]) : .string("appended")
      var document = before
      try document.set(.array(items + [new]), at: path)
      let between = document.text
      try document.set(.array(items), at: path)
      #expect(document.text == text, "\(note) \(path)\n\(between)")
    }
  }
}
