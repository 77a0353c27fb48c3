import SettingsTOML

/// Replaces some values with others; see ``MigrationStep/mapValues(_:_:)``.
struct MapValuesStep {
  let key: TOMLPath
  let map: [TOMLValue: TOMLValue]
}

extension MapValuesStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    [
      "map-values": .key(key),
      "values": .array(map.map { .array([$0.key, $0.value]) }.sorted { $0.tomlText < $1.tomlText }),
    ]
  }
  init(_ form: StepForm) throws {
    key = try form.path("map-values")
    map = try Dictionary(
      form.list("values").map { pair in
        guard case .array(let both) = pair, both.count == 2 else {
          throw form.failure("values", "an array of pairs [old, new]")
        }
        return (both[0], both[1])
      }, uniquingKeysWith: { _, last in last })
  }

  func run(in scope: inout MigrationScope) throws {
    guard let value = scope[key], let new = map[value] else { return }
    try scope.set(new, at: key)
  }
}

/// Changes the type of a value; see ``MigrationStep/convert(_:_:)``.
struct ConvertStep {
  let key: TOMLPath
  let conversions: [ValueConversion]
}

extension ConvertStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    ["convert": .key(key), "conversions": .array(conversions.map(\.schemaForm))]
  }
  init(_ form: StepForm) throws {
    key = try form.path("convert")
    conversions = try form.list("conversions").map { item in
      guard let conversion = ValueConversion(schemaForm: item) else {
        throw form.failure("conversions", "known conversions, and \(item.errorText) is not one")
      }
      return conversion
    }
  }

  func run(in scope: inout MigrationScope) throws {
    guard let old = scope[key] else { return }
    var value = old
    for conversion in conversions {
      do throws(ConversionFailure) {
        value = try conversion.convert(value)
      } catch {
        throw scope.error(at: key, error.reason)
      }
    }
    if value != old { try scope.set(value, at: key) }
  }
}

/// Makes one value of several: a string if there is a separator, otherwise an array.
struct MergeStep {
  let keys: [TOMLPath]
  let target: TOMLPath
  var separator: String?
  var defaults: [TOMLValue] = []
}

extension MergeStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    var form: TOMLTable = ["merge": .keys(keys), "into": .key(target)]
    form["separator"] = separator.map(TOMLValue.string)
    if !defaults.isEmpty { form["defaults"] = .array(defaults) }
    return form
  }
  init(_ form: StepForm) throws {
    keys = try form.paths("merge")
    target = try form.path("into")
    separator = form["separator"] == nil ? nil : try form.string("separator")
    defaults = form["defaults"] == nil ? [] : try form.list("defaults")
    guard defaults.isEmpty || defaults.count == keys.count else {
      throw form.failure("defaults", "a default for each key")
    }
  }

  func run(in scope: inout MigrationScope) throws {
    // A key above the target is the table that holds it.
    let values = keys.map { key in target != key && target.hasPrefix(key) && scope.contains(target) ? nil : scope[key] }
    guard values.contains(where: { $0 != nil }) else { return }
    let sources = keys.filter { $0 != target }
    // A table around a key is no value of the target's.
    let isTable = scope[target]?.table != nil
    guard !scope.contains(target) || keys.contains(where: { $0 == target || isTable && $0.hasPrefix(target) }) else {
      for key in sources where !target.hasPrefix(key) { try scope.remove(at: key) }
      return
    }
    var size = 0
    for case let value? in values {
      size += value.tomlText.utf8.count + (separator?.utf8.count ?? 0)
      try scope.checkMade(size, at: target)
    }
    let merged: TOMLValue
    if let separator {
      let texts = try zip(keys, values).compactMap { key, value -> String? in
        guard let value else { return nil }
        guard let text = value.scalarText else { throw scope.error(at: key, "\(value.kindName) cannot be joined") }
        return text
      }
      // When the step runs on its own output, only the target exists.
      if values.filter({ $0 != nil }).count == 1, keys.contains(target), scope.contains(target) { return }
      merged = .string(texts.joined(separator: separator))
    } else {
      if keys.contains(target), case .array? = scope[target] { return }
      var items: [TOMLValue] = []
      for (index, value) in values.enumerated() {
        guard let item = value ?? (defaults.isEmpty ? nil : defaults[index]) else { return }
        items.append(item)
      }
      merged = .array(items)
    }
    // The first key moves to the new place with its comments, and gets those of the others.
    let present = keys.filter(scope.contains)
    let first = present.contains(target) ? target : present.first { scope[$0]?.table == nil } ?? present.first
    guard let first else { return }
    try scope.move(from: first, to: target, removing: sources.filter { $0 != first })
    try scope.set(merged, at: target)
  }
}

/// Splits one value into several; see ``MigrationStep/split(_:into:separator:)``.
struct SplitStep {
  let key: TOMLPath
  let targets: [TOMLPath]
  let separator: String?
}

extension SplitStep: DeclarativeStep {
  var schemaForm: TOMLTable? {
    var form: TOMLTable = ["split": .key(key), "into": .keys(targets)]
    form["separator"] = separator.map(TOMLValue.string)
    return form
  }
  init(_ form: StepForm) throws {
    key = try form.path("split")
    targets = try form.paths("into")
    separator = form["separator"] == nil ? nil : try form.string("separator")
    if separator == "" { throw form.failure("separator", "a separator that is not empty") }
  }

  func run(in scope: inout MigrationScope) throws {
    guard let value = scope[key], !targets.isEmpty else { return }
    // On the step's own output, a key that is a target as well has only its part.
    if targets.contains(key), targets.contains(where: { !$0.isRelated(to: key) && scope.contains($0) }) { return }
    let parts: [TOMLValue]
    switch (value, separator) {
    case (.string(let text), let separator?):
      parts = text.pieces(separatedBy: separator, atMost: targets.count).map { .string($0) }
    case (.array(let items), _):
      guard items.count <= targets.count else {
        throw scope.error(at: key, "the array has \(items.count) elements for \(targets.count) keys")
      }
      parts = items
    default: return
    }
    guard !parts.isEmpty else { return try scope.remove(at: key) }
    // A part may go to the key itself, below it, or above it in place of the table.
    if parts.count == 1, targets[0] == key { return }
    let new = zip(targets, parts).filter { target, _ in target.isRelated(to: key) || !scope.contains(target) }
    guard let (first, _) = new.first else { return try scope.remove(at: key) }
    try scope.move(from: key, to: first)
    for (target, _) in new.dropFirst() where target != key && key.hasPrefix(target) {
      try scope.removeRest(of: target, around: key, for: first)
    }
    for (target, part) in new { try scope.set(part, at: target) }
  }
}

extension String {
  /// The parts between separators; the last part has the rest.
  func pieces(separatedBy separator: String, atMost limit: Int = Int.max) -> [String] {
    var pieces: [String] = []
    var rest = self[...]
    while pieces.count < limit - 1, let range = rest.firstRange(of: separator) {
      pieces.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return pieces + [String(rest)]
  }
}
