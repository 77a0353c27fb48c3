import AppSettings
import AppSettingsSchema
import SettingsTools

/// The known keys of a target, and their possible values.
struct KeyCandidates {
  private let snapshot: SettingsSnapshot?
  private let schema: SchemaLookup

  init(of name: String) {
    let target = Target(name)
    snapshot = (try? target.openUnread())?.snapshot
    schema = target.schema
  }

  /// The keys, without some that are named already.
  func keys(except names: some Sequence<String> = []) -> [Candidate] {
    let others = Set(names.compactMap { try? TOMLPath(parsing: $0) })
    return all.filter { !others.contains($0.path) }.map { Candidate($0.path.description, note: $0.note) }
  }

  private var all: [(path: TOMLPath, note: String)] {
    guard let snapshot else { return [] }
    return schema.keys.map { ($0.path, $0.summary) }
      + schema.paths(in: snapshot).filter { schema.key($0) == nil }.map { path in
        let value = snapshot[path]
        return (path, schema.isSecret(path, value) ? "" : value?.tomlText ?? "")
      }
  }

  /// The key that a text names, also where a shell has taken quotes of the key for its own.
  func path(_ text: String) -> TOMLPath? {
    if let path = try? TOMLPath(parsing: text) { return path }
    return all.first { KeyText.unquoted($0.path.description) == KeyText.unquoted(text) }?.path
  }

  func values(of path: TOMLPath) -> [Candidate] {
    let choices = schema.choices(of: path)
    if !choices.isEmpty { return choices.map { Candidate($0) } }
    guard let snapshot, let value = schema.usedValue(of: path, in: snapshot), !schema.isSecret(path, value) else {
      return []
    }
    if case .boolean = value { return ["true", "false"].map { Candidate($0) } }
    return [Candidate(Shown.bare(value), note: "the present value")]
  }

  /// The elements of a key's array, or the values that the schema allows for new ones.
  func elements(of key: String, areNew: Bool) -> [Candidate] {
    guard let snapshot, let path = path(key) else { return [] }
    let value = schema.effectiveValue(of: path, in: snapshot)
    guard !schema.isSecret(path, value) else { return [] }
    var elements: [TOMLValue] = []
    if case .array(let present)? = value { elements = present }
    if areNew {
      return (schema.type(of: path)?.element?.choices ?? []).filter { !elements.contains($0) }.map {
        Candidate(Shown.bare($0))
      }
    }
    return elements.map { Candidate(Shown.bare($0)) }
  }
}
