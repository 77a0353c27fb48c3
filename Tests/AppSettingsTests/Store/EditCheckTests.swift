import Testing
import TestSupport

@testable import AppSettings
@testable import SettingsTOML

/// The last check before a text is written: what an editor with a fault would put into it is refused.
struct EditCheckTests {
  let home = ScratchHome()

  private static let text = """
    # mine
    a = 1
    b = "two" # 2

    [t]
    x = [1, 2]
    y = 3

    [[s]]
    k = 1

    """

  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let edits: [Edit]
    let reason: String
    let line: Int?
    let edit: @Sendable (inout TOMLDocument) throws -> Void

    init(
      _ name: String, _ edits: [Edit], _ reason: String, line: Int?,
      _ edit: @escaping @Sendable (inout TOMLDocument) throws -> Void
    ) {
      testDescription = name
      (self.edits, self.reason, self.line, self.edit) = (edits, reason, line, edit)
    }
  }

  private static let set = [Edit(path: ["a"], value: 5)]

  static let wrong: [Wrong] = [
    Wrong("nothing", set, "'a' would not get what was asked for", line: 2) {
      try $0.set(9, at: ["a"])
    },
    Wrong("another value as well", set, "'b' would change, although no edit changes it", line: 3) {
      try $0.set(5, at: ["a"])
      try $0.set(5, at: ["b"])
    },
    Wrong("another key is removed", set, "'t.y' would change, although no edit changes it", line: 7) {
      try $0.set(5, at: ["a"])
      try $0.remove(at: ["t", "y"])
    },
    Wrong("another key is new", set, "'new' would change, although no edit changes it", line: nil) {
      try $0.set(5, at: ["a"])
      try $0.set(5, at: ["new"])
    },
    Wrong("an element changes", set, "'s' would change, although no edit changes it", line: 9) {
      try $0.set(5, at: ["a"])
      try $0.set(5, at: ["k"], inElement: 0, of: ["s"])
    },
    Wrong("a removal that was not", [Edit(path: ["b"], value: nil)], "'b' would not get", line: 3) {
      try $0.set(5, at: ["b"])
    },
    Wrong("a table instead of its key", [Edit(path: ["t", "x"], value: nil)], "'t.y' would change", line: 7) {
      try $0.remove(at: ["t"])
    },
    Wrong("part of a table", [Edit(path: ["n"], value: ["x": 1, "y": 2])], "'n' would not get", line: nil) {
      try $0.set(["x": 1], at: ["n"])
    },
    Wrong(
      "an earlier edit of two", [Edit(path: ["a"], value: 5), Edit(path: ["a"], value: 6)], "'a' would not", line: 2
    ) {
      try $0.set(5, at: ["a"])
    },
    Wrong("the bytes of another value", set, "'b' would change", line: 3) {
      try $0.set(5, at: ["a"])
      $0.damage("two", "too")
    },
    Wrong("bytes that end a line", set, "line 2 of it is not TOML", line: nil) {
      try $0.set(5, at: ["a"])
      $0.damage("a = 5\n", "a = 5 5\n")
    },
    Wrong("bytes that make a comment of a key", set, "'a' would not get", line: 2) {
      try $0.set(5, at: ["a"])
      $0.damage("a = 5", "#a= 5")
    },
    Wrong("bytes that move keys into another table", set, "'u.x' would change", line: nil) {
      try $0.set(5, at: ["a"])
      $0.damage("[t]", "[u]")
    },
  ]

  @Test(arguments: wrong)
  func `a wrong edit is refused with what and where, and the file is unchanged`(_ wrong: Wrong) throws {
    try home.write(Self.text)
    let settings = try home.store()
    #expect(try settings.value(for: SettingsKey("a", default: 0)) == 1)
    let error = settingsError {
      try settings.core.rewrite { document in
        try document.editUnchecked { try wrong.edit(&$0) }
        return wrong.edits
      } checkingAgain: { _ in
      }
    }
    #expect(error?.code == .internalInconsistency)
    #expect(error?.file == home.file && error?.position?.line == wrong.line)
    let message = error?.message ?? ""
    #expect(message.hasPrefix("Refused to write '\(home.file)': the new text does not mean what was asked for: "))
    #expect(message.contains(wrong.reason), "\(message)")
    #expect(
      message.hasSuffix("The file is unchanged. This is an error in the settings library: report it, with the file."))
    #expect(home.text() == Self.text)
    #expect(home.names(in: home.path + "/config/org.example.test") == ["settings.toml"])
    // And the store is as it was.
    #expect(try settings.value(for: SettingsKey("a", default: 0)) == 1)
    try settings.set(4, for: SettingsKey("a", default: 0))
    #expect(home.text() == Self.text.replacing("a = 1", with: "a = 4"))
  }

  @Test(
    arguments: [
      ([], [["a"]], "changed a"), ([Edit(path: ["a"], value: 1)], [["a"], ["b"]], "changed b"),
      // At, above and below an edit's path.
      ([Edit(path: ["a"], value: 1)], [["a"]], nil), ([Edit(path: ["t", "x"], value: [1, 2])], [["t"]], nil),
      ([Edit(path: ["t"], value: ["x": [1, 2], "y": 3])], [["t", "x"]], nil),
      ([Edit(path: ["t", "x"], value: [1, 2])], [["t", "y"]], "changed t.y"),
      // What the edits leave behind is not there.
      ([Edit(path: ["a"], value: 2)], [], "missed a"), ([Edit(path: ["a"], value: nil)], [], "missed a"),
      ([Edit(path: ["n"], value: 1)], [], "missed n"), ([Edit(path: ["a"], value: ["x": 1])], [], "missed a"),
      ([Edit(path: ["t"], value: ["x": [1, 2]])], [], "missed t"), ([Edit(path: ["t"], value: nil)], [], "missed t"),
      ([Edit(path: ["t"], value: 1)], [], "missed t"),
      // What later edits say counts.
      ([Edit(path: ["a"], value: 2), Edit(path: ["a"], value: 1)], [], nil),
      ([Edit(path: ["t"], value: nil), Edit(path: ["t"], value: ["x": [1, 2], "y": 3])], [], nil),
      ([Edit(path: ["a"], value: 1), Edit(path: ["a"], value: nil)], [], "missed a"),
      // An empty table is as good as none.
      ([Edit(path: ["n"], value: nil)], [], nil), ([Edit(path: ["n"], value: [:])], [], nil),
    ] as [([Edit], [TOMLPath], String?)])
  func `a document is refused for a change that no edit is about, and for an edit that it lacks`(
    edits: [Edit], changed: [TOMLPath], fault: String?
  ) throws {
    let document = try TOMLDocument(parsing: Self.text)
    let found = EditCheck(edits).fault(in: document, changed: changed)
    switch found {
    case nil: #expect(fault == nil)
    case .changed(let path): #expect(fault == "changed \(path)")
    case .missed(let path): #expect(fault == "missed \(path)")
    }
  }

  @Test func `what differs is found by comparing with the text before`() throws {
    let base = try TOMLDocument(parsing: Self.text)
    var document = base
    try document.set(5, at: ["a"])
    let check = EditCheck([Edit(path: ["a"], value: 5)])
    #expect(check.fault(in: document, since: base) == nil)
    try document.set(7, at: ["t", "y"])
    #expect(check.fault(in: document, since: base) == .changed(["t", "y"]))
  }

  @Test func `right edits pass, whatever way they took`() throws {
    try home.write(Self.text)
    let settings = try home.store()
    try settings.core.rewrite { document in
      try document.set(7, at: ["a"])
      try document.remove(at: ["t"])
      try document.set(["z": 1], at: ["t"])
      try document.set(["k": 2], at: ["n"])
      return [
        Edit(path: ["a"], value: 5), Edit(path: ["a"], value: 7), Edit(path: ["t"], value: ["z": 1]),
        Edit(path: ["n", "k"], value: 2), Edit(path: ["not", "there"], value: nil), Edit(path: ["e"], value: [:]),
      ]
    } checkingAgain: { _ in
    }
    #expect(
      try TOMLDocument(parsing: home.text() ?? "").root == [
        "a": 7, "b": "two", "t": ["z": 1], "s": [["k": 1]], "n": ["k": 2],
      ])
  }
}

extension TOMLDocument {
  /// Changes bytes behind the index's back, as an editor with a fault might.
  fileprivate mutating func damage(_ old: String, _ new: String) {
    guard let range = bytes.firstRange(of: Array(old.utf8)) else { preconditionFailure("'\(old)' is not there") }
    bytes.replaceSubrange(range, with: Array(new.utf8))
    isMended = true
  }
}
