/// The write itself, and what other programs save while it lasts.
extension Commit {
  /// Replaces the file, and adds to it what programs that do not lock have saved at the same time.
  ///
  /// - Parameter check: Gets the content of each text to be changed; throws to leave it as it is.
  mutating func write(
    to file: SettingsFile, _ backups: Backups, checking check: ([UInt8]?) throws -> Void, within limit: TimeLimit
  ) throws {
    let (known, durable) = core.state.withLock { ($0.isLoaded ? $0.knownUserFile : SaveWatch.Known(), $0.durable) }
    var write = try OpenWrite(of: file, after: known, knowing: durable, within: limit)
    var base: [UInt8]?
    var text: [UInt8]?
    do {
      repeat {
        base = write.contents.bytes
        try check(base)
        text = try self.text(replacing: write.contents)
      } while try !replace(&write, with: text)
    } catch {
      if write.isReplaced {
        noteStored(text, over: base)
        record(in: write)
      }
      throw error
    }
    result.durable = write.durable
    guard write.isReplaced else { return }
    noteStored(text, over: base)
    defer {
      record(in: write)
      result.durable = write.durable
      result.lost = write.lost
      if !write.asides.isEmpty { keepAsides(of: file, backups) }
    }
    try takeIn(&write, base, text, backups)
    // Where the path leads by now, the edits are in the file, too.
    while !write.isInPlace() {
      try write.reopen()
      var moved: [UInt8]?
      repeat {
        base = write.contents.bytes
        moved = try self.text(adding: write.contents)
      } while try !replace(&write, with: moved)
      try takeIn(&write, base, moved, backups)
    }
  }

  /// Replaces the content of memory.
  mutating func write(to memory: MemoryFile, checking check: ([UInt8]?) throws -> Void) throws {
    let old = memory.bytes
    try check(old)
    let new = try text(replacing: SettingsFile.Contents(bytes: old))
    guard new != old else { return }
    memory.bytes = new
    noteStored(new, over: old)
  }

  private func replace(_ write: inout OpenWrite, with text: [UInt8]?) throws -> Bool {
    if let text { core.state.withLock { $0.writingTexts.append(text) } }
    return try write.replace(with: text, backup: backup)
  }

  private mutating func record(in write: borrowing OpenWrite) {
    guard let news else { return }
    result.unrecorded = core.history?.record(news, at: write.place, in: write.directory) ?? result.unrecorded
  }

  /// Adds what was displaced to what is at the path, as if it had been saved just before; what that displaces is added
  /// in turn. The stored text stays stored, whatever fails, and what cannot be added is kept.
  ///
  /// - Parameters:
  ///   - base: The text that was believed to be replaced.
  ///   - text: The text that has replaced it.
  /// - Throws: Only if a removal had to be taken back, because a program still writes to the file.
  private mutating func takeIn(
    _ write: inout OpenWrite, _ base: [UInt8]?, _ text: [UInt8]?, _ backups: Backups
  ) throws {
    var (base, text) = (base, text)
    var saves: [ForeignSave] = []
    isIncomplete = false
    do {
      while let save = write.settle() {
        saves.append(save)
        guard let foreign = save.bytes else {
          guard text == nil, write.giveBack(save) else { throw TextMerge.Unfit() }
          takeBack()
          throw save.error ?? TextMerge.Unfit()
        }
        let wanted =
          try saves.count == 1
          ? self.text(adding: SettingsFile.Contents(bytes: foreign))
          : merge(TextMerge(base: base, earlier: text, later: foreign))
        if text == nil, wanted != nil, write.giveBack(save) { return }
        var target: [UInt8]?
        repeat {
          try write.reread()
          base = write.contents.bytes
          target = base.isSameText(as: text) ? wanted : try merge(TextMerge(base: text, earlier: wanted, later: base))
        } while try !replace(&write, with: target)
        noteStored(target, over: base)
        text = target
      }
      if !isIncomplete { return saves.forEach { write.forget($0) } }
    } catch {
      abandonBackup()
      guard stored != nil else { throw error }
    }
    for save in saves {
      if let bytes = save.bytes, let backup = try? backups.limited(by: core.commitLimit).save(bytes, reason: Backups.overtaken) {
        result.overtaken.append(backup.path)
        write.forget(save)
      } else if let name = save.name {
        result.overtaken.append(name)
      }
    }
  }

  /// Moves files that earlier writes have left, or that were displaced twice, to the backups.
  private mutating func keepAsides(of file: SettingsFile, _ backups: Backups) {
    let made = try? file.rescueSetAside(to: backups.limited(by: core.commitLimit))
    result.overtaken += made?.map(\.path) ?? file.setAside()
  }
}

/// What a write has to say beside its outcome.
struct WriteNotes: Sendable {
  /// The file, which is on disk now; `nil` if there is none.
  var durable: FileStatus?
  /// What the new file could not keep of the replaced one, in words.
  var lost: [String] = []
  /// The paths of texts that another program has saved, and that are not, or not as a whole, in the file.
  var overtaken: [String] = []
  /// Why the history could not be written.
  var unrecorded: String?
}
