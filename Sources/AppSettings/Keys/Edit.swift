package import SettingsTOML

/// A requested change of a settings file: sets or removes the value at a path.
///
/// ```swift
/// Edit(path: ["editor", "font-size"], value: 14)   // sets a value
/// Edit.reset(["editor"])                           // removes a table with everything in it
/// ```
///
/// Edits are equal if they give the same path the same value; the other properties are not compared.
package struct Edit: Sendable, Hashable {
  /// The path of the value, from the top of the file. Setting it makes the tables along it.
  package var path: TOMLPath
  /// The new value; `nil` removes the existing one.
  package var value: TOMLValue?
  /// The key to whose value the path belongs, if known. It does not affect what the edit does.
  package var key: AnySettingsKey?
  /// The present path of the value's text, so that its comments move with it. Set only in an `update`, which has the
  /// file's text. Even then `value` is the complete new value.
  package var source: TOMLPath?
  /// Whether the value is the one at ``source``, so that what another program saves there meanwhile moves in its place.
  package var isMove = false
  /// The text that a person typed for the value, for the notation of its numbers. Ignored unless it means `value`.
  package var text: String?
  /// Whether a table stays that has a header or braces of its own when a removal leaves it empty: in files of other
  /// programs an empty table may mean something.
  package var keepsTables = false
  /// Whether a removal only takes away the user's own value, whatever takes effect then. A lock permits that: under it,
  /// the value has no effect. A key that is set to `nil` is another matter.
  package var isReset = false

  package init(
    path: TOMLPath, value: TOMLValue?, key: AnySettingsKey? = nil, source: TOMLPath? = nil, text: String? = nil
  ) {
    self.path = path
    self.value = value
    self.key = key
    self.source = source
    self.text = text
  }

  /// Makes an edit that removes the user's own value.
  package static func reset(_ path: TOMLPath, of key: AnySettingsKey? = nil) -> Edit {
    var edit = Edit(path: path, value: nil, key: key)
    edit.isReset = true
    return edit
  }

  package static func == (lhs: Edit, rhs: Edit) -> Bool { lhs.path == rhs.path && lhs.value == rhs.value }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(value)
  }
}

extension TOMLTable {
  /// Applies an edit to values as it is applied to a document, to predict and check its effect.
  ///
  /// Setting a value creates missing tables, and replaces a value where a table is needed. Removing the last value of a
  /// table leaves the table empty. Removing a missing value, and an edit of the root, change nothing.
  package mutating func apply(_ edit: Edit) { set(edit.value, at: edit.path.components[...]) }

  /// Whether both hold the same values; a table with no value at any depth counts as absent.
  ///
  /// This is the equality for the check of a write, because stores remove the tables that a removal has left empty.
  package func isEquivalent(to other: TOMLTable) -> Bool { pruned == other.pruned }

  /// The table without the tables in it that hold no value at any depth.
  private var pruned: TOMLTable {
    var result = self
    for (key, value) in self {
      guard case .table(let table) = value else { continue }
      let inner = table.pruned
      result[key] = inner.isEmpty ? nil : .table(inner)
    }
    return result
  }
}
