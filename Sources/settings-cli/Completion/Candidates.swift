import AppSettings
import AppSettingsSchema
import ArgumentParser
import Glibc

/// What a word of a command line may be on this machine, for the library's completions.
///
/// The library calls each function with the words of the command line, the index of the one to complete, and its typed
/// part.
enum Candidates {
  @Sendable static func targets(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard !line.typed.contains("/"), !line.typed.hasPrefix("."), !line.typed.hasPrefix("~") else {
      return shown(files(line.typed).map { Candidate(text: $0) }, on: line)
    }
    return shown(((try? InstalledApp.all()) ?? []).map { Candidate(text: $0.app) }, on: line)
  }

  /// The drop-ins of an app.
  @Sendable static func dropIns(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let app = line.operands.first, let files = try? InstalledApp.find(app).systemFiles else { return [] }
    let names = files.filter { $0.contains("/settings.d/") }.map { $0.lastPathPart.droppingLastBytes(5) }
    return shown(names.map { Candidate(text: $0) }, on: line)
  }

  @Sendable static func keys(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    keys(on: CompletionLine(words, index, typed))
  }

  private static func keys(on line: CompletionLine) -> [String] {
    guard let target = line.operands.first else { return [] }
    let others = Set(line.operands.dropFirst())
    return shown(KnownKeys(of: target).keys.filter { !others.contains($0.text) }, on: line)
  }

  /// Values of the key after the target.
  @Sendable static func values(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    values(on: CompletionLine(words, index, typed))
  }

  private static func values(on line: CompletionLine) -> [String] {
    guard line.operands.count > 1 else { return [] }
    return shown(KnownKeys(of: line.operands[0]).values(of: line.operands[1]), on: line)
  }

  /// The words after the target of a `set`: a key, its value, or `KEY=VALUE`.
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

  /// The files whose paths begin with the typed part.
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

  /// The candidates as lines for the shell that asks: zsh and fish show notes next to them.
  ///
  /// Leaves out candidates that the verb would not accept in this place.
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

  /// Bash quotes what it inserts, but the script first makes it expand the words of this list: without these quotes it
  /// would run a value such as `$(date)`.
  private static func bash(_ text: String, _ typed: String) -> String? {
    guard isLine(text) else { return nil }
    // Bash splits a word at these characters and completes the part after the last.
    guard let last = typed.lastIndex(where: { $0 == "=" || $0 == ":" }) else { return ShellWord.quoted(text) }
    let head = typed[...last]
    return text.hasPrefix(head) ? ShellWord.quoted(String(text.dropFirst(head.count))) : nil
  }

  /// zsh quotes what it inserts. In its lines a backslash escapes the next character, and a colon begins a note.
  private static func zsh(_ candidate: Candidate) -> String? {
    guard isLine(candidate.text) else { return nil }
    var text = ""
    for character in candidate.text {
      if character == "\\" || character == ":" { text.append("\\") }
      text.append(character)
    }
    return candidate.note.isEmpty ? text : "\(text):\(candidate.note)"
  }

  /// Fish quotes what it inserts. In its lines a tab begins a note.
  private static func fish(_ candidate: Candidate) -> String? {
    guard isLine(candidate.text) else { return nil }
    return candidate.note.isEmpty ? candidate.text : "\(candidate.text)\t\(candidate.note)"
  }

  /// Whether a text fits on one line and shows everything in it.
  private static func isLine(_ text: String) -> Bool { !text.unicodeScalars.contains(where: ShellWord.isControl) }
}

/// A candidate and a note on it.
struct Candidate {
  var text: String
  var note = ""
}
