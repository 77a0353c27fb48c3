import AppSettings
import AppSettingsSchema

/// The known keys of a target, and their possible values.
struct KnownKeys {
  private let snapshot: SettingsSnapshot?
  private let schema: SchemaLookup

  init(of name: String) {
    let store = try? Target(name).openUnread()
    snapshot = store?.snapshot
    schema = Target(name).schema
  }

  var keys: [Candidate] {
    guard let snapshot else { return [] }
    let known = schema.keys.map { key in
      Candidate(text: key.path.description, note: key.summary.firstLine)
    }
    return known
      + schema.paths(in: snapshot).filter { schema.key($0) == nil }.map { path in
        Candidate(text: path.description, note: (snapshot[path]?.tomlText ?? "").firstLine)
      }
  }

  func values(of key: String) -> [Candidate] {
    guard let path = try? TOMLPath(parsing: key) else { return [] }
    let choices = schema.choices(of: path)
    if !choices.isEmpty { return choices.map { Candidate(text: $0) } }
    guard let snapshot, let value = schema.effectiveValue(of: path, in: snapshot), !schema.isSecret(path) else {
      return []
    }
    if case .boolean = value { return ["true", "false"].map { Candidate(text: $0) } }
    return [Candidate(text: Shown.bare(value), note: "the present value")]
  }
}

extension String {
  /// The part to show next to a candidate: the first line, without control characters.
  fileprivate var firstLine: String {
    let line = prefix { !$0.isNewline }.prefix(60)
    return String(String.UnicodeScalarView(line.unicodeScalars.map { ShellWord.isControl($0) ? " " : $0 }))
  }
}
