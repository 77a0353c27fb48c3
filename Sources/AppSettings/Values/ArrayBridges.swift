extension Array: SettingsSerializable where Element: SettingsSerializable {
  /// An array.
  public static var settingsBridge: SettingsBridge<[Element]> { Element.settingsBridge.array }
}

extension ArraySlice: SettingsSerializable where Element: SettingsSerializable {
  /// An array; it comes back with indices from 0.
  public static var settingsBridge: SettingsBridge<ArraySlice<Element>> {
    [Element].settingsBridge.mapKeepingValue(read: { $0[...] }, write: { Array($0) })
  }
}

extension ContiguousArray: SettingsSerializable where Element: SettingsSerializable {
  /// An array.
  public static var settingsBridge: SettingsBridge<ContiguousArray<Element>> {
    [Element].settingsBridge.mapKeepingValue(read: { ContiguousArray($0) }, write: { Array($0) })
  }
}

extension SettingsBridge {
  /// The bridge for arrays of this one's values, as a key with a bridge of its own needs it.
  ///
  /// An element that cannot be read makes the whole array unreadable, with an error that says which one it is: to drop
  /// it silently would lose it at the next write.
  public var array: SettingsBridge<[Value]> { SettingsBridge<[Value]>(ArrayCore(core)) }
}

private final class ArrayCore<Element>: BridgeCore {
  private let element: any BridgeCore<Element>

  init(_ element: any BridgeCore<Element>) { self.element = element }

  var expectation: Expectation { element.expectation.array }

  func schemaType(_ sample: TOMLValue?) -> SchemaType { .array(of: element.schemaType(sample?.firstElement)) }

  // Its elements count, whatever they are.
  var isAsStored: Bool { true }
  var knowsParts: Bool { element.knowsParts }

  func read(_ stored: TOMLValue, _ context: BridgeContext) throws -> [Element] {
    var elements: [Element] = []
    if case .array(let stored) = stored { elements.reserveCapacity(stored.count) }
    try element.readElements(of: stored, context) { element, _ in elements.append(element) }
    return elements
  }

  func readJSON(from decoder: any Decoder) throws -> [Element] {
    var elements: [Element] = []
    try element.readJSONElements(from: decoder) { elements.append($0) }
    return elements
  }

  func write(_ elements: [Element], _ context: BridgeContext) throws -> TOMLValue? {
    .array(try element.writeElements(elements, context))
  }

  func knownFields(of written: TOMLValue, _ context: BridgeContext) -> KnownFields {
    element.knownFields(ofElements: written, context, isOrdered: true)
  }
}

extension BridgeCore {
  /// Reads the elements of an array one after the other; `body` gets each with its stored form.
  func readElements(
    of stored: TOMLValue, _ context: BridgeContext, _ body: (Value, TOMLValue) throws -> Void
  ) throws {
    guard case .array(let elements) = stored else {
      throw SettingsValueError(expected: expectation.array.one, found: stored)
    }
    let outer = context.over(nil)
    let tracksPath = knowsParts
    for (index, element) in elements.enumerated() {
      try at("[\(index)]") {
        try body(read(element, tracksPath ? outer.appending(index: index) : outer), element)
      }
    }
  }

  /// Writes elements as those of an array.
  func writeElements(_ elements: some Sequence<Value>, _ context: BridgeContext) throws -> [TOMLValue] {
    let outer = context.over(nil)
    let tracksPath = knowsParts
    var written: [TOMLValue] = []
    written.reserveCapacity(elements.underestimatedCount)
    for element in elements {
      let index = written.count
      try at("[\(index)]") {
        let stored = try write(element, tracksPath ? outer.appending(index: index) : outer)
        guard let stored else { throw SettingsValueError(nilInPlaceOf: expectation.one) }
        written.append(stored)
      }
    }
    return written
  }

  /// What is known of the elements of an array.
  func knownFields(ofElements written: TOMLValue, _ context: BridgeContext, isOrdered: Bool) -> KnownFields {
    guard case .array(let elements) = written else { return .whole }
    return .elements(
      elements.map { knowsParts ? knownFields(of: $0, context) : .whole }, isOrdered: isOrdered)
  }
}
