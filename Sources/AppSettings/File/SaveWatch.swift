import SettingsTOML

/// Decides whether a program may be saving a file at the moment, so that its content is not the new state yet.
///
/// This is the only rule for every file of every layer, for checks, first reads and writes. Programs that save by a
/// rename put a whole file in place. Others empty the file or remove it, write it piece by piece, and close it. Taking
/// an intermediate content for the settings would show defaults and write them back.
///
/// | what is found | when it takes effect |
/// | what was there before | at once |
/// | a file that nobody has open for writing | at once, except for the next two |
/// | an empty file, one that does not parse, one written in place that has lost keys | ``incomplete`` after the last change |
/// | no file, where there was one | ``gone`` after it was first missed |
/// | a file that somebody has open for writing | when it is closed; if it is complete, ``open`` after the last change |
/// | a file for which the kernel does not say who has it open | ``unknown`` after the last change; at once after a save |
///
/// There is one value for each file. It remembers how long it has found the same state, for states without a time of
/// their own and for clocks that are set back.
package struct SaveWatch: Sendable {
  /// How long a program may keep a file open and pause between two writes: 1 s.
  static let open: UInt64 = 1_000_000_000
  /// How long an empty, broken or shortened file may take to become complete: 500 ms. On a busy machine it can take
  /// that long from the call that empties a file to the one that fills it.
  static let incomplete: UInt64 = 500_000_000
  /// How long a file may be missing between its removal and its return: 100 ms.
  static let gone: UInt64 = 100_000_000
  /// How long a file must be unchanged if the kernel does not say whether it is open: 250 ms.
  static let unknown: UInt64 = 250_000_000
  /// The same after a save in place that left less than before, as the beginning of the next one would: 50 ms.
  static let shortened: UInt64 = 50_000_000
  /// The longest time until a file that is being written is re-read.
  static let step: UInt64 = 50_000_000
  /// The longest time that a first read waits for a save to end: 500 ms. A write waits within its own time limit.
  package static let firstRead: UInt64 = 500_000_000

  /// The evidence that a save has ended.
  package enum Evidence: Sendable {
    /// There is none.
    case doubt
    /// The file was closed after writing, or moved to its place. The next save may have begun.
    case saveEnded
    /// The caller explicitly asked to read the file now.
    case asked
  }

  /// What was known of a file before.
  ///
  /// Without any properties, nothing is known.
  package struct Known: Sendable {
    /// The text; `nil` if there was no file.
    package var bytes: [UInt8]?
    /// The file that held it, to distinguish a save in place from one by a rename.
    package var inode: UInt64?
    /// A text that parses, although it may be one that is being saved.
    var whole: [UInt8]?
  }

  /// The time, on both clocks, in nanoseconds.
  ///
  /// The monotonic clock measures how long something was seen. The times of files are on the other one.
  package struct Moment: Sendable {
    package var monotonic: UInt64
    package var since1970: Int64

    package static var now: Moment {
      Moment(monotonic: ProcessFacts.monotonicNanoseconds(), since1970: ProcessFacts.nanosecondsSince1970())
    }
  }

  /// The properties by which the same state of a file is recognized.
  private struct Sighting: Sendable, Equatable {
    var inode: UInt64?
    var size = 0
    var modified: Int64 = 0
  }

  /// The state that was found last, and since when.
  private var last: (sighting: Sighting, since: UInt64)?

  /// Makes a value for a file that was not checked before.
  package init() {}

  /// The state of a text compared with the one before.
  ///
  /// A text that parses may still be only the beginning of a longer one.
  package enum Wholeness: Sendable {
    case whole
    /// It does not parse.
    case broken
    /// It parses, but lacks a value that the one before had.
    case lacksKeys
  }

  /// Returns how long to leave the file alone until it takes effect.
  ///
  /// ```swift
  /// var watch = SaveWatch()
  /// while let wait = watch.wait(for: contents, after: known, .doubt, wholeness: { .whole }) {
  ///   // read again after `wait` nanoseconds
  /// }
  /// ```
  ///
  /// - Parameter wholeness: Checks the text; called only if the file is so new that it matters.
  /// - Returns: Nanoseconds until the file should be re-read; `nil` if it takes effect now.
  package mutating func wait(
    for found: SettingsFile.Contents, after known: Known, _ evidence: Evidence, at now: Moment = .now,
    wholeness: () -> Wholeness
  ) -> UInt64? {
    let seen = noteSighting(of: found, evidence, now)
    guard let bytes = found.bytes else {
      return known.bytes == nil ? nil : Self.rest(of: Self.gone, after: seen)
    }
    guard let status = found.status else { return nil }
    let age = Self.age(since: status.modified, seen, now)
    let isInPlace = known.inode == status.inode
    switch found.isOpenForWriting {
    case true?:
      // Programs set the time of a file before they close it; they cannot set the kernel's own.
      let age = Self.age(since: max(status.modified, status.changed), seen, now)
      if let rest = Self.rest(of: Self.open, after: age) { return min(rest, Self.step) }
    case nil where evidence == .doubt:
      // A program may have set a time in the future; the kernel's own is never later than the last change.
      let age = Self.age(since: min(status.modified, status.changed), seen, now)
      if let rest = Self.rest(of: Self.unknown, after: age) { return rest }
    case nil where evidence == .saveEnded && isInPlace && bytes.count < known.bytes?.count ?? 0:
      if let rest = Self.rest(of: Self.shortened, after: age) { return rest }
    default: break
    }
    // Nobody keeps a partial text open forever: the rest will come.
    guard let rest = found.isOpenForWriting == true ? Self.open : Self.rest(of: Self.incomplete, after: age) else {
      return nil
    }
    if bytes.isEmpty { return known.bytes?.isEmpty == true ? nil : rest }
    switch wholeness() {
    case .whole: return nil
    case .broken: return rest
    case .lacksKeys: return isInPlace && evidence != .asked ? rest : nil
    }
  }

  /// Waits a moment before a file that somebody seems to be saving is re-read: a short one, because most saves end
  /// within it.
  ///
  /// - Parameters:
  ///   - wait: The result of ``wait(for:after:_:at:wholeness:)``.
  ///   - deadline: The end of the waiting time, on the monotonic clock.
  /// - Returns: `false`, at once, if the deadline has passed.
  static func pause(for wait: UInt64, until deadline: UInt64) -> Bool {
    let now = ProcessFacts.monotonicNanoseconds()
    guard now < deadline else { return false }
    ProcessFacts.pause(nanoseconds: min(wait, deadline - now, 2_000_000))
    return true
  }

  /// - Returns: How long the same state has been found.
  private mutating func noteSighting(
    of found: SettingsFile.Contents, _ evidence: Evidence, _ now: Moment
  ) -> UInt64 {
    let sighting =
      found.status.map { Sighting(inode: $0.inode, size: $0.size, modified: $0.modified) } ?? Sighting()
    // A save has ended since, so this is the beginning of another one.
    if let last, last.sighting == sighting, evidence != .saveEnded { return seen(now) }
    last = (sighting, now.monotonic)
    return 0
  }

  /// How long the last state has been found, in nanoseconds.
  private func seen(_ now: Moment) -> UInt64 {
    guard let last, now.monotonic > last.since else { return 0 }
    return now.monotonic - last.since
  }

  /// The time since a file changed or, if its clock is ahead of ours, since that was first seen.
  private static func age(since time: Int64, _ seen: UInt64, _ now: Moment) -> UInt64 {
    let (age, overflows) = now.since1970.subtractingReportingOverflow(time)
    if overflows { return time < 0 ? .max : seen }
    return age >= 0 ? max(UInt64(age), seen) : seen
  }

  /// The remaining time; `nil` if it is over.
  private static func rest(of limit: UInt64, after elapsed: UInt64) -> UInt64? {
    elapsed < limit ? limit - elapsed : nil
  }
}

extension SaveWatch {
  /// Does the same as ``wait(for:after:_:at:wholeness:)``, and compares the text with the known one.
  mutating func wait(for found: SettingsFile.Contents, after known: Known, _ evidence: Evidence) -> UInt64? {
    wait(for: found, after: known, evidence) {
      let isKnown = known.bytes == nil && known.whole != nil && found.bytes.isSameText(as: known.whole)
      return isKnown ? .whole : Wholeness(of: found.bytes ?? [], since: known.bytes)
    }
  }
}

extension SaveWatch.Wholeness {
  /// The state of a text compared with the file's previous one.
  ///
  /// - Parameters:
  ///   - text: The text that was found.
  ///   - known: The previous text; `nil` if there is none to compare with.
  package init(of text: [UInt8], since known: [UInt8]?) {
    guard let document = try? TOMLDocument(parsing: text) else {
      self = .broken
      return
    }
    guard let known, let former = try? TOMLDocument(parsing: known) else {
      self = .whole
      return
    }
    self = document.changedPaths(since: former).allSatisfy { document.contains($0) } ? .whole : .lacksKeys
  }
}
