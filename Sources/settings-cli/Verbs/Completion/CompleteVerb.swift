import ArgumentParser
import SettingsTools

/// Answers the completion scripts.
struct CompleteVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "complete", abstract: "Print candidates for a word, for the completion scripts.",
    discussion: """
      The first line says what the candidates are; each other line is one.
      """, shouldDisplay: false)

  @Argument(help: "The shell.") var shell: CompletionVerb.Shell
  @Argument(parsing: .postTerminator, help: ArgumentHelp("What the shell knows of the line.", valueName: "word"))
  var words: [String] = []
  @OptionGroup var common: CommonOptions

  func answer() throws {
    // A value that is being typed may be a secret.
    ProcessTitle.hide(words)
    let reply =
      switch shell {
      case .bash: BashReply.lines(words)
      case .zsh: ZshReply.lines(words)
      case .fish: FishReply.lines(words)
      }
    Output.text(reply.map { $0 + "\n" }.joined())
  }
}

/// The candidates that match what is typed.
struct Matches {
  let candidates: [Candidate]
  /// The beginning that all have in common.
  let shared: String
  /// Whether it keeps what is typed, so that it may replace it.
  let keepsTyped: Bool

  init(_ all: [Candidate], _ typed: ShellText) {
    var seen: Set<String> = []
    let found = all.filter { $0.isLine && Self.matches($0.text, typed) && seen.insert($0.text).inserted }
    candidates = found
    var shared = Array((found.first?.text ?? "").unicodeScalars)
    for candidate in found.dropFirst() {
      let same = zip(shared, candidate.text.unicodeScalars).prefix { $0 == $1 }.count
      shared.removeLast(shared.count - same)
    }
    self.shared = String(String.UnicodeScalarView(shared))
    keepsTyped = Self.matches(self.shared, typed)
  }

  /// Those that begin with what the shell keeps.
  init(_ all: [Candidate], _ typed: TypedWord) {
    self.init(all.filter { $0.text.starts(withScalars: typed.head.value) }, typed.whole)
  }

  /// The first line of a reply: whether the word goes on after each candidate, and whether only a list is to be shown.
  var summary: String {
    let goesOn = !candidates.isEmpty && candidates.allSatisfy { $0.text.hasSuffix("=") }
    return "words" + (goesOn ? " open" : "") + (keepsTyped || candidates.count < 2 ? "" : " list")
  }

  /// Whether a text begins with what is typed, quotes of a key's names aside: the shell takes them for its own.
  private static func matches(_ text: String, _ typed: ShellText) -> Bool {
    if text.starts(withScalars: typed.value) || text.starts(withScalars: typed.raw) { return true }
    let unquoted = KeyText.unquoted(text)
    let name = KeyText.unquoted(typed.value)
    return unquoted.starts(withScalars: typed.value) || !name.isEmpty && unquoted.starts(withScalars: name)
  }
}

/// Bash gets what it inserts and shows. Where it lists candidates, it inserts no more of them than they share.
enum BashReply {
  /// - Parameter words: The line up to the cursor, the part that bash replaces, the kind of completion, and the number of
  ///   columns.
  static func lines(_ words: [String]) -> [String] {
    let (line, isFile) = ShellText.words(of: words.first ?? "")
    let replaced = words.count > 1 ? words[1] : ""
    let raw = line[line.count - 1].raw
    let head = raw.hasSuffix(replaced) ? String(raw.unicodeScalars.dropLast(replaced.unicodeScalars.count)) : ""
    let typed = TypedWord(raw, keeping: head)
    return CompletionAnswer(line.commandWords, isFile: isFile).reply { all in
      let matches = Matches(all, typed)
      let kind = words.count > 2 ? words[2] : ""
      let columns = words.count > 3 ? max(0, Int(words[3]) ?? 80) : 80
      return [matches.summary] + candidates(matches, typed, kind: kind, columns: columns)
    }
  }

  private static func candidates(_ matches: Matches, _ typed: TypedWord, kind: String, columns: Int) -> [String] {
    let all = matches.candidates
    // Readline takes away a quote before the word if the candidate begins with one: so all of them do.
    let sign =
      typed.head.quote == .none || !typed.head.raw.hasSuffix(typed.head.quote.sign) ? "" : typed.head.quote.sign
    if all.count < 2 { return all.map { sign + typed.written($0.text) } }
    switch kind {
    case "37", "42":  // menu-complete and insert-completions: each is inserted
      return typed.written(all.map(\.text), sharing: matches.shared).map { sign + $0 }
    case "63":  // a list, which nothing of is inserted
      return noted(all, all.map(\.text), columns)
    default:
      // What they share is inserted, and the rest only shown. Where that would take away what is typed, they share nothing.
      let isInserted = matches.keepsTyped && matches.shared.starts(withScalars: typed.head.value)
      let start = isInserted ? sign + typed.beginning(matches.shared, isWhole: false).text : ""
      return noted(all, all.map { start + $0.text.after(matches.shared) }, columns)
    }
  }

  /// Texts in a column and notes beside it.
  fileprivate static func noted(_ candidates: [Candidate], _ texts: [String], _ columns: Int = 80) -> [String] {
    guard candidates.contains(where: { !$0.note.isEmpty }) else { return texts }
    let width = texts.map(\.count).max() ?? 0
    return zip(candidates, texts).map { candidate, text in
      let room = columns - width - 5
      guard !candidate.note.isEmpty, room > 10 else { return text }
      let note = candidate.note.count > room ? candidate.note.prefix(room - 1) + "…" : candidate.note[...]
      return text + String(repeating: " ", count: width - text.count) + "  (\(note))"
    }
  }
}

/// zsh gets what it inserts and, after a tab, what it shows: there a colon begins a note.
enum ZshReply {
  /// - Parameter words: An open quote, which zsh keeps, and the words of the line up to the cursor.
  static func lines(_ words: [String]) -> [String] {
    let line = words.dropFirst().map { ShellText($0) }
    let typed = TypedWord(line.last?.raw ?? "", keeping: words.first ?? "", isClosed: true)
    return CompletionAnswer(line.commandWords, isFile: false).reply { all in
      let matches = Matches(all, typed)
      let texts = matches.candidates.map(\.text)
      guard matches.keepsTyped || texts.count < 2 else {
        // Only a list, of lines as they are.
        return [matches.summary] + BashReply.noted(matches.candidates, texts).map { "\t\($0)" }
      }
      let inserted = texts.count < 2 ? texts.map(typed.written) : typed.written(texts, sharing: matches.shared)
      return [matches.summary]
        + zip(matches.candidates, inserted).map { candidate, text in
          let note = candidate.note.isEmpty ? "" : ":\(candidate.note)"
          return "\(escaped(text))\t\(escaped(candidate.text))\(note)"
        }
    }
  }

  /// A text for _describe, which removes backslashes.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "\\" || character == ":" { result.append("\\") }
      result.append(character)
    }
    return result
  }
}

/// Fish quotes and inserts candidates itself, and looks for what is typed anywhere in them.
enum FishReply {
  /// - Parameter words: The line up to the cursor.
  static func lines(_ words: [String]) -> [String] {
    let (line, isFile) = ShellText.words(of: words.first ?? "", isFish: true)
    return CompletionAnswer(line.commandWords, isFile: isFile).reply { all in
      ["words"] + Matches(all, line[line.count - 1]).candidates.map(\.line)
    }
  }
}

extension [ShellText] {
  /// The words as this command would get them: without those before its name, such as `sudo`.
  fileprivate var commandWords: [String] {
    let name = SettingsCLI.configuration.commandName ?? ""
    let start = dropLast().firstIndex { $0.value == name || $0.value.hasSuffix("/" + name) } ?? 0
    let words = self[Swift.min(start, Swift.max(count - 2, 0))...].map(\.argument)
    // The word to complete is not expanded: nothing of it is replaced.
    return words.dropLast() + [last?.value ?? ""]
  }
}
