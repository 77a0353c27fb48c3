import SettingsTOML

/// What is known of a journal and of the settings file after a write, so that the next write reads neither.
///
/// It is only a hint: a write compares the stamps in it with those of the files, and reads the files if they differ.
struct JournalState: Sendable {
  /// Where the settings file was.
  struct File: Sendable, Equatable {
    var place: FinalPath
    var device: UInt64
    /// The inode of its directory.
    var directory: UInt64
  }

  var file: File?
  var folder: JournalFolder
  /// The journal, and the list of known keys.
  var stamp: FileStamp
  var keysStamp: FileStamp?
  /// What this process had declared, and how many keys.
  var declared: UInt64?
  var declaredCount = 0
  /// The known keys, if they have been read.
  var keys: KnownKeys?

  /// The place of the journal's first byte.
  var base = 0
  /// The number of the last record.
  var number = 0
  /// No record of this process has a higher number without ``PresentFile`` saying so.
  var reserved = 0
  /// Where the last segment begins, and the size at which the next one does.
  var segment = 0
  var segmentLimit = 0
  /// The paths that the last segment changes, if this process has written all of it.
  var paths: Set<String>?

  /// The settings file, if the text is known to be its text.
  var present: FileStamp?
  /// The text of the settings file, if it is at hand; `nil` for no file as well.
  var text: [UInt8]?
  /// What of it is not kept.
  var places = KeptPlaces()

  /// The number of bytes of the list of known keys.
  var keysSize: Int { keysStamp?.size ?? 0 }
  /// The number of bytes of the text as it is kept.
  var keptSize: Int { places.place(of: text?.count ?? 0) }
}

/// Recognizes a file that nobody has written since.
///
/// Programs can set a file's modification time, but not ``changed``.
struct FileStamp: Sendable, Equatable, BitwiseCopyable {
  var inode: UInt64
  var size: Int
  var modified: Int64
  /// Only the kernel sets it.
  var changed: Int64

  init(_ status: FileStatus) {
    (inode, size, modified, changed) = (status.inode, status.size, status.modified, status.changed)
  }

  init(inode: UInt64, size: Int, modified: Int64, changed: Int64) {
    (self.inode, self.size, self.modified, self.changed) = (inode, size, modified, changed)
  }

  /// Stands for no file.
  static let none = FileStamp(inode: 0, size: 0, modified: 0, changed: 0)
  /// A file that nobody has looked at.
  static let unknown = FileStamp(inode: .max, size: 0, modified: 0, changed: 0)

  /// Whether both are of one file, and nobody has written it, whatever its size: the size of a text with secrets is not
  /// kept.
  func isUntouched(_ other: FileStamp) -> Bool {
    inode == other.inode && modified == other.modified && changed == other.changed
  }
}

/// The file `present` beside a journal: what a process knows after a write (``JournalState``), for the next process.
///
/// It describes the settings file and the journal as they are now, and is overwritten. It is used only if the stamps of
/// both are those of the files, and if its digest holds; otherwise it still says which numbers were in use.
struct PresentFile: Sendable {
  private static let version: UInt64 = 1
  private static let headCount = 21

  let state: JournalState

  /// - Returns: `nil` if it is damaged, or of another version.
  init?(_ text: MappedText, in folder: JournalFolder) {
    let bytes = text.bytes
    let head = Self.headCount * 8
    guard bytes.count >= head else { return nil }
    let words = (0..<Self.headCount).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
    let count = Int(truncatingIfNeeded: words[2])
    guard words[1] == Self.version, count >= 0, count <= (bytes.count - head) / MemoryLayout<KeptPlaces.Place>.size,
      TextDigest(of: UnsafeRawBufferPointer(rebasing: bytes[8..<head + count * 12])).value == words[0]
    else { return nil }
    func int(_ index: Int) -> Int { Int(truncatingIfNeeded: words[index]) }
    func stamp(_ index: Int) -> FileStamp {
      FileStamp(
        inode: words[index], size: int(index + 1), modified: Int64(bitPattern: words[index + 2]),
        changed: Int64(bitPattern: words[index + 3]))
    }
    guard (16..<Self.headCount).allSatisfy({ 0...HistoryLine.mostCounted ~= int($0) }) else { return nil }
    let places =
      count == 0
      ? []
      : [KeptPlaces.Place](unsafeUninitializedCapacity: count) { buffer, initialized in
        UnsafeMutableRawBufferPointer(buffer).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[head..<head + count * 12]))
        initialized = count
      }
    let keys = stamp(7)
    let present = stamp(11)
    var state = JournalState(folder: folder, stamp: stamp(3), keysStamp: keys == .none ? nil : keys)
    state.declared = words[15] == 0 ? nil : words[15]
    (state.base, state.number, state.reserved) = (int(16), int(17), int(18))
    (state.segment, state.segmentLimit) = (int(19), int(20))
    state.present = present
    state.places = KeptPlaces(places)
    self.state = state
  }

  /// The bytes that say what a process knows.
  static func bytes(of state: JournalState) -> [UInt8] {
    func words(_ stamp: FileStamp) -> [UInt64] {
      [
        stamp.inode, UInt64(truncatingIfNeeded: stamp.size), UInt64(bitPattern: stamp.modified),
        UInt64(bitPattern: stamp.changed),
      ]
    }
    let head: [UInt64] =
      [version, UInt64(state.places.all.count)] + words(state.stamp) + words(state.keysStamp ?? .none)
      + words(state.present ?? .unknown)
      + [state.declared ?? 0]
      + [state.base, state.number, state.reserved, state.segment, state.segmentLimit]
      .map { UInt64(truncatingIfNeeded: $0) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * headCount + 12 * state.places.all.count)
    bytes += repeatElement(0, count: 8)
    head.withUnsafeBytes { bytes += $0 }
    state.places.all.withUnsafeBytes { bytes += $0 }
    let digest = bytes.withUnsafeBytes { TextDigest(of: UnsafeRawBufferPointer(rebasing: $0[8...])).value }
    withUnsafeBytes(of: digest) { bytes.replaceSubrange(0..<8, with: $0) }
    return bytes
  }
}
