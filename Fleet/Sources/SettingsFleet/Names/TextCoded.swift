/// A value that JSON has as its text form.
protocol TextCoded: Codable, CustomStringConvertible {
  init?(_ text: String)
}

extension TextCoded {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(text) else { throw decoder.corrupted("'\(text)' is not the text form of a \(Self.self).") }
    self = value
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Decoder {
  func corrupted(_ message: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}
