/// What a signature says.
///
/// A document's signature and a rollout's are different statements, so that who can only write to etcd cannot turn a
/// text that was signed for some canaries, and perhaps withdrawn, into a document for all. A statement of a rollout
/// includes whom it is for.
public enum Statement: Hashable, Sendable {
  /// The text of a version of a document.
  case document(FleetDocument, version: Int, text: TextDigest)
  /// A rollout, apart from its signature.
  case rollout(app: String, Rollout)
  /// That the text of a version of a document came from a directory: the mark apart from its signature.
  case applied(FleetDocument, version: Int, AppliedMark)

  /// The bytes that are signed: lines of ASCII, of which none can contain a line break.
  ///
  /// They are the format's name, the key in etcd, the serial and the text's SHA-256 in hexadecimal. A rollout's go on
  /// with its id, the document's revision that it is based on, whom it is for and its salt; those of one in steps also with
  /// the steps, the one that is under way, the times in seconds, and whether a check is required: the desk that resumes it relies
  /// on them.
  public func bytes(serial: UInt64) -> [UInt8] {
    var lines: [String]
    switch self {
    case .document(let document, let version, let text):
      lines = ["app-settings fleet document 1", document.key(version: version), String(serial), text.hex]
    case .applied(let document, let version, let mark):
      lines = [
        "app-settings fleet applied 1", document.key(version: version), String(serial), mark.digest.hex, mark.source,
      ]
    case .rollout(let app, let rollout):
      lines = ["app-settings fleet rollout 1"]
      lines.append(FleetDocument(valid: app, rollout.scope).key(version: rollout.version))
      lines += [String(serial), rollout.digest.hex]
      lines += [rollout.id, String(rollout.baseModRevision), rollout.target.description, rollout.salt]
      if let steps = rollout.steps {
        lines.append(
          (steps.shares + [steps.index, rollout.waitSeconds, steps.graceSeconds]).map(String.init).joined(
            separator: " "))
        lines.append("\(rollout.requiresCheck)")
      }
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}
