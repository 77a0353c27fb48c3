import AppSettings

/// A table of a schema file and its position there. Errors name the position.
struct SchemaSection {
  let source: SchemaSource
  let path: TOMLPath
  let table: TOMLTable

  /// Returns an error at a member, or at the table itself if the member is absent.
  func refuse(_ reason: String, at member: String? = nil) -> SettingsError {
    source.refuse(reason, at: member.map { path.appending($0) } ?? path)
  }

  /// Returns an error for a member that has the wrong type.
  func wrong(_ member: String, _ expected: String) -> SettingsError {
    guard let found = table[member]?.errorDescription else {
      return refuse("'\(member)' is missing; it must be \(expected)", at: member)
    }
    return refuse("'\(member)' is \(found), but must be \(expected)", at: member)
  }

  /// Rejects unknown members. A file of a later form may have members that this release does not know yet.
  func checkMembers(among known: [String]) throws(SettingsError) {
    guard !source.isOfLaterForm else { return }
    for (name, _) in table where !known.contains(name) {
      let nearest = Suggestion.nearest(to: name, among: known)
      let hint = nearest.map { "'\($0)' may be meant" } ?? "there are \(known.joined(separator: ", "))"
      throw refuse("there is no member '\(name.shortened())'; \(hint)", at: name)
    }
  }

  // MARK: Members

  func string(_ member: String, _ expected: String) throws(SettingsError) -> String {
    guard case .string(let text)? = table[member] else { throw wrong(member, expected) }
    return text
  }

  func optionalString(_ member: String) throws(SettingsError) -> String? {
    table[member] == nil ? nil : try string(member, "a string")
  }

  func flag(_ member: String) throws(SettingsError) -> Bool {
    switch table[member] {
    case nil: return false
    case .boolean(let flag)?: return flag
    default: throw wrong(member, "true or false")
    }
  }

  /// Whether projects may set a key: `true`, or a text that says why that is safe.
  func projectRule(_ member: String) throws(SettingsError) -> ProjectRule {
    switch table[member] {
    case nil, .boolean(false)?: return .refused
    case .boolean(true)?: return .allowed
    case .string(let reason)?: return .safe(reason)
    default: throw wrong(member, "true, or a string that says why it is safe")
    }
  }

  func count(_ member: String) throws(SettingsError) -> Int? {
    switch table[member] {
    case nil: return nil
    case .integer(let number)? where 0...Int64(Int32.max) ~= number: return Int(number)
    default: throw wrong(member, "an integer from 0 to \(Int32.max)")
    }
  }

  func elements(_ member: String, _ expected: String) throws(SettingsError) -> [TOMLValue]? {
    switch table[member] {
    case nil: return nil
    case .array(let elements)?: return elements
    default: throw wrong(member, expected)
    }
  }

  func section(_ member: String, _ expected: String) throws(SettingsError) -> SchemaSection {
    guard case .table(let inner)? = table[member] else { throw wrong(member, expected) }
    return SchemaSection(source: source, path: path.appending(member), table: inner)
  }

  /// Reads a dotted key from a member's name or value.
  func keyPath(_ text: String, at member: String? = nil) throws(SettingsError) -> TOMLPath {
    let path: TOMLPath
    do throws(TOMLPathError) {
      path = try TOMLPath(parsing: text)
    } catch {
      throw refuse(error.message.withoutFullStop, at: member)
    }
    guard !path.isReserved else {
      throw refuse(
        "'\(text.shortened())' cannot be a key: root keys that begin with 'settings-' are reserved", at: member)
    }
    return path
  }
}

/// The text of a schema file, to find positions in it.
struct SchemaSource {
  let document: TOMLDocument
  let file: String
  /// Whether the file has a newer form than this release knows.
  let isOfLaterForm: Bool

  init(_ document: TOMLDocument, file: String) {
    self.document = document
    self.file = file
    if case .integer(let version)? = document[["schema-version"]] {
      isOfLaterForm = version > SettingsSchema.formVersion
    } else {
      isOfLaterForm = false
    }
  }

  /// Returns an error at a position; at the nearest existing table, if the position is empty.
  func refuse(_ reason: String, at path: TOMLPath) -> SettingsError {
    var place = path
    while !place.isRoot, !document.contains(place) { place = place.parent }
    return refuse(
      reason, place.isRoot ? TOMLPosition(line: 1, column: 1, byteOffset: 0) : document.position(of: place))
  }

  func refuse(_ reason: String, _ position: TOMLPosition?) -> SettingsError {
    let place = position.map { ":\($0.line):\($0.column)" } ?? ""
    return SettingsError(
      .invalidValue, "Cannot use the schema '\(file)\(place)': \(reason).", file: file, position: position)
  }
}
