import SettingsTOML

/// Replaces a string of JSON with its value; see ``MigrationStep/decodeJSONString(_:deep:keepingOthers:)``.
struct DecodeJSONStringStep {
  let key: TOMLPath
  let isDeep: Bool
  let keepsOthers: Bool
}

extension DecodeJSONStringStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    var form: TOMLTable = ["decode-json": .key(key)]
    if isDeep { form["deep"] = true }
    if keepsOthers { form["keeping-others"] = true }
    return form
  }
  init(_ form: StepForm) throws {
    key = try form.path("decode-json")
    isDeep = try form.flag("deep")
    keepsOthers = try form.flag("keeping-others")
  }

  func run(in scope: inout MigrationScope) throws {
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

/// Replaces a value with a string of JSON; see ``MigrationStep/encodeJSONString(_:)``.
struct EncodeJSONStringStep {
  let key: TOMLPath
}

extension EncodeJSONStringStep: DeclarativeStep {
  var schemaForm: TOMLTable? { ["encode-json": .key(key)] }
  init(_ form: StepForm) throws { key = try form.path("encode-json") }

  func run(in scope: inout MigrationScope) throws {
    guard let value = scope[key] else { return }
    if case .string = value { return }
    guard let text = JSONText.text(of: value) else {
      throw scope.error(at: key, "the value holds an infinity or a not-a-number, which JSON has no form for")
    }
    // Each JSON level escapes the quotes of the text inside it again.
    try scope.checkMade(text.utf8.count, at: key)
    try scope.set(.string(text), at: key)
  }
}
