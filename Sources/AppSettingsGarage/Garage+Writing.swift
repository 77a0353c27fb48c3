import AppSettings

extension Garage {
  /// Makes changes in one write.
  func write<Result>(_ body: (GarageDraft) throws -> Result) throws -> Result {
    var result: Result?
    try core.rewrite { document in
      let draft = GarageDraft(base: document, format: format.settled(by: document))
      defer { draft.hasEnded = true }
      result = try body(draft)
      let edits = try draft.apply(to: &document)
      try sealBackups()
      if let reason = draft.backupReason, !edits.isEmpty, !draft.base.bytes.isEmpty {
        try core.backUp(try draft.sealedBase(), reason: reason)
      }
      return edits
    } checkingAgain: { [core] base in
      let format = format.settled(by: base)
      try format.checkKey(of: base)
      if format.cipher != nil, format.firstPlain(in: base) != nil { throw core.overtakenError("plain text") }
    }
    return result!
  }

  /// The file as last read.
  ///
  /// - Throws: ``SettingsError`` `unparsable`, `readOnly` or `io` if the file exists and could not be read. Treating it
  ///   as an empty garage would make an app believe that its objects were deleted.
  func contents() throws(SettingsError) -> GarageDraft {
    core.load()
    while true {
      let before = format
      var (bytes, document) = core.known
      if bytes == nil, let now = try core.readText() {
        core.look()
        (bytes, document) = core.known
        if bytes == nil { _ = try core.parse(now) }
      }
      // Another thread may have changed the cipher, and the text with it.
      if before.generation == format.generation { return GarageDraft(base: document, format: before) }
    }
  }
}
