/// What another program has saved, and a write has displaced.
///
/// Programs that do not lock may save a file at any moment, even between the last comparison and the exchange.
struct ForeignSave: Sendable {
  /// The file that holds it; `nil` if it has no name.
  var name: String?
  /// Its text; `nil` if it could not be read, or is still being written.
  var bytes: [UInt8]?
  /// Why it could not be read.
  var error: (any Error)?
}

extension ForeignSave: CustomStringConvertible {
  /// Where it is, as a sentence.
  var description: String {
    "Another program saved the file at the same moment: that text is "
      + (name.map { "'\($0)', and 'settings-cli recover' moves it to the backups." } ?? "lost.")
  }
}

extension SettingsFile {
  /// Reads the file when no other program seems to be saving it.
  ///
  /// - Parameters:
  ///   - name: The name of the file in the directory.
  ///   - directory: The directory, open.
  ///   - known: What the caller knew of it; `nil` to read it as it is.
  ///   - limit: The time for waiting.
  ///   - hasWaited: Is set if it waited.
  /// - Throws: ``SettingsError`` `lockTimeout` if the other program does not stop in time; `io` or `readOnly`.
  func readAtRest(
    _ name: String, in directory: CInt, _ known: SaveWatch.Known?, within limit: TimeLimit, _ hasWaited: inout Bool
  ) throws(SettingsError) -> OpenFile {
    var watch = SaveWatch()
    while true {
      let file = try openAndRead(name, in: directory)
      guard let known, !file.contents.bytes.isSameText(as: known.bytes),
        let wait = watch.wait(for: file.contents, after: known, .doubt)
      else { return file }
      hasWaited = true
      guard SaveWatch.pause(for: wait, until: limit.end) else { throw .neverAtRest(path, limit.duration) }
    }
  }

  /// The text of an open file when nobody writes to it any more.
  ///
  /// - Returns: The text; `nil` if there is no file.
  /// - Throws: ``SettingsError`` `lockTimeout` if the other program does not stop in time; `io` or `readOnly`.
  func textAtRest(
    of file: inout OpenFile, after read: Contents, within limit: TimeLimit
  ) throws(SettingsError) -> [UInt8]? {
    var watch = SaveWatch()
    let known = SaveWatch.Known(bytes: read.bytes, inode: read.status?.inode)
    while true {
      try readAgain(&file)
      let contents = file.contents
      if contents.bytes.isSameText(as: read.bytes), contents.isOpenForWriting != true { return contents.bytes }
      guard let wait = watch.wait(for: contents, after: known, .doubt) else { return contents.bytes }
      guard SaveWatch.pause(for: wait, until: limit.end) else { throw .neverAtRest(path, limit.duration) }
    }
  }

  /// Writes a text that no longer has a name next to the file. A disk that cannot sync is better than none.
  ///
  /// - Returns: The path of the new file, whose mode is 0600; `nil` if it could not be made.
  func keep(_ text: [UInt8], beside place: FinalPath, in directory: CInt) -> String? {
    let name = BesideName.substitute(for: BesideName.aside(for: place.name))
    guard let descriptor = try? system.createFile(name, in: directory, mode: 0o600) else { return nil }
    defer { system.close(descriptor) }
    do {
      try system.writeAll(text, to: descriptor, path: name)
    } catch {
      try? system.unlink(name, in: directory)
      return nil
    }
    try? system.synchronize(descriptor, path: name)
    try? system.synchronizeDirectory(directory, path: place.directory)
    return place.sibling(name)
  }
}

extension SettingsError {
  /// The error for a file to which another program kept writing until the time limit.
  fileprivate static func neverAtRest(_ path: String, _ time: Duration) -> SettingsError {
    SettingsError(
      .lockTimeout,
      "Cannot write '\(path)': another program has been writing to it for \(time). "
        + "The file holds what that program has written. 'fuser -v \(path)' names the programs that have it open.",
      file: path)
  }
}
