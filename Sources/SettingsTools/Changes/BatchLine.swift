import AppSettings
import AppSettingsSchema

/// One line of a batch: `{"set": "editor.font-size", "value": 14}`.
enum BatchLine {
  case change(SettingChange)
  case get(TOMLPath)
  /// What is no edit, and why.
  case malformed(ToolError)

  package init(of line: ArraySlice<UInt8>) {
    do {
      self = try BatchLine(line)
    } catch {
      self = .malformed(ToolError(any: error))
    }
  }

  /// Parses a line.
  ///
  /// - Throws: ``ToolError``, with status 2 for a line that is not an edit, 4 for a value that TOML does not have.
  package init(_ line: ArraySlice<UInt8>) throws {
    guard let text = String(validating: line, as: UTF8.self) else { throw Self.malformed("it is not UTF-8") }
    var nulls: [TOMLPath] = []
    let parsed: TOMLValue?
    do throws(JSONText.Failure) {
      parsed = try JSONText.value(of: text) { nulls.append($0) }
    } catch {
      throw Self.malformed(error.reason)
    }
    guard case .table(let members)? = parsed else { throw Self.malformed("it is not an object") }
    let names = Self.actions.filter { members[$0] != nil }
    guard names.count == 1 else {
      let all = Self.actions.map { "\"\($0)\"" }.joined(separator: ", ")
      throw Self.malformed("it needs exactly one of \(all)")
    }
    let name = names[0]
    let key = try Self.key(members[name])
    let action = SettingChange.Action(rawValue: name)
    let takesValue = action != nil && action != .unset
    for member in members.keys where member != name && !(takesValue && ["value", "toml"].contains(member)) {
      throw Self.malformed("it has an unknown member \(JSONText.quoted(member))")
    }
    if let null = nulls.first {
      let place = UnknownKey.text(of: null)
      guard null.hasPrefix(["value"]) else { throw Self.malformed("'\(place)' is null") }
      throw ToolError(
        .invalidValue,
        "Cannot \(name) '\(key)': TOML has no null, as in '\(place)'. To remove a key, use \"unset\".")
    }
    guard let action else {
      self = .get(key)
      return
    }
    self = .change(SettingChange(action, key, takesValue ? try Self.value(members, of: key) : .none))
  }

  private static let actions = SettingChange.Action.allCases.map(\.rawValue) + ["get"]

  private static func malformed(_ reason: String) -> ToolError {
    ToolError(.usage, "The line is not an edit: \(reason).")
  }

  /// A dotted key, or an array of its parts, which needs no quotes.
  private static func key(_ value: TOMLValue?) throws -> TOMLPath {
    switch value {
    case .string(let text)?: return try TypedKey.path(text)
    case .array(let items)? where !items.isEmpty:
      let parts = items.map { if case .string(let part) = $0 { part } else { nil as String? } }
      guard !parts.contains(nil) else { break }
      return try TypedKey.path(TOMLPath(parts.compactMap(\.self)).description)
    default: break
    }
    throw malformed("a key is a string, or an array of strings")
  }

  private static func value(_ members: TOMLTable, of key: TOMLPath) throws -> SettingChange.Value {
    switch (members["value"], members["toml"]) {
    case (let value?, nil): return .json(value)
    case (nil, .string(let text)?):
      do throws(TOMLSyntaxError) {
        return .toml(try TOMLValue(parsing: text), text: text)
      } catch {
        throw ToolError(
          .invalidValue, "Cannot change '\(key)': its text is not one TOML value. \(error.discreetMessage)")
      }
    case (nil, nil): throw malformed("it needs \"value\" or \"toml\"")
    case (nil, _): throw malformed("\"toml\" is a string")
    default: throw malformed("it has both \"value\" and \"toml\"")
    }
  }
}
