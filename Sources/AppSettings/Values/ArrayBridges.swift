extension Array: SettingsSerializable where Element: SettingsSerializable {
  /// Stores the value as an array.
  ///
  /// `nil` elements cannot be stored, because TOML has no null. When the array is written, elements that it still has
  /// keep the fields that their type does not know.
  public static var settingsBridge: SettingsBridge<[Element]> { Element.settingsBridge.array }
}

extension SettingsBridge {
  /// A bridge for arrays of this bridge's values, for a key with its own bridge.
  ///
  /// An unreadable element makes the whole array unreadable, with an error that names the element. If reading dropped
  /// the element, the next write would delete it.
  ///
  /// ```swift
  /// static let drafts = SettingsKey("drafts", default: [], bridge: SettingsBridge<Draft>.codable(over: Draft()).array)
  /// ```
  public var array: SettingsBridge<[Value]> { SettingsBridge<[Value]>(ArrayCore(core)) }
}

/// The bridge of arrays, over the bridge of their elements.
private final class ArrayCore<Element>: BridgeCore {
  private let element: any BridgeCore<Element>

  init(_ element: any BridgeCore<Element>) { self.element = element }

  var expectation: Expectation { element.expectation.array }

  func schemaType(_ sample: TOMLValue?) -> SchemaType { .array(of: element.schemaType(sample?.firstElement)) }

  // The number of elements is the same in the file, whatever the elements are.
  var isAsStored: Bool { true }
  var knowsParts: Bool { element.knowsParts }
  var hasOneForm: Bool { element.hasOneForm }

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
    element.knownFields(ofElements: written, context).map { .elements($0) } ?? .whole
  }
}

extension BridgeCore {
  /// Reads the elements of an array in order and passes each to `body` with its stored form.
  ///
  /// The path of an error begins with the index: `[3]`.
  ///
  /// - Throws: ``SettingsValueError`` for the first element that cannot be read, or if the stored value is not an
  ///   array.
  func readElements(
    of stored: TOMLValue, _ context: BridgeContext, _ body: (Value, TOMLValue) throws -> Void
  ) throws {
    guard case .array(let elements) = stored else {
      throw SettingsValueError(expected: expectation.array.one, found: stored)
    }
    let outer = context.over(nil)
    let tracksPath = knowsParts
    for (index, element) in elements.enumerated() {
      try at(["[\(index)]"]) {
        try body(read(element, tracksPath ? outer.appending(index: index) : outer), element)
      }
    }
  }

  /// Writes the elements of an array.
  ///
  /// - Throws: ``SettingsValueError`` for the first element that cannot be stored or is `nil`.
  func writeElements(_ elements: some Sequence<Value>, _ context: BridgeContext) throws -> [TOMLValue] {
    let outer = context.over(nil)
    let tracksPath = knowsParts
    var written: [TOMLValue] = []
    written.reserveCapacity(elements.underestimatedCount)
    for element in elements {
      let index = written.count
      try at(["[\(index)]"]) {
        let stored = try write(element, tracksPath ? outer.appending(index: index) : outer)
        guard let stored else { throw SettingsValueError(nilInPlaceOf: expectation.one) }
        written.append(stored)
      }
    }
    return written
  }

  /// Returns what the type knows of the elements of an array that was just written; `nil` for another value.
  ///
  /// - Parameter context: The context in which it was written.
  func knownFields(ofElements written: TOMLValue, _ context: BridgeContext) -> [KnownFields]? {
    guard case .array(let elements) = written else { return nil }
    return elements.map { knowsParts ? knownFields(of: $0, context) : .whole }
  }
}
