import AppSettings
import AppSettingsSchema

/// Two texts of settings files prepared for display side by side: without values that the schema marks as secret.
struct SecretTexts {
  private(set) var old: String
  private(set) var new: String

  /// A text of a history, without secrets that were none when it was kept.
  ///
  /// What the history has left out itself stays valid TOML.
  static func kept(_ text: String, _ schema: SettingsSchema?) -> String {
    guard let schema, schema.hasSecrets, SecretText(Array(text.utf8), schema).hasSecrets else { return text }
    return SecretTexts(Array(text.utf8), [], schema).old
  }

  /// Shown for a secret that differs from the one before.
  static let another = "(another secret)"

  init(_ old: [UInt8], _ new: [UInt8], _ schema: SettingsSchema?) {
    guard let schema, schema.keys.contains(where: \.isSecret) else {
      self.old = String(decoding: old, as: UTF8.self)
      self.new = String(decoding: new, as: UTF8.self)
      return
    }
    let before = SecretText(old, schema)
    let after = SecretText(new, schema)
    self.old = before.shown { _ in Shown.redacted }
    self.new = after.shown { path in
      guard let value = before.document[path] else { return Shown.redacted }
      return value == after.document[path] ? Shown.redacted : Self.another
    }
    // Text that does not parse may be a secret.
    if before.rest != nil { self.old += "(not shown: it does not parse from here on, and may hold a secret)\n" }
    if let rest = after.rest {
      let isChanged = before.rest != nil && before.rest != rest
      self.new += "(not shown: it does not parse from here on, and may hold \(isChanged ? "another" : "a") secret)\n"
    }
  }
}

/// A text, and which parts of it are secret.
private struct SecretText {
  /// The text, as far as it parses.
  let document: TOMLDocument
  /// The rest of the text.
  let rest: ArraySlice<UInt8>?
  private let secrets: SecretPaths

  init(_ bytes: [UInt8], _ schema: SettingsSchema) {
    (document, rest) = Self.parsed(bytes)
    secrets = SecretPaths(of: document, schema)
  }

  /// Whether a secret has a value that a history would not keep.
  var hasSecrets: Bool {
    rest != nil
      || document.leafPaths().contains { path in
        guard isSecret(path), let value = document[path] else { return false }
        return value != .string(SettingsHistory.placeholder) && value.table?.isEmpty != true
      }
  }

  private func isSecret(_ path: TOMLPath) -> Bool { secrets.hide(path, isTable: document.isTable(at: path)) }

  /// The text without secrets.
  func shown(_ placeholder: (TOMLPath) -> String) -> String {
    document.masked(hidingCommentsWith: secrets.names) { isSecret($0) ? placeholder($0) : nil }
  }

  /// The lines of a text up to those that do not parse. An open bracket or quote may show up only much later, so this
  /// tries a few beginnings, and then accepts nothing.
  private static func parsed(_ bytes: [UInt8]) -> (TOMLDocument, rest: ArraySlice<UInt8>?) {
    var end = bytes.count
    for _ in 0..<8 {
      do throws(TOMLSyntaxError) {
        let document = try TOMLDocument(parsing: Array(bytes[..<end]))
        return (document, end == bytes.count ? nil : bytes[end...])
      } catch {
        let before = bytes[..<min(error.position.byteOffset, end)].lastIndex(of: UInt8(ascii: "\n"))
        end = before.map { $0 + 1 } ?? 0
      }
    }
    return (TOMLDocument(), bytes[...])
  }
}

extension SchemaLookup {
  /// The number of components at the end of a path that are names within a secret value.
  func partOfSecret(_ path: TOMLPath) -> Int {
    guard let key = key(around: path), key.isSecret, let name = key.paths.first(where: { path.hasPrefix($0) }) else {
      return 0
    }
    return path.components.count - name.components.count
  }

  /// Removes the secrets from a value, and lists them.
  ///
  /// A value at or within a secret stays, because it was asked for by name. A value in the place of a secret's table,
  /// such as an array of tables, may hold the secret and is removed completely.
  ///
  /// - Returns: `nil` for the value if nothing is left of it.
  func withoutSecrets(_ value: TOMLValue, at path: TOMLPath) -> (value: TOMLValue?, secrets: [TOMLPath]) {
    guard key(around: path) == nil else { return (value, []) }
    var result: TOMLValue? = value
    var secrets: [TOMLPath] = []
    for key in named(below: path) where key.isSecret {
      for name in key.paths where name.hasPrefix(path) {
        var place = path
        var found = result
        for component in name.components.dropFirst(path.components.count) {
          guard case .table(let table)? = found else { break }
          found = table[component]
          place = place.appending(component)
        }
        guard found != nil else { continue }
        secrets.append(place)
        if case .table(var table)? = result, place != path {
          let rest = TOMLPath(Array(place.components.dropFirst(path.components.count)))
          table.apply(Edit(path: rest, value: nil))
          result = .table(table)
        } else {
          result = nil
        }
      }
    }
    return (result, secrets)
  }
}
