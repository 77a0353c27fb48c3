extension DocumentWriter {
  /// Signs a rollout of the document, with a serial above all that there are.
  public func signed(_ rollout: Rollout, by signing: Signing) throws(WriterError) -> Rollout {
    rollout.signed(by: signing.key, serial: try nextSerial(signing), app: document.app)
  }

  /// Begins a rollout: its value, if the document is the one that it is based on, and no other one is under way that can
  /// still be published.
  ///
  /// - Parameters:
  ///   - rollout: The rollout, whose scope is the document's.
  ///   - lease: The coordinator's lease.
  public func begin(_ rollout: Rollout, lease: LeaseID) throws(WriterError) -> FleetTransaction {
    let current = try current()
    if let current, rollout.version < current.version { throw .olderText(rollout.version, than: current.version) }
    guard rollout.version <= appVersion ?? .max else { throw .newerVersion(rollout.version) }
    // Otherwise that would be found out when canaries have had the text for hours, and it is to become the document's.
    if rollout.signature == nil { try checkUnsigned([rollout.version] + (current.map { [$0.version] } ?? [])) }
    try Self.check(Array(rollout.text.utf8))
    if documents.rolloutRevision != 0 {
      guard let present = self.rollout, isVoid(present) else { throw .rolloutUnderWay(self.rollout?.id ?? "unknown") }
    }
    guard rollout.scope == document.scope, !isVoid(rollout) else { throw .rolloutVoid }
    var transaction = unchanged(writing: rollout.version)
    transaction.require(key, at: documents.rolloutRevision)
    let json = rollout.json
    guard json.count <= Rollout.mostBytes else { throw .rolloutTooLarge(bytes: json.count) }
    transaction.put(key, json, lease: lease)
    return try .joined([transaction])
  }

  /// Puts a later state of the rollout that is under way in its place: its next step, or in other hands.
  ///
  /// - Parameters:
  ///   - rollout: The rollout as it was.
  ///   - next: The rollout as it becomes.
  ///   - lease: The lease that it goes with from now on.
  public func replace(_ rollout: Rollout, with next: Rollout, lease: LeaseID) throws(WriterError) -> FleetTransaction {
    guard self.rollout == rollout, rollout.id == next.id, rollout.scope == document.scope, !isVoid(next) else {
      throw .rolloutVoid
    }
    guard next.signature != nil || rollout.signature == nil else { throw .needsKey }
    var transaction = unchanged(writing: nil)
    transaction.require(key, at: documents.rolloutRevision)
    transaction.put(key, next.json, lease: lease)
    return try .joined([transaction])
  }

  /// Makes the text of the rollout that is under way the document's, and ends the rollout.
  ///
  /// - Parameters:
  ///   - rollout: The rollout as it was begun. One that somebody else has put in its place is not published, and so not
  ///     signed.
  ///   - signing: The key to sign the document with.
  public func publish(_ rollout: Rollout, signing: Signing? = nil) throws(WriterError) -> FleetTransaction {
    guard self.rollout == rollout, rollout.scope == document.scope, !isVoid(rollout) else { throw .rolloutVoid }
    var transaction = try write(Array(rollout.text.utf8), version: rollout.version, signing: signing)
    if transaction.isEmpty { transaction = unchanged(writing: nil) }
    return try .joined([transaction, cancel()])
  }

  /// Ends the rollout that is under way, whatever it is. Canaries go back to the document.
  public func cancel() -> FleetTransaction {
    var transaction = FleetTransaction()
    transaction.require(key, at: documents.rolloutRevision)
    if documents.rolloutRevision != 0 { transaction.delete(key) }
    return transaction
  }

  private var key: String { FleetKey.rollout(app: document.app).text }

  /// Whether the document of a rollout, which may have another scope, was changed since it began. It is never published.
  package func isVoid(_ rollout: Rollout) -> Bool { documents.isVoid(rollout) }

  /// The rollout of this document, if one is under way. A change of the document ends it.
  package var openRollout: Rollout? { documents.openRollout(of: document.scope) }

  /// Refuses to end a rollout that somebody keeps for later, and whose command is not there to say so.
  func checkPause() throws(WriterError) {
    if let rollout = openRollout, rollout.steps?.isPaused == true { throw .rolloutPaused(by: rollout.coordinator) }
  }
}
