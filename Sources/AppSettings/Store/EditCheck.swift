import SettingsTOML

/// What a set of edits has to have done to a document, and what it must have left alone.
struct EditCheck {
  /// The values that the edits leave behind: what later edits say counts.
  private var expected = TOMLTable()
  private var paths = PathSet()
  private let edits: [Edit]

  init(_ edits: [Edit]) {
    self.edits = edits
    for edit in edits {
      expected.apply(edit)
      paths.insert(edit.path)
    }
  }

  /// What came out otherwise than the edits say.
  enum Fault: Equatable {
    /// A value that no edit is about is another one, or gone.
    case changed(TOMLPath)
    /// An edit's path has not the value that the edit says.
    case missed(TOMLPath)

    var path: TOMLPath {
      switch self {
      case .changed(let path), .missed(let path): path
      }
    }

    /// A clause.
    var reason: String {
      switch self {
      case .changed(let path): "'\(path)' would change, which nobody asked for"
      case .missed(let path): "'\(path)' would not get what was asked for"
      }
    }
  }

  /// Why `document` is not to be written: a value that it lacks, or a difference to `base` that is not at, above or below
  /// an edit's path; `nil` if it is what the edits say.
  func fault(in document: TOMLDocument, since base: TOMLDocument) -> Fault? {
    fault(in: document, changed: document.changedPaths(since: base))
  }

  /// As ``fault(in:since:)``, where it is known which paths differ.
  func fault(in document: TOMLDocument, changed: [TOMLPath]) -> Fault? {
    if let path = changed.first(where: { !paths.touches($0) }) { return .changed(path) }
    return edits.first { !isMade($0, in: document) }.map { .missed($0.path) }
  }

  private func isMade(_ edit: Edit, in document: TOMLDocument) -> Bool {
    // An edit decides everything at and below its path, but for what later edits did there.
    let found = document[edit.path]
    switch expected[path: edit.path] {
    case .table(let wanted)?: return found?.table?.isEquivalent(to: wanted) ?? wanted.isEquivalent(to: TOMLTable())
    case nil: return found == nil || found?.table?.isEquivalent(to: TOMLTable()) == true
    case let wanted?: return found == wanted
    }
  }
}
