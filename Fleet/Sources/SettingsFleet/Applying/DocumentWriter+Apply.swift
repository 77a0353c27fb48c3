extension DocumentWriter {
  /// Where the document comes from.
  package enum Provenance: Hashable, Sendable {
    /// The document does not exist.
    case absent
    /// Every version is as the directory had it.
    case applied
    /// It came from the directory, and was edited since.
    case edited
    /// It came from another directory.
    case other(String)
    /// It was made by hand.
    case foreign
  }

  /// - Parameters:
  ///   - changed: The versions whose texts would change.
  ///   - trust: Whose marks are valid for a document that is signed. Who has no key could have it emptied by another
  ///     one's mark, and that would be signed.
  func provenance(from source: String, changing changed: some Collection<Int>, _ trust: Trust) -> Provenance {
    guard let newest = versions.keys.max() else { return .absent }
    let isSigned = versions.values.contains { $0.signature != .absent }
    var marks = versions.compactMapValues(\.applied)
    if isSigned { marks = marks.filter { trust.accepts($0.value, of: document, version: $0.key) } }
    if let other = marks.values.first(where: { $0.source != source }) { return .other(other.source) }
    if marks.isEmpty { return .foreign }
    // A version below the directory's own, which it does not change, may be older than the directory.
    let isAsApplied = versions.allSatisfy { version, stored in
      marks[version].map { $0.digest == stored.digest && (!isSigned || trust.isNewest($0, beside: stored)) }
        ?? (version < newest && !changed.contains(version))
    }
    return isAsApplied ? .applied : .edited
  }

  /// Makes texts of a directory the document's.
  ///
  /// Versions that the directory does not have stay as they are: older releases of the app may still read them. A text that
  /// is the same is signed if it has to be, and marked.
  ///
  /// - Parameters:
  ///   - texts: The texts by version; at least one.
  ///   - source: The name of the directory.
  ///   - signing: The key to sign with.
  /// - Returns: The transaction; one that changes nothing if all of it is so already.
  func apply(_ texts: [Int: [UInt8]], from source: String, signing: Signing?) throws(WriterError) -> FleetTransaction {
    let (newest, present) = (texts.keys.max() ?? 1, versions.keys.max() ?? 0)
    guard newest >= present else { throw .olderText(newest, than: present) }
    guard newest <= appVersion ?? .max else { throw .newerVersion(newest) }
    var transaction = unchanged(writing: nil)
    var unsigned = texts
    if texts.contains(where: { versions[$0.key]?.text != $0.value }) { try checkPause() }
    for (version, text) in texts.sorted(by: { $0.key < $1.key }) {
      try Self.check(text)
      let stored = versions[version]
      if stored == nil { transaction.require(document.key(version: version), at: 0) }
      let isSame = stored?.text == text
      if !isSame { transaction.put(document.key(version: version), text) }
      if let signing {
        if isSame, serial(of: version, by: signing.trust) != nil { unsigned[version] = nil }
      } else if !isSame, let stored, stored.signature != .absent {
        throw .needsKey
      }
    }
    var serials: [Int: UInt64] = [:]
    if let signing {
      serials = try sign(unsigned, by: signing, in: &transaction)
      keepMarks(of: serials.filter { texts[$0.key] == nil }, [:], by: signing, in: &transaction)
    }
    for (version, text) in texts.sorted(by: { $0.key < $1.key }) {
      var mark = AppliedMark(digest: TextDigest(of: text), source: source)
      let present = versions[version]?.applied
      var isMarked = present?.digest == mark.digest && present?.source == source
      if let signing, let serial = serials[version] ?? serial(of: version, by: signing.trust) {
        isMarked =
          isMarked && present?.signature?.serial == serial
          && present.map { signing.trust.accepts($0, of: document, version: version) } ?? false
        mark = mark.signed(by: signing.key, of: document, version: version, serial: serial)
      }
      if !isMarked { transaction.put(document.key(version: version, .applied), mark.json) }
    }
    let all = Set(versions.keys).union(texts.keys).sorted()
    for (version, next) in zip(all, all.dropFirst()) where versions[version]?.successor == nil {
      transaction.put(document.key(version: version, .successor), Array(String(next).utf8))
    }
    return try .joined([transaction])
  }

  /// Removes the document in all its versions.
  ///
  /// Machines that require signatures would keep a document that is gone. One that is signed becomes empty instead.
  func prune(from source: String, signing: Signing?) throws(WriterError) -> FleetTransaction {
    if versions.isEmpty { return FleetTransaction() }
    if versions.values.contains(where: { $0.signature != .absent }) {
      guard signing != nil else { throw .needsKey }
      let empty = versions.keys.map { ($0, Self.emptyText(version: $0)) }
      return try apply(Dictionary(uniqueKeysWithValues: empty), from: source, signing: signing)
    }
    return try remove()
  }

  /// Whether the document is signed and says nothing.
  var isEmptied: Bool {
    versions.allSatisfy { version, stored in
      stored.signature != .absent && stored.text == Self.emptyText(version: version)
    }
  }

  /// The text of a version that says nothing.
  package static func emptyText(version: Int) -> [UInt8] {
    version == 1 ? [] : Array("settings-version = \(version)\n".utf8)
  }
}
