package import AppSettings

/// What has become of one change of several.
package struct ChangeAnswer {
  /// The number of the change, or of the line of a batch.
  package let line: Int
  package var path: TOMLPath?
  /// Whether the edit changes the file.
  package var isChange: Bool?
  /// The value that a `get` found.
  package var found: TOMLValue?
  /// Why the app uses another value than the file has, for a `get`.
  package var problem: String?
  /// The reason why the edit was refused, or has no effect.
  package var failure: ToolError?
  /// What is said of an edit that is fine but was not written.
  package var note: String?

  /// As `batch` prints it.
  package var json: JSONObject {
    let isRefused = failure != nil || note != nil
    var json: JSONObject = ["line": .number(line), "ok": .flag(!isRefused)]
    if let path { json["key"] = .text(path.description) }
    if let isChange, !isRefused { json["changed"] = .flag(isChange) }
    if let found { json["value"] = .value(found) }
    if let problem { json["problem"] = .text(problem) }
    if let failure { json["status"] = .number(Int(failure.status.rawValue)) }
    // What was written is said by 'ok'; others may have been.
    let message = failure == nil ? note : failure?.message?.replacing(" Nothing was written.", with: "")
    if let message { json["message"] = .text(message) }
    return json
  }
}
