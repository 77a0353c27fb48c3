import ArgumentParser
import SettingsFleet
import SettingsTools

struct LogVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who changed which value, and when.",
    discussion: """
      Prints the changes of a document, newest first: the revision, the time, the verb, who, and for each value the one \
      before and the one after. The cluster has them until it is compacted. Who and when is what the writer said; \
      'unknown' is a change that was not made by this program. 'etcd user' is the user whose password or certificate etcd \
      has accepted: no other user can write the key that shows it, apart from root. Values that the app's schema here marks \
      as secret are not shown. With 'trusted-keys' or a 'signing-key' in your settings, it also says \
      which trusted key signed the text, with the comment that the key has there.

      EXAMPLES
        settings-fleet log org.example.editor
        settings-fleet log org.example.editor --group lab --limit 5 --json
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @Option(help: ArgumentHelp("At most this many changes.", valueName: "n")) var limit = 20
  @Flag(
    help: """
      Print a JSON array of objects: revision, version, by, time, reason, undone, changes, user, signedBy, signer, \
      acceptedUnsigned.
      """)
  var json = false

  func validate() throws {
    if limit < 1 { throw ValidationError("Invalid value '\(limit)' for '--limit': 1 or more is needed.") }
  }

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    let trust = try context.settings.trust()
    let names = context.settings.namesOfTrustedKeys()
    let schema = try context.schema(of: app)
    let (entries, isCut) = try await Past(cluster: context.cluster, document: document).entries(limit: limit)
    let shown = entries.map { LogEntry($0, of: document, trust, names, schema) }
    if json {
      Output.line(FleetJSON.text(of: shown))
    } else {
      for entry in shown { Output.bytes(Array(entry.text.utf8)) }
    }
    guard !entries.isEmpty else { throw Failure(.noValue, "The fleet has no document '\(document)'.") }
    if isCut { Output.error("Changes before revision \(entries.last!.revision) have been compacted away.") }
  }
}
