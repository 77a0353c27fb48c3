package import SettingsTOML

/// An entry of `settings-locked`: a key, or a table with a key and the reason for users.
///
/// ```toml
/// settings-locked = ["proxy", { key = "update.channel", reason = "licences cover the stable channel only" }]
/// ```
package struct LockEntry: Sendable, Hashable {
  package var path: TOMLPath
  package var reason: String?

  package init(_ path: TOMLPath, reason: String? = nil) {
    self.path = path
    self.reason = reason
  }

  /// The entry as a value: `"update.channel"`, or if there is a reason a table.
  package var value: TOMLValue { reason == nil ? .string(path.description) : .table(table) }

  /// The entry as a table: `{ key = "update.channel", reason = "…" }`.
  package var table: TOMLTable {
    var table: TOMLTable = ["key": .string(path.description)]
    table["reason"] = reason.map { .string($0) }
    return table
  }

  /// Reads an entry.
  ///
  /// - Throws: ``Invalid``.
  package init(_ value: TOMLValue) throws(Invalid) {
    switch value {
    case .string(let key): self.init(try Self.path(key))
    case .table(let table):
      guard case .string(let key)? = table["key"] else {
        throw Invalid(reason: "it has no string 'key'")
      }
      if let other = table.keys.first(where: { $0 != "key" && $0 != "reason" }) {
        throw Invalid(reason: "it has '\(other)', but may only have 'key' and 'reason'")
      }
      switch table["reason"] {
      case nil: self.init(try Self.path(key))
      case .string(let reason)?: self.init(try Self.path(key), reason: reason.isEmpty ? nil : reason)
      case let other?: throw Invalid(reason: "its 'reason' is \(other.kindName), but must be a string")
      }
    default:
      throw Invalid(
        reason: "it is \(value.kindName), but must be a string that names a key, or a table with 'key' and 'reason'")
    }
  }

  /// Why an entry locks nothing, as a clause.
  package struct Invalid: Error {
    package let reason: String
  }

  private static func path(_ key: String) throws(Invalid) -> TOMLPath {
    do {
      return try TOMLPath(parsing: key)
    } catch {
      // Without the name: it may be one within a secret table.
      throw Invalid(reason: "it is not a key path: \(error.reason)")
    }
  }
}
