import AppSettings
import AppSettingsSchema

/// Merges two changes of one text, with the comments of both.
struct EditMerge {
  /// The edited text, with the changes of others.
  private(set) var document: TOMLDocument
  /// The keys that both have changed differently: `document` has the editor's values.
  private(set) var conflicts: [TOMLPath] = []
  /// Whether `document` has all other changes, also those of comments and of notation.
  let isComplete: Bool
  /// Whether `document` has all comments that the editor has added.
  let hasMyComments: Bool
  private let theirs: TOMLDocument

  /// - Throws: ``TextMerge/Unfit`` if only one of them was migrated.
  init(base: TOMLDocument, mine: TOMLDocument, theirs: TOMLDocument) throws {
    self.theirs = theirs
    let merge = try TextMerge(base: base.bytes, earlier: theirs.bytes, later: mine.bytes)
    document = try TOMLDocument(parsing: merge.bytes)
    (isComplete, hasMyComments) = (merge.isComplete, merge.hasLaterComments)
    let changed = PathTree(mine.changedPaths(since: base))
    conflicts = theirs.changedPaths(since: base).filter { mine[$0] != theirs[$0] && changed.touches($0) }
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
