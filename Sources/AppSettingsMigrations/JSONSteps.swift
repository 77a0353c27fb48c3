public import AppSettings

/// Replaces a string that contains JSON with the native value: `"[\"a\"]"` becomes `["a"]`.
///
/// Objects become tables, `null` members are left out, and a `null` alone removes the key. A value that is not a string
/// is already native and stays. So the step may run twice, or after someone has corrected half the keys by hand. A
/// string that is not JSON makes the migration fail unless you pass `keepingOthers: true`.
public struct DecodeJSONString: BuiltInStep {
  private let key: TOMLPath
  private let isDeep: Bool
  private let keepsOthers: Bool

  /// Creates the step from a dotted key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - deep: Whether to decode strings within the value too, at any depth, if they contain an array or an object.
  ///   - keepingOthers: Whether to keep a string that is not JSON, because someone has already corrected it by hand.
  public init(_ key: String, deep: Bool = false, keepingOthers: Bool = false) {
    self.key = Self.path(key)
    isDeep = deep
    keepsOthers = keepingOthers
  }
}

extension DecodeJSONString: DeclarativeStep {
  package static let word = "decode-json"
  package var schemaForm: TOMLTable? {
    var form: TOMLTable = ["decode-json": .key(key)]
    if isDeep { form["deep"] = true }
    if keepsOthers { form["keeping-others"] = true }
    return form
  }
  package init(_ form: StepForm) throws {
    key = try form.path("decode-json")
    isDeep = try form.flag("deep")
    keepsOthers = try form.flag("keeping-others")
  }

  package func run(in scope: inout MigrationScope) throws {
    guard let old = scope[key] else { return }
    var value = old
    if case .string(let text) = old {
      let decoded: TOMLValue?
      do throws(JSONText.Failure) {
        decoded = try JSONText.value(of: text)
      } catch {
        if keepsOthers, error.isSyntax { return }
        throw scope.error(at: key, error.reason)
      }
      guard let decoded else { return try scope.remove(at: key) }
      value = decoded
    }
    if isDeep { value = Self.decodingInner(value) }
    if value != old { try scope.set(value, at: key) }
  }

  /// The value, in which arrays and objects replace the strings that contain them as JSON.
  private static func decodingInner(_ value: TOMLValue, isInner: Bool = false) -> TOMLValue {
    switch value {
    case .array(let items): return .array(items.map { decodingInner($0, isInner: true) })
    case .table(let table):
      var result = TOMLTable()
      for (key, value) in table { result[key] = decodingInner(value, isInner: true) }
      return .table(result)
    case .string(let text) where isInner:
      guard let first = text.withoutBlanks.first, first == "[" || first == "{",
        let decoded = try? JSONText.value(of: text)
      else { return value }
      return decodingInner(decoded, isInner: true)
    default: return value
    }
  }
}

/// Replaces an array, a table, a number or a boolean with a string of JSON: `["a"]` becomes `"[\"a\"]"`.
///
/// A string stays: it is assumed to contain JSON already. Dates become strings.
public struct EncodeJSONString: BuiltInStep {
  private let key: TOMLPath

  /// Creates the step from a dotted key.
  public init(_ key: String) { self.key = Self.path(key) }
}

extension EncodeJSONString: DeclarativeStep {
  package static let word = "encode-json"
  package var schemaForm: TOMLTable? { ["encode-json": .key(key)] }
  package init(_ form: StepForm) throws { key = try form.path("encode-json") }

  package func run(in scope: inout MigrationScope) throws {
    guard let value = scope[key] else { return }
    if case .string = value { return }
    guard let text = JSONText.text(of: value) else {
      throw scope.error(at: key, "the value holds an infinity or a not-a-number, which JSON has no form for")
    }
    // Each JSON level escapes the quotes of the text inside it again.
    try scope.checkMade(text.utf8.count, at: key)
    // A table's own lines are removed first, since a string cannot replace a header.
    if value.table != nil { try scope.remove(at: key) }
    try scope.set(.string(text), at: key)
  }
}
