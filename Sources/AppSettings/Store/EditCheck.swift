import SettingsTOML

/// Checks the effect of edits on a document: their values are there, and nothing else has changed.
///
/// It knows only the edits, not how the text was made, so it also finds defects in how documents are edited.
struct EditCheck {
  /// The values after the edits: later edits take precedence.
  private var expected = TOMLTable()
  private let paths: PathTree
  private let edits: [Edit]

  init(_ edits: [Edit]) {
    self.edits = edits
    paths = PathTree(edits.map(\.path))
    for edit in edits { expected.apply(edit) }
  }

  /// A difference from what the edits say.
  enum Fault: Equatable {
    /// A value that no edit concerns has changed or disappeared.
    case changed(TOMLPath)
    /// An edit's path does not have the edit's value.
    case missed(TOMLPath)

    var path: TOMLPath {
      switch self {
      case .changed(let path), .missed(let path): path
      }
    }

    /// A clause.
    var reason: String {
      switch self {
      case .changed(let path): "'\(path)' would change, although no edit changes it"
      case .missed(let path): "'\(path)' would not get what was asked for"
      }
    }
  }

  /// Why `document` must not be written: it lacks a value, or differs from `base` at a path that is not at, above or
  /// below that of an edit; `nil` if it is correct.
  func fault(in document: TOMLDocument, since base: TOMLDocument) -> Fault? {
    fault(in: document, changed: document.changedPaths(since: base))
  }

  /// Does the same as ``fault(in:since:)``, for known differences.
  func fault(in document: TOMLDocument, changed: [TOMLPath]) -> Fault? {
    if let path = changed.first(where: { !paths.touches($0) }) { return .changed(path) }
    return edits.first { !isMade($0, in: document) }.map { .missed($0.path) }
  }

  /// Whether the document has the edit's value at its path. A removed table may remain if it holds no values.
  private func isMade(_ edit: Edit, in document: TOMLDocument) -> Bool {
    // An edit determines everything at and below its path, except for later edits there.
    let found = document[edit.path]
    switch expected[path: edit.path] {
    case .table(let wanted)?: return found?.table?.isEquivalent(to: wanted) ?? wanted.isEquivalent(to: TOMLTable())
    case nil: return found == nil || found?.table?.isEquivalent(to: TOMLTable()) == true
    case let wanted?: return found == wanted
    }
  }
}
