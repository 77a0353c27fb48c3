package import AppSettings
import AppSettingsSchema

/// Everything that a settings page shows of a target, all of one moment.
package struct SettingsDocument {
  private let target: Target
  private let schema: SchemaLookup
  private let opened: OpenedSettings
  private let snapshot: SettingsSnapshot
  private let location: SettingsLocation
  /// The bytes of the target's file; `nil` if there is none.
  private let bytes: [UInt8]?
  private let hidden: HiddenText

  /// How often the files are read again if they change meanwhile.
  private static let mostReads = 5

  /// Reads a target.
  ///
  /// - Throws: ``ToolError`` with status 3 for an unknown app, 7 for a file that cannot be read. One that does not parse is
  ///   no failure.
  package static func read(_ target: Target) throws -> (document: SettingsDocument, json: String) {
    for attempt in 1... {
      let document = try SettingsDocument(target)
      let json = document.text()
      // Findings and migrations come from readings of their own.
      if try attempt == mostReads || document.isCurrent() { return (document, json) }
    }
    preconditionFailure("The last attempt returns.")
  }

  private init(_ target: Target) throws {
    self.target = target
    schema = target.schema
    opened = try target.openUnread()
    opened.load()
    snapshot = opened.snapshot
    let location = try opened.store.location ?? target.location()
    self.location = location
    let problems = opened.store.currentProblems.filter { $0.file == location.file }
    if let problem = problems.first(where: { [.io, .readOnly].contains($0.code) }) { throw ToolError(problem) }
    let isBroken = problems.contains { $0.code == .unparsable }
    let bytes = isBroken ? try SettingsFile(path: location.file).read().bytes : snapshot.ownBytes
    if bytes == nil, !snapshot.hasSettings { try target.checkKnown(opened) }
    self.bytes = bytes
    hidden = HiddenText(bytes ?? [], schema)
  }

  /// Whether the files still are as they were read.
  private func isCurrent() throws -> Bool {
    guard try SettingsFile(path: location.file).read().bytes == bytes else { return false }
    opened.look()
    return opened.snapshot.hasSameFiles(as: snapshot)
  }

  // MARK: JSON

  private func text() -> String {
    let digest = Digest(of: bytes).text
    let shown = hidden.text
    let places = TextSpans(of: shown, hidden, schema)
    let personal = location.personal
    let profiles = try? Profiles(of: location)?.names()
    let before = Self.members(
      [
        ("target", .text(target.name)), ("file", .text(location.file)), ("exists", .flag(bytes != nil)),
        ("digest", .text(digest)), ("keepsHistory", .flag(keepsHistory)), ("text", .text(shown)),
        ("isMasked", .flag(hidden.isMasked)), ("problem", .object(problem(places))), ("schema", .object(schemaFacts)),
        ("profile", .text(personal?.profile)), ("profiles", .texts(profiles ?? [])), ("layers", .objects(layers)),
        ("groups", .objects(groups)),
      ])
    let keys = self.keys(places)
    // One element a line.
    let findings = opened.allFindings.map { record($0, places).text }.joined(separator: ",\n  ")
    let after = Self.members([("findings", .json("[\(findings)]")), ("migration", .object(migration))])
    var bytes = Array("{\(before),\n \"keys\":[".utf8)
    bytes.reserveCapacity(bytes.count + keys.reduce(16) { $0 + $1.count } + after.utf8.count)
    for (index, part) in keys.enumerated() {
      if index > 0 { bytes += ",\n  ".utf8 }
      bytes += part
    }
    bytes += "],\n \(after)}".utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Members, one a line.
  private static func members(_ members: [(String, JSONObject.Member)]) -> String {
    members.map { JSONObject(dictionaryLiteral: $0).text.dropFirst().dropLast() }.joined(separator: ",\n ")
  }

  /// Whether the next write is recorded.
  private var keepsHistory: Bool {
    schema.isUsable && hidden.document?[SettingsFormat.historyPath] != .boolean(false)
  }

  /// Why the text does not parse, with the place in the shown text.
  private func problem(_ places: TextSpans) -> JSONObject? {
    guard let bytes, hidden.document == nil else { return nil }
    do throws(TOMLSyntaxError) {
      _ = try TOMLDocument(parsing: bytes)
      return nil
    } catch {
      let place = places.position(of: hidden.shownOffset(of: error.position.byteOffset))
      return [
        "message": .text(schema.message(error, in: bytes)), "line": .number(place.line),
        "column": .number(place.column),
      ]
    }
  }

  private var schemaFacts: JSONObject? {
    schema.schema.map { schema in
      [
        "file": .text(schema.file), "app": .text(schema.app), "name": .text(schema.name), "icon": .text(schema.icon),
        "version": .number(schema.migrations.currentVersion),
      ]
    }
  }

  private var layers: [JSONObject] {
    snapshot.layers.indices.reversed().map { index in
      let isWritten = index == snapshot.userIndex
      let layer = snapshot.layers[index].layer
      return [
        "layer": .text(layer.kind.rawValue), "file": .text(layer.file), "exists": .flag(!isWritten || bytes != nil),
        "isWritten": .flag(isWritten),
      ]
    }
  }

  private var groups: [JSONObject] {
    (schema.schema?.groups ?? []).map { ["path": .text($0.path.description), "description": .text($0.summary)] }
  }

  /// The keys as JSON objects, one a line, in parts.
  private func keys(_ places: TextSpans) -> [[UInt8]] {
    let (snapshot, schema) = (snapshot, schema)
    return TwoThreads.halves(KeyDescription.paths(at: .root, in: snapshot, schema)) { paths in
      var bytes: [UInt8] = []
      for path in paths {
        if path != paths.first { bytes += ",\n  ".utf8 }
        let key = KeyDescription(path, in: snapshot, schema)
        var json = key.json
        json["span"] = .object(places.span(of: path))
        json["isRecord"] = .flag(key.type?.kind == .records)
        json["shape"] = .object(key.type.flatMap { $0.hasParts ? Shown.shape($0) : nil })
        if let value = key.value, !key.isSecret, value.losesInJSON {
          json["toml"] = .text(Shown.text(value, at: path, in: snapshot, schema))
        }
        json.add(to: &bytes)
      }
      return bytes
    }
  }

  /// A finding as 'check' prints it, and its line in the shown text.
  private func record(_ finding: SettingsFinding, _ places: TextSpans) -> JSONObject {
    var line: Int?
    if finding.file == location.file, let position = finding.position {
      line = places.position(of: hidden.shownOffset(of: position.byteOffset)).line
    }
    return finding.json + ["textLine": .number(line)]
  }

  private var migration: JSONObject? {
    guard let schema = schema.schema, case .pending(let pending)? = try? opened.store.migrationStatus() else {
      return nil
    }
    var (problem, difference): (String?, String?)
    do throws(SettingsError) {
      difference = try opened.store.previewMigration().difference(schema)
    } catch {
      problem = error.message
    }
    return [
      "pending": .objects(pending.map { ["version": .number($0.version), "name": .text($0.name)] }),
      "diff": .text(difference), "problem": .text(problem),
    ]
  }
}

extension SettingsSnapshot {
  /// The bytes of the file that is written; `nil` if there is none.
  package var ownBytes: [UInt8]? { layers[userIndex].fileBytes }

  /// Whether all files are the same, with the same bytes.
  func hasSameFiles(as other: SettingsSnapshot) -> Bool {
    layers.count == other.layers.count
      && zip(layers, other.layers).allSatisfy { $0.layer == $1.layer && $0.fileBytes == $1.fileBytes }
  }
}
