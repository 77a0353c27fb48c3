import AppSettings
import SettingsTOML
import Testing

/// One text after another that a settings file is given: the columns of the matrix.
struct MatrixStep: Sendable {
  var name: String
  var text: String

  /// What the text says; `nil` if it does not parse.
  var table: TOMLTable? { (try? TOMLDocument(parsing: Array(text.utf8)))?[.root]?.table }

  /// The keys at the root of all of them.
  static let keys = Array(Set(all.compactMap(\.table).flatMap(\.keys))).sorted()

  private init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  static let all = [
    MatrixStep("nothing of interest", "# a file\nother = 1\n"),
    MatrixStep("first value", "# a file\nnumber = 1\nother = 1\n"),
    MatrixStep("change", "# a file\nnumber = 2\nother = 1\n"),
    MatrixStep("back to default", "# a file\nnumber = 0\nother = 1\n"),
    MatrixStep("unset", "# a file\nother = 1\n"),
    MatrixStep(
      "a value of each type",
      """
      # a file
      string = "a"
      integer = 1
      float = 1.5
      boolean = true
      date-time = 1979-05-27T07:32:00Z
      local-date-time = 1979-05-27T07:32:00
      local-date = 1979-05-27
      local-time = 07:32:00
      array = [1, "two", [3]]
      [table]
      a.b = 1

      """),
    MatrixStep(
      "another value of each type",
      """
      # a file
      string = "b"
      integer = 2
      float = nan
      boolean = false
      date-time = 1979-05-27T07:32:01-01:00
      local-date-time = 1979-05-27T07:32:01
      local-date = 1979-05-28
      local-time = 07:32:01
      array = []
      [table]
      a = 1

      """),
    MatrixStep("unparsable", "# a file\nnumber = = 3\nother = 1\n"),
    MatrixStep("mended", "# a file\nnumber = 3\nother = 1\n"),
    MatrixStep("a batch of three keys", "# a file\nnumber = 4\nother = 1\n[view]\ntext = \"four\"\nflag = true\n"),
  ]
}

extension TOMLTable {
  /// The edits that make it another table: for each key of either at the root, its value there.
  func steps(to new: TOMLTable) -> [(key: SettingsKey<SettingsValue?>, value: SettingsValue?)] {
    Set(keys).union(new.keys).sorted().filter { self[$0] != new[$0] }.map { (SettingsKey($0), new[$0]) }
  }
}

/// What a stream showed, without what equals the one before.
func expectStates(
  _ seen: [TOMLTable], are wanted: [TOMLTable], orGapsOf gap: TOMLTable?, _ name: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  var rest = seen.filter { $0 != gap || wanted.contains($0) }[...]
  var missing: [TOMLTable] = []
  for state in wanted {
    if rest.first == state { rest.removeFirst() } else { missing.append(state) }
    // A gap is followed by what was there before, or by what comes next.
    if gap != nil { while rest.first == state { rest.removeFirst() } }
  }
  #expect(
    missing.isEmpty && rest.isEmpty, "\(name): \(missing) did not come, \(Array(rest)) did",
    sourceLocation: sourceLocation)
}
