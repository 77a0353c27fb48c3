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

  /// Prints one line of a table.
  public static func report(_ name: String, _ value: String, budget: String, isWithin: Bool) {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    print("\(padded(name, 58)) \(padded(value, 30)) \(padded(budget, 24)) \(isWithin ? "ok" : "MISSED")")
  }

  /// A number with two digits behind the point.
  public static func short(_ value: Double) -> String {
    let scaled = (value * 100).rounded()
    guard scaled.isFinite, abs(scaled) < 1e15 else { return "\(value)" }
    let whole = Int(scaled)
    let digits = String(abs(whole % 100))
    return "\(whole / 100).\(digits.count == 1 ? "0" : "")\(digits)"
  }
}

/// Keeps the optimiser from leaving out what makes `value`.
@inline(never)
public func consume<Value>(_ value: borrowing Value) {}
