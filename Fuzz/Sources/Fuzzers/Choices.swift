/// Decisions that the bytes of an input make, one after the other; 0 where there are no more.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  /// Decides by some bytes.
  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// A number from 0 to below `limit`, which may be larger than 256.
  mutating func next(_ limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    if limit <= 256 { return Int(bytes.popFirst() ?? 0) % limit }
    return (Int(bytes.popFirst() ?? 0) << 8 | Int(bytes.popFirst() ?? 0)) % limit
  }

  /// One of several, of which there has to be one.
  mutating func pick<T>(_ items: [T]) -> T { items[next(items.count)] }
}
