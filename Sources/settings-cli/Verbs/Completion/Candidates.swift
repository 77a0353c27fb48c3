import AppSettings
import AppSettingsSchema
import SettingsTools

/// The candidates for a word of a command line on this machine, by the functions that arguments are declared with.
enum Candidates {
  /// It gets the words of the command line, without the shell's quotes, the index of the one to complete, and its typed
  /// part.
  typealias Function = @Sendable ([String], Int, String) -> [String]

  static let targets: Function = completing { line in
    isPath(line.typed) ? nil : ((try? InstalledApp.all()) ?? []).map { Candidate($0.app) }
  }

  /// The same, and behind '--all' the file that has the settings of all apps.
  static let targetsOrFiles: Function = { words, index, typed in
    CompletionLine(words, index, typed).options.contains("--all")
      ? [CompletionAnswer.filesLine] : targets(words, index, typed)
  }

  /// The drop-ins of an app.
  static let dropIns: Function = ofTarget { app, _ in
    guard let files = try? InstalledApp.find(app).systemFiles else { return [] }
    return files.filter { $0.contains("/settings.d/") }.map { Candidate($0.lastPathPart.droppingLastBytes(5)) }
  }

  /// The files of the person's, as --layer names them.
  static let layers: Function = completing { line in
    let directory = location(on: line)?.personal?.declaredDirectory ?? ""
    let dropIns = ((try? Syscalls().names(in: directory)) ?? []).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
    return [Candidate("user", note: "the user's file, below an active profile")]
      + profileNames(on: line).map { Candidate("profile:\($0)") }
      + dropIns.sorted().map { Candidate("drop-in:\($0.droppingLastBytes(5))") }
      + [
        Candidate("host", note: "a file for this host only"), Candidate("os", note: "a file for this system only"),
        Candidate("arch", note: "a file for this architecture only"),
      ]
  }

  /// The profiles of an app.
  static let profiles: Function = completing { line in
    // A new one is not to have the name of another, and a list has none.
    if !line.isOptionValue, !["use", "remove"].contains(line.operands.dropFirst().first) { return [] }
    return profileNames(on: line).map { Candidate($0) }
  }

  private static func profileNames(on line: CompletionLine) -> [String] {
    (try? location(on: line).flatMap { Profiles(of: $0) }?.names()) ?? []
  }

  private static func location(on line: CompletionLine) -> SettingsLocation? {
    target(on: line).flatMap { try? SettingsLocation(app: $0) }
  }

  static let keys: Function = ofTarget { target, line in
    KeyCandidates(of: target).keys(except: line.operands.dropFirst())
  }

  /// Keys, or entries of the history.
  static let keysOrEntries: Function = ofTarget { target, _ in
    KeyCandidates(of: target).keys() + newestEntries(of: target)
  }

  /// What may stand for a time: entries of the history; with `--entry`, the key comes first.
  static let entries: Function = ofTarget { target, line in
    line.options.contains("--entry")
      ? KeyCandidates(of: target).keys(except: line.operands.dropFirst()) : newestEntries(of: target)
  }

  /// The numbers of entries, without the '#'.
  static let entryNumbers: Function = ofTarget { target, _ in
    newestEntries(of: target).map { Candidate(String($0.text.dropFirst()), note: $0.note) }
  }

  /// The newest entries of a target's history.
  private static func newestEntries(of target: String) -> [Candidate] {
    let target = Target(target)
    guard let store = try? target.openUnread().store, let entries = try? store.history(limit: 20) else { return [] }
    return entries.map { entry in
      let who = entry.actor.name.map { " by \($0)" } ?? ""
      return Candidate("#\(entry.id)", note: "\(Moment.text(entry.time)) \(entry.reason.rawValue)\(who)")
    }
  }

  /// The elements of the key's array, and what else may be one.
  static let elements: Function = ofTarget { target, line in
    guard line.operands.count > 1 else { return [] }
    let isRemoval = line.argumentName == "--remove"
    return KeyCandidates(of: target).elements(of: line.operands[1], areNew: !isRemoval).filter(\.isNoInput)
  }

  /// The words after the target of a `set`: a key, its value, or `KEY=VALUE`.
  static let changes: Function = ofTarget { target, line in
    let known = KeyCandidates(of: target)
    let changes = line.operands.dropFirst()
    let changesElements = !line.options.isDisjoint(with: ["--append", "--remove"])
    guard let first = changes.first else {
      return (changesElements ? nil : assignments(line.typed, known)) ?? known.keys()
    }
    guard !changesElements else { return [] }
    guard KeyText.assignment(first) != nil else {
      return changes.count > 1 ? [] : known.path(first).map(known.values) ?? []
    }
    let keys = changes.compactMap { KeyText.assignment($0).map { String($0.key) } }
    return assignments(line.typed, known)
      ?? known.keys(except: keys).map { Candidate($0.text + "=", note: $0.note) }
  }

  /// The words after the target of a `lock`: any of keys and `KEY=VALUE`.
  static let keysOrAssignments: Function = ofTarget { target, line in
    let known = KeyCandidates(of: target)
    return assignments(line.typed, known) ?? known.keys(except: line.operands.dropFirst())
  }

  /// The values for what is typed as `KEY=VALUE`; `nil` if it has no `=`.
  private static func assignments(_ typed: String, _ known: KeyCandidates) -> [Candidate]? {
    guard let (key, _) = KeyText.assignment(typed) else { return nil }
    guard let path = known.path(String(key)) else { return [] }
    return known.values(of: path).filter(\.isNoInput).map { Candidate("\(path)=" + $0.text, note: $0.note) }
  }

  /// The programs that `PATH` leads to.
  static let programs: Function = completing { line in
    guard !isPath(line.typed) else { return nil }
    var names: Set<String> = []
    for directory in (ProcessFacts.environment["PATH"] ?? "").split(separator: ":") {
      for name in (try? Syscalls().names(in: String(directory))) ?? []
      where !names.contains(name) && name.hasPrefix(line.typed) && InstalledProgram.isOne("\(directory)/\(name)") {
        names.insert(name)
      }
    }
    return names.sorted().map { Candidate($0) }
  }

  private static func isPath(_ typed: String) -> Bool {
    typed.contains("/") || typed.hasPrefix(".") || typed.hasPrefix("~")
  }

  /// - Parameter candidates: All for this place, also those that do not begin with what is typed, which are left out
  ///   later; `nil` for the names of files.
  private static func completing(_ candidates: @escaping @Sendable (CompletionLine) -> [Candidate]?) -> Function {
    { words, index, typed in
      let line = CompletionLine(words, index, typed)
      guard let candidates = candidates(line) else { return [CompletionAnswer.filesLine] }
      // The verb would not accept the others in this place.
      return candidates.filter { $0.isLine && line.takes($0.text) }.map(\.line)
    }
  }

  /// - Parameter candidates: Those for a target, which is typed before them.
  private static func ofTarget(
    _ candidates: @escaping @Sendable (String, CompletionLine) -> [Candidate]
  ) -> Function {
    completing { line in target(on: line).map { candidates($0, line) } ?? [] }
  }

  /// The target that is typed before the word; for the end of one app's id, that app, as the verbs take it.
  private static func target(on line: CompletionLine) -> String? {
    line.operands.first.map { name in
      do {
        try AppName.checkKnown(name)
        return name
      } catch {
        return (error as? ToolError)?.meantApp?.id ?? name
      }
    }
  }
}

extension Candidate {
  /// Whether it is the value itself: '-' stands for standard input.
  fileprivate var isNoInput: Bool { text != "-" }
}
