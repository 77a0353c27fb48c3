extension Range: SettingsSerializable where Bound: SettingsSerializable {
  /// Stores the range as an array of its lower and upper bound: `[10, 20]` for `10..<20`.
  ///
  /// An array with another number of elements, or with the larger bound first, cannot be read.
  public static var settingsBridge: SettingsBridge<Range<Bound>> {
    SettingsBridge(
      RangeCore(Bound.settingsBridge.core, make: { $0..<$1 }, bounds: { [$0.lowerBound, $0.upperBound] }))
  }
}

extension ClosedRange: SettingsSerializable where Bound: SettingsSerializable {
  /// Stores the range as an array of its two bounds: `[10, 20]` for `10...20`.
  ///
  /// An array with another number of elements, or with the larger bound first, cannot be read.
  public static var settingsBridge: SettingsBridge<ClosedRange<Bound>> {
    SettingsBridge(
      RangeCore(Bound.settingsBridge.core, make: { $0...$1 }, bounds: { [$0.lowerBound, $0.upperBound] }))
  }
}

/// The bridge of both kinds of range. It calls `make` only with ordered bounds, because a range traps on others.
private final class RangeCore<Bound: Comparable & SendableMetatype, Value>: BridgeCore {
  private let bound: any BridgeCore<Bound>
  private let make: @Sendable (Bound, Bound) -> Value
  private let bounds: @Sendable (Value) -> [Bound]

  init(
    _ bound: any BridgeCore<Bound>, make: @escaping @Sendable (Bound, Bound) -> Value,
    bounds: @escaping @Sendable (Value) -> [Bound]
  ) {
    self.bound = bound
    self.make = make
    self.bounds = bounds
  }

  var expectation: Expectation {
    let one = bound.expectation
    guard let many = one.many else {
      return Expectation("an array of two bounds, the lower first, each \(one.one)")
    }
    return Expectation(
      "an array of two \(many), the lower first", many: "arrays of two \(many), the lower first")
  }

  func schemaType(_ sample: TOMLValue?) -> SchemaType {
    var type = SchemaType.array(of: bound.schemaType(sample?.firstElement))
    (type.minimumCount, type.maximumCount) = (2, 2)
    // The order of a custom type may differ from that of its stored form.
    type.isOrdered = bound.isAsStored
    return type
  }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> Value {
    guard case .array(let elements) = stored, elements.count == 2 else {
      throw SettingsValueError(expected: expectation.one, found: stored)
    }
    var pair: [Bound] = []
    try bound.readElements(of: stored, context) { bound, _ in pair.append(bound) }
    // Not `lower > upper`: bounds without an order, such as not-a-number, must be refused.
    guard pair[0] <= pair[1] else { throw SettingsValueError(expected: expectation.one, found: stored) }
    return make(pair[0], pair[1])
  }

  func readJSON(from decoder: any Decoder) throws -> Value {
    var pair: [Bound] = []
    try bound.readJSONElements(from: decoder) { pair.append($0) }
    guard pair.count == 2, pair[0] <= pair[1] else {
      throw SettingsValueError(expected: expectation.one, found: try TOMLValue(from: decoder))
    }
    return make(pair[0], pair[1])
  }

  func write(_ value: Value, _ context: BridgeContext) throws -> TOMLValue? {
    .array(try bound.writeElements(bounds(value), context))
  }
}
