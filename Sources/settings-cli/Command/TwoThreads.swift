import AppSettings

/// Work that is done on two threads, because a person waits for it.
enum TwoThreads {
  /// Fewer elements are not worth a thread.
  private static let fewest = 1000

  /// Returns the results for some elements, in their order.
  static func map<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) -> Result
  ) -> [Result] {
    guard elements.count >= fewest else { return elements.map(body) }
    let half = elements.count / 2
    let rest = Monitor<[Result]?>(nil)
    do throws(Errno) {
      try PlainThread.start("half-of-work") {
        let results = elements[half...].map(body)
        rest.withLock { $0 = results }
      }
    } catch {
      return elements.map(body)
    }
    let first = elements[..<half].map(body)
    return first + rest.wait { $0 }
  }
}
