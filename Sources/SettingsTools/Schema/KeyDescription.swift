package import AppSettings
package import AppSettingsSchema

/// The facts about a key, and its value.
package struct KeyDescription {
  package let path: TOMLPath
  package let key: SchemaKey?
  package let type: SchemaType?
  package let value: TOMLValue?
  package let origin: SettingsOrigin
  /// The values of all files, the highest first.
  package let values: [LayerValue]
  package let isSecret: Bool
  package let schema: SchemaLookup
  /// Why the app does not use what the files have, or a part of that; `nil` if it does.
  package let problem: String?
  package let isKnown: Bool

  package init(_ path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) {
    self.path = path
    self.schema = schema
    key = schema.key(path)
    // Nearly all keys are public and have one name and a value that the app uses: then all look-ups are those of the
    // files, and the value is checked once.
    if let key, key.path == path, key.formerPaths.isEmpty, !key.isSecret,
      case let reading = schema.reading(of: key, in: snapshot), reading.errors.isEmpty
    {
      type = key.type
      value = reading.value
      origin = snapshot.origin(of: path)
      values = snapshot.values(at: [path])
      (isSecret, isKnown, problem) = (false, true, nil)
      return
    }
    type = schema.type(of: path)
    value = schema.usedValue(of: path, in: snapshot)
    origin = schema.origin(of: path, in: snapshot)
    values = schema.values(at: path, in: snapshot)
    isSecret = schema.isSecret(path, value)
    isKnown = schema.knows(path)
    problem = schema.unusable(at: path, in: snapshot).first?.message
  }

  /// The keys of the schema at a path, or the key that contains it; then other paths with a value.
  package static func paths(at path: TOMLPath, in snapshot: SettingsSnapshot, _ schema: SchemaLookup) -> [TOMLPath] {
    if let key = schema.key(path) { return [key.path] }
    if schema.key(around: path) != nil { return snapshot[path] == nil && schema.type(of: path) == nil ? [] : [path] }
    var paths = schema.keys(below: path).map(\.path)
    var seen = Set(paths)
    var leaves: [TOMLPath] = []
    path.collectDifferences(nil, snapshot[path], into: &leaves)
    for leaf in leaves where !leaf.isRoot {
      let key = schema.key(around: leaf)?.path
      // An empty table of declared keys has no value.
      if key == nil, snapshot[leaf]?.table?.isEmpty == true, !schema.keys(below: leaf).isEmpty { continue }
      if seen.insert(key ?? leaf).inserted { paths.append(key ?? leaf) }
    }
    return paths
  }

  package func shown(_ value: TOMLValue) -> String { isSecret ? Shown.redacted : value.tomlText }

  /// The values that the key accepts, in words.
  package var expected: String? { type?.expectedInFull ?? value?.kindName }

  // MARK: JSON

  package var json: JSONObject {
    func stored(_ value: TOMLValue?) -> JSONObject.Member {
      .value(isSecret && value != nil ? .string(Shown.redacted) : value)
    }
    var json: JSONObject = [
      "key": .text(path.description), "type": .text(type?.kind.rawValue), "needs": .text(expected),
      "value": stored(value), "default": stored(key?.defaultValue), "description": .text(key?.summary),
      "group": .text(key?.group?.description), "choices": .value(type?.choices.map { .array($0) }),
      "minimum": .value(type?.minimum), "maximum": .value(type?.maximum), "below": .value(type?.limit),
    ]
    let patterns = type?.patterns ?? []
    json["pattern"] = patterns.isEmpty ? .text(nil) : .texts(patterns)
    json["minimumCount"] = .number(type?.minimumCount)
    json["maximumCount"] = .number(type?.maximumCount)
    if let example = type?.example { json["example"] = .value(example) }
    if key?.needsRestart == true { json["needsRestart"] = .flag(true) }
    return json + [
      "formerly": .texts((key?.formerPaths ?? []).map(\.description)), "layer": .text(origin.layer.kind.rawValue),
      "file": .text(origin.layer.file), "line": .number(origin.position?.line),
      "storedAs": .text(origin.formerName?.description), "lockedBy": .text(origin.lock?.layer.file),
      "lockReason": .text(origin.lock?.reason), "layers": .objects(values.map { Shown.record($0, schema) }),
      "isDefault": .flag(origin.isDefault), "isLocked": .flag(origin.isLocked), "isSecret": .flag(isSecret),
      "isKnown": .flag(isKnown), "problem": .text(problem),
    ]
  }
}
