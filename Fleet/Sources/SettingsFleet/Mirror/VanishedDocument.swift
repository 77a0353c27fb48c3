/// A document that a machine has and the cluster does not have any more, although nothing there says that somebody
/// removed it.
///
/// `settings-fleet` leaves the note of the change when it removes a document. For what was removed in another way, the
/// cluster's past says whether it ever had the document: after the restore of a backup it may not.
public struct VanishedDocument: Sendable {
  /// The document.
  public let document: FleetDocument
  /// The key of the version that the machine has.
  public let key: String
  /// A revision of which the machine knows that the cluster had the text, or a newer one.
  public let revision: Int64
  let file: MirrorRecord.File

  /// Whether the document was removed from this cluster.
  ///
  /// - Parameter past: What the key was at the revision; `nil` if it did not exist, or that is no longer known.
  public func isRemoved(past: FleetItem?) -> Bool {
    past.map { file.isFollowed(by: $0.modRevision, TextDigest(of: $0.value)) } ?? false
  }
}

extension MirrorRecord {
  /// The documents that have vanished, in order. Without an answer about each, a plan for the snapshot changes nothing.
  ///
  /// What a machine keeps because it requires signatures is not among them. Of a cluster that went back there are none: it
  /// does not have the revisions by which one would ask, and a plan for it changes nothing anyway.
  public func vanished(in snapshot: FleetSnapshot, for machine: Machine) -> [VanishedDocument] {
    let expected = files.filter { document, file in
      file.modRevision > 0 && machine.mirrors(document.app) && machine.isIn(document.scope)
        && (snapshot.app == nil || snapshot.app == document.app)
        && !(machine.requiresSignatures && floors[document] != nil)
    }
    guard hold == nil, snapshot.cluster == cluster, snapshot.revision >= revision, !expected.isEmpty else { return [] }
    let keys = Set(snapshot.items.lazy.map(\.key))
    let gone = expected.filter { !keys.contains(Array($0.key(version: $1.version).utf8)) }
    guard !gone.isEmpty else { return [] }
    var newest: [FleetDocument: Int64] = [:]
    for item in snapshot.items {
      guard let document = FleetKey(item.key)?.document else { continue }
      newest[document] = max(newest[document] ?? 0, item.modRevision)
    }
    return gone.sorted { $0.key < $1.key }.compactMap { document, file in
      // The note of a removal, or another version.
      if let revision = newest[document], revision > file.modRevision { return nil }
      return VanishedDocument(
        document: document, key: document.key(version: file.version),
        revision: max(file.modRevision, wholeRevision ?? 0), file: file)
    }
  }
}

extension MirrorRecord.File {
  /// Whether the document's text at a revision is this one or one that came after it. If not, it is from another past
  /// than the one in which this file was written.
  func isFollowed(by revision: Int64, _ digest: @autoclosure () -> TextDigest) -> Bool {
    // A rollout's text is based on that of the revision, and not the same.
    revision > modRevision || (revision == modRevision && (rollout != nil || digest() == self.digest))
  }
}
