import AppSettings

/// One line of a batch: `{"set": "editor.font-size", "value": 14}`.
struct BatchEdit {
  enum Action: String, CaseIterable {
    case set, unset, append, remove, get
  }

  let action: Action
  let key: TOMLPath
  /// The value of `set`, `append` and `remove`.
  let value: TOMLValue
  /// The value's exact text, if it was given as TOML.
  let text: String?

  /// Parses a line.
  ///
  /// - Throws: ``Failure``, with status 2 for a line that is not an edit, 4 for a value that TOML does not have.
  init(_ line: ArraySlice<UInt8>) throws {
    guard let text = String(validating: line, as: UTF8.self) else { throw Self.malformed("it is not UTF-8") }
    var nulls: [TOMLPath] = []
    let parsed: TOMLValue?
    do throws(JSONText.Failure) {
      parsed = try JSONText.value(of: text) { nulls.append($0) }
    } catch {
      throw Self.malformed(error.reason)
    }
    guard case .table(let members)? = parsed else { throw Self.malformed("it is not an object") }
    let names = Action.allCases.filter { members[$0.rawValue] != nil }
    guard names.count == 1 else {
      let all = Action.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw Self.malformed("it needs exactly one of \(all)")
    }
    action = names[0]
    key = try Self.key(members[action.rawValue])
    let takesValue = action != .unset && action != .get
    for name in members.keys where name != action.rawValue && !(takesValue && ["value", "toml"].contains(name)) {
      throw Self.malformed("it has an unknown member \(JSONText.quoted(name))")
    }
    if let null = nulls.first {
      guard null.hasPrefix(["value"]) else { throw Self.malformed("'\(null)' is null") }
      throw Failure(
        .invalidValue,
        "Cannot \(action.rawValue) '\(key)': TOML has no null, as in '\(null)'. To remove a key, use \"unset\".")
    }
    (value, self.text) = takesValue ? try Self.value(members, of: key) : (.boolean(false), nil)
  }

  private static func malformed(_ reason: String) -> Failure {
    Failure(.usage, "The line is not an edit: \(reason).")
  }

  /// A dotted key, or an array of its parts, which needs no quotes.
  private static func key(_ value: TOMLValue?) throws -> TOMLPath {
    switch value {
    case .string(let text)?: return try KeyArgument.parse(text)
    case .array(let items)? where !items.isEmpty:
      let parts = items.map { if case .string(let part) = $0 { part } else { nil as String? } }
      guard !parts.contains(nil) else { break }
      return try KeyArgument.parse(TOMLPath(parts.compactMap(\.self)).description)
    default: break
    }
    throw malformed("a key is a string, or an array of strings")
  }

  private static func value(_ members: TOMLTable, of key: TOMLPath) throws -> (TOMLValue, text: String?) {
    switch (members["value"], members["toml"]) {
    case (let value?, nil): return (value, nil)
    case (nil, .string(let text)?):
      guard let value = try? TOMLValue(parsing: text) else {
        throw Failure(.invalidValue, "Cannot change '\(key)': the text in \"toml\" is not one TOML value.")
      }
      return (value, text)
    case (nil, nil): throw malformed("it needs \"value\" or \"toml\"")
    case (nil, _): throw malformed("\"toml\" is a string")
    default: throw malformed("it has both \"value\" and \"toml\"")
    }
  }
}

/// The answer to one line of a batch.
struct BatchAnswer {
  /// The number of the line.
  let line: Int
  var key: TOMLPath?
  /// Whether the edit changes the file.
  var isChange: Bool?
  /// The value that a `get` found, as JSON.
  var found: String?
  /// Why the app uses another value than the file has, for a `get`.
  var problem: String?
  /// The reason why the edit was refused, or has no effect.
  var failure: Failure?
  /// What is said of an edit that is fine but was not written.
  var note: String?

  /// The answer as JSON.
  var json: String {
    var members = [("line", String(line)), ("ok", failure == nil && note == nil ? "true" : "false")]
    if let key { members.append(("key", JSONText.quoted(key.description))) }
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
