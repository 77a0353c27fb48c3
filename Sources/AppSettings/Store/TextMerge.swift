import SettingsTOML

/// Brings two changes of one text together: line by line or, if that is impossible, value by value.
///
/// ```
/// base      a = 1, b = 1
/// earlier   a = 2, b = 1
/// later     a = 1, b = 2     →  a = 2, b = 2
/// ```
///
/// Where both have changed the same value, the later one stays.
package struct TextMerge {
  /// The error for texts that cannot be merged.
  package struct Unfit: Error {}

  package let bytes: [UInt8]
  /// The text of the later change.
  let later: [UInt8]
  /// Whether all of both changes is in it, apart from values that both have changed: those are the later ones.
  package private(set) var isComplete = true
  /// Whether it has the comments that the later change has added: those beside what the earlier one has removed go with
  /// that.
  package private(set) var hasLaterComments = true

  /// - Throws: ``Unfit`` if a text is missing, the earlier one does not parse, or only one of them was migrated.
  package init(base: [UInt8]?, earlier: [UInt8]?, later: [UInt8]?) throws {
    guard let base, let earlier, let later, let old = try? TOMLDocument(parsing: earlier) else { throw Unfit() }
    self.later = later
    let change = TextChange(from: base, to: earlier, linewise: true)
      .following(TextChange(from: base, to: later, linewise: true), in: base)
    let lines = change?.applied(to: later).flatMap { try? TOMLDocument(parsing: $0) }
    guard let common = try? TOMLDocument(parsing: base), let new = try? TOMLDocument(parsing: later) else {
      // What one of them lacks, or has too much, the other one may make good.
      guard let lines else { throw Unfit() }
      bytes = lines.bytes
      return
    }
    guard old[SettingsFormat.versionPath] == new[SettingsFormat.versionPath] else { throw Unfit() }
    let touched = PathTree(new.changedPaths(since: common))
    var values = new
    var alone = common
    for path in old.changedPaths(since: common).outermost {
      try alone.put(old[path], at: path)
      if !touched.touches(path) { try values.put(old[path], at: path) }
    }
    if let lines, lines.changedPaths(since: values).isEmpty {
      bytes = lines.bytes
    } else {
      bytes = values.bytes
      hasLaterComments = values.hasComments(of: new, beyond: common)
      isComplete = alone.bytes.isSameText(as: earlier)
    }
  }
}

extension TOMLDocument {
  fileprivate mutating func put(_ value: TOMLValue?, at path: TOMLPath) throws(TOMLEditError) {
    if let value { try set(value, at: path) } else { try remove(at: path) }
  }

  /// Whether it has as many of each comment as another document has more than an earlier one.
  fileprivate func hasComments(of other: TOMLDocument, beyond former: TOMLDocument) -> Bool {
    func counts(_ document: TOMLDocument) -> [ArraySlice<UInt8>: Int] {
      document.comments.reduce(into: [:]) { $0[document.bytes[$1], default: 0] += 1 }
    }
    let (own, old) = (counts(self), counts(former))
    return counts(other).allSatisfy { comment, count in
      count - old[comment, default: 0] <= own[comment, default: 0]
    }
  }
}
