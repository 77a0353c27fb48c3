import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import SettingsTools

/// The earlier texts of a document, as far back as the cluster has them.
struct Past {
  /// One change, and what the document was after it.
  struct Entry {
    var version: Int
    /// `nil` if the change removed the document.
    var stored: StoredDocument?
    /// The revision that the change made: of the text, of its signature, or of what is noted beside it.
    var revision: Int64
    /// Who it was; `nil` if the change was not made by this program.
    var change: Change?
    /// The user of etcd who made it, which etcd has proved; `nil` if that is not known.
    var user: String?
    /// The text before it; `nil` if there was none, or if it is no longer known.
    var former: [UInt8]?
    /// Whether the change made the document, or this version of it, so that there is no text before it.
    var isFirst = false
    /// Whether there is an earlier version.
    var hasEarlierVersion = false
    /// Whether an earlier version is older than this one.
    fileprivate var isUpgrade = false

    /// The text after it; an empty one if the document was removed.
    var text: [UInt8] { stored?.text ?? [] }
    /// Whether the change brought a document back that had been removed, in all its versions.
    var bringsBack: Bool { isFirst && change?.undone != nil }
    /// Whether it changed more than a signature or a note.
    fileprivate var isOfText: Bool { stored.map { $0.modRevision == revision } ?? true }
  }

  let cluster: Cluster
  let document: FleetDocument

  /// The changes of the newest version of the document, newest first, and those before a removal by this program.
  ///
  /// etcd keeps each revision until it is compacted. Then the entry that has no known earlier text is the last one.
  ///
  /// - Parameter most: At most this many.
  /// - Returns: The changes, and whether older ones have been compacted away.
  func entries(limit most: Int) async throws -> (entries: [Entry], isCut: Bool) {
    var entries: [Entry] = []
    let isCut = try await visit { entry in
      entries.append(entry)
      return entries.count < most
    }
    return (entries, isCut)
  }

  /// Visits the changes as ``entries(limit:)`` has them.
  ///
  /// - Parameters:
  ///   - start: The revision to begin at, going back; the newest if `nil`.
  ///   - ofText: Whether what only signs a text, or takes it into a directory, is left out.
  ///   - visit: Returns whether to go on.
  /// - Returns: Whether changes before the last visited one have been compacted away.
  @discardableResult
  func visit(
    from start: Int64? = nil, ofText: Bool = false, _ visit: (Entry) async throws -> Bool
  ) async throws -> Bool {
    // The one that waits for the text before it.
    var (revision, version, last, hasVisited) = (start, Int?.none, Entry?.none, false)
    while true {
      let present: Entry?
      do throws(EtcdError) {
        present = try await entry(of: version, at: revision)
      } catch {
        guard error.code == .compacted, last != nil || hasVisited else { throw Failure(error, at: revision) }
        if let last { _ = try await visit(last) }
        return last.map { !$0.isFirst } ?? true
      }
      guard let present else { break }
      if var entry = last {
        if !entry.isFirst { entry.former = present.stored?.text }
        (last, hasVisited) = (nil, true)
        guard try await visit(entry) else { return false }
      }
      if present.isOfText || !ofText { last = present }
      // Before the first one the document may have been removed. An earlier version that it upgrades has changes of its
      // own.
      if present.isFirst, present.isUpgrade { break }
      version = present.isFirst || present.stored == nil ? nil : present.version
      revision = present.revision - 1
    }
    if let last { _ = try await visit(last) }
    return false
  }

  /// The last change of a version of the document, or of its newest one, up to a revision. All of it is read at that
  /// revision: the one at which it was written may be compacted.
  private func entry(of version: Int?, at revision: Int64?) async throws(EtcdError) -> Entry? {
    let items = try await items(at: revision)
    let versions = FleetContents(items).versions(of: document)
    if versions.isEmpty { return try await removal(in: items, at: revision) }
    guard let version = version ?? versions.keys.max(), let stored = versions[version] else { return nil }
    func item(_ part: FleetKey.Part, _ version: Int) -> FleetItem? {
      items.items.first { FleetKey($0.key) == .part(part, document, version: version) }
    }
    let note = item(.change, version)
    let last = max(stored.modRevision, stored.signatureRevision, note?.modRevision ?? 0)
    func created(_ version: Int) -> Int64 { item(.text, version)?.createRevision ?? 0 }
    let earlier = versions.keys.filter { $0 < version }
    var entry = Entry(
      version: version, stored: stored, revision: last,
      change: note.flatMap { $0.modRevision == last ? Change($0.value) : nil },
      user: try await user(of: last, asOf: revision), isFirst: created(version) == last,
      hasEarlierVersion: !earlier.isEmpty, isUpgrade: earlier.contains { created($0) < created(version) })
    if !entry.isOfText { entry.former = stored.text }
    return entry
  }

  /// The removal of the document before a revision, of which nothing but its note is left; `nil` if there is none.
  private func removal(in items: FleetSnapshot, at revision: Int64?) async throws(EtcdError) -> Entry? {
    for item in items.items {
      // What was removed in another way has the note of the change before that.
      guard case .part(.change, document, let version)? = FleetKey(item.key),
        try await stored(at: item.modRevision).isEmpty
      else { continue }
      return Entry(
        version: version, revision: item.modRevision, change: Change(item.value),
        user: try await user(of: item.modRevision, asOf: revision))
    }
    return nil
  }

  /// The user of etcd who made a revision; `nil` if that is not proved.
  ///
  /// - Parameter later: A revision that is not compacted, by which the user may have written something else.
  private func user(of revision: Int64, asOf later: Int64?) async throws(EtcdError) -> String? {
    guard try await cluster.client.isAuthenticationEnabled() else { return nil }
    do throws(EtcdError) {
      return try await cluster.user(of: revision, at: revision)
    } catch {
      guard error.code == .compacted else { throw error }
      return try await cluster.user(of: revision, at: later)
    }
  }

  /// What is known of the newest text of a version that a trusted key has signed.
  struct LastSigned: Sendable {
    /// The text, its revision, and that of its signature; `nil` if the cluster does not have it.
    ///
    /// The text may have been put back after it was signed. Then texts that nobody has signed are between the two.
    var found: (revision: Int64, signatureRevision: Int64, text: [UInt8])?
    /// Whether the search ended at a compaction, so that a text may have been signed before it.
    var isCut = false
    /// Whether all of the time since the version was made, or made again, is known.
    var isKnownSinceMade = false
  }

  /// The newest text of a version that a trusted key has signed.
  ///
  /// A text is read only where there is a signature: a document that never had one may have a long past. Whoever removes
  /// the document and makes it again does not make it one that never was signed: the time before is searched, in steps of
  /// a sixteenth of the way, and where what is left beside it was last changed. Whoever takes the signature away before
  /// the text changes does not either: it was there when the text before that was stored.
  func lastSigned(version: Int, by trust: Trust) async throws -> LastSigned {
    func signed(
      at revision: Int64?
    ) async throws(EtcdError) -> (revision: Int64, signatureRevision: Int64, text: [UInt8])? {
      guard let stored = try await stored(at: revision)[version],
        trust.problem(with: stored, of: document, version: version) == nil
      else { return nil }
      return (max(stored.modRevision, stored.signatureRevision), stored.signatureRevision, stored.text)
    }
    var revision: Int64?
    // Where the document is gone, and when what is left beside it was last changed.
    var gap: (start: Int64, hints: [Int64])?
    var isKnownSinceMade = false
    do throws(EtcdError) {
      var trace = try await traces(of: version, at: [nil])[0]
      while true {
        guard let text = trace.text else {
          // Down to the very first revision: a compaction between is a doubt.
          guard let absent = revision, absent > 1 else { return LastSigned() }
          isKnownSinceMade = true
          if gap == nil { gap = (absent, try await lastChanges(of: version, before: absent)) }
          let probes = Self.probes(before: absent, gone: gap?.start ?? absent, with: gap?.hints ?? [])
          let found = try await traces(of: version, at: probes)
          let at = found.firstIndex { $0.text != nil } ?? found.count - 1
          (revision, trace) = (probes[at], found[at])
          continue
        }
        gap = nil
        if trace.signature != nil, let found = try await signed(at: revision) { return LastSigned(found: found) }
        let last = max(text, trace.signature ?? 0)
        let isGone = trace.signature == nil && revision ?? .max > last
        var earlier = try await traces(of: version, at: isGone ? [last, last - 1] : [last - 1])
        if isGone, earlier.removeFirst().signature != nil, let found = try await signed(at: last) {
          return LastSigned(found: found)
        }
        guard let next = earlier.first else { return LastSigned(isCut: true) }
        (revision, trace) = (last - 1, next)
      }
    } catch {
      guard error.code == .compacted else { throw Failure(error) }
    }
    return LastSigned(isCut: true, isKnownSinceMade: isKnownSinceMade)
  }

  /// A revision at which a version had a later signature of a trusted key than it has now, and its serial; `nil` if none
  /// is found.
  ///
  /// Then somebody has put an earlier text back. Not all of the past is searched, but revisions that are twice as far back
  /// each time: what was there for as long as the earlier text has been back now is found.
  func laterSignature(
    than stored: StoredDocument, version: Int, by trust: Trust
  ) async throws -> (revision: Int64, serial: UInt64)? {
    guard let serial = stored.serial else { return nil }
    let last = max(stored.modRevision, stored.signatureRevision)
    let probes = sequence(first: Int64(1)) { $0 * 2 }.prefix { $0 < last }.map { last - $0 }
    guard !probes.isEmpty else { return nil }
    do throws(EtcdError) {
      let found = try await values(of: [document.key(version: version, .signature)], at: probes)
      for (probe, values) in zip(probes, found) {
        guard let value = values[0]?.value, DocumentSignature(json: value)?.serial ?? 0 > serial,
          let earlier = try await self.stored(at: probe)[version], let later = earlier.serial, later > serial,
          trust.problem(with: earlier, of: document, version: version) == nil
        else { continue }
        return (probe, later)
      }
    } catch {
      guard error.code == .compacted else { throw Failure(error) }
    }
    return nil
  }

  /// The texts that a version has had after a revision, newest first; `nil` if not all are known: there were too many,
  /// or the version was gone in between.
  func texts(of version: Int, after revision: Int64) async throws -> [[UInt8]]? {
    var (texts, at) = ([[UInt8]](), Int64?.none)
    do throws(EtcdError) {
      while texts.count < Self.mostTexts {
        guard let stored = try await stored(at: at)[version] else { return nil }
        guard stored.modRevision > revision else { return texts }
        texts.append(stored.text)
        at = stored.modRevision - 1
      }
    } catch {
      guard error.code == .compacted else { throw Failure(error) }
    }
    return nil
  }

  private static let mostTexts = 100

  /// When a key beside a removed version last changed, such as the note of its removal, and the revision before that.
  /// A text may have been stored later: they are no more than further places to look at.
  private func lastChanges(of version: Int, before absent: Int64) async throws(EtcdError) -> [Int64] {
    let beside = document.key(version: version) + "/"
    let left = try await cluster.client.range(EtcdRange(.prefix(beside), revision: absent, keysOnly: true))
    guard let last = left.keyValues.map(\.modRevision).max() else { return [] }
    return [last, last - 1].filter { (1..<absent).contains($0) }
  }

  /// Revisions before one, newest first: the further from where the document is gone the further apart, and those of the
  /// hints that are among them, together as many as a transaction reads.
  private static func probes(before absent: Int64, gone: Int64, with hints: [Int64]) -> [Int64] {
    var (probes, next) = (Set<Int64>(), absent)
    while next > 1, probes.count < Cluster.mostOperations / 2 - hints.count {
      next = max(1, next - max(1, (gone - next) / 16))
      probes.insert(next)
    }
    return probes.union(hints.filter { (next..<absent).contains($0) }).sorted(by: >)
  }

  /// The revisions at which a version's text, and its signature, were last changed; `nil` for what was not there.
  private typealias Trace = (text: Int64?, signature: Int64?)

  /// What there was of a version after some revisions, without its text: ``values(of:at:keysOnly:)``.
  private func traces(of version: Int, at revisions: [Int64?]) async throws(EtcdError) -> [Trace] {
    let keys = [document.key(version: version), document.key(version: version, .signature)]
    return try await values(of: keys, at: revisions, keysOnly: true).map { ($0[0]?.modRevision, $0[1]?.modRevision) }
  }

  /// What some keys had after some revisions. The last of several revisions are left out if one has been compacted away.
  private func values(
    of keys: [String], at revisions: [Int64?], keysOnly: Bool = false
  ) async throws(EtcdError) -> [[EtcdKeyValue?]] {
    let ranges = revisions.flatMap { revision in
      keys.map { EtcdOperation.range(EtcdRange(.key($0), revision: revision, keysOnly: keysOnly)) }
    }
    do throws(EtcdError) {
      let answer = try await cluster.client.transaction(EtcdTransaction(then: ranges), isRepeatable: true)
      let found = answer.ranges.map(\.keyValues.first)
      return stride(from: 0, to: found.count, by: keys.count).map { Array(found[$0..<($0 + keys.count)]) }
    } catch {
      guard error.code == .compacted, revisions.count > 1 else { throw error }
      return try await values(of: keys, at: Array(revisions.prefix(revisions.count / 2)), keysOnly: keysOnly)
    }
  }

  /// What somebody without a trusted key has made of a text, in lines.
  static func difference(
    _ text: [UInt8], since last: LastSigned, _ schema: SchemaLookup
  ) -> String {
    guard let signed = last.found else {
      return "The cluster has no earlier text that a trusted key has signed"
        + (last.isCut ? ": what was earlier has been compacted away.\n" : ".\n")
    }
    guard signed.text != text else { return "The text is that of revision \(signed.revision), which is signed.\n" }
    let values = ShownChange.all(from: signed.text, to: text, schema)
    var lines = (values ?? []).map { "  \($0.line)\n" }
    if values == nil { lines = ["  the text does not parse\n"] }
    if lines.isEmpty { lines = ["  comments or spacing alone\n"] }
    return "Changed since revision \(signed.revision), which is signed:\n" + lines.joined()
  }

  /// What the document was after a revision, by version.
  func stored(at revision: Int64?) async throws(EtcdError) -> [Int: StoredDocument] {
    FleetContents(try await items(at: revision)).versions(of: document)
  }

  private func items(at revision: Int64?) async throws(EtcdError) -> FleetSnapshot {
    let answer = try await cluster.client.rangeAll(EtcdRange(.prefix(document.keyPrefix), revision: revision))
    return FleetSnapshot(answer, of: document.app)
  }
}
