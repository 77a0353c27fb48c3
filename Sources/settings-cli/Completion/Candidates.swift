import AppSettings
import AppSettingsSchema
import ArgumentParser
import Glibc

/// What may stand in a place of a command line on this machine, for the library's completions.
///
/// Each is called with the words of the command line, the place of the one to complete, and what is typed of it.
enum Candidates {
  @Sendable static func targets(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard !line.typed.contains("/"), !line.typed.hasPrefix("."), !line.typed.hasPrefix("~") else {
      return shown(files(line.typed).map { Candidate(text: $0) }, on: line)
    }
    return shown(((try? InstalledApp.all()) ?? []).map { Candidate(text: $0.app) }, on: line)
  }

  @Sendable static func keys(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    keys(on: CompletionLine(words, index, typed))
  }

  private static func keys(on line: CompletionLine) -> [String] {
    guard let target = line.operands.first else { return [] }
    let others = Set(line.operands.dropFirst())
    return shown(KnownKeys(of: target).keys.filter { !others.contains($0.text) }, on: line)
  }

  /// Values of the key that stands after the target.
  @Sendable static func values(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    values(on: CompletionLine(words, index, typed))
  }

  private static func values(on line: CompletionLine) -> [String] {
    guard line.operands.count > 1 else { return [] }
    return shown(KnownKeys(of: line.operands[0]).values(of: line.operands[1]), on: line)
  }

  /// What stands after the target of a `set`: a key, its value, or `KEY=VALUE`.
  @Sendable static func changes(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    if let equals = line.typed.firstIndex(of: "=") {
      let head = line.typed[...equals]
      return shown(
        KnownKeys(of: target).values(of: String(line.typed[..<equals])).map {
          Candidate(text: head + $0.text, note: $0.note)
        }, on: line)
    }
    let isValue = line.operands.count == 2 && !line.operands[1].contains("=")
    return isValue ? values(on: line) : keys(on: line)
  }

  /// The files that a typed path may become.
  private static func files(_ typed: String) -> [String] {
    let slash = typed.lastIndex(of: "/")
    let directory = slash.map { String(typed[...$0]) } ?? ""
    let start = slash.map { String(typed[typed.index(after: $0)...]) } ?? typed
    let names = (try? Syscalls().names(in: directory.isEmpty ? "." : directory)) ?? []
    return names.sorted().filter { $0.hasPrefix(start) && $0 != "." && $0 != ".." }.map { name in
      var status = stat()
      let isDirectory = stat(directory + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      return directory + name + (isDirectory ? "/" : "")
    }
  }

  /// One line each, as the shell that asks takes them: zsh and fish show notes beside them.
  ///
  /// What the verb would not take in this place is left out.
  private static func shown(_ candidates: [Candidate], on line: CompletionLine) -> [String] {
    candidates.filter { line.takes($0.text) }.compactMap { candidate in
      switch CompletionShell.requesting {
      case .bash?: bash(candidate.text, line.typed)
      case .zsh?: zsh(candidate)
      case .fish?: fish(candidate)
      default: isLine(candidate.text) ? candidate.text : nil
      }
    }
  }

  /// Bash quotes what it inserts, but the script has it expand the words of this list first: without these quotes it
  /// would run a value such as `$(date)`.
  private static func bash(_ text: String, _ typed: String) -> String? {
    guard isLine(text) else { return nil }
    // Bash takes a word apart at these, and completes what is behind the last.
    guard let last = typed.lastIndex(where: { $0 == "=" || $0 == ":" }) else { return ShellWord.quoted(text) }
    let head = typed[...last]
    return text.hasPrefix(head) ? ShellWord.quoted(String(text.dropFirst(head.count))) : nil
  }

  /// zsh quotes what it inserts. It has lines, in which a backslash takes the next character for itself, and of which
  /// the part behind a colon is a note.
  private static func zsh(_ candidate: Candidate) -> String? {
    guard isLine(candidate.text) else { return nil }
    var text = ""
    for character in candidate.text {
      if character == "\\" || character == ":" { text.append("\\") }
      text.append(character)
    }
    return candidate.note.isEmpty ? text : "\(text):\(candidate.note)"
  }

  /// Fish quotes what it inserts. It has lines, of which the part behind a tab is a note.
  private static func fish(_ candidate: Candidate) -> String? {
    guard isLine(candidate.text) else { return nil }
    return candidate.note.isEmpty ? candidate.text : "\(candidate.text)\t\(candidate.note)"
  }

  /// Whether a text can be a line of its own, and shows what it is.
  private static func isLine(_ text: String) -> Bool { !text.unicodeScalars.contains(where: ShellWord.isControl) }
}

/// A candidate, and what is said of it.
struct Candidate {
  var text: String
  var note = ""
}
