import AppSettings
import ArgumentParser
import Glibc

/// What may stand in a place of a command line on this machine, for the library's completions.
///
/// Each is called with the words of the command line, the place of the one to complete, and what is typed of it.
enum Candidates {
  @Sendable static func targets(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    guard !typed.contains("/"), !typed.hasPrefix("."), !typed.hasPrefix("~") else { return files(typed) }
    return shown(((try? InstalledApp.all()) ?? []).map { Candidate(text: $0.app) })
  }

  @Sendable static func keys(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = Line(words, index, typed)
    guard let target = line.operands.first else { return [] }
    let others = Set(line.operands.dropFirst())
    return shown(KnownKeys(of: target).keys.filter { !others.contains($0.text) })
  }

  /// Values of the key that stands after the target.
  @Sendable static func values(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let operands = Line(words, index, typed).operands
    return operands.count > 1 ? shown(KnownKeys(of: operands[0]).values(of: operands[1])) : []
  }

  /// What stands after the target of a `set`: a key, its value, or `KEY=VALUE`.
  @Sendable static func changes(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = Line(words, index, typed)
    guard let target = line.operands.first else { return [] }
    if let equals = line.typed.firstIndex(of: "=") {
      // Bash takes a word apart at '=', and completes what is behind it.
      let head = CompletionShell.requesting == .bash ? "" : String(line.typed[...equals])
      return shown(
        KnownKeys(of: target).values(of: String(line.typed[..<equals])).map {
          Candidate(text: head + $0.text, note: $0.note)
        })
    }
    let isValue = line.operands.count == 2 && !line.operands[1].contains("=")
    return isValue ? values(words, index, typed) : keys(words, index, typed)
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

  /// As the shell that asks takes them: zsh and fish show notes beside them.
  private static func shown(_ candidates: [Candidate]) -> [String] {
    candidates.map { candidate in
      switch CompletionShell.requesting {
      case .zsh?:
        let text = candidate.text.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
        return candidate.note.isEmpty ? text : "\(text):\(candidate.note)"
      case .fish?: return candidate.note.isEmpty ? candidate.text : "\(candidate.text)\t\(candidate.note)"
      default: return candidate.text
      }
    }
  }

  /// A command line that is being typed.
  private struct Line {
    /// The words before the one to complete that are neither the program, the verb nor options.
    let operands: [String]
    /// What is typed of that word.
    let typed: String

    init(_ words: [String], _ index: Int, _ typed: String) {
      var joined: [String] = []
      for word in words.prefix(index + 1).dropFirst() {
        // Bash has taken them apart here.
        let isPart = CompletionShell.requesting == .bash && (word == "=" || joined.last?.hasSuffix("=") == true)
        if isPart, !joined.isEmpty { joined[joined.count - 1] += word } else { joined.append(word) }
      }
      self.typed = joined.popLast() ?? typed
      operands = joined.dropFirst().filter { !$0.hasPrefix("-") }
    }
  }
}

/// A candidate, and what is said of it.
struct Candidate {
  var text: String
  var note = ""
}
