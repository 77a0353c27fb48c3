/// What a mirror does after it has read the cluster.
///
/// A plan is made from values alone. Whoever carries it out goes through these steps, in this order:
///
/// ```swift
/// var plan = MirrorPlan.make(record: record, snapshot: snapshot, machine: machine, files: digests, apps: installed)
/// while let check = plan.nextCheck {
///   plan.settle(check, verdict(on: check))  // settings-cli says whether the app can take the text
/// }
/// try store(plan.record)                    // durable before any file changes; else plan.failAll(problem)
/// for change in plan.changes {
///   // write or remove the file; if that fails: plan.fail(change.document, problem)
/// }
/// stateMachine.offer(plan.acks())
/// ```
///
/// A plan for many apps can be carried out in parts, each in these steps: ``batches(of:)`` and ``part(_:after:)``.
public struct MirrorPlan: Sendable {
  /// A text that has to be checked before it may be written.
  public struct Check: Hashable, Sendable {
    /// The document that it is for.
    public let document: FleetDocument
    /// The text, which is UTF-8 without NUL bytes.
    public let text: [UInt8]
    /// The digest of the text.
    public let digest: TextDigest
    /// The document's version: what the text's own `settings-version` has to be.
    public let version: Int
    /// The rollout that it is from; `nil` if it is the document.
    public let rollout: String?
  }

  /// What a check says.
  public enum Verdict: Hashable, Sendable {
    /// The app can take the text.
    case accepted
    /// The app cannot take the text. That is remembered.
    case refused(FleetProblem)
    /// The check could not be carried out. The text is not written, and checked again with the next plan.
    case unavailable(FleetProblem)
  }

  /// A change of a file.
  public struct Change: Hashable, Sendable {
    /// The document whose file it is, at ``FleetDocument/path``.
    public let document: FleetDocument
    /// The text to write; `nil` to remove the file.
    public let text: [UInt8]?
  }

  /// Why nothing at all is done: the cluster is another one or went back.
  public let problem: FleetProblem?
  /// Whether a range of everything is needed before it can be said what to do: after a range of one app that found a
  /// problem, since an acceptance is not in it.
  public let needsEverything: Bool
  let machine: Machine
  let apps: [String: InstalledApp]
  let revision: Int64
  var base: MirrorRecord
  var decisions: [Decision]
  /// The apps that the machine answers about.
  let answered: [String]

  /// The apps that it is about, in groups: first those for which nothing has to be checked or changed, and then others, so
  /// many at a time, the ones that were changed last before the rest. There is one group at least.
  public func batches(of count: Int) -> [Set<String>] {
    var revisions: [String: Int64] = [:]
    for decision in decisions where decision.hasWork {
      let newest = decision.candidates.map(\.modRevision).max() ?? 0
      revisions[decision.document.app] = max(newest, revisions[decision.document.app] ?? 0)
    }
    var busy = revisions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)[...]
    var batches = [concerned.subtracting(busy)]
    while !busy.isEmpty {
      batches.append(Set(busy.prefix(count)))
      busy = busy.dropFirst(count)
    }
    return batches
  }

  /// The plan for some of its apps. What is done about apps in the meantime does not get lost.
  ///
  /// - Parameter record: What the mirror remembers by now; `nil` if nothing of the plan has been carried out.
  public func part(_ apps: Set<String>, after record: MirrorRecord?) -> MirrorPlan {
    MirrorPlan(
      problem: problem, needsEverything: needsEverything, machine: machine, apps: self.apps, revision: revision,
      base: record ?? base, decisions: decisions.filter { apps.contains($0.document.app) },
      answered: answered.filter(apps.contains))
  }

  /// The apps that it has decisions about, and those whose files it leaves as they are.
  public var concerned: Set<String> { Set(answered).union(decisions.map(\.document.app)) }

  /// The next text to check; `nil` if all are.
  public var nextCheck: Check? {
    for decision in decisions {
      guard let candidate = decision.candidates.first, !candidate.isAccepted else { continue }
      return Check(
        document: decision.document, text: candidate.text, digest: candidate.digest, version: candidate.version,
        rollout: candidate.rollout)
    }
    return nil
  }

  /// Takes what the check of ``nextCheck`` said.
  public mutating func settle(_ check: Check, _ verdict: Verdict) {
    guard let index = decisions.firstIndex(where: { $0.document == check.document }),
      let candidate = decisions[index].candidates.first, candidate.digest == check.digest, !candidate.isAccepted
    else { return }
    switch verdict {
    case .accepted:
      decisions[index].candidates[0].isAccepted = true
    case .refused(let problem):
      let app = (apps[check.document.app] ?? InstalledApp()).checkStamp
      base.refusals.append(
        MirrorRecord.Refusal(document: check.document, digest: check.digest, app: app, problem: problem))
      decisions[index].reject(with: problem, isFinal: true)
    case .unavailable(let problem):
      decisions[index].reject(with: problem, isFinal: false)
    }
  }

  /// The changes of files, in the order of the documents. It is complete when ``nextCheck`` is `nil`.
  public var changes: [Change] {
    decisions.compactMap { decision in
      if let candidate = decision.chosen {
        return candidate.digest == decision.onDisk ? nil : Change(document: decision.document, text: candidate.text)
      }
      return decision.isRemoved && decision.onDisk != nil ? Change(document: decision.document, text: nil) : nil
    }
  }

  /// What the files hold when all changes are made.
  public var expectedFiles: [FleetDocument: TextDigest] {
    var files: [FleetDocument: TextDigest] = [:]
    for decision in decisions {
      if let digest = decision.chosen?.digest ?? (decision.isRemoved ? nil : decision.onDisk) {
        files[decision.document] = digest
      }
    }
    return files
  }

  /// Takes the failure of a change.
  public mutating func fail(_ document: FleetDocument, _ problem: FleetProblem) {
    guard let index = decisions.firstIndex(where: { $0.document == document }) else { return }
    decisions[index].failure = problem
  }

  /// Takes that the record could not be stored, so that nothing may be changed.
  public mutating func failAll(_ problem: FleetProblem) {
    for index in decisions.indices where decisions[index].hasWork { decisions[index].failure = problem }
  }

  /// Whether something has to be tried again although nothing changes in etcd: a check or a change failed for a reason
  /// that is not the text's.
  public var needsRetry: Bool {
    decisions.contains { $0.failure != nil || $0.isUndecided }
  }
}

/// What is done about one document.
struct Decision: Sendable {
  /// A text that may become the file's.
  struct Candidate: Sendable {
    var text: [UInt8]
    var digest: TextDigest
    var version: Int
    var modRevision: Int64
    var serial: UInt64?
    var rollout: String?
    /// Whether no check is needed any more.
    var isAccepted = false
  }

  let document: FleetDocument
  /// The digest of what is in the file; `nil` if there is none.
  var onDisk: TextDigest?
  /// Whether the text in the file has to be checked like a new one.
  var isDoubtful = false
  /// The texts to try, the best first.
  var candidates: [Candidate] = []
  /// Whether the file goes if no candidate is left.
  var isRemoved = false
  /// The version and revision of the document that the machine looked at.
  var version: Int?
  var modRevision: Int64 = 0
  /// The digests of the texts that the cluster offers.
  var offered: Set<TextDigest> = []
  /// Why the document is not taken.
  var problem: FleetProblem?
  /// What came of the rollout.
  var rollout: Ack.Rollout?
  /// Why the file could not be changed.
  var failure: FleetProblem?
  /// Whether a check could not be carried out.
  var isUndecided = false

  /// The text that the file gets.
  var chosen: Candidate? { candidates.first.flatMap { $0.isAccepted ? $0 : nil } }

  /// Whether something has to be checked or changed.
  var hasWork: Bool {
    if let candidate = candidates.first { return !candidate.isAccepted || candidate.digest != onDisk }
    return isRemoved && onDisk != nil
  }

  /// The text that needs no check: it has been taken before.
  var taken: TextDigest? { isDoubtful ? nil : onDisk }

  init(_ document: FleetDocument, onDisk: TextDigest?) {
    self.document = document
    self.onDisk = onDisk
  }

  /// Drops the best candidate.
  mutating func reject(with problem: FleetProblem, isFinal: Bool) {
    let candidate = candidates.removeFirst()
    if !isFinal { isUndecided = true }
    if candidate.rollout != nil {
      rollout?.state = isFinal ? .refused : .pending
      rollout?.problem = problem
    } else {
      self.problem = problem
    }
  }
}

extension InstalledApp {
  /// What a refusal depends on besides the text.
  var checkStamp: String { "\(version.map(String.init) ?? "-")/\(stamp)" }
}
