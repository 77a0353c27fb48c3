import AppSettings

/// Work that is done on two threads, because a person waits for it.
enum TwoThreads {
  /// Fewer elements are not worth a thread.
  private static let fewest = 1000

  /// Returns the results for both halves of some elements, in their order; for few elements, the one for all.
  static func halves<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (ArraySlice<Element>) -> Result
  ) -> [Result] {
    guard elements.count >= fewest else { return [body(elements[...])] }
    let half = elements.count / 2
    let rest = Monitor<Result?>(nil)
    do throws(Errno) {
      try PlainThread.start("half-of-work") {
        let result = body(elements[half...])
        rest.withLock { $0 = result }
      }
    } catch {
      return [body(elements[...])]
    }
    return [body(elements[..<half]), rest.wait { $0 }]
  }
}
