import AppSettingsSchema
import EtcdClient
import SettingsFleet
import SettingsFleetEtcd
import SettingsTools

/// The cluster, as the verbs use it.
struct Cluster: Sendable {
  let client: EtcdClient
  /// The user of etcd, if the settings or the certificate name one.
  var user: String?
  /// etcd's default of '--max-txn-ops', for the comparisons and for the changes.
  static let mostOperations = 128
  /// How many machines are asked whether they have had a newer text.
  private static let mostAnswers = 200

  /// What the cluster has about an app, or about all of them, newest or at a revision.
  ///
  /// - Throws: `EtcdError` if the cluster does not answer, ``Failure`` if the revision cannot be read.
  func snapshot(of app: String?, at revision: Int64? = nil) async throws -> FleetSnapshot {
    let prefix = app.map(FleetNames.prefix(ofApp:)) ?? FleetNames.prefix
    do {
      let answer = try await client.rangeAll(EtcdRange(.prefix(prefix), revision: revision))
      return FleetSnapshot(answer, of: app, at: revision)
    } catch {
      guard let revision else { throw error }
      throw Failure(error, at: revision)
    }
  }

  /// What the cluster has about some apps, or about all if none is named, at one revision.
  func snapshot(of apps: some Collection<String>, at revision: Int64? = nil) async throws -> FleetSnapshot {
    guard let first = apps.first else { return try await snapshot(of: nil, at: revision) }
    let part = try await snapshot(of: first, at: revision)
    var items = part.items
    for app in apps.dropFirst() { items += try await snapshot(of: app, at: part.revision).items }
    return FleetSnapshot(cluster: part.cluster, revision: part.revision, items: items)
  }

  /// The documents of an app.
  func documents(of app: String, at revision: Int64? = nil) async throws -> AppDocuments {
    FleetContents(try await snapshot(of: app, at: revision)).apps[app] ?? AppDocuments()
  }

  /// The app of the fleet that was probably meant by one that it does not have; `nil` if none is like it, or if this user
  /// may not see which there are. One that differs in its digits was not meant.
  func app(near app: String) async -> String? {
    func letters(_ name: String) -> String { name.filter { !$0.isNumber } }
    let keys = try? await client.rangeAll(EtcdRange(.prefix(FleetNames.prefix), keysOnly: true)).keyValues
    let apps = Set((keys ?? []).compactMap { FleetKey($0.key)?.app }).filter { letters($0) != letters(app) }
    return Suggestion.app(nearest: app, among: apps.sorted())
  }

  /// The value of a key and its revision; `nil` if it does not exist.
  func item(_ key: String, at revision: Int64? = nil) async throws(EtcdError) -> EtcdKeyValue? {
    try await client.range(EtcdRange(.key(key), revision: revision)).keyValues.first
  }

  /// How many machines answer about the app that most answer about; `nil` if the cluster does not say.
  func machines(of apps: Set<String>) async -> Int? {
    var counts: [Int] = []
    for app in apps {
      let answers = EtcdRange(.prefix(FleetNames.acksPrefix(ofApp: app)), countOnly: true, isSerializable: true)
      guard let answer = try? await client.range(answers) else { return nil }
      counts.append(answer.count)
    }
    return counts.max()
  }

  /// The host of a machine that refuses a signed text, because it has had a newer one, and the serials that machines have
  /// had; `nil` if none says so.
  ///
  /// - Parameter modRevision: The revision of the text.
  func host(
    refusingAsOld document: FleetDocument, at modRevision: Int64
  ) async -> (host: String, serials: [UInt64])? {
    // Those of all machines of a large fleet would take longer than an edit.
    let answers = EtcdRange(
      .prefix(FleetNames.acksPrefix(ofApp: document.app)), limit: Self.mostAnswers, isSerializable: true)
    let found = (try? await client.range(answers))?.keyValues ?? []
    let refusals = found.map(FleetItem.init).compactMap { Ack($0) }.flatMap { ack in
      ack.documents.compactMap { answer -> (host: String, serial: UInt64?)? in
        answer.scope == document.scope && answer.modRevision == modRevision && answer.problem?.kind == .replayed
          ? (ack.host, answer.problem?.serial) : nil
      }
    }
    return refusals.first.map { ($0.host, refusals.compactMap(\.serial)) }
  }

  /// Carries out a transaction, and notes beside it who made it.
  ///
  /// - Parameters:
  ///   - change: Who it is.
  ///   - keys: Where to note that: at least one key, and one for each document.
  /// - Returns: The revision; `nil` if a comparison failed, because somebody else was first.
  /// - Throws: ``Failure`` if it is larger than etcd takes, or if its outcome is unknown.
  func commit(_ transaction: FleetTransaction, _ change: Change, at keys: [String]) async throws -> Int64? {
    var transaction = EtcdTransaction(transaction)
    for key in keys { transaction.success.append(.put(key, change.json)) }
    let plain = transaction
    // No other user may write it, and it has the revision of what is written with it.
    var hand = user
    if hand != nil, (try? await client.isAuthenticationEnabled()) != true { hand = nil }
    if let hand { transaction.success.append(.put(FleetNames.handsPrefix + hand, "")) }
    try Self.checkOperations(max(transaction.success.count, transaction.compares.count))
    let noted = keys[0]
    do {
      let answer: EtcdTransactionResponse
      do {
        answer = try await client.transaction(transaction)
      } catch let error where hand != nil && [.permissionDenied, .notAuthenticated].contains(error.code) {
        // A user from before there were such keys. Without the right, nothing was written.
        answer = try await client.transaction(plain)
      }
      if answer.succeeded { return answer.header.revision }
      // The first try may have been carried out although its answer was lost.
      let found = try await item(noted)
      return found.flatMap { Change($0.value)?.id == change.id ? $0.modRevision : nil }
    } catch let error where error.mayHaveHappened {
      // The change's id says whether it was this one: nobody else writes it. If it is still on its way, a second try
      // loses against it, or it against the second try.
      let found = try await settled(noted)
      if let found, Change(found.value)?.id == change.id { return found.modRevision }
      // The next try would be refused, too.
      if error.code == .noSpace { throw Failure(error) }
      return nil
    } catch {
      throw Failure(error)
    }
  }

  /// The user of etcd who made a revision; `nil` if that is not known. It is proved only if authentication is enabled.
  ///
  /// - Parameter later: The revision at which that is read, or a later one; the newest if `nil`.
  func user(of revision: Int64, at later: Int64?) async throws(EtcdError) -> String? {
    do throws(EtcdError) {
      let hands = try await client.rangeAll(EtcdRange(.prefix(FleetNames.handsPrefix), revision: later))
      return hands.keyValues.first { $0.modRevision == revision }
        .map { String(decoding: $0.key.dropFirst(FleetNames.handsPrefix.utf8.count), as: UTF8.self) }
        .map { FleetProblem.shown($0, most: 300) }
    } catch {
      if [.permissionDenied, .notAuthenticated].contains(error.code) { return nil }
      throw error
    }
  }

  /// Refuses more comparisons, or changes, than a transaction can have.
  static func checkOperations(_ count: Int) throws {
    guard count <= mostOperations else {
      throw Failure(
        .invalidValue,
        "Cannot store so many documents at once: they need \(count) operations or more, and etcd takes \(mostOperations) "
          + "in a transaction. Nothing was written. Change fewer at a time.")
    }
  }

  /// A key's value after an election, which takes a second or two.
  private func settled(_ key: String) async throws -> EtcdKeyValue? {
    var pause = Duration.milliseconds(100)
    let end = ContinuousClock.now + .seconds(10)
    while true {
      do {
        return try await item(key)
      } catch {
        guard error.isRetryable, ContinuousClock.now + pause < end else { throw Failure(error) }
      }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(1))
    }
  }
}
