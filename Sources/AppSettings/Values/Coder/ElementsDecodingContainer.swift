/// The unkeyed container of a stored array.
struct ElementsDecodingContainer: UnkeyedDecodingContainer {
  let elements: [TOMLValue]
  let context: BridgeContext
  let prefix: [String]
  let recorder: FieldRecorder?
  private(set) var currentIndex = 0

  init(_ elements: [TOMLValue], of decoder: ValueDecoder) {
    self.elements = elements
    context = decoder.context.over(nil)
    prefix = decoder.prefix
    recorder = decoder.recorder
    recorder?.becomeElements()
  }

  var codingPath: [any CodingKey] { context.path?.codingPath ?? [] }

  var count: Int? { elements.count }

  var isAtEnd: Bool { currentIndex >= elements.count }

  /// TOML arrays contain no null, so the type goes on to read the element.
  mutating func decodeNil() throws -> Bool { false }

  /// Reads the next element, and advances only if that succeeds, so that another type can be tried.
  @inline(__always)
  private mutating func next<T>(_ expected: @autoclosure () -> String, _ read: (TOMLValue) throws -> T) throws -> T {
    guard !isAtEnd else { throw SettingsValueError(missing: expected(), at: prefix + [component]) }
    let value = try at(prefix + [component]) { try read(elements[currentIndex]) }
    recorder?.noteElement(currentIndex)
    currentIndex += 1
    return value
  }

  private var component: String { "[\(currentIndex)]" }

  @inline(__always)
  mutating func decode<T: StoredScalar>(_ type: T.Type) throws -> T {
    try next(T.expectation.one) { try T(stored: $0) }
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (context, index, recorder) = (context, currentIndex, recorder?.element(currentIndex))
    return try next("a value of type \(T.self)") {
      try ValueDecoder.decodeNested(type, from: $0, recorder) { context.appending(index: index) }
    }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try nestedDecoder("a table").container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nestedDecoder("an array").unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try nestedDecoder("a value")
    currentIndex += 1
    return decoder
  }

  private func nestedDecoder(_ expected: String) throws -> ValueDecoder {
    guard !isAtEnd else { throw SettingsValueError(missing: expected, at: prefix + [component]) }
    return ValueDecoder(
      elements[currentIndex], context.appending(index: currentIndex), recorder?.element(currentIndex),
      prefix: prefix + [component])
  }
}
