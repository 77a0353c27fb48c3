extension MirrorPlan {
  /// Decides what a machine does about a snapshot.
  ///
  /// - A cluster that is not the record's, a revision below the record's, a document whose text changed without its
  ///   revision growing, or a ``VanishedDocument`` (a backup that was restored) leaves everything as it is, until an
  ///   ``Acceptance`` of this cluster that was not used before. Nothing else ends that: it is part of the record.
  /// - Of a document's versions the machine takes the highest that its app reads. If there are only newer ones, the last
  ///   text stays.
  /// - A canary takes the rollout's text, and the document's again as soon as the rollout is gone, void or refused.
  /// - A document that is gone leaves no file, nor does one of a group that the machine has left. A machine that requires
  ///   signatures keeps the text and reports it, as it does with a version that is gone: only who signs may take a text
  ///   away, by an empty one.
  /// - A text that the check refused is not tried again until the text, or the app's version or stamp, is another.
  /// - A file that is not as it should be is written again.
  ///
  /// - Parameters:
  ///   - record: What the mirror remembers.
  ///   - snapshot: What the cluster has: everything, or one app's keys. Files of other apps are left alone then.
  ///   - removed: Of the documents that have vanished, those that were removed: ``VanishedDocument/isRemoved(past:)``.
  ///   - machine: The machine.
  ///   - files: The digest of each file that is there, by the document that its path stands for; see
  ///     ``DocumentScope/init(fileName:host:)``.
  ///   - doubtful: The documents whose files have to be checked like new texts, since what they needed may be gone: the
  ///     keys for their sealed values.
  ///   - apps: The apps that are installed. Others count as if they had no schema.
  public static func make(
    record: MirrorRecord, snapshot: FleetSnapshot, removed: Set<FleetDocument> = [], machine: Machine,
    files: [FleetDocument: TextDigest], doubtful: Set<FleetDocument> = [], apps: [String: InstalledApp]
  ) -> MirrorPlan {
    let contents = FleetContents(snapshot, for: machine)
    var base = record
    let vanished = record.vanished(in: snapshot, for: machine).map(\.document).filter { !removed.contains($0) }
    let problem = base.follow(snapshot, contents, without: vanished.first)
    // What it was there is of the past.
    if problem == nil { for document in removed { base.files[document]?.modRevision = 0 } }
    let everyApp = Set(contents.apps.keys).union(record.files.keys.map(\.app)).union(apps.keys).filter(machine.mirrors)
    let answered = everyApp.filter { FleetNames.isApp($0) && (snapshot.app == nil || snapshot.app == $0) }.sorted()
    if let problem {
      return MirrorPlan(
        problem: problem, needsEverything: snapshot.app != nil, machine: machine, apps: apps,
        revision: record.revision, base: base, decisions: [], answered: answered)
    }
    var decisions: [Decision] = []
    for app in answered {
      base.endRollouts(of: app, except: contents.apps[app]?.rollout?.id)
      for scope in machine.scopes {
        let document = FleetDocument(valid: app, scope)
        var decision = Decision(document, onDisk: files[document])
        decision.isDoubtful = doubtful.contains(document)
        var maker = DecisionMaker(
          record: base, machine: machine, app: apps[app] ?? InstalledApp(), versions: contents.versions(of: document),
          rollout: contents.apps[app]?.rollout, decision: decision)
        decisions.append(maker.decide())
      }
    }
    // What is of no interest to this machine any more.
    let known = Set(decisions.map(\.document))
    for document in files.keys.sorted() where !known.contains(document) {
      guard snapshot.app == nil || document.app == snapshot.app else { continue }
      var decision = Decision(document, onDisk: files[document])
      decision.isRemoved = true
      decisions.append(decision)
    }
    base.forget(decisions, apps: apps, app: snapshot.app)
    return MirrorPlan(
      problem: nil, needsEverything: false, machine: machine, apps: apps,
      revision: snapshot.revision, base: base, decisions: decisions, answered: answered)
  }
}

extension MirrorRecord {
  /// Takes over the snapshot's cluster and revision.
  ///
  /// - Parameter vanished: A document that has vanished and was not removed.
  /// - Returns: Why the snapshot must not be followed. The record is as before then, and has that as its ``hold``.
  mutating func follow(
    _ snapshot: FleetSnapshot, _ contents: FleetContents, without vanished: FleetDocument?
  ) -> FleetProblem? {
    if let problem = hold ?? problem(with: snapshot, contents, without: vanished) {
      guard let acceptance = contents.acceptance, acceptance.cluster == snapshot.cluster,
        FleetNames.isName(acceptance.id), !usedAcceptances.contains(acceptance.id)
      else {
        hold = problem
        return problem
      }
      hold = nil
      // Revisions of the other history say nothing about this one.
      for document in files.keys { files[document]?.modRevision = 0 }
    }
    if let acceptance = contents.acceptance { use(acceptance) }
    cluster = snapshot.cluster
    revision = snapshot.revision
    if snapshot.app == nil { wholeRevision = revision }
    return nil
  }

  private func problem(
    with snapshot: FleetSnapshot, _ contents: FleetContents, without vanished: FleetDocument?
  ) -> FleetProblem? {
    let advice = "Nothing is changed on this machine. If the cluster is right, run 'settings-fleet accept'."
    guard let cluster else { return nil }
    if snapshot.cluster != cluster {
      return FleetProblem(
        .otherCluster, "The cluster has the id \(snapshot.cluster), and this machine follows \(cluster). \(advice)")
    }
    if snapshot.revision < revision {
      return FleetProblem(
        .revisionWentBack,
        "The cluster is at revision \(snapshot.revision), and this machine has seen \(revision). \(advice)")
    }
    for (document, file) in files where file.modRevision > 0 {
      guard let stored = contents.versions(of: document)[file.version],
        !file.isFollowed(by: stored.modRevision, stored.digest)
      else { continue }
      return FleetProblem(
        .revisionWentBack,
        "'\(document)' is at revision \(stored.modRevision), and this machine has seen another text of revision "
          + "\(file.modRevision). \(advice)")
    }
    if let vanished {
      return FleetProblem(
        .revisionWentBack,
        "'\(vanished)' is gone, and nothing in the cluster says that somebody removed it. \(advice)")
    }
    return nil
  }

  /// Notes that an app's signed rollouts, apart from one, are over.
  mutating func endRollouts(of app: String, except id: String?) {
    for (document, rollout) in rollouts where document.app == app && rollout.id != id {
      rollouts[document]?.isOver = true
    }
  }

  /// Drops what the decisions show to be of no interest any more: entries without a file, refusals of texts that are no
  /// longer offered.
  mutating func forget(_ decisions: [Decision], apps: [String: InstalledApp], app: String?) {
    let decided = Dictionary(uniqueKeysWithValues: decisions.map { ($0.document, $0) })
    for document in files.keys where app == nil || document.app == app {
      // The file of another host is at this host's path: the entry says so until there is one for this host.
      if decided[document] == nil,
        decisions.contains(where: {
          $0.document.path == document.path && $0.onDisk != nil && files[$0.document] == nil
        })
      {
        continue
      }
      if decided[document].map({ $0.isRemoved && $0.candidates.isEmpty }) ?? true { files[document] = nil }
    }
    refusals.removeAll { refusal in
      guard app == nil || refusal.document.app == app else { return false }
      guard let decision = decided[refusal.document] else { return true }
      return !decision.offered.contains(refusal.digest)
        || refusal.app != (apps[refusal.document.app] ?? InstalledApp()).checkStamp
    }
  }
}
