import SettingsFleet
import SettingsTools

/// Changes documents, as often as it takes until nobody else was faster.
struct DocumentEditor {
  /// Changes the file in a workspace, and answers what to print. It runs again if somebody else has changed a document
  /// meanwhile.
  typealias Work = (Workspace) async throws -> SettingsCommand.Answer

  /// A text to store, and who writes it.
  struct Edit: Sendable {
    var writer: DocumentWriter
    var text: [UInt8]
    var version: Int
    /// The version that the app reads here; `nil` without a schema.
    var appVersion: Int?
    /// Whether it was made from a text that no trusted key has signed, or that somebody has put back.
    var acceptedUnsigned = false
    /// The serial of the signed text in whose place that was put; 0 without one.
    var laterSerial: UInt64 = 0
    /// Texts that earlier versions get with it.
    var older: [Int: [UInt8]] = [:]
    /// Whether the document is removed, in all its versions.
    var isRemoval = false
  }

  /// What comes back with the text before a change.
  struct TakingBack {
    /// The revision of the change.
    let revision: Int64
    /// The texts of earlier versions before it, and those that it has made of them, if any: if others have changed one
    /// since, that stays.
    var older: [Int: (former: [UInt8], made: [UInt8]?)] = [:]
    /// Whether there was no document, so that it is removed unless others have changed it since.
    var removes = false
  }

  let context: Context
  let document: FleetDocument
  private let command: SettingsCommand
  /// Whether a text that no trusted key has signed may be edited.
  private let acceptsUnsigned: Bool
  /// Whether a document may be made whose name is like that of another one.
  private let creates: Bool
  private static let mostAttempts = 100

  /// What the edit brings back. It may bring back what a trusted key has signed, without accepting what was made of it.
  private let takingBack: TakingBack?

  init(
    context: Context, document: FleetDocument, acceptsUnsigned: Bool = false, creates: Bool = false,
    takingBack: TakingBack? = nil
  ) throws {
    try Self.checkOwner(of: document.app)
    self.context = context
    self.document = document
    self.acceptsUnsigned = acceptsUnsigned
    self.creates = creates
    self.takingBack = takingBack
    command = try context.command()
  }

  /// Refuses the app whose settings are each machine's own.
  static func checkOwner(of app: String) throws {
    guard app != FleetNames.ownApp else {
      throw Failure(
        .notWritable,
        "The settings of '\(app)' are each machine's own and never come from the fleet. Change them on the machine, with "
          + "'settings-cli set \(app) --system'.")
    }
  }

  /// Edits the document and stores it.
  ///
  /// - Parameter undone: The revision of the change that is taken back.
  /// - Returns: The revision; `nil` if the text is as before.
  /// - Throws: ``Failure``. The document is as others left it.
  @discardableResult
  func change(because reason: String, undoing undone: Int64? = nil, _ work: @escaping Work) async throws -> Int64? {
    try await Self.change([(self, work)], because: reason, undoing: undone, in: context)
  }

  /// Edits documents and stores all of them in one transaction: all are changed, or none.
  ///
  /// - Parameter edits: Each document once. Those of an app see its document for all machines as those before them have
  ///   made it.
  /// - Returns: The revision; `nil` if all texts are as before.
  /// - Throws: ``Failure``, that of the first document which has one; the messages of the others are printed. All
  ///   documents are as others left them.
  @discardableResult
  static func change(
    _ edits: [(editor: DocumentEditor, work: Work)], because reason: String, undoing undone: Int64? = nil,
    in context: Context
  ) async throws -> Int64? {
    var change = Change(by: context.author, because: reason)
    change.undone = undone
    // Whoever was first has the document; those who were not queue, so that they do not all edit in vain again.
    if case .done(let revision) = try await attempt(edits, &change, in: context) { return revision }
    let turn = await Turn.take(for: edits.map(\.editor.document), in: context.cluster.client)
    do {
      let revision = try await repeated(edits, change, in: context)
      await turn?.end()
      return revision
    } catch {
      await turn?.end()
      throw error
    }
  }

  /// Edits again until it is stored.
  private static func repeated(
    _ edits: [(editor: DocumentEditor, work: Work)], _ change: Change, in context: Context
  ) async throws -> Int64? {
    var (change, pause) = (change, Duration.milliseconds(5))
    for _ in 1..<mostAttempts {
      if case .done(let revision) = try await attempt(edits, &change, in: context) { return revision }
      // Writers that lost to the same one do not meet again.
      try await Task.sleep(for: pause * Double.random(in: 0.5...1.5))
      pause = min(pause * 2, .milliseconds(200))
    }
    let names = edits.map { "'\($0.editor.document)'" }.joined(separator: ", ")
    throw Failure(
      .changed, "Cannot store \(names): others changed it \(mostAttempts) times meanwhile. Try again later.")
  }

  private enum Attempt {
    /// It is stored at this revision, or all texts are as before.
    case done(Int64?)
    /// Somebody else was first.
    case lost
  }

  /// Edits the documents once, and stores them.
  ///
  /// - Parameter change: Who it is. The machines are counted in it when there is something to store.
  private static func attempt(
    _ edits: [(editor: DocumentEditor, work: Work)], _ change: inout Change, in context: Context
  ) async throws -> Attempt {
    var (transactions, places, answers) = ([FleetTransaction](), [String](), [SettingsCommand.Answer]())
    change.acceptedUnsigned = nil
    var notes: [String] = []
    var below: [String: [UInt8]] = [:]
    var failures: [any Error] = []
    for (editor, work) in edits {
      do {
        let (made, answer) = try await editor.edit(below: below[editor.document.app], work)
        answers.append(answer)
        guard let made else { continue }
        if made.acceptedUnsigned { change.acceptedUnsigned = true }
        if editor.document.scope == .all { below[editor.document.app] = made.text }
        transactions.append(try editor.transaction(of: made))
        places.append(editor.document.key(version: made.version, .change))
        if let rollout = made.writer.openRollout { notes.append(rollout.noteOfEnd(of: editor.document)) }
      } catch {
        failures.append(error)
      }
    }
    if let first = failures.first {
      for other in failures.dropFirst() { Failure(any: other)?.message.map(Output.error) }
      throw first
    }
    var stored: Int64?
    if !transactions.isEmpty {
      if change.machines == nil {
        change.machines = await context.cluster.machines(of: Set(edits.map(\.editor.document.app)))
      }
      stored = try await context.cluster.commit(try joined(transactions), change, at: places)
      guard stored != nil else { return .lost }
    }
    answers.forEach(Output.show)
    notes.forEach(Output.error)
    return .done(stored)
  }

  private static func joined(_ transactions: [FleetTransaction]) throws -> FleetTransaction {
    do throws(WriterError) {
      return try .joined(transactions)
    } catch {
      throw Failure(
        .invalidValue,
        "Cannot store so much at once: more than \(FleetTransaction.mostBytes) bytes do not fit into a transaction. "
          + "Nothing was written. Change fewer documents at a time.")
    }
  }

  private func transaction(of edit: Edit) throws -> FleetTransaction {
    let signing = try context.signing(above: edit.laterSerial)
    return try stating { () throws(WriterError) in
      if edit.isRemoval { return try edit.writer.remove() }
      return try edit.writer.write(edit.text, version: edit.version, with: edit.older, signing: signing)
    }
  }

  /// Edits the document and stores nothing.
  ///
  /// - Parameter below: The text for all machines, in place of that in the cluster.
  /// - Returns: `nil` for a text that is as before.
  func edit(below: [UInt8]? = nil, _ work: Work) async throws -> (Edit?, SettingsCommand.Answer) {
    let workspace = try Workspace(app: document.app, command: command, environment: context.environment)
    let newest = try workspace.newestVersion()
    let snapshot = try await context.cluster.snapshot(of: document.app)
    let writer = DocumentWriter(document, in: snapshot, appVersion: newest)
    let base = try current(of: writer)
    if base == nil, takingBack == nil, !creates {
      let scopes = writer.documents.documents.keys
      if scopes.isEmpty, newest == nil { try await checkApp() }
      try await checkName(beside: scopes)
    }
    try workspace.fill(with: writer.documents, upTo: newest, for: document.scope)
    if document.scope != .all, let below { try workspace.put(below, as: .all) }
    // Before a person has written a text in vain.
    var doubt = takingBack != nil ? nil : try await checkSignature(of: writer)
    if document.scope != .all, below == nil, takingBack == nil,
      let all = FleetDocument(app: document.app, scope: .all)
    {
      // What is appended to a list of the document for all takes its elements along.
      let writer = DocumentWriter(all, in: snapshot, appVersion: newest)
      if let below = try await checkSignature(of: writer), doubt == nil { doubt = Doubt(isAccepted: below.isAccepted) }
    }
    let answer = try await work(workspace)
    guard answer.status == 0 else {
      Output.show(answer)
      throw Failure(status: answer.status)
    }
    let text = try workspace.text(of: document.scope) ?? []
    var edit = Edit(writer: writer, text: text, version: base?.version ?? 1, appVersion: newest)
    if let takingBack {
      edit.older = try older(of: takingBack, text, writer)
      edit.isRemoval = takingBack.removes && isNothing(text, writer) && !isSigned(writer)
    }
    if edit.isRemoval, base != nil { return (edit, answer) }
    guard text != base?.text ?? [] else { return (nil, answer) }
    if takingBack != nil { doubt = try await checkSignature(of: writer, before: text) }
    try check(text, after: base?.text, in: workspace)
    edit.version = try Workspace.version(of: text)
    (edit.acceptedUnsigned, edit.laterSerial) = (doubt?.isAccepted ?? false, doubt?.laterSerial ?? 0)
    return (edit, answer)
  }

  /// Refuses to make the first document of an app whose id is like that of one that the fleet has.
  private func checkApp() async throws {
    guard let near = await context.cluster.app(near: document.app) else { return }
    throw Failure(
      .unknown,
      "The fleet has no app '\(document.app)'. Did you mean '\(near)'? To make its first document anyway, use --create. "
        + "Nothing was written.")
  }

  /// Refuses to make the document of a group or machine that nobody knows, and whose name is like one that is known.
  private func checkName(beside scopes: some Sequence<DocumentScope>) async throws {
    guard let name = document.scope.name else { return }
    let mirrors = try await StatusReader(cluster: context.cluster, app: nil).mirrors().compactMap(Ack.init)
    let known = Set(scopes).union(mirrors.flatMap { [.host($0.host)] + $0.groups.map { .group($0) } })
    guard !known.contains(document.scope), let near = document.scope.near(among: known) else { return }
    throw Failure(
      .unknown,
      "There is no \(document.scope.kind) '\(name)'. Did you mean '\(near)'? To make a document for it anyway, use "
        + "--create. Nothing was written.")
  }

  /// The version to edit. What nobody who signs has made is not said to be an upgrade.
  private func current(of writer: DocumentWriter) throws -> (version: Int, text: [UInt8], modRevision: Int64)? {
    do throws(WriterError) {
      return try writer.current()
    } catch {
      guard let (foreign, signed) = writer.foreignVersions(by: try context.settings.trust()) else {
        throw Failure(error, about: document)
      }
      throw Failure(
        .notWritable,
        "Cannot store '\(document)': no trusted key has signed its version \(foreign[0]), above version \(signed), which is "
          + "signed. If nobody who may sign has made that, take it back with 'settings-fleet undo'. Nothing was written."
      )
    }
  }

  /// The texts that earlier versions get back, unless others have changed them since; a removal would take that away.
  private func older(of takingBack: TakingBack, _ text: [UInt8], _ writer: DocumentWriter) throws -> [Int: [UInt8]] {
    guard takingBack.removes else {
      return takingBack.older.filter { writer.versions[$0.key]?.text == $0.value.made }.mapValues { $0.former }
    }
    guard isNothing(text, writer) else { return [:] }
    let earlier = writer.versions.keys.sorted().dropLast()
    if let other = earlier.first(where: { writer.versions[$0]?.text != takingBack.older[$0]?.made }) {
      throw Failure(
        .changed,
        "Cannot remove '\(document)' again: its version \(other), which older releases read, was changed after it came "
          + "back. Nothing was written.")
    }
    // Machines that require signatures would keep a document that is gone.
    return isSigned(writer)
      ? Dictionary(uniqueKeysWithValues: earlier.map { ($0, DocumentWriter.emptyText(version: $0)) }) : [:]
  }

  private func isNothing(_ text: [UInt8], _ writer: DocumentWriter) -> Bool {
    text == DocumentWriter.emptyText(version: writer.versions.keys.max() ?? 1)
  }

  private func isSigned(_ writer: DocumentWriter) -> Bool {
    writer.versions.values.contains { $0.signature != .absent }
  }

  /// Why an edit of a text needs more than that nobody has changed it.
  private struct Doubt {
    /// Whether the person has accepted it, and not only taken it back.
    var isAccepted = false
    var laterSerial: UInt64 = 0
  }

  /// Refuses to edit what no trusted key has signed, unless that is accepted or the edit brings back what one has.
  ///
  /// - Parameter writer: The document's, or that of the document below it.
  /// - Returns: `nil` if nothing was wrong with it.
  private func checkSignature(of writer: DocumentWriter, before text: [UInt8]? = nil) async throws -> Doubt? {
    let trust = try context.settings.trust()
    guard let (version, base) = writer.readable else { return nil }
    let past = Past(cluster: context.cluster, document: writer.document)
    guard let problem = writer.doubt(about: trust) else {
      guard trust.isRequired else { return nil }
      let later = try await past.laterSignature(than: base, version: version, by: trust)
      var doubt = Doubt(laterSerial: later?.serial ?? 0)
      // What is an old text is taken back itself, and nothing else in it.
      if text != nil, takingBack?.revision == base.modRevision { return doubt }
      let who: String
      if let later {
        who =
          "at revision \(later.revision) the cluster had a newer signed text of '\(writer.document)' than it has now."
      } else if let (host, serials) = await context.cluster.host(
        refusingAsOld: writer.document, at: base.modRevision)
      {
        // A signer's clock may have been ahead: only a text above that is taken.
        let most = DocumentSignature.mostUnverified(at: Change.millisecondsSince1970)
        doubt.laterSerial = serials.filter { $0 <= most }.max() ?? 0
        who = "the machine '\(host)' has had a newer text of '\(writer.document)' than the cluster has."
      } else {
        return nil
      }
      doubt.isAccepted = acceptsUnsigned
      if acceptsUnsigned { return doubt }
      throw Failure(
        .notWritable,
        "Cannot store '\(document)': \(who) Somebody has put an earlier text back, and an edit would sign that again. Take "
          + "that back with 'settings-fleet undo', or repeat the command with --accept-unsigned if all of it is right. "
          + "Nothing was written.")
    }
    if acceptsUnsigned { return Doubt(isAccepted: true) }
    let last = try await past.lastSigned(version: version, by: trust)
    if let text, last.found?.text == text { return nil }
    var difference = Past.difference(base.text, since: last, try context.schema(of: document.app))
    if last.found == nil, let foreign = writer.foreignVersions(by: trust), foreign.below < version {
      difference = "It is version \(version), above version \(foreign.below), which is signed. "
    }
    // There is nothing to go back to where nothing was ever signed.
    let wasSigned = last.found != nil || last.isCut || isSigned(writer) || writer.foreignVersions(by: trust) != nil
    let advice =
      wasSigned
      ? "Take that back with 'settings-fleet undo', or repeat the command with --accept-unsigned if all of it is right. "
      : writer.document == document
        ? "Repeat the command with --accept-unsigned if all of it is right. "
        : "Sign that first: edit it with --accept-unsigned if all of it is right. "
    throw Failure(
      .notWritable,
      "Cannot store '\(document)': \(problem.message) "
        + (writer.document == document
          ? "Whoever stores an edit of it signs all of it. "
          : "Whoever appends to a list that it has signs its elements, too. ")
        + difference + advice + "Nothing was written.")
  }

  /// Refuses what machines would refuse. A problem that the document had before does not stop an edit of something else.
  private func check(_ text: [UInt8], after base: [UInt8]?, in workspace: Workspace) throws {
    let check = DocumentCheck(environment: context.environment, staging: workspace.scratchFile("check"))
    guard let problem = try check.problem(of: text, for: document) else { return }
    if let base, try check.problem(of: base, for: document)?.message == problem.message {
      Output.error("warning: Machines refuse '\(document)', as before: \(problem.summary)")
      return
    }
    throw Failure(
      .invalidValue, "Cannot store '\(document)': machines would refuse it: \(problem.summary) Nothing was written.")
  }

  /// Says an error of the writer's in a sentence.
  func stating<Value>(_ body: () throws(WriterError) -> Value) throws -> Value {
    do throws(WriterError) {
      return try body()
    } catch {
      throw Failure(error, about: document)
    }
  }
}

extension Rollout {
  /// What a change of its document does to it.
  func noteOfEnd(of document: FleetDocument) -> String {
    "note: This ends the rollout of '\(document)' that \(coordinator) has begun or resumed."
  }
}
