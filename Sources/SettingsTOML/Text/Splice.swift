/// A change of bytes: a range and its replacement.
struct Splice {
  var range: Range<Int>
  var text: [UInt8]

  init(_ range: Range<Int>, _ text: some Sequence<UInt8> = []) {
    self.range = range
    self.text = Array(text)
  }

  /// The bytes after some splices, which must not overlap.
  static func apply(_ splices: [Splice], to bytes: [UInt8]) -> [UInt8] {
    let sorted = splices.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + splices.reduce(0) { $0 + $1.text.count })
    var at = 0
    for splice in sorted {
      result += bytes[at..<splice.range.lowerBound]
      result += splice.text
      at = splice.range.upperBound
    }
    result += bytes[at...]
    return result
  }
}
