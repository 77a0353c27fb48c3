/// Why a document is not written.
public enum WriterError: Error, Hashable, Sendable {
  /// There is a version that this release of the app does not know.
  case newerVersion(Int)
  /// The version was upgraded to another one, and only that is written.
  case upgraded(from: Int, to: Int)
  /// The new text has a lower version than the document.
  case olderText(Int, than: Int)
  /// The new text is not UTF-8, or has a NUL byte.
  case invalidText
  /// The text, or the whole transaction, is larger than etcd takes.
  case tooLarge(bytes: Int)
  /// The rollout with its text, in JSON, is larger than etcd takes.
  case rolloutTooLarge(bytes: Int)
  /// The document is signed, and there is no key to sign the new text with.
  case needsKey
  /// There is no serial above the last one.
  case noSerial
  /// Another rollout of the app is under way.
  case rolloutUnderWay(String)
  /// The rollout of the document is paused, and would end.
  case rolloutPaused(by: String)
  /// The document was changed since the rollout began, or the rollout is gone.
  case rolloutVoid
}

/// Decides how a document is written: which version is edited, and by which transaction.
///
/// Every transaction holds only if nothing of the document, in any version, has changed since the snapshot. After a lost
/// race the caller reads and edits again. So N writers lose nothing, and one of N racing upgrades succeeds.
///
/// ```swift
/// let writer = DocumentWriter(document, in: snapshot, appVersion: 3)
/// let text = edited(try writer.current()?.text ?? [])
/// let transaction = try writer.write(text, version: 3, signing: nil)
/// ```
public struct DocumentWriter: Sendable {
  /// A key to sign with, and the time, from which serials are made.
  public struct Signing: Sendable {
    /// The key.
    public let key: SigningKey
    /// The time in milliseconds.
    public let millisecondsSince1970: Int64
    /// Whose serials count: the key's own, and those of others that are trusted.
    public let trust: Trust
    /// The serial of a later signed text, in whose place somebody has put an earlier one; 0 without one.
    public let laterSerial: UInt64

    /// Describes how to sign.
    public init(
      key: SigningKey, millisecondsSince1970: Int64, trust: Trust = Trust([]), above laterSerial: UInt64 = 0
    ) {
      (self.key, self.millisecondsSince1970, self.laterSerial) = (key, millisecondsSince1970, laterSerial)
      self.trust = Trust(trust.keys + [key.verificationKey])
    }
  }

  /// The document.
  public let document: FleetDocument
  /// Its versions.
  public let versions: [Int: StoredDocument]
  let appVersion: Int?
  private let snapshot: FleetSnapshot
  /// What there is of the app.
  package let documents: AppDocuments
  /// The rollout of the app that is under way, of whichever document.
  public var rollout: Rollout? { documents.rollout }

  /// Takes a document as it is.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - snapshot: What there is of it, at least: a range of the app, or of everything.
  ///   - appVersion: The version that the writer's release of the app reads; `nil` without a schema.
  public init(_ document: FleetDocument, in snapshot: FleetSnapshot, appVersion: Int?) {
    self.document = document
    self.snapshot = snapshot
    self.appVersion = appVersion
    documents = FleetContents(snapshot).apps[document.app] ?? AppDocuments()
    versions = documents.documents[document.scope] ?? [:]
  }

  /// The version that this release reads: the highest that it knows; `nil` if there is none.
  public var readable: (version: Int, stored: StoredDocument)? { versions.newest(upTo: appVersion) }

  /// The version to edit; `nil` if there is no document.
  ///
  /// - Throws: ``WriterError`` if this release may only read the document.
  public func current() throws(WriterError) -> (version: Int, text: [UInt8], modRevision: Int64)? {
    guard let newest = versions.keys.max(), let stored = versions[newest] else { return nil }
    // One that does not exist or is no higher version is ignored: somebody without a key could block all edits with it.
    if let (version, stored) = readable, let successor = stored.successor, successor > version,
      versions[successor] != nil
    {
      throw .upgraded(from: version, to: successor)
    }
    guard newest <= appVersion ?? .max else { throw .newerVersion(newest) }
    return (newest, stored.text, stored.modRevision)
  }

  /// What is wrong with the signature of the version that this release reads; `nil` for nothing, or without a version.
  ///
  /// Whoever signs an edit of a text signs all of the text: what somebody without a key has written into it would become
  /// one that machines take.
  public func doubt(about trust: Trust) -> FleetProblem? {
    readable.flatMap { trust.problem(with: $0.stored, of: document, version: $0.version) }
  }

  /// Makes a text the document's.
  ///
  /// A higher version than the document's is an upgrade: the earlier version stays as it is for old releases, and says
  /// that it has a successor.
  ///
  /// - Parameters:
  ///   - text: The new text.
  ///   - version: Its `settings-version`, 1 if it names none.
  ///   - older: Texts that earlier versions of the document get with it.
  ///   - signing: The key to sign with. Without one a document that is signed is not written.
  /// - Returns: The transaction; one that changes nothing if the text is the same and nothing is to be signed.
  /// - Throws: ``WriterError``.
  public func write(
    _ text: [UInt8], version: Int, with older: [Int: [UInt8]] = [:], signing: Signing? = nil
  ) throws(WriterError) -> FleetTransaction {
    try Self.check(text)
    let current = try current()
    if let current, version < current.version { throw .olderText(version, than: current.version) }
    guard version >= 1, version <= appVersion ?? .max else { throw .newerVersion(version) }
    var texts = older.filter { $0.key < version }
    let stored = current.flatMap { versions[$0.version] }
    if signing == nil { try checkUnsigned(texts.keys + (current.map { [$0.version] } ?? [])) }
    if let current, signing == nil, texts.isEmpty, current.version == version, current.text == text {
      return FleetTransaction()
    }
    try checkPause()
    texts[version] = text
    var transaction = unchanged(writing: version)
    for (version, text) in texts.sorted(by: { $0.key < $1.key }) {
      try Self.check(text)
      transaction.put(document.key(version: version), text)
    }
    if let signing {
      let serials = try sign(texts, by: signing, in: &transaction)
      keepMarks(of: serials, texts, by: signing, in: &transaction)
    }
    if let current, stored?.successorRevision == 0 {
      transaction.require(document.key(version: current.version, .successor), at: 0)
    }
    let all = Set(texts.keys).union(current.map { [$0.version] } ?? []).sorted()
    for (earlier, next) in zip(all, all.dropFirst())
    where earlier == current?.version || versions[earlier]?.successor == nil {
      transaction.put(document.key(version: earlier, .successor), Array(String(next).utf8))
    }
    return try .joined([transaction])
  }

  /// Refuses to replace signed versions by texts that nobody signs.
  func checkUnsigned(_ replaced: [Int]) throws(WriterError) {
    guard replaced.allSatisfy({ versions[$0]?.signature ?? .absent == .absent }) else { throw .needsKey }
  }

  /// Refuses a text that no machine takes.
  static func check(_ text: [UInt8]) throws(WriterError) {
    guard text.count <= FleetNames.longestText else { throw .tooLarge(bytes: text.count) }
    guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else { throw .invalidText }
  }

  /// Removes the document in all its versions, apart from the note beside the newest one of who changed it last.
  ///
  /// Whoever carries it out writes that note again: it tells machines that the document was removed, and not lost. Those
  /// that require signatures keep their last text.
  public func remove() throws(WriterError) -> FleetTransaction {
    let newest = try current()?.version ?? 1
    try checkPause()
    let note = Array(document.key(version: newest, .change).utf8)
    var transaction = unchanged(writing: nil)
    for item in items where item.key != note { transaction.deletes.append(item.key) }
    return transaction
  }

  /// The versions above the highest one that a trusted key has signed, newest first; `nil` if no key has signed one, or
  /// nothing is above it.
  ///
  /// Nobody who signs makes such a version without signing it: machines do not take it, and no edit goes on from it.
  public func foreignVersions(by trust: Trust) -> (versions: [Int], below: Int)? {
    let newest = versions.keys.sorted(by: >)
    guard trust.isRequired, let signed = newest.firstIndex(where: { serial(of: $0, by: trust) != nil }), signed > 0
    else { return nil }
    return (Array(newest[..<signed]), newest[signed])
  }

  /// What removes all versions above one.
  public func withdrawal(to below: Int) -> FleetTransaction {
    var transaction = unchanged(writing: nil)
    for version in versions.keys.sorted(by: >) where version > below {
      let key = Array(document.key(version: version).utf8)
      transaction.deletes += items.map(\.key).filter { $0 == key || $0.starts(with: key + Array("/".utf8)) }
    }
    for (earlier, stored) in versions where earlier <= below && stored.successor ?? 0 > below {
      transaction.deletes.append(Array(document.key(version: earlier, .successor).utf8))
    }
    return transaction
  }

  /// Signs texts of the document, and again what a trusted key has signed of higher versions: a machine takes a version
  /// only with a higher serial than those of the earlier versions that it has had.
  ///
  /// - Returns: The serials of the versions that it has signed.
  func sign(
    _ texts: [Int: [UInt8]], by signing: Signing, in transaction: inout FleetTransaction
  ) throws(WriterError) -> [Int: UInt64] {
    var serials: [Int: UInt64] = [:]
    var (next, last) = (try nextSerial(signing), UInt64?.none)
    for version in Set(versions.keys).union(texts.keys).sorted() {
      let present = serial(of: version, by: signing.trust)
      if texts[version] == nil, present ?? .max > last ?? 0 || last == nil {
        last = present ?? last
        continue
      }
      guard let text = texts[version] ?? versions[version]?.text else { continue }
      guard next <= DocumentSignature.mostSerial else { throw .noSerial }
      let statement = Statement.document(document, version: version, text: TextDigest(of: text))
      transaction.put(
        document.key(version: version, .signature), signing.key.sign(statement, serial: next).json)
      serials[version] = next
      (last, next) = (next, next + 1)
    }
    return serials
  }

  /// Signs the marks again of texts that are signed again as they are, or that become again what the directory had.
  ///
  /// - Parameters:
  ///   - serials: The new serials of the versions.
  ///   - texts: Their new texts; those of the others stay.
  func keepMarks(
    of serials: [Int: UInt64], _ texts: [Int: [UInt8]], by signing: Signing, in transaction: inout FleetTransaction
  ) {
    for (version, serial) in serials.sorted(by: { $0.key < $1.key }) {
      guard let stored = versions[version], let mark = stored.applied else { continue }
      let digest = texts[version].map { TextDigest(of: $0) } ?? stored.digest
      guard mark.digest == digest, signing.trust.accepts(mark, of: document, version: version),
        digest != stored.digest || signing.trust.isNewest(mark, beside: stored)
      else { continue }
      transaction.put(
        document.key(version: version, .applied),
        mark.signed(by: signing.key, of: document, version: version, serial: serial).json)
    }
  }

  /// A serial above all that a trusted key has signed. No machine has taken another one, and who has no key could use
  /// up all that there are: of the others, those count that may be of a text that somebody has overwritten.
  func nextSerial(_ signing: Signing) throws(WriterError) -> UInt64 {
    var serials = versions.keys.compactMap { serial(of: $0, by: signing.trust) } + [signing.laterSerial]
    var unverified = versions.values.compactMap(\.serial)
    if let rollout, let signature = rollout.signature {
      unverified.append(signature.serial)
      if signing.trust.problem(with: rollout, of: document) == nil { serials.append(signature.serial) }
    }
    guard
      let serial = DocumentSignature.nextSerial(
        after: serials, millisecondsSince1970: signing.millisecondsSince1970, unverified: unverified)
    else { throw .noSerial }
    return serial
  }

  /// The serial of a version; `nil` if no trusted key has signed it.
  func serial(of version: Int, by trust: Trust) -> UInt64? {
    versions[version].flatMap { trust.problem(with: $0, of: document, version: version) == nil ? $0.serial : nil }
  }

  /// The document's keys in the snapshot.
  private var items: [FleetItem] {
    let prefix = Array(document.keyPrefix.utf8)
    return snapshot.items.filter { $0.key.starts(with: prefix) }
  }

  /// A transaction that holds while the document is as in the snapshot, and changes nothing.
  ///
  /// The comparison of the range notices what is new, the comparison of each key what is gone.
  func unchanged(writing version: Int?) -> FleetTransaction {
    var transaction = FleetTransaction()
    transaction.requireUnchanged(prefix: document.keyPrefix, since: snapshot.revision)
    for item in items {
      transaction.compares.append(
        FleetTransaction.Compare(key: item.key, rangeEnd: nil, relation: .equal, modRevision: item.modRevision))
    }
    if let version, versions[version] == nil { transaction.require(document.key(version: version), at: 0) }
    return transaction
  }
}
