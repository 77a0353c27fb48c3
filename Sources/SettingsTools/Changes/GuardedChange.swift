package import AppSettings
import AppSettingsSchema

/// A change that is made only under conditions, or only shown.
package struct GuardedChange {
  package var isDryRun = false
  /// The digests that the file, or values in it, must have.
  package var expected: [Digest] = []
  /// Whether it is refused if the history could not put back what it replaces.
  package var isTrial = false

  package init(isDryRun: Bool = false, expected: [Digest] = []) {
    (self.isDryRun, self.expected) = (isDryRun, expected)
  }

  /// Throws if a value is not the expected one.
  package func checkValues(in view: SettingsSnapshot, _ schema: SchemaLookup) throws {
    for digest in expected { try digest.key.map { try check(digest, .init(of: $0, in: view, schema), "'\($0)'") } }
  }

  /// Throws if the content of the file is not the expected one.
  package func checkFile(of opened: OpenedSettings) -> ([UInt8]?) throws -> Void {
    { bytes in
      for digest in expected where digest.key == nil {
        if let file = digest.file, file != opened.file {
          throw ToolError(
            .changed, "The file to change is '\(opened.file)' now, and not '\(file)'. Nothing was written.")
        }
        try check(digest, Digest(of: bytes, at: digest.file), "'\(opened.file)'")
      }
    }
  }

  private func check(_ expected: Digest, _ now: Digest, _ subject: String) throws {
    guard now != expected else { return }
    func words(_ digest: Digest) -> String { digest.hash == nil ? "absent" : "'\(digest.value)'" }
    throw ToolError(
      .changed,
      "\(subject) has changed: its digest was \(words(expected)) and is \(words(now)) now. Nothing was written. Read it "
        + "again, and repeat the change.")
  }
}

/// What a guarded change did, or would do.
package struct ChangeOutcome {
  /// Whether the text has changed, or would.
  package let hasChanged: Bool
  /// The change of the text as a unified diff without secrets, if it was only shown.
  package let difference: String?
}

extension OpenedSettings {
  /// Makes edits in one write, or only shows what they would change. Without edits it writes nothing, and leaves a pending
  /// migration alone.
  ///
  /// - Parameter edits: Runs under the file's lock.
  /// - Throws: ``ToolError`` with status 9 if something has changed, and 4 if it cannot be tried.
  package func make(_ change: GuardedChange, _ edits: (SettingsSnapshot) throws -> [Edit]) throws -> ChangeOutcome {
    struct NoEdits: Error {}
    func checked(_ view: SettingsSnapshot) throws -> [Edit] {
      try change.checkValues(in: view, schema)
      let edits = try edits(view)
      if edits.isEmpty { throw NoEdits() }
      for edit in change.isTrial ? edits : [] {
        for case let value? in [view.userDocument[edit.path], edit.value] { try checkKept(value, at: edit.path) }
      }
      return edits
    }
    do {
      guard change.isDryRun else {
        return ChangeOutcome(
          hasChanged: try commit(checking: change.checkFile(of: self), making: checked), difference: nil)
      }
      let (old, new) = try store.core.preview(checking: change.checkFile(of: self), making: checked)
      return ChangeOutcome(hasChanged: old != new, difference: old == new ? "" : difference(old, new))
    } catch is NoEdits {
      return ChangeOutcome(hasChanged: false, difference: change.isDryRun ? "" : nil)
    }
  }

  /// Refuses to try a change from or to a value that the history does not keep, so that it could not be taken back.
  ///
  /// - Parameter advice: What else can be done, as a sentence.
  /// - Throws: ``ToolError`` with status 4.
  package func checkKept(_ value: TOMLValue, at path: TOMLPath, advice: String? = nil) throws {
    let isSecret = schema.isSecret(path, value) || !schema.withoutSecrets(value, at: path).secrets.isEmpty
    guard try isSecret || store.historyHides(value, at: path) else { return }
    throw ToolError(
      .invalidValue,
      "Cannot try '\(path)': it \(isSecret ? "is a secret or has one" : "has a key that no program has declared"), "
        + "which the history does not keep, so that it could not be put back. Nothing was written."
        + (advice.map { " \($0)" } ?? ""))
  }

  /// How a change would alter the file, as a unified diff without secrets.
  package func difference(_ old: [UInt8]?, _ new: [UInt8]?) -> String {
    let texts = ShownTexts(old ?? [], new ?? [], schema)
    let file = PathText.shown(file)
    return UnifiedDiff.text(
      from: texts.old, to: texts.new, oldName: old == nil ? "/dev/null" : file, newName: file)
  }
}

extension [Edit] {
  /// The same edits, which leave tables that become empty where they are.
  package func keepingTables(_ keeps: Bool) -> [Edit] {
    guard keeps else { return self }
    return map { edit in
      var edit = edit
      edit.keepsTables = true
      return edit
    }
  }
}
