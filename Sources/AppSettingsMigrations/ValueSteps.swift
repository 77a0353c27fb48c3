public import AppSettings

/// Replaces values of a key with others: `MapValues("level", ["hi": 3, "lo": 1])`.
///
/// A value without an entry stays as it is.
public struct MapValues: BuiltInStep {
  private let key: TOMLPath
  private let map: [TOMLValue: TOMLValue]

  /// Creates the step from a dotted key and a table of old and new values.
  public init(_ key: String, _ map: KeyValuePairs<TOMLValue, TOMLValue>) {
    self.key = Self.path(key)
    self.map = Dictionary(map.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
  }
}

extension MapValues: DeclarativeStep {
  package static let word = "map-values"
  package var schemaForm: TOMLTable? {
    [
      "map-values": .key(key),
      "values": .array(map.map { .array([$0.key, $0.value]) }.sorted { $0.tomlText < $1.tomlText }),
    ]
  }
  package init(_ form: StepForm) throws {
    key = try form.path("map-values")
    map = try Dictionary(
      form.list("values").map { pair in
        guard case .array(let both) = pair, both.count == 2 else {
          throw form.failure("values", "an array of pairs [old, new]")
        }
        return (both[0], both[1])
      }, uniquingKeysWith: { _, last in last })
  }

  package func run(in scope: inout MigrationScope) throws {
    guard let value = scope[key], let new = map[value] else { return }
    try scope.set(new, at: key)
  }
}

/// Changes the type of a key's value with one or more conversions: `Convert("delay", .float, .scaled(by: 1000))`.
///
/// A value that already has the type stays, so the step may run twice, except for `scaled`, which multiplies each time.
/// A value that cannot be converted without loss makes the migration fail. The elements of an array are converted one
/// by one.
public struct Convert: BuiltInStep {
  private let key: TOMLPath
  private let conversions: [ValueConversion]

  /// Creates the step from a dotted key and the conversions, in order.
  public init(_ key: String, _ conversions: ValueConversion...) {
    self.key = Self.path(key)
    self.conversions = conversions
  }
}

extension Convert: DeclarativeStep {
  package static let word = "convert"
  package var schemaForm: TOMLTable? {
    ["convert": .key(key), "conversions": .array(conversions.map(\.schemaForm))]
  }
  package init(_ form: StepForm) throws {
    key = try form.path("convert")
    conversions = try form.list("conversions").map { item in
      guard let conversion = ValueConversion(schemaForm: item) else {
        throw form.failure("conversions", "known conversions, and \(item.errorText) is not one")
      }
      return conversion
    }
  }

  package func run(in scope: inout MigrationScope) throws {
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

/// Merges several keys into one and removes the old ones.
///
/// With a separator the values become one string, such as `name` from `first` and `last`, and absent values are left
/// out. Without one they become an array. An absent key then takes its value from `defaults`, and if there is none
/// nothing happens. If the new key exists, it keeps its value.
public struct Merge: BuiltInStep {
  let keys: [TOMLPath]
  let target: TOMLPath
  private let separator: String?
  private let defaults: [TOMLValue]

  /// Creates the step that joins values to a string.
  public init(_ keys: String..., into key: String, separator: String) {
    self.keys = keys.map(Self.path)
    target = Self.path(key)
    self.separator = separator
    defaults = []
  }

  /// Creates the step that puts values into an array.
  ///
  /// - Parameters:
  ///   - keys: The dotted keys to merge.
  ///   - key: The dotted key of the array.
  ///   - defaults: For each key, the value to use if it is absent; empty if there are no such values.
  public init(_ keys: String..., into key: String, defaults: [TOMLValue] = []) {
    self.keys = keys.map(Self.path)
    target = Self.path(key)
    separator = nil
    precondition(defaults.isEmpty || defaults.count == keys.count, "Merge into '\(key)' needs a default for each key.")
    self.defaults = defaults
  }
}

extension Merge: DeclarativeStep {
  package static let word = "merge"
  package var schemaForm: TOMLTable? {
    var form: TOMLTable = ["merge": .keys(keys), "into": .key(target)]
    form["separator"] = separator.map(TOMLValue.string)
    if !defaults.isEmpty { form["defaults"] = .array(defaults) }
    return form
  }
  package init(_ form: StepForm) throws {
    keys = try form.paths("merge")
    target = try form.path("into")
    separator = form.table["separator"] == nil ? nil : try form.string("separator")
    defaults = form.table["defaults"] == nil ? [] : try form.list("defaults")
    guard defaults.isEmpty || defaults.count == keys.count else {
      throw form.failure("defaults", "a default for each key")
    }
  }

  package func run(in scope: inout MigrationScope) throws {
    let values = keys.map { scope[$0] }
    guard values.contains(where: { $0 != nil }) else { return }
    let sources = keys.filter { $0 != target }
    guard keys.contains(target) || !scope.contains(target) else {
      for key in sources { try scope.remove(at: key) }
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
    // The first key moves to the new place with its comments.
    if let first = keys.first(where: { scope.contains($0) }), first != target, !scope.contains(target) {
      try scope.move(from: first, to: target)
    }
    try scope.set(merged, at: target)
    for key in sources { try scope.remove(at: key) }
  }
}

/// Splits a key into several, and removes it.
///
/// A string is split at a separator, and the last part gets the rest: `name` becomes `first` and `last`. An array gives
/// one element to each key. Missing parts are left out. A target that already exists keeps its value.
public struct Split: BuiltInStep {
  let key: TOMLPath
  let targets: [TOMLPath]
  private let separator: String?

  /// Creates the step from a dotted key, its targets, and the separator of a string; without a separator, for an array.
  public init(_ key: String, into targets: [String], separator: String? = nil) {
    precondition(separator != "", "Split of '\(key)' needs a separator that is not empty.")
    self.key = Self.path(key)
    self.targets = targets.map(Self.path)
    self.separator = separator
  }
}

extension Split: DeclarativeStep {
  package static let word = "split"
  package var schemaForm: TOMLTable? {
    var form: TOMLTable = ["split": .key(key), "into": .keys(targets)]
    form["separator"] = separator.map(TOMLValue.string)
    return form
  }
  package init(_ form: StepForm) throws {
    key = try form.path("split")
    targets = try form.paths("into")
    separator = form.table["separator"] == nil ? nil : try form.string("separator")
    if separator == "" { throw form.failure("separator", "a separator that is not empty") }
  }

  package func run(in scope: inout MigrationScope) throws {
    guard let value = scope[key], !targets.isEmpty else { return }
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
    // A part may go to the key itself, or below it.
    if parts.count == 1, targets[0] == key { return }
    let isOver = targets.map { $0 != key && !$0.hasPrefix(key) && scope.contains($0) }
    if let first = targets.first, !isOver[0], first != key {
      try scope.move(from: key, to: first)
    }
    for (index, part) in parts.enumerated() where !isOver[index] { try scope.set(part, at: targets[index]) }
    if scope.contains(key), !targets.contains(where: { $0.hasPrefix(key) }) { try scope.remove(at: key) }
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
