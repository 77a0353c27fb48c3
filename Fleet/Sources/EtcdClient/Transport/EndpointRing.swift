/// In which order endpoints are tried: the one that answered last first, those that failed lately last.
struct EndpointRing: Sendable {
  private(set) var preferred = 0
  private var avoidedUntil: [ContinuousClock.Instant?]
  private static let avoidance = Duration.seconds(5)

  init(count: Int) { avoidedUntil = Array(repeating: nil, count: count) }

  func order(at now: ContinuousClock.Instant) -> [Int] {
    let ring = avoidedUntil.indices.map { (preferred + $0) % avoidedUntil.count }
    func isAvoided(_ index: Int) -> Bool { avoidedUntil[index].map { $0 > now } ?? false }
    return ring.filter { !isAvoided($0) } + ring.filter(isAvoided)
  }

  mutating func succeeded(_ index: Int) {
    avoidedUntil[index] = nil
    preferred = index
  }

  mutating func failed(_ index: Int, at now: ContinuousClock.Instant) { avoidedUntil[index] = now + Self.avoidance }
}
