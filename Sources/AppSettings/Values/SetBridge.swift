extension Set: SettingsSerializable where Element: SettingsSerializable {
  /// An array without repetitions; see ``SettingsBridge/set``.
  public static var settingsBridge: SettingsBridge<Set<Element>> { Element.settingsBridge.set }
}

extension SettingsBridge where Value: Hashable & SendableMetatype {
  /// The bridge for sets of this one's values, as a key with a bridge of its own needs it.
  ///
  /// A set is stored as an array, sorted, so that equal sets give equal text; elements that are in the file already
  /// keep their order there. A stored array with the same element twice is an error.
  public var set: SettingsBridge<Set<Value>> {
    let core = core
    return SettingsBridge<Set<Value>>(
      expectation: { core.expectation().array },
      read: { value, context in
        var set: Set<Value> = []
        try core.readElements(of: value, context) { element, stored in
          guard set.insert(element).inserted else { throw SettingsValueError(duplicate: stored) }
        }
        return set
      },
      write: { set, context in try core.writeElements(set, context).sorted() },
      configure: { traits in
        traits.knownFields = core.knownFieldsOfElements(isOrdered: false)
      })
  }
}

extension SettingsValueError {
  init(duplicate element: TOMLValue) {
    self.init(expected: "an element that differs from those before it", found: element)
  }
}

extension TOMLValue {
  /// An array with its elements in order; anything else as it is.
  func sorted() -> TOMLValue {
    guard case .array(let elements) = self else { return self }
    return .array(elements.sorted { $0.isOrdered(before: $1) })
  }

  /// An order of values of one kind that a person would expect; kinds among themselves in any fixed order.
  private func isOrdered(before other: TOMLValue) -> Bool {
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

  /// The order of kinds; the four kinds of dates and times sort by their text, which has the larger units first.
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
