import AppSettings
import Foundation
import TestModels
import Testing
import TestSupport

/// Random walks of edits, undos, redos and saves by hand against the undo stack of an editor.
///
/// `SETTINGS_SCHEDULES=full` makes 4,000 steps, `SETTINGS_SCHEDULE_SEED` repeats a walk.
struct UndoWalkTests {
  private static let isFull = Exploration.isFull
  private static let variable = "SETTINGS_SCHEDULE_SEED"

  /// An editor's undo stack.
  private struct Editor<Content: Equatable> {
    var past: [Content]
    var future: [Content] = []
    var now: Content { past.last! }

    mutating func type(_ content: Content) {
      guard content != now else { return }
      past.append(content)
      future = []
    }

    mutating func undo() -> Bool {
      guard past.count > 1 else { return false }
      future.append(past.removeLast())
      return true
    }

    mutating func redo() -> Bool {
      guard let next = future.popLast() else { return false }
      past.append(next)
      return true
    }
  }

  private static let paths: [TOMLPath] = [
    ["theme"], ["n"], ["editor", "font-size"], ["editor", "tabs"], ["list"], ["t", "a", "b"], ["imp"], ["imp", "y"],
    ["password"],
  ]

  private static func value(_ random: inout SeededRandom) -> TOMLValue {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .integer(Int64.random(in: 0..<5, using: &random))
    case 1: .string(["dark", "light", "# no comment", "two\nlines"].randomElement(using: &random)!)
    case 2: .array([.integer(1), .string("x")])
    default: .boolean(Bool.random(using: &random))
    }
  }

  /// What somebody does to a text in an editor.
  private static func saved(_ text: String, _ random: inout SeededRandom) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let place = Int.random(in: 0..<lines.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: lines.insert("# note \(Int.random(in: 0..<9, using: &random))", at: place)
    case 1: lines.insert("", at: place)
    case 2: lines.remove(at: place)
    case 3: lines[place] += "  # why"
    default: lines.append("[by-hand-\(Int.random(in: 0..<9, using: &random))]\nx = 1 # mine")
    }
    return lines.joined(separator: "\n")
  }

  @Test func `every text is the one that an editor would have, byte for byte`() throws {
    let seed = SeededRandom.seed(from: Self.variable, isFull: Self.isFull)
    var random = SeededRandom(seed)
    let home = ScratchHome()
    // A secret in the file, which the history never has.
    let start = "# top\n\ntheme = 'dark' # dim\n\n[editor] # mine\nfont-size = 0x10\n\n[vault]\ntoken = \"s3cret\"\n"
    try home.write(start)
    var settings = try home.store(acceptsAnyVersion: true)
    // The history begins with the first write.
    try settings.core.commit { _ in [Edit(path: ["n"], value: .integer(-1))] }
    var editor = Editor(past: [start])
    editor.type(home.text()!)
    for step in 0..<(Self.isFull ? 4_000 : 250) {
      let context: Comment = "seed \(seed), step \(step)"
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<7:
        let path = Self.paths.dropLast().randomElement(using: &random)!
        let value: TOMLValue? = Int.random(in: 0..<3, using: &random) == 0 ? nil : Self.value(&random)
        // A key in a value that is no table is refused.
        _ = try? settings.core.commit { _ in [Edit(path: path, value: value)] }
        editor.type(home.text()!)
      case 7..<9:
        let text = Self.saved(home.text()!, &random)
        // The history does not have the secret, and no comment at it or above it.
        guard (try? TOMLDocument(parsing: text)) != nil, text.contains("[vault]\ntoken = \"s3cret\"\n"),
          text != editor.now
        else { continue }
        try home.write(text)
        // The next write records it.
        if Bool.random(using: &random) {
          try settings.core.commit { _ in [Edit(path: ["n"], value: .integer(Int64(100 + step)))] }
          editor.type(text)
          editor.type(home.text()!)
        } else {
          editor.type(text)
          _ = editor.undo()
          try settings.undo()
          try #require(home.text() == editor.now, context)
        }
      case 9:
        // A text that does not parse, and its recovery: only redoing ends.
        try home.write(home.text()! + "\noops\n")
        guard case .restored = try settings.recoverNewest() else {
          Issue.record("It was not restored.", sourceLocation: #_sourceLocation)
          return
        }
        editor.future = []
      case 10: settings = try home.store(acceptsAnyVersion: true)
      case 11..<16:
        let isPossible = editor.undo()
        if isPossible { try settings.undo() } else { #expect(throws: SettingsError.self) { try settings.undo() } }
      default:
        let isPossible = editor.redo()
        if isPossible { try settings.redo() } else { #expect(throws: SettingsError.self) { try settings.redo() } }
      }
      try #require(home.text() == editor.now, context)
    }
  }

  @Test func `each key is what its own undo stack says`() throws {
    let seed = SeededRandom.seed(from: Self.variable, isFull: Self.isFull)
    var random = SeededRandom(seed)
    let home = ScratchHome()
    let settings = try home.store(acceptsAnyVersion: true)
    let keys: [TOMLPath] = [["a"], ["t", "b"], ["t", "c", "d"]]
    var editors = keys.map { _ in Editor<TOMLValue?>(past: [nil]) }
    for step in 0..<(Self.isFull ? 4_000 : 250) {
      let number = Int.random(in: 0..<keys.count, using: &random)
      let key = keys[number]
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        // One key, or several in one write.
        let changed = Bool.random(using: &random) ? [number] : Array(keys.indices)
        let edits = changed.map { index -> Edit in
          let value: TOMLValue? = Int.random(in: 0..<4, using: &random) == 0 ? nil : .integer(Int64(step * 10 + index))
          editors[index].type(value)
          return Edit(path: keys[index], value: value)
        }
        try settings.core.commit { _ in edits }
      case 4:
        let text = "# by hand \(step)\n" + (home.text() ?? "")
        try home.write(text)
      case 5..<8:
        if editors[number].undo() {
          try settings.undo(.value([key]))
        } else {
          #expect(throws: SettingsError.self) { try settings.undo(.value([key])) }
        }
      default:
        if editors[number].redo() {
          try settings.undo(.redo([key]))
        } else {
          #expect(throws: SettingsError.self) { try settings.undo(.redo([key])) }
        }
      }
      let document = try TOMLDocument(parsing: home.text() ?? "")
      for (key, editor) in zip(keys, editors) {
        try #require(document[key] == editor.now, "seed \(seed), step \(step), \(key)")
      }
    }
  }

  @Test func `an entry is undone byte for byte among later changes of other lines`() throws {
    let seed = SeededRandom.seed(from: Self.variable, isFull: Self.isFull)
    var random = SeededRandom(seed)
    for round in 0..<(Self.isFull ? 1_000 : 40) {
      let home = ScratchHome()
      let settings = try home.store(acceptsAnyVersion: true)
      let count = 8
      // Some names sound secret: the history does not have their lines.
      let names = (0..<count).map { $0 > 0 && Int.random(in: 0..<4, using: &random) == 0 ? "token-\($0)" : "k\($0)" }
      let isSpaced = Bool.random(using: &random)
      let text = names.enumerated().map { "# about \($1)\n\($1) = \"v\($0)\" # c\($0)\n" }
        .joined(separator: isSpaced ? "\n" : "")
      try home.write(text)
      let at = (1..<count).filter { names[$0].hasPrefix("k") }.randomElement(using: &random) ?? 0
      guard at > 0 else { continue }
      // The history begins with a write.
      try settings.core.commit { _ in [Edit(path: [names[0]], value: .string("begun"))] }
      let begun = try #require(home.text())
      let value: TOMLValue? = Bool.random(using: &random) ? nil : .string("set")
      try settings.core.commit { _ in [Edit(path: [names[at]], value: value)] }
      // Others are changed, but not what stands before and what stands after that line at once.
      let side = Bool.random(using: &random) ? 1 : -1
      var (now, expected) = (try #require(home.text()), begun)
      for other in 0..<count where other != at && other != at + side && Bool.random(using: &random) {
        for (line, new) in [
          ("# about \(names[other])\n", "# more about \(names[other])\n"), ("# c\(other)\n", "# d\n"),
        ]
        where Bool.random(using: &random) {
          now = now.replacingOccurrences(of: line, with: new)
          expected = expected.replacingOccurrences(of: line, with: new)
        }
      }
      try home.write(now)
      // Nor is anything put in its place.
      if at < count - 1, Bool.random(using: &random) {
        try settings.core.commit { _ in [Edit(path: ["z"], value: .integer(1))] }
      }
      let rest = try #require(home.text()).dropFirst(now.count)
      try settings.undo(.entry(2))
      try #require(home.text() == expected + rest, "seed \(seed), round \(round)")
    }
  }
}
