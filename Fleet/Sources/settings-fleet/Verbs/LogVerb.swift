import ArgumentParser
import FoundationEssentials
import SettingsFleet
import SettingsTOML

struct LogVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who changed which value, and when.",
    discussion: """
      Prints the changes of a document, newest first: the revision, the time, the verb, who, and for each value the one \
      before and the one after. The cluster has them until it is compacted. Who and when is what the writer said; \
      'unknown' is a change that was not made by this program. 'etcd user' is the user whose password or certificate etcd \
      has accepted: no other user can write the key that shows it, apart from root. With 'trusted-keys' or a 'signing-key' in your settings, it also says \
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
      Print a JSON array of objects: revision, version, by, time, reason, changes, user, signedBy, signer, acceptedUnsigned.
      """)
  var json = false

  func validate() throws {
    if limit < 1 { throw ValidationError("Invalid value '\(limit)' for '--limit': 1 or more is needed.") }
  }

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    let trust = try context.settings.trust()
    let names = context.settings.namesOfTrustedKeys()
    let (entries, isCut) = try await Past(cluster: context.cluster, document: document).entries(limit: limit)
    if json {
      Output.line(FleetJSON.text(of: entries.map { LogEntry($0, of: document, trust, names) }))
    } else {
      for entry in entries { Output.bytes(Array(LogEntry(entry, of: document, trust, names).text.utf8)) }
    }
    guard !entries.isEmpty else { throw Failure(.noValue, "The fleet has no document '\(document)'.") }
    if isCut { Output.error("Changes before revision \(entries.last!.revision) have been compacted away.") }
  }
}

/// A change as `log` prints it.
struct LogEntry: Encodable {
  struct Value: Encodable {
    var key: String
    /// TOML; `nil` for none.
    var before: String?
    var after: String?

    var line: String { "\(key): \(before ?? "(none)") -> \(after ?? "(none)")" }
  }

  var revision: Int64
  var version: Int
  var by: String?
  var time: String?
  var reason: String?
  /// `nil` if the text before is no longer known or does not parse.
  var changes: [Value]?
  /// The user of etcd; `nil` if etcd does not prove one.
  var user: String?
  /// The id of the trusted key that has signed the text; empty for a text that none has signed, `nil` if no key is trusted.
  var signedBy: String?
  /// What the settings say of that key.
  var signer: String?
  /// Whether the writer accepted that the text before was not signed; else `nil`.
  var acceptedUnsigned: Bool?

  init(_ entry: Past.Entry, of document: FleetDocument, _ trust: Trust, _ names: [String: String]) {
    revision = entry.revision
    version = entry.version
    by = entry.change?.by
    time = entry.change?.time
    reason = entry.change?.reason
    user = entry.user
    changes = entry.text.flatMap { Self.changes(from: entry.former ?? [], to: $0) }
    acceptedUnsigned = entry.change?.acceptedUnsigned
    guard trust.isRequired else { return }
    signedBy = ""
    if let stored = entry.stored, case .present(let signature) = stored.signature,
      trust.problem(with: stored, of: document, version: entry.version) == nil
    {
      signedBy = signature.key
      signer = names[signature.key]
    }
  }

  /// The values that differ; `nil` if a text does not parse.
  static func changes(from before: [UInt8], to after: [UInt8]) -> [Value]? {
    guard let after = try? TOMLDocument(parsing: after), let before = try? TOMLDocument(parsing: before) else {
      return nil
    }
    return after.changedPaths(since: before).map { path in
      Value(key: "\(path)", before: before[path]?.tomlText, after: after[path]?.tomlText)
    }
  }

  var text: String {
    let key = signer.map { " (\($0))" } ?? ""
    let signature = signedBy.map { $0.isEmpty ? ", not signed" : ", signed by \($0)\(key)" } ?? ""
    let user = user.map { ", etcd user \($0)" } ?? ""
    let acceptance = acceptedUnsigned == true ? ", after accepting an unsigned text" : ""
    let who = "\(by ?? "unknown")\(user)\(signature)\(acceptance)"
    var lines = ["#\(revision) \(time ?? "at an unknown time") \(reason ?? "change") by \(who)"]
    lines += (changes ?? []).map { "  \($0.line)" }
    return lines.map { $0 + "\n" }.joined()
  }
}
