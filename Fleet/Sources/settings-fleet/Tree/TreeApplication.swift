import SettingsFleet
import SettingsTools

/// Makes the fleet's documents those of a directory.
struct TreeApplication: Sendable {
  let context: Context
  let tree: [FleetDocument: [Int: [UInt8]]]
  var options: ApplyPlan.Options
  /// Whether a text may be signed that was changed after a trusted key has signed it.
  var acceptsUnsigned = false
  private static let mostAttempts = 20

  init(_ tree: [FleetDocument: [Int: [UInt8]]], source: String, in context: Context) throws {
    (self.tree, self.context) = (tree, context)
    options = ApplyPlan.Options(source: source)
    options.trust = try context.settings.trust()
  }

  /// What there is to do, checked as machines will check it.
  func plan() async throws -> CheckedPlan {
    var options = options
    options.signing = try context.signing()
    let command = try context.command()
    let apps = Set(tree.keys.map(\.app)).sorted()
    var checks: [String: DocumentCheck] = [:]
    // Their directories go with them.
    var workspaces: [Workspace] = []
    for app in apps {
      let workspace = try Workspace(app: app, command: command, environment: context.environment)
      options.appVersions[app] = try workspace.newestVersion()
      checks[app] = DocumentCheck(environment: context.environment, staging: workspace.scratchFile("check"))
      workspaces.append(workspace)
    }
    // What is to be removed may be of any app.
    let snapshot = try await context.cluster.snapshot(of: options.prunes ? [] : apps)
    var plan = CheckedPlan(plan: ApplyPlan(of: tree, in: snapshot, options))
    for step in plan.plan.steps {
      let app = step.document.app
      do {
        if plan.schemas[app] == nil { plan.schemas[app] = try context.schema(of: app) }
      } catch {
        // What is removed is not checked, and its app may have gone, too.
        guard step.action == .remove else { throw error }
      }
      for text in step.texts.reversed() {
        guard let after = text.after, let check = checks[app],
          let problem = try check.problem(
            of: after, for: step.document,
            warning: { if text.version == step.version { plan.unknown.append("'\(step.document)': \($0)") } })
        else { continue }
        plan.refused.append((step.document, "machines would refuse it: \(problem.summary)"))
      }
    }
    withExtendedLifetime(workspaces) {}
    plan.acceptsUnsigned = acceptsUnsigned
    let contents = FleetContents(snapshot)
    var items: [[UInt8]: FleetItem] = [:]
    if !plan.plan.conflicts.isEmpty { for item in snapshot.items { items[item.key] = item } }
    for (document, _) in plan.plan.conflicts {
      plan.lastChanges[document] = Self.lastChange(of: document, contents.versions(of: document), items)
      guard let (version, stored) = contents.apps[document.app]?.readable(document.scope, upTo: nil) else { continue }
      plan.untrusted[document] = options.trust.problem(with: stored, of: document, version: version)?.message
    }
    if options.signing != nil { try await addDoubts(to: &plan, contents) }
    plan.replacedKeys = replacedKeys(plan.plan.steps, contents)
    plan.notes = plan.plan.steps.filter { !$0.texts.isEmpty }.compactMap { step in
      contents.apps[step.document.app]?.openRollout(of: step.document.scope)?.noteOfEnd(of: step.document)
    }
    return plan
  }

  /// The keys that are not trusted here and have signed what is signed again, with the documents.
  private func replacedKeys(_ steps: [ApplyPlan.Step], _ contents: FleetContents) -> [String: [FleetDocument]] {
    var documents: [String: [FleetDocument]] = [:]
    for step in steps {
      let versions = contents.versions(of: step.document)
      let keys = step.transaction.puts.compactMap { put -> String? in
        guard case .part(.signature, _, let version)? = FleetKey(put.key),
          case .present(let signature)? = versions[version]?.signature,
          !options.trust.keys.contains(where: { $0.id == signature.key })
        else { return nil }
        return signature.key
      }
      for key in Set(keys) { documents[key, default: []].append(step.document) }
    }
    return documents
  }

  /// Finds what would be signed although it is not only what a trusted key has signed, and the directory has changed.
  private func addDoubts(to plan: inout CheckedPlan, _ contents: FleetContents) async throws {
    for document in plan.plan.steps.map(\.document) {
      let (texts, present) = (tree[document] ?? [:], contents.apps[document.app])
      for version in texts.keys.sorted(by: >) {
        let doubt = try await TreeDoubt(
          of: document, texts, version: version, present: present, trust: options.trust, in: context)
        if let doubt { plan.doubts[document, default: []].append(doubt) }
      }
    }
  }

  /// Which change of a document's texts was the last one, and who made it.
  ///
  /// - Parameter items: What the cluster has, by key.
  private static func lastChange(
    of document: FleetDocument, _ versions: [Int: StoredDocument], _ items: [[UInt8]: FleetItem]
  ) -> String {
    let revision = versions.values.map(\.modRevision).max() ?? 0
    let notes = versions.keys.compactMap { items[Array(document.key(version: $0, .change).utf8)] }
    guard let change = notes.first(where: { $0.modRevision == revision }).flatMap({ Change($0.value) }) else {
      return "revision \(revision), by unknown"
    }
    return "revision \(revision), \(change.reason) by \(change.by) at \(change.time)"
  }

  /// Stores what the directory has. If a document is changed meanwhile, a new plan is made.
  ///
  /// - Parameters:
  ///   - announce: Called with each plan before it is carried out.
  ///   - stored: Called with the revision of each transaction and the number of its documents.
  /// - Throws: ``Failure``. Transactions that were announced as stored stay.
  func run(announce: (CheckedPlan) throws -> Void, stored: (Int64, Int) -> Void) async throws {
    var count = 0
    for _ in 0..<Self.mostAttempts {
      var plan = try await plan()
      plan.storedBefore = count
      try announce(plan)
      guard
        try await !store(
          plan,
          {
            stored($0, $1)
            count += $1
          })
      else { return }
      Output.error("A document was changed meanwhile. What is left to do:")
    }
    throw Failure(.changed, "Others changed the documents \(Self.mostAttempts) times meanwhile. Try again later.")
  }

  /// - Returns: `false` if a document was changed meanwhile.
  private func store(_ plan: CheckedPlan, _ stored: (Int64, Int) -> Void) async throws -> Bool {
    for batch in plan.batches {
      var change = Change(
        by: context.author, because: "apply",
        machines: await context.cluster.machines(of: Set(batch.map(\.document.app))))
      if batch.contains(where: { plan.doubts[$0.document] != nil }) { change.acceptedUnsigned = true }
      let transaction: FleetTransaction
      do throws(WriterError) {
        transaction = try .joined(batch.map(\.transaction))
      } catch {
        throw Failure(error, about: batch[0].document)
      }
      let notes = batch.map { $0.document.key(version: $0.version, .change) }
      guard let revision = try await context.cluster.commit(transaction, change, at: notes) else { return false }
      stored(revision, batch.count)
    }
    return true
  }
}

/// A plan, and what machines would say to it.
struct CheckedPlan: Sendable {
  let plan: ApplyPlan
  /// What the apps' schemas say is a secret.
  fileprivate(set) var schemas: [String: SchemaLookup] = [:]
  /// What machines would refuse, and why.
  var refused: [(document: FleetDocument, reason: String)] = []
  /// What would be signed, and has values that somebody without a trusted key has stored.
  fileprivate(set) var doubts: [FleetDocument: [TreeDoubt]] = [:]
  /// Who has changed by hand what is in conflict.
  fileprivate(set) var lastChanges: [FleetDocument: String] = [:]
  /// What was changed by hand and not signed by a trusted key, and why.
  fileprivate(set) var untrusted: [FleetDocument: String] = [:]
  /// What is signed again, by the keys that have signed it and are not trusted here.
  fileprivate(set) var replacedKeys: [String: [FleetDocument]] = [:]
  /// What the apps do not have, by its place in what changes.
  fileprivate(set) var unknown: [String] = []
  /// The rollouts that end.
  fileprivate(set) var notes: [String] = []
  fileprivate var acceptsUnsigned = false
  /// How many documents were stored by the plan before this one, until another change made a new plan necessary.
  var storedBefore = 0

  /// One operation is for the key that proves whose transaction it is.
  var batches: [[ApplyPlan.Step]] { plan.batches(mostOperations: Cluster.mostOperations - 1) }

  /// Fails if an operator has to decide or repair something first.
  func check() throws {
    var problems = plan.conflicts.map { "  '\($0.document)' \(why($0))\n" }
    if !problems.isEmpty {
      throw Failure(
        .changed,
        "Changed by hand, and different in the directory:\n" + problems.joined()
          + (untrusted.isEmpty ? "" : "Check what is not signed before you take it into the directory.\n")
          + "Take these texts into the directory with 'settings-fleet export --tree', or repeat the command with "
          + "'--take ours' to store the directory's, or with '--take theirs' to leave them. \(outcome)")
    }
    if !doubts.isEmpty, !acceptsUnsigned {
      throw Failure(
        .notWritable,
        "The directory has values that somebody without a trusted key has stored:\n"
          + doubts.sorted { $0.key < $1.key }.map { "  \($0.value[0].problem.message)\n" }.joined()
          + "Take that back with 'settings-fleet undo' and in the directory, or repeat the command with --accept-unsigned "
          + "if all of it is right. \(outcome)")
    }
    problems = refused.map { "  '\($0.document)': \($0.reason)\n" }
    let failures = plan.refusals.map { Failure($0.error, about: $0.document) }
    problems += failures.map { "  \($0)\n" }
    guard !problems.isEmpty else { return }
    throw Failure(
      status: failures.first?.status ?? ToolError.Status.invalidValue.rawValue,
      message: "Cannot apply the directory:\n" + problems.joined() + outcome)
  }

  /// What an operator should know of what is done.
  var warnings: [String] {
    let keys = replacedKeys.sorted { $0.key < $1.key }.map { key, documents in
      let what =
        documents.count == 1
        ? "'\(documents[0])' is" : "\(documents.count) documents, such as '\(documents[0])', are"
      return "warning: \(what) signed with the key \(key), which is not trusted here. If it is another operator's, "
        + "have each other's keys in 'trusted-keys': until then each 'apply' replaces the other one's signatures."
    }
    return unknown.map { "warning: \($0)" } + keys + notes
  }

  private var outcome: String {
    switch storedBefore {
    case 0: "Nothing was written."
    case 1: "1 document was stored before that, and nothing else."
    default: "\(storedBefore) documents were stored before that, and nothing else."
    }
  }

  private func why(_ conflict: (document: FleetDocument, conflict: DocumentWriter.Provenance)) -> String {
    let who = (lastChanges[conflict.document] ?? "") + (untrusted[conflict.document].map { ". \($0.dropLast())" } ?? "")
    switch conflict.conflict {
    case .edited: return "was changed after it was applied: \(who)."
    case .foreign, .absent, .applied: return "was not made by 'apply': \(who)."
    case .other(let source): return "comes from the directory '\(source)': \(who)."
    }
  }

  /// The lines for people: what happens to each document, and which values change.
  var text: String {
    var lines: [String] = []
    for step in plan.steps {
      lines.append("\(step.action.sign) \(step.document)\(step.action.remark)")
      let doubts = doubts[step.document] ?? []
      lines += doubts.flatMap(\.lines).map { "    \($0)" }
      for text in step.texts where !doubts.contains(where: { $0.version == text.version && $0.signed != nil }) {
        if step.texts.count > 1 { lines.append("  version \(text.version):") }
        lines += difference(text, of: step.document).map { "    \($0)" }
      }
    }
    lines += plan.left.map { "! \($0): left as it was changed by hand" }
    let counts = ApplyPlan.Action.allCases.compactMap { action -> String? in
      let count = plan.steps.count { $0.action == action }
      return count == 0 ? nil : "\(count) to \(action.rawValue)"
    }
    let transactions = batches.count
    lines.append(
      (counts + ["\(plan.unchanged) unchanged"]).joined(separator: ", ")
        + (transactions > 1 ? ". They do not fit into one transaction: \(transactions), one after the other" : ""))
    return lines.joined(separator: "\n")
  }

  private func difference(_ text: ApplyPlan.TextChange, of document: FleetDocument) -> [String] {
    guard schemas[document.app] != nil else { return ["the values are not shown: the app's schema cannot be used"] }
    guard let values = changes(text, of: document) else { return ["the text does not parse"] }
    return values.isEmpty && text.before != nil && text.after != nil
      ? ["comments or spacing alone"] : values.map(\.line)
  }

  /// The values that differ, without secrets; `nil` if a text does not parse. Where there is doubt, they differ from those
  /// that were signed.
  private func changes(_ text: ApplyPlan.TextChange, of document: FleetDocument) -> [ShownChange]? {
    let signed = doubts[document]?.first { $0.version == text.version }?.signed
    let before = signed ?? text.before ?? []
    return schemas[document.app].flatMap { ShownChange.all(from: before, to: text.after ?? [], $0) }
  }

  /// The plan for programs.
  var json: String {
    struct Document: Encodable {
      var document: FleetDocument
      var action: ApplyPlan.Action
      var changes: [LogEntry.Value]?
    }
    struct Plan: Encodable {
      var documents: [Document]
      var conflicts: [FleetDocument]
      var doubtful: [FleetDocument]
      var refused: [FleetDocument]
      var left: [FleetDocument]
      var unchanged: Int
      var transactions: Int
    }
    let documents = plan.steps.map { step in
      Document(
        document: step.document, action: step.action,
        changes: step.texts.first.flatMap { changes($0, of: step.document) }?.map(LogEntry.Value.init))
    }
    return FleetJSON.text(
      of: Plan(
        documents: documents, conflicts: plan.conflicts.map(\.document), doubtful: doubts.keys.sorted(),
        refused: plan.refusals.map(\.document) + refused.map(\.document), left: plan.left,
        unchanged: plan.unchanged, transactions: batches.count))
  }
}

extension ApplyPlan.Action {
  fileprivate var sign: String {
    switch self {
    case .create: "+"
    case .change: "~"
    case .sign, .adopt: "="
    case .remove: "-"
    }
  }

  fileprivate var remark: String {
    switch self {
    case .sign: ": signed as it is"
    case .adopt: ": as in the directory; comes from it from now on"
    case .create, .change, .remove: ""
    }
  }
}
