/// Decides about one document of a machine.
struct DecisionMaker {
  let record: MirrorRecord
  let machine: Machine
  let app: InstalledApp
  let versions: [Int: StoredDocument]
  let rollout: Rollout?
  var decision: Decision

  private var document: FleetDocument { decision.document }
  private var limit: Int { app.version ?? .max }

  mutating func decide() -> Decision {
    let readable = versions.newest(upTo: app.version)
    decideBase(readable)
    decideRollout(baseVersion: readable?.version)
    return decision
  }

  // MARK: The document

  private mutating func decideBase(_ readable: (version: Int, stored: StoredDocument)?) {
    // The file that another host's document left is not this host's last text.
    let isForeign =
      record.files[document] == nil
      && record.files.keys.contains { $0.app == document.app && $0 != document && $0.path == document.path }
    decision.isRemoved = isForeign
    guard let (version, stored) = readable else {
      decideMissing()
      return
    }
    decision.version = version
    decision.modRevision = stored.modRevision
    decision.offered.insert(stored.digest)
    let floors = record.floors[document] ?? []
    if machine.requiresSignatures, let gone = floors.map(\.version).filter({ $0 <= limit }).max(), gone > version {
      decision.problem = missing("Version \(gone) of '\(document)'")
      return
    }
    var candidate = Decision.Candidate(
      text: stored.text, digest: stored.digest, version: version, modRevision: stored.modRevision)
    if let problem = problem(withText: stored.text) ?? signatureProblem(of: stored, version, floors, &candidate)
      ?? refusal(of: stored.digest)
    {
      decision.problem = problem
      return
    }
    candidate.isAccepted = stored.digest == decision.taken
    decision.candidates = [candidate]
  }

  private mutating func decideMissing() {
    if let newest = versions.keys.min() {
      decision.version = newest
      decision.modRevision = versions[newest]?.modRevision ?? 0
      decision.problem = FleetProblem(
        .newerVersion,
        "'\(document)' has version \(newest), and the app on this machine reads up to version \(limit). "
          + "Upgrade the app.")
    } else if machine.requiresSignatures, record.floors[document] != nil {
      decision.problem = missing("'\(document)'")
    } else {
      decision.isRemoved = true
    }
  }

  private func missing(_ what: String) -> FleetProblem {
    FleetProblem(
      .missingDocument,
      "\(what) is gone, and this machine requires signatures. The last text stays. To take it away, sign an empty one.")
  }

  private func problem(withText text: [UInt8]) -> FleetProblem? {
    if text.count > FleetNames.longestText {
      return FleetProblem(
        .invalidText, "'\(document)' has \(text.count) bytes. \(FleetNames.longestText) are possible.")
    }
    if text.contains(0) || String(validating: text, as: UTF8.self) == nil {
      return FleetProblem(.invalidText, "'\(document)' is not a text in UTF-8, or has a NUL byte.")
    }
    return nil
  }

  private func refusal(of digest: TextDigest) -> FleetProblem? {
    // A text that is in the file has been taken.
    guard digest != decision.taken else { return nil }
    return record.refusals.first { $0.document == document && $0.digest == digest && $0.app == app.checkStamp }?.problem
  }

  private func signatureProblem(
    of stored: StoredDocument, _ version: Int, _ floors: [MirrorRecord.Floor], _ candidate: inout Decision.Candidate
  ) -> FleetProblem? {
    if let problem = machine.trust.problem(with: stored, of: document, version: version) { return problem }
    guard machine.requiresSignatures, let serial = stored.serial else { return nil }
    for floor in floors where floor.version <= version {
      if serial > floor.serial { continue }
      // The same text again is no step back.
      if serial == floor.serial, version == floor.version, stored.digest == floor.digest { continue }
      return replayed(serial, floor.serial)
    }
    candidate.serial = serial
    return nil
  }

  private func replayed(_ serial: UInt64, _ highest: UInt64) -> FleetProblem {
    FleetProblem(
      .replayed,
      "'\(document)' is signed with the serial \(serial), and this machine has had \(highest): it is an old text. To "
        + "bring it back, sign it again.", serial: highest)
  }

  // MARK: The rollout

  private mutating func decideRollout(baseVersion: Int?) {
    guard let rollout, rollout.scope == document.scope, rollout.isCanary(machine) else { return }
    decision.rollout = Ack.Rollout(id: rollout.id, state: .refused)
    guard rollout.version <= limit, rollout.version >= baseVersion ?? 0 else {
      decision.rollout?.state = .notConcerned
      return
    }
    guard versions[rollout.version]?.modRevision ?? 0 == rollout.baseModRevision else {
      decision.rollout?.state = .superseded
      return
    }
    let text = Array(rollout.text.utf8)
    let digest = TextDigest(of: text)
    decision.offered.insert(digest)
    var candidate = Decision.Candidate(
      text: text, digest: digest, version: rollout.version, modRevision: rollout.baseModRevision, rollout: rollout.id)
    if let problem = problem(withText: text) ?? signatureProblem(of: rollout) ?? refusal(of: digest) {
      decision.rollout?.problem = problem
      return
    }
    candidate.serial = rollout.signature?.serial
    candidate.isAccepted = digest == decision.taken
    decision.rollout?.state = .applied
    decision.candidates.insert(candidate, at: 0)
  }

  private func signatureProblem(of rollout: Rollout) -> FleetProblem? {
    if let problem = machine.trust.problem(with: rollout, of: document) { return problem }
    guard machine.requiresSignatures, let signature = rollout.signature else { return nil }
    for floor in record.floors[document] ?? [] where floor.version <= rollout.version {
      guard signature.serial > floor.serial else { return replayed(signature.serial, floor.serial) }
    }
    if let past = record.rollouts[document] {
      let isSame = past.id == rollout.id && past.serial == signature.serial && !past.isOver
      guard isSame || signature.serial > past.serial else { return replayed(signature.serial, past.serial) }
    }
    return nil
  }
}
