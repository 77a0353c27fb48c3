import SettingsFleet
import SettingsTOML

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
