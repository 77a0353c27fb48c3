import AppSettings
import AppSettingsSchema

/// Merges two changes of one text.
struct EditMerge {
  /// The edited text, with the changes of others.
  private(set) var document: TOMLDocument
  /// The keys that both have changed differently: `document` has the editor's values.
  private(set) var conflicts: [TOMLPath] = []
  private let theirs: TOMLDocument

  init(base: TOMLDocument, mine: TOMLDocument, theirs: TOMLDocument) throws {
    document = mine
    self.theirs = theirs
    var changed = PathTree()
    for path in mine.changedPaths(since: base) { changed.insert(path, 0) }
    for path in theirs.changedPaths(since: base) where mine[path] != theirs[path] {
      if changed.knows(path) {
        conflicts.append(path)
      } else if let value = theirs[path] {
        try document.set(value, at: path)
      } else {
        try document.remove(at: path)
      }
    }
  }

  func message(file: String, _ schema: SchemaLookup) -> String {
    let lines = conflicts.map { path in
      func shown(_ value: TOMLValue?) -> String {
        guard let value else { return "unset" }
        return schema.isSecret(path, value) ? Shown.redacted : value.tomlText
      }
      return "  \(path): yours is \(shown(document[path])), theirs is \(shown(theirs[path]))"
    }
    return "'\(file)' has changed in places where you changed it:\n\(lines.joined(separator: "\n"))"
  }
}
