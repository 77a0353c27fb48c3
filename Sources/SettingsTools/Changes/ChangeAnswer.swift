package import AppSettings

/// What has become of one change of several.
package struct ChangeAnswer {
  /// The number of the change, or of the line of a batch.
  package let line: Int
  package var path: TOMLPath?
  /// Whether the edit changes the file.
  package var isChange: Bool?
  /// The value that a `get` found, as JSON.
  package var found: String?
  /// Why the app uses another value than the file has, for a `get`.
  package var problem: String?
  /// The reason why the edit was refused, or has no effect.
  package var failure: ToolError?
  /// What is said of an edit that is fine but was not written.
  package var note: String?

  /// The answer as JSON.
  package var json: String {
    var members = [("line", String(line)), ("ok", failure == nil && note == nil ? "true" : "false")]
    if let path { members.append(("key", JSONText.quoted(path.description))) }
    if let isChange, failure == nil, note == nil { members.append(("changed", isChange ? "true" : "false")) }
    if let found { members.append(("value", found)) }
    if let problem { members.append(("problem", JSONText.quoted(problem))) }
    if let failure {
      members.append(("status", String(failure.status.rawValue)))
      // That is said of the edit by 'ok'; others may have been written.
      let message = failure.message.map { $0.replacing(" Nothing was written.", with: "") }
      if let message { members.append(("message", JSONText.quoted(message))) }
    } else if let note {
      members.append(("message", JSONText.quoted(note)))
    }
    return Shown.object(members)
  }
}
