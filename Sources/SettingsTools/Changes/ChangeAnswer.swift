package import AppSettings

/// What has become of one change of several.
package struct ChangeAnswer: Sendable {
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
  /// What was printed, if that is nested deeper than JSON is read: by what is around a value.
  private var printed: [UInt8]?

  package init(line: Int) { self.line = line }

  /// Parses what `batch` prints, an object a line.
  package static func lines(_ text: [UInt8]) -> [ChangeAnswer] {
    text.split(separator: UInt8(ascii: "\n")).compactMap(ChangeAnswer.init)
  }

  private init?(_ text: ArraySlice<UInt8>) {
    guard let line = JSONTree.member("line", of: Array(text))?.integer else { return nil }
    self.line = line
    guard let tree = try? JSONTree(parsing: text) else {
      printed = Array(text)
      return
    }
    path = tree["key"]?.text.flatMap { try? TOMLPath(parsing: $0) }
    (isChange, problem) = (tree["changed"]?.flag, tree["problem"]?.text)
    found = tree["value"].flatMap { try? JSONText.value(of: $0.json) }
    let message = tree["message"]?.text
    if let number = tree["status"]?.integer, let status = Int32(exactly: number).flatMap(ToolError.Status.init) {
      failure = ToolError(status, message)
    } else {
      note = message
    }
  }

  /// As `batch` prints it.
  package var text: [UInt8] { printed ?? Array(json.text.utf8) }

  /// As `batch` prints it, without what is nested deeper than JSON is read.
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

extension [ChangeAnswer] {
  /// The first refusal.
  package var refused: ChangeAnswer? { first { $0.failure != nil } }

  /// Says of the changes that were not refused that they were not written either.
  package mutating func noteUnwritten() {
    guard let refused else { return }
    for index in indices where self[index].failure == nil && self[index].found == nil {
      self[index].note = "Not written, because line \(refused.line) is refused."
    }
  }
}
