import ArgumentParser
import SettingsFleet
import SettingsTools

struct UndoVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back a change of a document.",
    discussion: """
      Takes back the last change, or that of the revision which 'log' prints. What others have changed since stays. Where \
      they have changed the same key, nothing is stored.

      EXAMPLES
        settings-fleet undo org.example.editor
        settings-fleet undo org.example.editor --revision 4711
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @OptionGroup var unsigned: UnsignedOption
  @Option(help: ArgumentHelp("The revision of the change, as 'log' prints it.", valueName: "n")) var revision: Int64?

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    let editor = try DocumentEditor(
      context: context, document: document, acceptsUnsigned: unsigned.acceptUnsigned, takesBack: true)
    let past = Past(cluster: context.cluster, document: document)
    guard let entry = try await past.entries(from: revision, limit: 1, ofText: true).entries.first,
      revision == nil || entry.revision == revision
    else {
      let what = revision.map { "Revision \($0) did not change the text of '\(document)'." }
      throw Failure(.noValue, "\(what ?? "'\(document)' has no change.") 'settings-fleet log' lists the changes.")
    }
    guard entry.former != nil || entry.isFirst else {
      throw Failure(
        .noValue, "Cannot take back revision \(entry.revision): the text before it has been compacted away.")
    }
    if entry.former != nil, !unsigned.acceptUnsigned { try await checkFormer(of: entry, past, in: context) }
    try await editor.change(because: "undo") { workspace in
      try workspace.merge(entry.text, entry.former ?? [], into: document.scope)
    }
  }

  /// Refuses to sign an earlier text that no trusted key has signed.
  private func checkFormer(of entry: Past.Entry, _ past: Past, in context: Context) async throws {
    let trust = try context.settings.trust()
    guard trust.isRequired else { return }
    let former = try await past.stored(at: entry.revision - 1)[entry.version]
    guard let former, let problem = trust.problem(with: former, of: past.document, version: entry.version) else {
      return
    }
    throw Failure(
      .notWritable,
      "Cannot take back revision \(entry.revision): the text before it would be signed, and no trusted key has signed it: "
        + "\(problem.message) Repeat the command with --accept-unsigned if all of it is right. Nothing was written.")
  }
}
