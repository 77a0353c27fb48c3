import SettingsTOML

/// The keys of a file, as far as a program has declared them or a schema file describes them.
///
/// A value is in the history only if its key is known not to be a secret. So it does not matter which of a program's
/// keys have been used when the first write happens. A file of which nothing is known has no secrets that anyone has
/// marked: all its values are in the history, with the exception of those whose names say what they are.
package struct KnownKeys: Sendable, Equatable {
  /// A key, or a former name of one.
  package struct Entry: Sendable, Equatable {
    package var path: TOMLPath
    package var isSecret: Bool

    package init(path: TOMLPath, isSecret: Bool) {
      self.path = path
      self.isSecret = isSecret
    }
  }

  private(set) var shown: Set<TOMLPath> = []
  private(set) var secret: Set<TOMLPath> = []
  /// The paths above secrets.
  private var aboveSecrets: Set<TOMLPath> = []
  /// The paths above shown ones.
  private var aboveShown: Set<TOMLPath> = []

  var isEmpty: Bool { shown.isEmpty && secret.isEmpty }

  /// - Returns: Whether it was unknown.
  @discardableResult
  mutating func insert(_ entry: Entry) -> Bool {
    var above = entry.path
    if entry.isSecret {
      guard secret.insert(above).inserted else { return false }
      while !above.isRoot {
        above = above.parent
        aboveSecrets.insert(above)
      }
    } else {
      guard shown.insert(above).inserted else { return false }
      while !above.isRoot {
        above = above.parent
        aboveShown.insert(above)
      }
    }
    return true
  }

  /// Whether a key, or one that it is a part of, is among them.
  func knows(_ key: AnySettingsKey) -> Bool {
    key.paths.allSatisfy { path in
      Self.prefixes(of: path).contains { secret.contains($0) || !key.isSecret && shown.contains($0) }
    }
  }

  /// Whether values at, above or below a path may have been kept.
  func mayHaveShown(_ path: TOMLPath) -> Bool {
    isEmpty
      || !mayBeSecret(path) && (aboveShown.contains(path) || Self.prefixes(of: path).contains { shown.contains($0) })
  }

  /// Whether a secret is at or above a path.
  func isSecret(_ path: TOMLPath) -> Bool {
    !secret.isEmpty && Self.prefixes(of: path).contains { secret.contains($0) }
  }

  /// The secret that a path is, or is in. Where everything is secret, as in a sealed garage, the names are none.
  func secret(around path: TOMLPath) -> TOMLPath? {
    secret.isEmpty ? nil : Self.prefixes(of: path).first { !$0.isRoot && secret.contains($0) }
  }

  /// Whether a secret is at, above or below a path.
  func mayBeSecret(_ path: TOMLPath) -> Bool { aboveSecrets.contains(path) || isSecret(path) }

  /// Whether the value at a path must not be kept.
  func hides(_ path: TOMLPath) -> Bool {
    guard path.components.first?.hasPrefix("settings-") != true else { return false }
    guard !isEmpty else { return Self.soundsSecret(path) }
    return mayBeSecret(path) || !Self.prefixes(of: path).contains { shown.contains($0) }
  }

  /// The last components of secrets, in lower case: a comment with one of them may hold a former value.
  var names: [String] { Set(secret.compactMap { $0.last?.lowercased() }).sorted() }

  private static func prefixes(of path: TOMLPath) -> some Sequence<TOMLPath> {
    (0...path.components.count).lazy.map { TOMLPath(Array(path.components.prefix($0))) }
  }

  private static let words = [
    "token", "password", "passwd", "passphrase", "secret", "credential", "apikey", "api-key", "api_key", "private-key",
    "private_key",
  ]

  private static func soundsSecret(_ path: TOMLPath) -> Bool {
    path.components.contains { component in
      let name = component.lowercased()
      return words.contains { name.contains($0) }
    }
  }
}

/// A text as the history keeps it: without the values of keys that are secret or unknown.
struct KeptText: Sendable {
  /// The bytes; TOML if the text is.
  let bytes: [UInt8]
  /// Whether nothing is left out.
  let isComplete: Bool
  let digest: TextDigest

  /// Stands for a value that is not kept.
  static let placeholder = "(not in the history)"

  /// Stands for a text that does not parse. It says nothing about the values.
  static let unparsed = Array("# \(placeholder): it did not parse\n".utf8)

  init(bytes: [UInt8], isComplete: Bool) {
    self.bytes = bytes
    self.isComplete = isComplete
    digest = TextDigest(of: bytes)
  }

  /// - Parameter document: The document of the text; `nil` for one that does not parse, of which nothing is kept.
  init(of document: TOMLDocument?, _ known: KnownKeys, _ migrations: SettingsMigrations) {
    guard let document else {
      self.init(bytes: Self.unparsed, isComplete: false)
      return
    }
    let hides = Self.hiding(in: document, known, migrations)
    var bytes = Array(
      document.masked(hidingCommentsWith: known.names, tableNote: "# " + Self.placeholder) { path in
        hides(path) ? "\"\(Self.placeholder)\"" : nil
      }.utf8)
    let isComplete = bytes.isSameText(as: document.bytes)
    // The same array, so that it is kept in memory once.
    if isComplete { bytes = document.bytes }
    self.init(bytes: bytes, isComplete: isComplete)
  }

  /// Whether the value at a path of a document must not be kept; for a table, whether none below it may be.
  static func hiding(
    in document: TOMLDocument, _ known: KnownKeys, _ migrations: SettingsMigrations
  ) -> (TOMLPath) -> Bool {
    let version = (try? SettingsMigrations.version(of: document)) ?? migrations.currentVersion
    let isOld = version < migrations.currentVersion
    return { path in
      // The tables on the way to a value are not values.
      if document.isTable(at: path) { return known.isSecret(path) }
      guard isOld, !known.isEmpty else { return known.hides(path) }
      let places = migrations.places(of: [path], from: version)
      return places.contains(where: known.mayBeSecret) || places.allSatisfy(known.hides)
    }
  }
}
