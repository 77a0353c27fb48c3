import AppSettings
import AppSettingsMigrations
import AppSettingsSchema

/// Two texts of settings files as they may be shown side by side: without the values that the schema calls secrets.
struct SecretTexts {
  private(set) var old: String
  private(set) var new: String

  /// What stands for a secret that is not the one before.
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
    // What does not parse cannot be told from a secret.
    if before.rest != nil { self.old += "(not shown: it does not parse from here on, and may hold a secret)\n" }
    if let rest = after.rest {
      let isChanged = before.rest != nil && before.rest != rest
      self.new += "(not shown: it does not parse from here on, and may hold \(isChanged ? "another" : "a") secret)\n"
    }
  }
}

/// A text, and what of it is a secret.
private struct SecretText {
  /// The text, as far as it parses.
  let document: TOMLDocument
  /// What comes after that.
  let rest: ArraySlice<UInt8>?
  private let keys: [SchemaKey]
  /// Values under names that the app does not have any more.
  private let formerSecrets: Set<TOMLPath>

  init(_ bytes: [UInt8], _ schema: SettingsSchema) {
    (document, rest) = Self.parsed(bytes)
    keys = schema.keys.filter(\.isSecret)
    let migrations = schema.migrations
    guard let version = try? SettingsMigrations.version(of: document), version < migrations.currentVersion else {
      formerSecrets = []
      return
    }
    let secrets = keys.map(\.path)
    // Where code takes a value cannot be known here.
    let hasCode = migrations.pending(from: version).contains { $0.steps.contains(where: StepForms.needsTheApp) }
    let known = hasCode ? SchemaLookup(schema: schema) : nil
    formerSecrets = Set(
      document.leafPaths().filter { path in
        if let known, known.key(around: path) == nil { return true }
        let places = migrations.places(of: [path], from: version)
        return secrets.contains { secret in places.contains { $0.hasPrefix(secret) || secret.hasPrefix($0) } }
      })
  }

  /// The text, without secrets.
  func shown(_ placeholder: (TOMLPath) -> String) -> String {
    let names = keys.flatMap(\.paths).compactMap { $0.last?.lowercased() }
    let former = formerSecrets.compactMap { $0.last?.lowercased() }
    return document.masked(hidingCommentsWith: Array(Set(names + former))) { path in
      // What stands where the table of a secret would be may hold it.
      func isHidden(by secret: TOMLPath) -> Bool {
        path.hasPrefix(secret) || secret.hasPrefix(path) && !document.isTable(at: path)
      }
      let isSecret = formerSecrets.contains(path) || keys.contains { $0.paths.contains(where: isHidden) }
      return isSecret ? placeholder(path) : nil
    }
  }

  /// The lines of a text up to those that do not parse. An open bracket or quote may show only much later, so it looks for
  /// a beginning that parses a few times, and then takes nothing.
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
  /// How many components at the end of a path are names within the value of a secret.
  func partOfSecret(_ path: TOMLPath) -> Int {
    guard let key = key(around: path), key.isSecret, let name = key.paths.first(where: { path.hasPrefix($0) }) else {
      return 0
    }
    return path.components.count - name.components.count
  }

  /// A value without the secrets in it, and what was left out.
  ///
  /// A secret itself, and what is in one, stays: whoever asks for it gets it. What stands where the table of a secret would
  /// be, such as an array of tables, may hold the secret and is left out as a whole.
  ///
  /// - Returns: `nil` for the value if nothing of it is left.
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
