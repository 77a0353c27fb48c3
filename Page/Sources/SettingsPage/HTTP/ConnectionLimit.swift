/// What happens to a new connection.
///
/// The newest are refused, so that those who were there first notice nothing of a flood. Before that, those that have
/// never had the token are closed, the oldest first: connections that say nothing keep nobody out.
struct ConnectionLimit: Sendable {
  enum Verdict: Sendable {
    case serve
    /// It gets an answer that says why it is not served.
    case refuse
    /// It is closed: even refusing takes a file descriptor for a moment.
    case drop
  }

  private let mostServed: Int
  private let mostRefused: Int
  private(set) var served = 0
  private(set) var refused = 0

  init(serving mostServed: Int, refusing mostRefused: Int) {
    (self.mostServed, self.mostRefused) = (mostServed, mostRefused)
  }

  /// Whether the next one is not served unless another one is closed.
  var isFull: Bool { served >= mostServed }

  mutating func open() -> Verdict {
    if !isFull {
      served += 1
      return .serve
    }
    guard refused < mostRefused else { return .drop }
    refused += 1
    return .refuse
  }

  /// - Parameter verdict: What ``open()`` said of the connection that is closed now.
  mutating func close(_ verdict: Verdict) {
    switch verdict {
    case .serve: served -= 1
    case .refuse: refused -= 1
    case .drop: break
    }
  }
}
