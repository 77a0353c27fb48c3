package import AppSettings

/// A value that differs between two texts of a settings file, as it may be shown.
package struct ShownChange {
  /// The key. The names in a secret table are a part of the secret, so that it is the table's then.
  package let path: TOMLPath
  /// The values as TOML; `nil` for none.
  package let old, new: String?
  package let isSecret: Bool

  /// The values that differ, in the order of the texts.
  ///
  /// What ``ShownTexts`` does not show of a text is no value here either.
  ///
  /// - Returns: `nil` if a text does not parse.
  package static func all(from old: [UInt8], to new: [UInt8], _ schema: SchemaLookup) -> [ShownChange]? {
    guard let before = HidingDocument(old, schema), let after = HidingDocument(new, schema) else { return nil }
    var seen: Set<TOMLPath> = []
    return after.whole.changedPaths(since: before.whole).compactMap { changed in
      let isSecret = schema.isSecret(changed, nil) || before.hides(changed) || after.hides(changed)
      let path = isSecret ? schema.secret(at: changed) ?? changed : changed
      guard seen.insert(path).inserted else { return nil }
      let (old, new) = (before.whole[path]?.tomlText, after.whole[path]?.tomlText)
      return ShownChange(
        path: path, old: isSecret ? old.map { _ in Shown.redacted } : old,
        new: isSecret ? new.map { _ in old == nil ? Shown.redacted : ShownTexts.another } : new, isSecret: isSecret)
    }
  }
}

/// A document, and what may be shown of it.
private struct HidingDocument {
  let whole: TOMLDocument
  private let shown: TOMLDocument?

  init?(_ text: [UInt8], _ schema: SchemaLookup) {
    let redaction = schema.redaction(of: text)
    guard let document = redaction.document else { return nil }
    whole = document
    shown = redaction.isComplete ? document : try? TOMLDocument(parsing: redaction.keptText)
  }

  func hides(_ path: TOMLPath) -> Bool { shown?[path]?.tomlText != whole[path]?.tomlText }
}
