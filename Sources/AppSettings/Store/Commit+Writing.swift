/// The write itself, and what other programs save while it lasts.
extension Commit {
  /// Replaces the file, and adds to it what programs that do not lock have saved at the same time.
  ///
  /// The closures of ``Work`` run again if another program saves the file before the exchange. If the path leads to
  /// another directory when the write is done, the edits are applied there as well.
  ///
  /// - Parameters:
  ///   - file: The file, whose links are followed again for each attempt.
  ///   - check: Gets the content of each text to be changed; throws to leave it as it is.
  ///   - limit: The time for waiting, in total.
  /// - Throws: ``SettingsError``, or what the work or the check throws. The file is unchanged if ``stored`` is `nil`.
  mutating func write(
    to file: SettingsFile, checking check: ([UInt8]?) throws -> Void, within limit: TimeLimit
  ) throws {
    let read = known?.bytes
    let (known, durable) = core.state.withLock { state -> (SaveWatch.Known, FileStatus?) in
      // The first access has parsed the text already.
      let first = SaveWatch.Known(whole: read)
      return (state.isLoaded ? state.knownUserFile : first, state.durable)
    }
    var write = OpenWrite(of: file, after: known, knowing: durable, within: limit)
    defer { finish(write) }
    repeat {
      noteRevision()
      try write.reopen()
      try check(write.contents.bytes)
    } while try !replace(&write, with: text(replacing: write.contents))
    try takeIn(&write)
    // Where the path leads by now, the edits are in the file, too.
    while write.isReplaced, !write.isInPlace() {
      repeat {
        noteRevision()
        try write.reopen()
      } while try !replace(&write, with: text(adding: write.contents))
      try takeIn(&write)
    }
  }

  private mutating func noteRevision() { revision = core.state.withLock { $0.userRevision } }

  /// Replaces the content of memory.
  mutating func write(to memory: MemoryFile, checking check: ([UInt8]?) throws -> Void) throws {
    noteRevision()
    let old = memory.bytes
    try check(old)
    let new = try text(replacing: SettingsFile.Contents(bytes: old))
    guard new != old else { return }
    memory.bytes = new
    noteStored(new, over: old)
  }

  /// Replaces the file and notes the new text.
  ///
  /// - Returns: `false` if another program has saved the file first.
  private mutating func replace(_ write: inout OpenWrite, with text: [UInt8]?) throws -> Bool {
    if let text { core.state.withLock { $0.writingTexts.append(text) } }
    let count = write.replacements
    defer { if write.replacements > count { noteStored(text, over: write.last.base) } }
    return try write.replace(with: text, backup: backup)
  }

  /// Adds what was displaced to what is at the path, as if it had been saved just before; what that displaces is added
  /// in turn. The stored text stays stored, whatever fails, and what cannot be added is kept.
  ///
  /// - Throws: Only if a removal had to be taken back, because a program still writes to the file.
  private mutating func takeIn(_ write: inout OpenWrite) throws {
    var saves: [ForeignSave] = []
    while let save = write.settle() {
      if try takeBack(save, write) { return }
      let (before, last, count) = (self, write.last, write.replacements)
      do {
        guard let foreign = save.bytes else { throw TextMerge.Unfit() }
        let wanted =
          try saves.isEmpty
          ? text(adding: SettingsFile.Contents(bytes: foreign))
          : merge(TextMerge(base: last.base, earlier: last.text, later: foreign))
        let added = self
        var text: [UInt8]?
        repeat {
          self = added
          noteRevision()
          try write.reread()
          text = write.contents.bytes
          text =
            try text.isSameText(as: last.text)
            ? wanted : merge(TextMerge(base: last.text, earlier: wanted, later: text))
        } while try !replace(&write, with: text)
      } catch {
        if write.replacements == count {
          abandonBackup()
          self = before
        }
        isIncomplete = true
      }
      saves.append(save)
    }
    guard isIncomplete else { return saves.forEach { write.forget($0) } }
    for save in saves where save.name == nil {
      core.problems.report(SettingsProblem(lost: save, of: core.backing.name))
    }
  }

  /// Puts back a file that was removed, and had been saved just before, if that text is not to be removed as well.
  ///
  /// - Returns: Whether it is in its place.
  /// - Throws: Why the save could not be read, if a program still writes to it.
  private mutating func takeBack(_ save: ForeignSave, _ write: borrowing OpenWrite) throws -> Bool {
    guard write.last.text == nil, case .text(_, _, let body) = work,
      save.bytes.map({ (try? body($0)).isSameText(as: $0) }) ?? true, write.giveBack(save)
    else { return false }
    // It must not be a backup too, because an editor that writes in place would change that.
    kept?.abandon()
    (kept, stored, written, hasChanged) = (nil, nil, nil, false)
    if let error = save.error { throw error }
    _ = try? core.takeOver(save.bytes, knowing: nil, since: &revision)
    return true
  }

  /// Notes the results of the write and records it in the history, still under the file's lock.
  private mutating func finish(_ write: borrowing OpenWrite) {
    durable = write.durable
    lost = write.lost
    if write.isReplaced, let news = written?.history {
      // With what others have saved meanwhile it is another text.
      let isOurs = write.last.text.isSameText(as: news.new)
      unrecorded = core.history?.record(
        news, at: write.place, in: write.directory, as: isOurs ? write.durable : nil)
    }
    if write.hasAsides || isIncomplete { core.rescueSetAside() }
  }
}
