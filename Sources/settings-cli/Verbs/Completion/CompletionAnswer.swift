import AppSettings
import ArgumentParser

/// A candidate and a note on it.
struct Candidate {
  var text: String
  var note = ""

  init(_ text: String, note: String = "") {
    self.text = text
    self.note = note.firstLine
  }

  /// As a line of a completion function: after a tab, the note.
  var line: String { note.isEmpty ? text : "\(text)\t\(note)" }

  fileprivate init(line: Substring) {
    let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
    text = String(parts[0])
    note = parts.count > 1 ? String(parts[1]) : ""
  }

  /// Whether a text fits on one line and shows everything in it.
  var isLine: Bool { !text.isEmpty && !text.unicodeScalars.contains(where: \.isControl) }
}

/// The candidates for a word of a command line, or what the shell completes itself.
enum CompletionAnswer {
  case words([Candidate])
  /// Files, which the shells complete themselves.
  case files, directories

  /// The line with which a completion function asks for files.
  static let filesLine = "\u{1}files"

  /// - Parameters:
  ///   - words: The words as the command would get them, with the program's name; the last is the one to complete.
  ///   - isFile: Whether the word is the target of a redirection.
  init(_ words: [String], isFile: Bool) {
    guard !isFile else {
      self = .files
      return
    }
    let index = words.count - 1
    let line = CompletionLine(words, index, words[index])
    let command = ManualVerb.description
    if line.isBeforeVerb {
      self = .words(line.typed.hasPrefix("-") ? Self.options(of: command, on: line) : Self.verbs(of: command))
    } else if line.verb?.commandName == "help" {
      self = .words(line.operands.isEmpty ? Self.verbs(of: command) : [])
    } else {
      self = Self.values(on: line, words)
      guard !line.isOptionValue, !line.isPastOptions, line.argument == nil || line.typed.hasPrefix("-") else { return }
      // Among the operands there may be numbers.
      let operands = if case .words(let operands) = self { operands } else { [Candidate]() }
      self = .words(Self.options(of: line.verb, on: line) + operands)
    }
  }

  /// The lines of a reply, the first of which says what the candidates are.
  func reply(_ lines: ([Candidate]) -> [String]) -> [String] {
    switch self {
    case .files: ["files"]
    case .directories: ["directories"]
    case .words(let all): lines(all)
    }
  }

  private static func verbs(of command: CompletionLine.Command?) -> [Candidate] {
    (command?.subcommands ?? []).filter(\.shouldDisplay).map { Candidate($0.commandName, note: $0.abstract ?? "") }
  }

  /// The options of a verb, without those that may be given once and are there.
  private static func options(of command: CompletionLine.Command?, on line: CompletionLine) -> [Candidate] {
    (command?.arguments ?? []).filter { argument in
      argument.shouldDisplay && (argument.isRepeating || line.options.isDisjoint(with: argument.allNames))
    }.flatMap { argument in argument.allNames.map { Candidate($0, note: argument.abstract ?? "") } }
  }

  private static func values(on line: CompletionLine, _ words: [String]) -> CompletionAnswer {
    switch line.argument?.completionKind {
    case nil: return .words([])
    case .file: return .files
    case .directory: return .directories
    case .list(let values): return .words(values.map { Candidate(line.prefix + $0) })
    case .custom:
      let lines = functionLines(on: line, words)
      if lines == [filesLine[...]] { return .files }
      return .words(lines.map(Candidate.init(line:)).map { Candidate(line.prefix + $0.text, note: $0.note) })
    }
  }

  /// What the function says that the argument's declaration names: only the library knows it.
  private static func functionLines(on line: CompletionLine, _ words: [String]) -> [Substring] {
    let index = words.count - 1
    let question =
      ["---completion", line.verb?.commandName ?? "", "--", line.argumentName, "\(index)", "\(words[index].count)"]
    do {
      _ = try SettingsCLI.parseAsRoot(question + words)
      return []
    } catch {
      guard SettingsCLI.exitCode(for: error).isSuccess else { return [] }
      return SettingsCLI.fullMessage(for: error).split(separator: "\n")
    }
  }
}

extension String {
  /// The part to show next to a candidate: the first line, without control characters.
  fileprivate var firstLine: String {
    let line = prefix { !$0.isNewline }.prefix(80)
    return String(String.UnicodeScalarView(line.unicodeScalars.map { $0.isControl ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
