package import AppSettings
import AppSettingsSchema

/// Two texts of settings files prepared for display side by side, without secrets.
package struct ShownTexts {
  package let old: String
  package let new: String

  /// Shown for a secret that differs from the one before.
  package static let another = "(another secret)"

  package init(_ old: [UInt8], _ new: [UInt8], _ schema: SchemaLookup) {
    let before = schema.redaction(of: old)
    let after = schema.redaction(of: new)
    self.old = before.shownText { _ in Shown.redacted }
    self.new = after.shownText { path in
      guard let value = before.document?[path] else { return Shown.redacted }
      return value == after.document?[path] ? Shown.redacted : Self.another
    }
  }
}

extension SchemaLookup {
  /// The number of components at the end of a path that are names within a secret value.
  package func partOfSecret(_ path: TOMLPath) -> Int {
    knownKeys.secret(around: path).map { path.components.count - $0.components.count } ?? 0
  }

  /// A path without names within a secret value.
  package func withoutSecretNames(_ path: TOMLPath) -> TOMLPath {
    TOMLPath(path.components.dropLast(partOfSecret(path)))
  }

  /// Removes the secrets from a value, and lists them.
  ///
  /// A value at or within a secret stays, because it was asked for by name. A value in the place of a secret's table,
  /// such as an array of tables, may hold the secret and is removed completely.
  ///
  /// - Returns: `nil` for such a value.
  package func withoutSecrets(_ value: TOMLValue, at path: TOMLPath) -> (value: TOMLValue?, secrets: [TOMLPath]) {
    guard key(around: path) == nil, !knownKeys.isSecret(path) else { return (value, []) }
    guard case .table(let table) = value else {
      return knownKeys.mayBeSecret(path) ? (nil, [path]) : (value, [])
    }
    var secrets: [TOMLPath] = []
    return (.table(without(&secrets, table, at: path)), secrets)
  }

  private func without(_ secrets: inout [TOMLPath], _ table: TOMLTable, at path: TOMLPath) -> TOMLTable {
    // A new table: each removal from one would move all that follows.
    var rest = TOMLTable()
    for (name, value) in table {
      let place = path.appending(name)
      if !knownKeys.hides(place, value) {
        rest[name] = value
      } else if case .table(let inner) = value, !knownKeys.isSecret(place) {
        rest[name] = .table(without(&secrets, inner, at: place))
      } else {
        secrets.append(place)
      }
    }
    return rest
  }
}
