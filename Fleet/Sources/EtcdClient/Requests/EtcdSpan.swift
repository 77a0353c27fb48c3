/// The keys that a request is about: one key, all with a prefix, or a half-open range. Keys are ordered by bytes.
public struct EtcdSpan: Sendable, Hashable {
  /// The first key.
  public let start: [UInt8]
  /// The first key after the span; `nil` if the span is ``start`` alone. A single zero byte stands for no end.
  public let end: [UInt8]?

  private init(start: [UInt8], end: [UInt8]?) {
    self.start = start
    self.end = end
  }

  /// One key.
  ///
  /// - Parameter key: The key.
  public static func key(_ key: some Sequence<UInt8>) -> EtcdSpan { EtcdSpan(start: Array(key), end: nil) }

  /// One key.
  ///
  /// - Parameter key: The key, as text.
  public static func key(_ key: String) -> EtcdSpan { .key(key.utf8) }

  /// All keys that begin with a prefix; with an empty one, all keys.
  ///
  /// - Parameter prefix: The prefix.
  public static func prefix(_ prefix: some Sequence<UInt8>) -> EtcdSpan {
    let start = Array(prefix)
    var end = start
    while end.last == .max { end.removeLast() }
    guard let last = end.popLast() else { return EtcdSpan(start: start.isEmpty ? [0] : start, end: [0]) }
    return EtcdSpan(start: start, end: end + [last + 1])
  }

  /// All keys that begin with a prefix; with an empty one, all keys.
  ///
  /// - Parameter prefix: The prefix, as text.
  public static func prefix(_ prefix: String) -> EtcdSpan { .prefix(prefix.utf8) }

  /// The keys from one up to, and without, another.
  ///
  /// - Parameters:
  ///   - start: The first key.
  ///   - end: The first key after the span; no end if `nil`.
  public static func keys(from start: some Sequence<UInt8>, to end: (some Sequence<UInt8>)?) -> EtcdSpan {
    EtcdSpan(start: Array(start), end: end.map { Array($0) } ?? [0])
  }

  /// The part of the span that comes after a key.
  func after(_ key: [UInt8]) -> EtcdSpan { EtcdSpan(start: key + [0], end: end) }
}
