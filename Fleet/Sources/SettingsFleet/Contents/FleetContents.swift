/// What the cluster has about one app.
public struct AppDocuments: Hashable, Sendable {
  /// Each document's versions.
  public internal(set) var documents: [DocumentScope: [Int: StoredDocument]] = [:]
  /// The rollout that is under way.
  public internal(set) var rollout: Rollout?
  /// The revision at which the rollout was last written; 0 if there is none.
  public internal(set) var rolloutRevision: Int64 = 0

  /// No documents.
  public init() {}

  /// The newest version of a document that may be read, and what it is; `nil` if there is none.
  ///
  /// - Parameter newest: The highest version that may be read; `nil` for any.
  public func readable(_ scope: DocumentScope, upTo newest: Int?) -> (version: Int, stored: StoredDocument)? {
    documents[scope]?.newest(upTo: newest)
  }

  /// Whether the document of a rollout was changed since it began. It is never published.
  func isVoid(_ rollout: Rollout) -> Bool {
    documents[rollout.scope]?[rollout.version]?.modRevision ?? 0 != rollout.baseModRevision
  }

  /// The rollout of a document, if one is under way. A change of the document ends it.
  package func openRollout(of scope: DocumentScope) -> Rollout? {
    rollout.flatMap { $0.scope == scope && !isVoid($0) ? $0 : nil }
  }
}

extension [Int: StoredDocument] {
  /// The newest version that may be read.
  func newest(upTo limit: Int?) -> (version: Int, stored: StoredDocument)? {
    filter { $0.key <= limit ?? .max }.max { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// A snapshot, read: documents by app and scope.
public struct FleetContents: Hashable, Sendable {
  /// What there is about each app.
  public private(set) var apps: [String: AppDocuments] = [:]
  /// An operator's acceptance, if there is one and it can be read.
  public private(set) var acceptance: Acceptance?

  /// Reads a snapshot. A key whose form is not ours, or whose value cannot be read, is treated as missing, apart
  /// from a signature, which is reported where it is needed.
  ///
  /// - Parameters:
  ///   - snapshot: The answer to a range.
  ///   - machine: Whose documents to read: those of other machines are left out. `nil` reads all of them.
  public init(_ snapshot: FleetSnapshot, for machine: Machine? = nil) {
    var parts: [FleetDocument: [Int: [FleetKey.Part: FleetItem]]] = [:]
    for item in snapshot.items {
      guard let key = FleetKey(item.key), snapshot.app == nil || key.app == snapshot.app,
        machine?.isConcerned(by: key) ?? true
      else { continue }
      switch key {
      case .part(let part, let document, let version):
        parts[document, default: [:]][version, default: [:]][part] = item
      case .rollout(let app):
        apps[app, default: AppDocuments()].rollout = Rollout(item.value)
        apps[app, default: AppDocuments()].rolloutRevision = item.modRevision
      case .accept: acceptance = FleetJSON.decode(Acceptance.self, from: item.value)
      case .ack: break
      }
    }
    for (document, versions) in parts {
      for (version, part) in versions {
        // A signature or a successor without a document says nothing.
        guard let stored = Self.stored(part) else { continue }
        apps[document.app, default: AppDocuments()].documents[document.scope, default: [:]][version] = stored
      }
    }
  }

  /// The versions of a document.
  public func versions(of document: FleetDocument) -> [Int: StoredDocument] {
    apps[document.app]?.documents[document.scope] ?? [:]
  }

  private static func stored(_ parts: [FleetKey.Part: FleetItem]) -> StoredDocument? {
    guard let text = parts[.text] else { return nil }
    let signature = parts[.signature].map { item -> StoredDocument.Signature in
      DocumentSignature(json: item.value).map { .present($0) } ?? .unreadable
    }
    let next = parts[.successor].flatMap { item in
      item.value.count <= FleetJSON.mostSmallValue
        ? FleetKey.number(String(decoding: item.value, as: UTF8.self)) : nil
    }
    return StoredDocument(
      text: text.value, digest: TextDigest(of: text.value), modRevision: text.modRevision,
      signature: signature ?? .absent, signatureRevision: parts[.signature]?.modRevision ?? 0, successor: next,
      successorRevision: parts[.successor]?.modRevision ?? 0,
      applied: parts[.applied].flatMap { AppliedMark(json: $0.value) })
  }
}
