import Testing

/// The Swift code in the documents is code that runs: each block with statements or tests is a passage of a file of a target.
///
/// `Scripts/blocks` compiles each page as a reader pastes it, declarations included.
struct SwiftBlockTests {
  /// The sources that blocks may be passages of.
  private static let sources: [(path: String, lines: [String])] =
    (Repository.files(in: "Tests/DocumentationTests/Passages", ending: ".swift")
    + Repository.files(in: "Tests/QuickStart", ending: ".swift")
    + Repository.files(in: "Tests/AppSettingsAdapterTests", ending: "Documentation.swift")
    + Repository.files(in: "Tests/AppSettingsSealedTests", ending: "Documentation.swift")
    + Repository.files(in: "Examples", ending: ".swift")).map { ($0, (try? Repository.lines(of: $0)) ?? []) }

  @Test(arguments: Document.all.map(\.path))
  func `a Swift block that does something is a passage of code that runs`(_ path: String) throws {
    for block in try Document(path).blocks("swift") where block.lines.contains(where: Self.runs) {
      let isThere = Self.sources.contains { Self.holds($0.lines, passage: block.lines) }
      #expect(isThere, "\(path):\(block.line): no file in Tests/DocumentationTests/Passages has this passage")
    }
  }

  @Test func `the quick start is a whole file`() throws {
    let program = try Repository.lines(of: "Tests/QuickStart/Main/Editor.swift").dropLast()
    let blocks = try Document("README.md").blocks("swift")
    #expect(blocks.contains { $0.lines == Array(program) })
  }

  @Test func `a passage is found at any indentation, and a changed line is noticed`() {
    let lines = ["func f() {", "  if x {", "", "    y()", "  }", "}"]
    #expect(Self.holds(lines, passage: ["if x {", "", "  y()", "}"]))
    #expect(!Self.holds(lines, passage: ["if x {", "", "y()", "}"]))
    #expect(!Self.holds(lines, passage: ["if x {", "  y()", "}"]))
    #expect(!Self.holds(lines, passage: ["  }", "}", "}"]))
    #expect(!Self.holds(lines, passage: []))
  }

  @Test func `statements and tests do something, declarations and comments do not`() {
    #expect(["let x = 1", "for await x in y {", "@Test func f() {", "try f()"].allSatisfy(Self.runs))
    let others = ["import A", "final class A {", "func f() {", "  let x = 1", "}", "// x", "", "@main"]
    #expect(!others.contains(where: Self.runs))
  }

  /// Whether a line begins a statement or a test, and no declaration.
  private static func runs(_ line: String) -> Bool {
    guard let first = line.first, !" })]/#".contains(first) else { return false }
    let declaration =
      #/(@(?!Test)|((public|private|final) )*(import|extension|struct|enum|class|actor|protocol|typealias|func) )/#
    return line.prefixMatch(of: declaration) == nil
  }

  /// Whether lines have a passage in them, all of it indented by some number of spaces more.
  private static func holds(_ lines: [String], passage: [String]) -> Bool {
    guard let first = passage.first, !first.isEmpty, passage.count <= lines.count else { return false }
    return (0...lines.count - passage.count).contains { start in
      let line = lines[start]
      guard line.hasSuffix(first) else { return false }
      let indent = line.dropLast(first.count)
      guard indent.allSatisfy({ $0 == " " }) else { return false }
      return zip(passage, lines[start...]).allSatisfy { $0.isEmpty ? $1.isEmpty : indent + $0 == $1 }
    }
  }
}
