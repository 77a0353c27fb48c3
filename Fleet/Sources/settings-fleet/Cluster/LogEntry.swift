import SettingsFleet
import SettingsTools

/// A change as `log` prints it.
struct LogEntry: Encodable {
  /// A value in JSON, as TOML; `nil` for none. Of a secret, `before` and `after` only say that there is one.
  struct Value: Encodable {
    var key: String
    var before: String?
    var after: String?
    var isSecret: Bool

    init(_ change: ShownChange) {
      (key, before, after, isSecret) = ("\(change.path)", change.old, change.new, change.isSecret)
    }
  }

  var revision: Int64
  var version: Int
  var by: String?
  var time: String?
  var reason: String?
  /// The revision of the change that this one takes back.
  var undone: Int64?
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
  /// The changes, a line each.
  private let lines: [String]

  private enum CodingKeys: CodingKey {
    case revision, version, by, time, reason, undone, changes, user, signedBy, signer, acceptedUnsigned
  }

  /// - Parameter schema: What is a secret.
  init(
    _ entry: Past.Entry, of document: FleetDocument, _ trust: Trust, _ names: [String: String], _ schema: SchemaLookup
  ) {
    revision = entry.revision
    version = entry.version
    by = entry.change?.by
    time = entry.change?.time
    reason = entry.change?.reason
    undone = entry.change?.undone
    user = entry.user
    let former = entry.former ?? (entry.isFirst ? [] : nil)
    let shown = former.flatMap { ShownChange.all(from: $0, to: entry.text, schema) }
    changes = shown?.map(Value.init)
    lines = shown?.map(\.line) ?? (former == nil ? [] : ["(this text or the one before it does not parse)"])
    acceptedUnsigned = entry.change?.acceptedUnsigned
    guard trust.isRequired, let stored = entry.stored else { return }
    signedBy = ""
    if case .present(let signature) = stored.signature,
      trust.problem(with: stored, of: document, version: entry.version) == nil
    {
      signedBy = signature.key
      signer = names[signature.key]
    }
  }

  /// The change and what it changed, a line each.
  var text: String { ([summary] + lines.map { "  \($0)" }).map { $0 + "\n" }.joined() }

  /// Which change it is and who made it.
  var summary: String {
    let key = signer.map { " (\($0))" } ?? ""
    let signature = signedBy.map { $0.isEmpty ? ", not signed" : ", signed by \($0)\(key)" } ?? ""
    let user = user.map { ", etcd user \($0)" } ?? ""
    let acceptance = acceptedUnsigned == true ? ", after accepting an unsigned text" : ""
    let who = "\(by ?? "unknown")\(user)\(signature)\(acceptance)"
    let why = (reason ?? "change") + (undone.map { " of #\($0)" } ?? "")
    return "#\(revision) \(time ?? "at an unknown time") \(why) by \(who)"
  }
}
