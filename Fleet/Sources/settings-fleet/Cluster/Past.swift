import EtcdClient
import SettingsFleet
import SettingsFleetEtcd

/// The earlier texts of a document, as far back as the cluster has them.
struct Past {
  /// One change.
  struct Entry {
    /// The revision that the change made.
    var revision: Int64
    var version: Int
    /// Who it was; `nil` if the change was not made by this program.
    var change: Change?
    /// The user of etcd who made it, which etcd has proved; `nil` if that is not known.
    var user: String?
    /// The text after it; `nil` if it removed the document.
    var text: [UInt8]?
    /// The text before it; `nil` if there was none.
    var former: [UInt8]?
    /// Whether the change made the document, so that there is no text before it.
    var isFirst: Bool
    /// What the document was after the change, with its signature.
    var stored: StoredDocument?
  }

  let cluster: Cluster
  let document: FleetDocument

  /// The changes of the newest version of the document, newest first.
  ///
  /// etcd keeps each revision until it is compacted. Then the entry that has no known earlier text is the last one.
  ///
  /// - Parameters:
  ///   - since: The revision to begin at, going back; the newest if `nil`.
  ///   - most: At most this many.
  /// - Returns: The changes, and whether older ones have been compacted away.
  func entries(from start: Int64? = nil, limit most: Int) async throws -> (entries: [Entry], isCut: Bool) {
    var entries: [Entry] = []
    var revision = start
    do throws(EtcdError) {
      guard let version = try await newestVersion(at: revision) else { return ([], false) }
      let isProved = try await cluster.client.isAuthenticationEnabled()
      let key = document.key(version: version)
      var item = try await cluster.item(key, at: revision)
      while let present = item, entries.count < most {
        let at = present.modRevision
        let change = try await cluster.item(FleetKey.change(document, version: version).text, at: at)
        entries.append(
          Entry(
            revision: at, version: version,
            change: change.flatMap { $0.modRevision == at ? Change($0.value) : nil },
            user: isProved ? try await cluster.user(of: at) : nil, text: present.value, former: nil,
            isFirst: present.createRevision == at, stored: try await stored(at: at)[version]))
        guard present.createRevision < at else { break }
        revision = at - 1
        item = try await cluster.item(key, at: revision)
        entries[entries.count - 1].former = item?.value
      }
    } catch {
      guard error.code == .compacted else { throw Failure(error) }
      guard !entries.isEmpty else { throw Failure(compacted: start ?? 0) }
      return (entries, true)
    }
    return (entries, false)
  }

  /// The newest text of a version that a trusted key has signed, and its revision; `nil` if the cluster does not have it.
  func lastSigned(version: Int, by trust: Trust) async throws -> (revision: Int64, text: [UInt8])? {
    var revision: Int64?
    do throws(EtcdError) {
      while let stored = try await stored(at: revision)[version] {
        let at = max(stored.modRevision, stored.signatureRevision)
        if trust.problem(with: stored, of: document, version: version) == nil { return (at, stored.text) }
        revision = at - 1
      }
    } catch {
      guard error.code == .compacted else { throw Failure(error) }
    }
    return nil
  }

  /// What the document was after a revision, by version.
  func stored(at revision: Int64?) async throws(EtcdError) -> [Int: StoredDocument] {
    let answer = try await cluster.client.rangeAll(EtcdRange(.prefix(document.keyPrefix), revision: revision))
    return FleetContents(FleetSnapshot(answer, of: document.app)).versions(of: document)
  }

  private func newestVersion(at revision: Int64?) async throws(EtcdError) -> Int? {
    let answer = try await cluster.client.rangeAll(
      EtcdRange(.prefix(document.keyPrefix), revision: revision, keysOnly: true))
    return answer.keyValues.compactMap { item in
      if case .document(document, let version)? = FleetKey(item.key) { version } else { nil }
    }.max()
  }
}
