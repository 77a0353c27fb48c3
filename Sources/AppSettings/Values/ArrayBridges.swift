extension Array: SettingsSerializable where Element: SettingsSerializable {
  /// An array.
  public static var settingsBridge: SettingsBridge<[Element]> { Element.settingsBridge.array }
}

extension ArraySlice: SettingsSerializable where Element: SettingsSerializable {
  /// An array; it comes back with indices from 0.
  public static var settingsBridge: SettingsBridge<ArraySlice<Element>> {
    [Element].settingsBridge.map(read: { $0[...] }, write: { Array($0) })
  }
}

extension ContiguousArray: SettingsSerializable where Element: SettingsSerializable {
  /// An array.
  public static var settingsBridge: SettingsBridge<ContiguousArray<Element>> {
    [Element].settingsBridge.map(read: { ContiguousArray($0) }, write: { Array($0) })
  }
}

extension SettingsBridge {
  /// The bridge for arrays of this one's values, as a key with a bridge of its own needs it.
  ///
  /// An element that cannot be read makes the whole array unreadable, with an error that says which one it is: to drop
  /// it silently would lose it at the next write.
  public var array: SettingsBridge<[Value]> {
    let core = core
    return SettingsBridge<[Value]>(
      expectation: { core.expectation().array },
      read: { value, context in
        var elements: [Value] = []
        try core.readElements(of: value, context) { element, _ in elements.append(element) }
        return elements
      },
      write: { elements, context in try core.writeElements(elements, context) },
      configure: { traits in
        traits.knownFields = core.knownFieldsOfElements(isOrdered: true)
      })
  }
}

extension SettingsBridge.Core {
  /// Reads the elements of an array one after the other; `body` gets each with its stored form.
  func readElements(
    of value: TOMLValue, _ context: BridgeContext, _ body: (Value, TOMLValue) throws -> Void
  ) throws {
    guard case .array(let elements) = value else {
      throw SettingsValueError(expected: expectation().array.one, found: value)
    }
    let outer = context.over(nil)
    for (index, element) in elements.enumerated() {
      try at("[\(index)]") {
        try body(read(element, traits.mergesTables ? outer.appending(index: index) : outer), element)
      }
    }
  }

  /// Writes elements as an array.
  func writeElements(_ elements: some Sequence<Value>, _ context: BridgeContext) throws -> TOMLValue {
    let outer = context.over(nil)
    var written: [TOMLValue] = []
    written.reserveCapacity(elements.underestimatedCount)
    for element in elements {
      let index = written.count
      try at("[\(index)]") {
        let stored = try write(element, traits.mergesTables ? outer.appending(index: index) : outer)
        guard let stored else { throw SettingsValueError(expected: expectation().one, found: "nil") }
        written.append(stored)
      }
    }
    return .array(written)
  }

  /// What is known of the elements; `nil` for an array whose order counts and whose elements are known as a whole.
  func knownFieldsOfElements(isOrdered: Bool) -> (@Sendable (TOMLValue, BridgeContext) -> KnownFields)? {
    let knownFields = traits.knownFields
    if isOrdered && knownFields == nil { return nil }
    return { value, context in
      guard case .array(let elements) = value else { return .whole }
      return .elements(elements.map { knownFields?($0, context) ?? .whole }, isOrdered: isOrdered)
    }
  }
}
