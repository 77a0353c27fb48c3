import SettingsFleet
import SettingsTOML
import SettingsTools

/// Takes changes of a document back, one after the other, as `undo` and `redo` of `settings-cli` do.
struct Undoing {
  /// What to take back.
  enum Target {
    /// The last change that is not taken back.
    case last
    /// The last undo, if nothing else was changed since.
    case redo
    /// The change of a revision.
    case revision(Int64)
  }

  let context: Context
  let document: FleetDocument
  let acceptsUnsigned: Bool
  let target: Target

  private var past: Past { Past(cluster: context.cluster, document: document) }
  private var verb: String { if case .redo = target { "redo" } else { "undo" } }

  /// That taking a change back changes nothing.
  private struct NoEffect: Error {
    /// The text as it was then.
    var text: [UInt8]
  }

  /// Takes the change back, and prints it with the values that it puts back.
  func run() async throws {
    try DocumentEditor.checkOwner(of: document.app)
    if case .last = target, try await withdraw() { return }
    let present = try await past.stored(at: nil).max { $0.key < $1.key }
    var (undone, isDone, hasChanges) = (Set<Int64>(), false, false)
    var start: Int64?
    if case .revision(let revision) = target { start = revision }
    var isWithNewer = false
    let isCut = try await past.visit(from: start, ofText: true) { entry in
      hasChanges = true
      // What made a text that does not parse was taken back with the change after it.
      if isWithNewer { undone.insert(entry.revision) }
      isWithNewer = undone.contains(entry.revision) && entry.former.map(Self.parses) == false
      switch step(at: entry, &undone) {
      case .pass: return true
      case .end: return false
      case .take:
        let version = present?.key ?? entry.version
        guard entry.version == version, !(entry.isFirst && entry.hasEarlierVersion) || entry.bringsBack else {
          throw migrated(entry, to: version)
        }
        do {
          try await takeBack(entry)
          isDone = true
        } catch let none as NoEffect {
          if case .revision = target {
            throw Failure(
              .noValue, "Nothing to undo: '\(document)' has the values from before revision \(entry.revision) already.")
          }
          // Nobody could step behind it.
          guard none.text == present?.value.text ?? [] else {
            throw Failure(
              .changed, "Cannot \(verb) revision \(entry.revision) of '\(document)': somebody else has just done that.")
          }
        }
        return !isDone
      }
    }
    if isDone { return }
    throw hasChanges || start != nil ? nothing(isCut) : Failure(.noValue, "The fleet has no document '\(document)'.")
  }

  /// Removes the versions that no trusted key has ever signed from above one that is or was signed.
  ///
  /// - Returns: Whether there was one.
  private func withdraw() async throws -> Bool {
    let trust = try context.settings.trust()
    let snapshot = try await context.cluster.snapshot(of: document.app)
    let writer = DocumentWriter(document, in: snapshot, appVersion: nil)
    guard var (foreign, below) = writer.foreignVersions(by: trust) else { return false }
    for (index, version) in foreign.enumerated() {
      let last = try await past.lastSigned(version: version, by: trust)
      if last.found != nil {
        (foreign, below) = (Array(foreign[..<index]), version)
        break
      }
      if !acceptsUnsigned { try checkForeign(version, writer.versions[version]?.signature, last, trust) }
    }
    guard !foreign.isEmpty else { return false }
    let change = Change(
      by: context.author, because: verb, machines: await context.cluster.machines(of: [document.app]))
    let note = document.key(version: below, .change)
    guard try await context.cluster.commit(writer.withdrawal(to: below), change, at: [note]) != nil else {
      throw Failure(.changed, "Cannot remove version \(foreign[0]) of '\(document)': it has just been changed.")
    }
    for version in foreign { Output.line("undone: version \(version), which no trusted key has signed.") }
    Output.line("Version \(below) is the newest again.")
    return true
  }

  /// Refuses to remove a version that somebody may have signed.
  private func checkForeign(
    _ version: Int, _ signature: StoredDocument.Signature?, _ last: Past.LastSigned, _ trust: Trust
  ) throws {
    let why: String
    if case .present(let signature) = signature, !trust.keys.contains(where: { $0.id == signature.key }) {
      why =
        "it is signed with the key \(signature.key), which is not trusted here. If that is the key of somebody who may "
        + "sign, add it to 'trusted-keys'. "
    } else if last.isCut, !last.isKnownSinceMade {
      // One that was removed before this one was made is not what is taken back.
      why =
        "what it was earlier has been compacted away, so that a trusted key may have signed it. 'settings-fleet log' "
        + "prints what the cluster has of it. "
    } else {
      return
    }
    throw Failure(
      .notWritable,
      "Cannot remove version \(version) of '\(document)': \(why)Repeat the command with --accept-unsigned if nobody who "
        + "may sign has made this version. Nothing was written.")
  }

  private enum Step { case pass, take, end }

  /// What to do with the next change, from the newest on.
  ///
  /// - Parameter undone: What newer changes have taken back.
  private func step(at entry: Past.Entry, _ undone: inout Set<Int64>) -> Step {
    if case .revision(let revision) = target { return entry.revision == revision ? .take : .end }
    let isUndone = undone.contains(entry.revision)
    if let other = entry.change?.undone {
      if !isUndone { undone.insert(other) }
      guard case .redo = target else { return .pass }
      return entry.change?.reason == "undo" && !isUndone ? .take : .pass
    }
    if case .redo = target { return .end }
    return isUndone ? .pass : .take
  }

  private func takeBack(_ entry: Past.Entry) async throws {
    let (former, takingBack) = try await former(of: entry)
    let (document, schema) = (document, try context.schema(of: document.app))
    let names = context.settings.namesOfTrustedKeys()
    let summary = LogEntry(entry, of: document, try context.settings.trust(), names, schema).summary
    let done = verb == "redo" ? "redone" : "undone"
    let editor = try DocumentEditor(
      context: context, document: document, acceptsUnsigned: acceptsUnsigned, takingBack: takingBack)
    try await editor.change(because: verb, undoing: entry.revision) { workspace in
      let before = try workspace.text(of: document.scope) ?? []
      // Somebody may have made a document again that was removed.
      let isMadeAgain = entry.stored == nil && !before.isEmpty
      let made = isMadeAgain ? DocumentWriter.emptyText(version: entry.version) : entry.text
      var answer: SettingsCommand.Answer
      do {
        answer = try workspace.merge(made, former, into: document.scope)
      } catch let failure as Failure where failure.status == ToolError.Status.changed.rawValue {
        throw conflict(with: entry, former, before, schema)
      }
      let after = try workspace.text(of: document.scope) ?? []
      guard after != before else { throw NoEffect(text: before) }
      let values = ShownChange.all(from: before, to: after, schema) ?? []
      let lines = ["\(done): \(summary)"] + values.map { "  \($0.line)" }
      answer.output = Array(lines.map { $0 + "\n" }.joined().utf8)
      return answer
    }
  }

  /// The text before a change, and what else comes back with it.
  ///
  /// - Throws: ``Failure`` if it is not known, or no trusted key has signed it and it would be signed.
  private func former(of entry: Past.Entry) async throws -> ([UInt8], DocumentEditor.TakingBack) {
    guard var former = entry.former else {
      if entry.isFirst {
        var takingBack = DocumentEditor.TakingBack(revision: entry.revision, removes: entry.bringsBack)
        let made = entry.bringsBack ? try await past.stored(at: entry.revision) : [:]
        for (version, stored) in made where version < entry.version {
          takingBack.older[version] = (DocumentWriter.emptyText(version: version), stored.text)
        }
        return (DocumentWriter.emptyText(version: entry.version), takingBack)
      }
      throw Failure(.noValue, "\(cannot(entry)): the text before it has been compacted away.")
    }
    var last = entry.revision - 1
    if !Self.parses(former) { (former, last) = try await newestThatParses(before: entry) }
    let before = try await past.stored(at: last)
    let after = try await past.stored(at: entry.revision)
    var takingBack = DocumentEditor.TakingBack(revision: entry.revision)
    for (version, stored) in before where version < entry.version && stored.text != after[version]?.text {
      takingBack.older[version] = (stored.text, after[version]?.text)
    }
    let trust = try context.settings.trust()
    guard !acceptsUnsigned, trust.isRequired else { return (former, takingBack) }
    for version in [entry.version] + takingBack.older.keys.sorted() {
      guard let stored = before[version], let problem = trust.problem(with: stored, of: document, version: version)
      else { continue }
      throw Failure(
        .notWritable,
        "\(cannot(entry)): the text before it would be signed, and no trusted key has signed it: \(problem.message) Repeat "
          + "the command with --accept-unsigned if all of it is right. Nothing was written.")
    }
    return (former, takingBack)
  }

  /// The newest text before a change that parses, and its revision: nothing goes back to one that does not.
  private func newestThatParses(before entry: Past.Entry) async throws -> ([UInt8], Int64) {
    var found: ([UInt8], Int64)?
    try await past.visit(from: entry.revision - 1, ofText: true) { earlier in
      guard earlier.version == entry.version else { return false }
      if Self.parses(earlier.text) {
        found = (earlier.text, earlier.revision)
      } else if earlier.isFirst {
        found = (DocumentWriter.emptyText(version: entry.version), earlier.revision - 1)
      }
      return found == nil
    }
    if let found { return found }
    throw Failure(
      .unparsable,
      "\(cannot(entry)): the text before it does not parse, and the cluster has none from before that. Nothing was "
        + "written. To change the document, use 'settings-fleet edit \(document.app)\(document.scope.option)'.")
  }

  private static func parses(_ text: [UInt8]) -> Bool { (try? TOMLDocument(parsing: text)) != nil }

  // MARK: What cannot be done

  private func cannot(_ entry: Past.Entry) -> String { "Cannot \(verb) revision \(entry.revision) of '\(document)'" }

  /// - Parameter isCut: Whether there were earlier changes, which have been compacted away.
  private func nothing(_ isCut: Bool) -> Failure {
    switch target {
    case .revision(let revision):
      Failure(
        .noValue,
        "Revision \(revision) did not change the text of '\(document)'. 'settings-fleet log' lists the changes.")
    case .redo: Failure(.noValue, "Nothing to redo: the last change of '\(document)' is not an undo.")
    case .last:
      Failure(
        .noValue,
        "Nothing to undo: each change of '\(document)' that the cluster has is undone"
          + (isCut ? ", or takes back one that has been compacted away." : "."))
    }
  }

  private func migrated(_ entry: Past.Entry, to version: Int) -> Failure {
    let why =
      entry.version == version
      ? "it made version \(version) of the document, which older releases of the app do not read"
      : "it changed version \(entry.version) of the document, which has been upgraded to version \(version) since"
    return Failure(.migration, "\(cannot(entry)): \(why). Set the values that it should have. Nothing was written.")
  }

  private func conflict(
    with entry: Past.Entry, _ former: [UInt8], _ present: [UInt8], _ schema: SchemaLookup
  ) -> Failure {
    let own = ShownChange.all(from: former, to: entry.text, schema) ?? []
    let others = ShownChange.all(from: entry.text, to: present, schema) ?? []
    let lines = others.filter { other in own.contains { $0.path.isRelated(to: other.path) } }.map { "  \($0.line)\n" }
    return Failure(
      .changed,
      "\(cannot(entry)): "
        + (lines.isEmpty
          ? "the document has changed since, and the two cannot be merged. "
          : "what it changed has been changed again since:\n\(lines.joined())")
        + "Nothing was written. Set the values that it should have.")
  }
}
