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
      'unknown' is a change that was not made by this program.

      EXAMPLES
        settings-fleet log org.example.editor
        settings-fleet log org.example.editor --group lab --limit 5 --json
      """)

  @Argument(help: "The app.") var app: String
  @OptionGroup var place: PlaceOptions
  @Option(help: ArgumentHelp("At most this many changes.", valueName: "n")) var limit = 20
  @Flag(help: "Print a JSON array of objects: revision, version, by, time, reason, changes.") var json = false

  func validate() throws {
    if limit < 1 { throw ValidationError("Invalid value '\(limit)' for '--limit': 1 or more is needed.") }
  }

  func answer(in context: Context) async throws {
    let document = try place.document(of: app)
    let (entries, isCut) = try await Past(cluster: context.cluster, document: document).entries(limit: limit)
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      Output.line(String(decoding: try encoder.encode(entries.map(LogEntry.init)), as: UTF8.self))
    } else {
      for entry in entries { Output.bytes(Array(LogEntry(entry).text.utf8)) }
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
  }

  var revision: Int64
  var version: Int
  var by: String?
  var time: String?
  var reason: String?
  /// `nil` if the text before is no longer known or does not parse.
  var changes: [Value]?

  init(_ entry: Past.Entry) {
    revision = entry.revision
    version = entry.version
    by = entry.change?.by
    time = entry.change?.time
    reason = entry.change?.reason
    guard let text = entry.text, let after = try? TOMLDocument(parsing: text),
      let before = try? TOMLDocument(parsing: entry.former ?? [])
    else { return }
    changes = after.changedPaths(since: before).map { path in
      Value(key: "\(path)", before: before[path]?.tomlText, after: after[path]?.tomlText)
    }
  }

  var text: String {
    var lines = ["#\(revision) \(time ?? "at an unknown time") \(reason ?? "change") by \(by ?? "unknown")"]
    lines += (changes ?? []).map { "  \($0.key): \($0.before ?? "(none)") -> \($0.after ?? "(none)")" }
    return lines.map { $0 + "\n" }.joined()
  }
}
