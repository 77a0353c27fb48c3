extension MirrorPlan {
  /// What the mirror remembers from now on. It is complete when ``nextCheck`` is `nil`, and has to be stored before any
  /// file is changed.
  public var record: MirrorRecord {
    var record = base
    for decision in decisions {
      let document = decision.document
      guard let candidate = decision.chosen else { continue }
      record.files[document] = MirrorRecord.File(
        digest: candidate.digest, version: candidate.version, modRevision: candidate.modRevision,
        serial: candidate.serial, rollout: candidate.rollout)
      guard let serial = candidate.serial, machine.requiresSignatures else { continue }
      if let id = candidate.rollout {
        record.rollouts[document] = MirrorRecord.PastRollout(id: id, serial: serial, isOver: false)
      } else {
        let floor = MirrorRecord.Floor(version: candidate.version, serial: serial, digest: candidate.digest)
        var floors = record.floors[document] ?? []
        floors.removeAll { $0.version == floor.version }
        record.floors[document] = floors + [floor]
      }
    }
    return record
  }

  /// What the machine answers, by app, without a lease: about every app of the snapshot that it mirrors, whether it has
  /// documents for it or not, and about those that are installed. The last one is about the mirror itself.
  ///
  /// - Parameters:
  ///   - checks: The exit statuses of the check commands that have ended, by the id of the rollout.
  ///   - unchecked: Why check commands could not be run.
  public func acks(checks: [String: Int] = [:], unchecked: [String: FleetProblem] = [:]) -> [Ack] {
    var mirror = Ack(
      app: FleetNames.ownApp, machine: machine.id, host: machine.host, groups: machine.groups, revision: 0,
      problem: problem)
    mirror.apps = machine.apps?.sorted()
    return answered.map { app in
      let installed = apps[app] ?? InstalledApp()
      var ack = Ack(
        app: app, machine: machine.id, host: machine.host, groups: machine.groups, release: installed.release,
        appVersion: installed.version, revision: revision, problem: problem)
      for decision in decisions where decision.document.app == app {
        if let document = decision.answer { ack.documents.append(document) }
        if var rollout = decision.rolloutAnswer {
          if rollout.state == .applied {
            (rollout.check, rollout.problem) = (checks[rollout.id], unchecked[rollout.id])
          }
          ack.rollout = rollout
        }
      }
      return ack
    } + [mirror]
  }
}

extension Decision {
  /// What is answered about the document; `nil` if there is nothing to say.
  var answer: Ack.Document? {
    func answer(_ state: Ack.State, _ problem: FleetProblem? = nil) -> Ack.Document {
      Ack.Document(scope: document.scope, version: version, modRevision: modRevision, state: state, problem: problem)
    }
    if let failure { return answer(.pending, failure) }
    guard let chosen else {
      guard let problem else { return nil }
      return answer(isUndecided ? .pending : .refused, problem)
    }
    return answer(chosen.rollout == nil ? .applied : .rollout)
  }

  /// What is answered about the rollout; `nil` if the machine is not one of its canaries.
  var rolloutAnswer: Ack.Rollout? {
    guard var rollout else { return nil }
    if let failure, rollout.state == .applied { (rollout.state, rollout.problem) = (.pending, failure) }
    return rollout
  }
}
