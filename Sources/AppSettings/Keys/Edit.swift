package import SettingsTOML

/// One change asked of a settings file: a value for a path, or its removal.
package struct Edit: Sendable, Hashable {
  package var path: TOMLPath
  /// `nil` removes what is there.
  package var value: TOMLValue?
  /// The key whose value this is part of, if it is known. It is no part of what the edit does.
  package var key: AnySettingsKey?
  /// Where the text of the value is now, so that its comments come along. Only in an `update`, which knows the file's
  /// text; the value says all that is to be there.
  package var source: TOMLPath?

  package init(path: TOMLPath, value: TOMLValue?, key: AnySettingsKey? = nil, source: TOMLPath? = nil) {
    self.path = path
    self.value = value
    self.key = key
    self.source = source
  }

  package static func == (lhs: Edit, rhs: Edit) -> Bool { lhs.path == rhs.path && lhs.value == rhs.value }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(value)
  }
}

extension TOMLTable {
  /// Does to values what an edit does to a document; used to foresee and to check its effect.
  package mutating func apply(_ edit: Edit) { apply(edit.value, at: edit.path.components[...]) }

  /// Whether both hold the same values; tables without a value anywhere below them count as absent.
  package func isEquivalent(to other: TOMLTable) -> Bool { pruned == other.pruned }

  private var pruned: TOMLTable {
    var result = self
    for (key, value) in self {
      guard case .table(let table) = value else { continue }
      let inner = table.pruned
      result[key] = inner.isEmpty ? nil : .table(inner)
    }
    return result
  }

  private mutating func apply(_ value: TOMLValue?, at components: ArraySlice<String>) {
    guard let first = components.first else { return }
    if components.count == 1 {
      self[first] = value
    } else if case .table(var table)? = self[first] {
      // Out of its place while it is changed, or all of it would be copied for each edit.
      self[first] = .boolean(false)
      table.apply(value, at: components.dropFirst())
      self[first] = .table(table)
    } else if value != nil {
      var table = TOMLTable()
      table.apply(value, at: components.dropFirst())
      self[first] = .table(table)
    }
  }
}
