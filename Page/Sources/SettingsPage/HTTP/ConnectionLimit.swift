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

  let mostServed: Int
  private let mostRefused: Int
  private(set) var refused = 0

  init(serving mostServed: Int, refusing mostRefused: Int) {
    (self.mostServed, self.mostRefused) = (mostServed, mostRefused)
  }

  /// - Parameter served: How many are served.
  mutating func open(beside served: Int) -> Verdict {
    if served < mostServed { return .serve }
    guard refused < mostRefused else { return .drop }
    refused += 1
    return .refuse
  }

  /// - Parameter verdict: What ``open(beside:)`` said of the connection that is closed now.
  mutating func close(_ verdict: Verdict) { if verdict == .refuse { refused -= 1 } }
}
