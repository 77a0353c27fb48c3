extension Set: SettingsSerializable where Element: SettingsSerializable {
  /// Stores the set as an array without duplicates; see ``SettingsBridge/set``.
  public static var settingsBridge: SettingsBridge<Set<Element>> { Element.settingsBridge.set }
}

extension SettingsBridge where Value: Hashable & SendableMetatype {
  /// A bridge for sets of this bridge's values, for a key with its own bridge.
  ///
  /// A set is stored as a sorted array, so equal sets give equal text. Elements that are already in the file keep their
  /// order there. Reading ignores duplicate elements. Those that are equal in Swift and differ in the file, as two forms
  /// of an accent do, are one element: the file keeps both until that one is removed.
  public var set: SettingsBridge<Set<Value>> {
    SettingsBridge<Set<Value>>(SetCore(core))
  }
}

/// The bridge of sets.
private final class SetCore<Element: Hashable & SendableMetatype>: BridgeCore {
  private let element: any BridgeCore<Element>

  init(_ element: any BridgeCore<Element>) { self.element = element }

  var expectation: Expectation { element.expectation.array }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    var type = SchemaType.array(of: element.schemaType(sample?.firstElement))
    type.isUnique = true
    return type
  }

  var isAsStored: Bool { true }
  var knowsParts: Bool { true }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Set<Element> {
    var set: Set<Element> = []
    var unequal: Set<TOMLValue> = []
    try element.readElements(of: stored, context) { element, stored in
      // Swift considers these unequal, but they have the same text.
      if stored.holdsNaN, !unequal.insert(stored).inserted { return }
      set.insert(element)
    }
    return set
  }

  func readJSON(from decoder: any Decoder) throws -> Set<Element> {
    var set: Set<Element> = []
    try element.readJSONElements(from: decoder) { set.insert($0) }
    return set
  }

  func write(_ set: Set<Element>, _ context: BridgeContext) throws -> TOMLValue? {
    let written = try element.writeElements(Array(set), context).sorted { $0.isOrdered(before: $1) }
    // If different elements had the same stored form, all but one would be lost.
    for (one, next) in zip(written, written.dropFirst()) where one == next { throw SettingsValueError(duplicate: next) }
    return .array(written)
  }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    guard case .array(let elements) = written, let known = element.knownFields(ofElements: written, context) else {
      return .whole
    }
    return .set(known) { [element] stored in
      var forms: [Element: TOMLValue] = [:]
      for value in elements { if let key = try? element.read(value, context) { forms[key] = value } }
      return stored.map { (try? element.read($0, context)).flatMap { forms[$0] } }
    }
  }
}

extension SettingsValueError {
  init(duplicate element: TOMLValue) {
    self.init(expected: "an element that differs from those before it", found: element)
  }
}

extension TOMLValue {
  fileprivate var holdsNaN: Bool {
    switch self {
    case .float(let float): float.isNaN
    case .string(let text): text == "nan" || text == "NaN"
    case .array(let elements): elements.contains(where: \.holdsNaN)
    case .table(let table): table.contains { $0.value.holdsNaN }
    default: false
    }
  }

  /// The order that a person expects of values of one kind; different kinds have a fixed order.
  fileprivate func isOrdered(before other: TOMLValue) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): return a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.integer(let a), .integer(let b)): return a < b
    case (.float(let a), .float(let b)): return a.isTotallyOrdered(belowOrEqualTo: b) && a.bitPattern != b.bitPattern
    case (.boolean(let a), .boolean(let b)): return !a && b
    case (.array(let a), .array(let b)): return a.lexicographicallyPrecedes(b) { $0.isOrdered(before: $1) }
    case (.table(let a), .table(let b)):
      let (x, y) = (a.sortKey, b.sortKey)
      return x.lexicographicallyPrecedes(y) { left, right in
        left.key == right.key ? left.value.isOrdered(before: right.value) : left.key < right.key
      }
    default:
      return rank == other.rank ? errorText < other.errorText : rank < other.rank
    }
  }

  /// The order of kinds. Dates and times of one kind sort by their text, which has the larger units first.
  private var rank: Int {
    switch self {
    case .boolean: 0
    case .integer: 1
    case .float: 2
    case .string: 3
    case .offsetDateTime: 4
    case .localDateTime: 5
    case .localDate: 6
    case .localTime: 7
    case .array: 8
    case .table: 9
    }
  }
}

extension TOMLTable {
  fileprivate var sortKey: [(key: String, value: TOMLValue)] {
    map { (key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
  }
}
