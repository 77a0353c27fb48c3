/// Times pieces of code and compares them, in one run on one machine: figures are ratios to a floor or a peer.
public enum Harness {
  /// Nanoseconds that `body` takes, once.
  @inline(never)
  public static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let elapsed = try clock.measure(body)
    return Double(elapsed.components.seconds) * 1e9 + Double(elapsed.components.attoseconds) / 1e9
  }

  /// What several runs took.
  public struct Figures: Sendable {
    /// Nanoseconds, sorted.
    public var samples: [Double]

    /// Makes figures of unsorted nanoseconds.
    public init(_ samples: [Double]) { self.samples = samples.sorted() }

    /// The middle one.
    public var median: Double { quantile(0.5) }

    /// The one below which a part of them lie.
    public func quantile(_ part: Double) -> Double {
      samples[min(samples.count - 1, Int(Double(samples.count) * part))]
    }
  }

  /// Times two pieces in turn, so that a machine that drifts drifts for both.
  ///
  /// - Returns: The figures of each, and the median of the ratios of the pairs.
  public static func pair(
    rounds: Int, _ first: () throws -> Void, _ second: () throws -> Void
  ) rethrows -> (first: Figures, second: Figures, ratio: Double) {
    var a: [Double] = []
    var b: [Double] = []
    for round in -2..<rounds {
      let x = try nanoseconds(first)
      let y = try nanoseconds(second)
      guard round >= 0 else { continue }
      a.append(x)
      b.append(y)
    }
    let ratios = Figures(zip(a, b).map { $0 / $1 })
    return (Figures(a), Figures(b), ratios.median)
  }
}

/// Keeps the optimiser from leaving out what makes `value`.
@inline(never)
public func consume<Value>(_ value: borrowing Value) {}
