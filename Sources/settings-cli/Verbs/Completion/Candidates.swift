import AppSettings
import AppSettingsSchema
import Glibc
import SettingsTools

/// The candidates for a word of a command line on this machine, by the functions that arguments are declared with.
///
/// Each function gets the words of the command line, without the shell's quotes, the index of the one to complete, and
/// its typed part. It returns all candidates for this place: the ones that do not begin with what is typed are left out
/// later.
enum Candidates {
  @Sendable static func targets(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard !isPath(line.typed) else { return [CompletionAnswer.filesLine] }
    return shown(((try? InstalledApp.all()) ?? []).map { Candidate($0.app) }, on: line)
  }

  /// The drop-ins of an app.
  @Sendable static func dropIns(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let app = line.operands.first, let files = try? InstalledApp.find(app).systemFiles else { return [] }
    let names = files.filter { $0.contains("/settings.d/") }.map { $0.lastPathPart.droppingLastBytes(5) }
    return shown(names.map { Candidate($0) }, on: line)
  }

  /// The files of the person's, as --layer names them.
  @Sendable static func layers(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    let location = line.operands.first.flatMap { try? SettingsLocation(app: $0) }
    let directory = location?.personal?.declaredDirectory ?? ""
    let dropIns = ((try? Syscalls().names(in: directory)) ?? []).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
    return shown(
      [Candidate("user", note: "the user's file, below an active profile")]
        + profileNames(on: line).map { Candidate("profile:\($0)") }
        + dropIns.sorted().map { Candidate("drop-in:\($0.droppingLastBytes(5))") }
        + [
          Candidate("host", note: "a file for this host only"), Candidate("os", note: "a file for this system only"),
          Candidate("arch", note: "a file for this architecture only"),
        ], on: line)
  }

  /// The profiles of an app.
  @Sendable static func profiles(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    // A new one is not to have the name of another, and a list has none.
    if !line.isOptionValue, !["use", "remove"].contains(line.operands.dropFirst().first) { return [] }
    return shown(profileNames(on: line).map { Candidate($0) }, on: line)
  }

  private static func profileNames(on line: CompletionLine) -> [String] {
    let location = line.operands.first.flatMap { try? SettingsLocation(app: $0) }
    return (try? location.flatMap { Profiles(of: $0) }?.names()) ?? []
  }

  @Sendable static func keys(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    return shown(KeyCandidates(of: target).keys(except: line.operands.dropFirst()), on: line)
  }

  /// Keys, or entries of the history.
  @Sendable static func keysOrEntries(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    return shown(KeyCandidates(of: target).keys() + entries(of: target), on: line)
  }

  /// What may stand for a time: entries of the history; with `--entry`, the key comes first.
  @Sendable static func entries(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    return line.options.contains("--entry") ? keys(words, index, typed) : shown(entries(of: target), on: line)
  }

  /// The keys, behind a time.
  @Sendable static func formerKeys(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    return shown(KeyCandidates(of: target).keys(), on: line)
  }

  /// The newest entries of a target's history.
  private static func entries(of target: String) -> [Candidate] {
    let target = Target(target)
    guard let store = try? target.openUnread().store, let entries = try? store.history(limit: 20) else { return [] }
    return entries.map { entry in
      let who = entry.actor.name.map { " by \($0)" } ?? ""
      return Candidate("#\(entry.id)", note: "\(Moment.text(entry.time)) \(entry.reason.rawValue)\(who)")
    }
  }

  /// The elements of the key's array, and what else may be one.
  @Sendable static func elements(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard line.operands.count > 1 else { return [] }
    let known = KeyCandidates(of: line.operands[0])
    let isRemoval = line.argumentName == "--remove"
    return shown(known.elements(of: line.operands[1], areNew: !isRemoval), on: line)
  }

  /// The words after the target of a `set`: a key, its value, or `KEY=VALUE`.
  @Sendable static func changes(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    let known = KeyCandidates(of: target)
    let changes = line.operands.dropFirst()
    let changesElements = !line.options.isDisjoint(with: ["--append", "--remove"])
    guard let first = changes.first else {
      if !changesElements, let values = assignments(line.typed, known) { return shown(values, on: line) }
      return shown(known.keys(), on: line)
    }
    guard !changesElements else { return [] }
    guard KeyText.assignment(first) != nil else {
      return changes.count == 1 ? shown(known.values(of: first), on: line) : []
    }
    let keys = changes.compactMap { KeyText.assignment($0).map { String($0.key) } }
    return shown(
      assignments(line.typed, known) ?? known.keys(except: keys).map { Candidate($0.text + "=", note: $0.note) },
      on: line)
  }

  /// The words after the target of a `lock`: any of keys and `KEY=VALUE`.
  @Sendable static func keysOrAssignments(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard let target = line.operands.first else { return [] }
    let known = KeyCandidates(of: target)
    return shown(assignments(line.typed, known) ?? known.keys(except: line.operands.dropFirst()), on: line)
  }

  /// The values for what is typed as `KEY=VALUE`; `nil` if it has no `=`.
  private static func assignments(_ typed: String, _ known: KeyCandidates) -> [Candidate]? {
    guard let (key, _) = KeyText.assignment(typed) else { return nil }
    guard let path = known.path(String(key)) else { return [] }
    return known.values(of: path).map { Candidate("\(path)=" + $0.text, note: $0.note) }
  }

  /// The programs that `PATH` leads to.
  @Sendable static func programs(_ words: [String], _ index: Int, _ typed: String) -> [String] {
    let line = CompletionLine(words, index, typed)
    guard !isPath(line.typed) else { return [CompletionAnswer.filesLine] }
    var names: Set<String> = []
    for directory in (ProcessFacts.environment["PATH"] ?? "").split(separator: ":") {
      for name in (try? Syscalls().names(in: String(directory))) ?? []
      where !names.contains(name) && name.hasPrefix(line.typed) && isProgram("\(directory)/\(name)") {
        names.insert(name)
      }
    }
    return shown(names.sorted().map { Candidate($0) }, on: line)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return path.withPath { stat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access($0, X_OK) == 0 }
  }

  private static func isPath(_ typed: String) -> Bool {
    typed.contains("/") || typed.hasPrefix(".") || typed.hasPrefix("~")
  }

  /// The candidates as lines, without those that the verb would not accept in this place.
  private static func shown(_ candidates: [Candidate], on line: CompletionLine) -> [String] {
    candidates.filter { $0.isLine && line.takes($0.text) }.map(\.line)
  }
}
