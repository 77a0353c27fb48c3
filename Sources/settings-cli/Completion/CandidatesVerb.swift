import AppSettings

/// What the shells' completions ask: prints candidates for the last word, one a line, each with a tab and a description
/// where there is one. A line `:files` stands for the names of files.
enum CandidatesVerb: Verb {
  static let name = "complete"
  static let syntax = Syntax(
    summary: "Print candidates for the last of some words.",
    operands: [.init("WORD…", .any, "After --, the words of a command line without the program's name.")],
    examples: ["settings-cli complete -- get org.example.editor edi"],
    isHidden: true)

  static func run(_ arguments: Arguments) throws {
    let words = arguments.operands
    guard let typed = words.last else { return }
    for candidate in candidates(for: typed, after: Array(words.dropLast())) {
      guard candidate.text.hasPrefix(typed) || candidate.isDirective else { continue }
      Output.line(candidate.note.isEmpty ? candidate.text : "\(candidate.text)\t\(candidate.note)")
    }
  }

  struct Candidate {
    var text: String
    var note = ""
    var isDirective: Bool { text == ":files" }
    static let files = Candidate(text: ":files")
  }

  static func candidates(for typed: String, after words: [String]) -> [Candidate] {
    guard let first = words.first else {
      let options = [
        Candidate(text: "--help", note: "Print the help."), Candidate(text: "--version", note: "Print the version."),
      ]
      return typed.hasPrefix("-") ? options : verbs
    }
    guard let verb = try? Verbs.named(first) else { return [] }
    let syntax = verb.syntax
    var operands: [String] = []
    var rest = words.dropFirst()
    var isTerminated = false
    while let word = rest.popFirst() {
      guard !isTerminated, word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      if word == "--" { isTerminated = true }
      guard let option = syntax.allOptions.first(where: { $0.dashed == word }), option.value != nil else { continue }
      if rest.popFirst() == nil { return candidates(option.candidates, operands, typed, verb) }
    }
    if !isTerminated, typed.hasPrefix("-") {
      return syntax.allOptions.map { Candidate(text: $0.dashed, note: $0.help) }
    }
    if !isTerminated, typed.hasPrefix("--"), let equals = typed.firstIndex(of: "="),
      let option = syntax.allOptions.first(where: { $0.dashed == typed[..<equals] })
    {
      return candidates(option.candidates, operands, "", verb).map {
        Candidate(text: "\(option.dashed)=\($0.text)", note: $0.note)
      }
    }
    let index = min(operands.count, syntax.operands.count - 1)
    guard index >= 0, operands.count < syntax.operands.count || [.any, .many].contains(syntax.operands[index].count)
    else { return [] }
    return candidates(syntax.operands[index].candidates, operands, typed, verb)
  }

  private static func candidates(
    _ kind: Syntax.Candidates, _ operands: [String], _ typed: String, _ verb: any Verb.Type
  ) -> [Candidate] {
    switch kind {
    case .none: return []
    case .file: return [.files]
    case .verb: return verbs
    case .words(let words): return words.map { Candidate(text: $0) }
    case .target:
      return typed.contains("/") || typed.hasPrefix(".")
        ? [.files] : ((try? InstalledApp.all()) ?? []).map { Candidate(text: $0.app) }
    case .key:
      guard let target = operands.first else { return [] }
      if verb == SetVerb.self, let equals = typed.firstIndex(of: "=") {
        let key = String(typed[..<equals])
        return KnownKeys(of: target).values(of: key).map { Candidate(text: "\(key)=\($0.text)", note: $0.note) }
      }
      return KnownKeys(of: target).keys.filter { !operands.dropFirst().contains($0.text) }
    case .value:
      guard operands.count > 1 else { return [] }
      // The words after a KEY=VALUE are others.
      if (try? KeyArgument.assignment(operands[1])) ?? nil != nil { return candidates(.key, operands, typed, verb) }
      return operands.count == 2 ? KnownKeys(of: operands[0]).values(of: operands[1]) : []
    }
  }

  private static var verbs: [Candidate] {
    Verbs.all.filter { !$0.syntax.isHidden }.map { Candidate(text: $0.name, note: $0.syntax.summary) }
  }
}

/// The keys that a target is known to have, and what they may be.
struct KnownKeys {
  private let snapshot: SettingsSnapshot?
  private let schema: SchemaLookup

  init(of name: String) {
    let store = try? Target(name).openUnread()
    snapshot = store?.snapshot
    schema = Target(name).schema
  }

  var keys: [CandidatesVerb.Candidate] {
    guard let snapshot else { return [] }
    let known = schema.keys.map { key in
      CandidatesVerb.Candidate(text: key.path.description, note: key.summary.firstLine)
    }
    return known
      + schema.paths(in: snapshot).filter { schema.key($0) == nil }.map { path in
        CandidatesVerb.Candidate(text: path.description, note: (snapshot[path]?.tomlText ?? "").firstLine)
      }
  }

  func values(of key: String) -> [CandidatesVerb.Candidate] {
    guard let path = try? TOMLPath(parsing: key) else { return [] }
    let choices = schema.choices(of: path)
    if !choices.isEmpty { return choices.map { CandidatesVerb.Candidate(text: $0) } }
    guard let snapshot, let value = schema.effectiveValue(of: path, in: snapshot), !schema.isSecret(path) else {
      return []
    }
    if case .boolean = value { return ["true", "false"].map { CandidatesVerb.Candidate(text: $0) } }
    let text = Shown.bare(value)
    return text.contains("\n") ? [] : [CandidatesVerb.Candidate(text: text, note: "the value now")]
  }
}

extension String {
  /// What fits beside a candidate.
  fileprivate var firstLine: String { String(prefix { $0 != "\n" }.prefix(60)) }
}
