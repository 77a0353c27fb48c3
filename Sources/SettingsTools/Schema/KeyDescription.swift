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

  package var json: String {
    var json = JSONWriter()
    json.begin()
    add(to: &json)
    json.end()
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Adds the members to a JSON object.
  package func add(to json: inout JSONWriter) {
    func add(_ name: StaticString, stored value: TOMLValue?) {
      if isSecret, value != nil {
        json.add(name, text: Shown.redacted)
      } else {
        json.add(name, JSONValue.text(of: value))
      }
    }
    json.add("key", text: path.description)
    json.add("type", text: type?.kind.rawValue)
    json.add("needs", text: expected)
    add("value", stored: value)
    add("default", stored: key?.defaultValue)
    json.add("description", text: key?.summary)
    json.add("group", text: key?.group?.description)
    json.add("choices", type?.choices.map { JSONValue.text(of: .array($0)) })
    json.add("minimum", type?.minimum.map { JSONValue.text(of: $0) })
    json.add("maximum", type?.maximum.map { JSONValue.text(of: $0) })
    json.add("below", type?.limit.map { JSONValue.text(of: $0) })
    json.add(
      "pattern",
      type.flatMap { $0.patterns.isEmpty ? nil : JSONValue.text(of: .array($0.patterns.map { .string($0) })) })
    json.add("minimumCount", type?.minimumCount.map { String($0) })
    json.add("maximumCount", type?.maximumCount.map { String($0) })
    if let example = type?.example { json.add("example", JSONValue.text(of: example)) }
    if key?.needsRestart == true { json.add("needsRestart", true) }
    json.add("formerly", JSONValue.text(of: .array((key?.formerPaths ?? []).map { .string($0.description) })))
    json.add("layer", text: origin.layer.kind.rawValue)
    json.add("file", text: origin.layer.file)
    json.add("line", origin.position.map { String($0.line) })
    json.add("storedAs", text: origin.formerName?.description)
    json.add("lockedBy", text: origin.lock?.layer.file)
    json.add("lockReason", text: origin.lock?.reason)
    json.add("layers", "[\(values.map { Shown.record($0, schema).text }.joined(separator: ","))]")
    json.add("isDefault", origin.isDefault)
    json.add("isLocked", origin.isLocked)
    json.add("isSecret", isSecret)
    json.add("isKnown", isKnown)
    json.add("problem", text: problem)
  }
}
