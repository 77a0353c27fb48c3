import Foundation
import Synchronization

extension Harness {
  /// What a figure counts.
  public enum Unit: String, Encodable, Sendable {
    case times = "x"
    case nanoseconds = "ns"
    case microseconds = "us"
    case milliseconds = "ms"
    case kilobytes = "KB"
    case megabytes = "MB"
    case megabytesPerSecond = "MB/s"
    case perSecond = "/s"
    case count = ""
  }

  /// What a figure is allowed to be.
  public enum Budget: Sendable {
    case atMost(Double)
    case atLeast(Double)

    func isMet(by value: Double) -> Bool {
      switch self {
      case .atMost(let most): value <= most
      case .atLeast(let least): value >= least
      }
    }
  }

  /// Whether a figure of this run has missed its budget.
  public static var hasMissed: Bool { missed.load(ordering: .relaxed) }

  private static let missed = Atomic(false)

  /// Prints the head of the table.
  public static func begin() {
    print("\(padded("what", 62)) \(padded("measured", 34)) \(padded("budget", 14))")
  }

  /// Prints one measurement as a line of the table, and appends it to the file that `BENCHMARK_JSON` names.
  ///
  /// - Parameters:
  ///   - name: What was measured, `one / other` for a ratio. It identifies the measurement in every run, so no figure of
  ///     this run is in it.
  ///   - value: The figure.
  ///   - unit: What the figure counts.
  ///   - nanoseconds: The times behind the figure, in the order in which the name has what they are of.
  ///   - budget: What the figure is allowed to be; nothing for a floor, or a figure that is only told.
  public static func report(
    _ name: String, _ value: Double, _ unit: Unit = .times, nanoseconds: [Double] = [], budget: Budget? = nil
  ) {
    let isMet = budget?.isMet(by: value) ?? true
    if !isMet { missed.store(true, ordering: .relaxed) }
    var measured = "\(short(value)) \(unit.rawValue)"
    if !nanoseconds.isEmpty { measured += " (\(times(nanoseconds)))" }
    print("\(padded(name, 62)) \(padded(measured, 34)) \(padded(text(budget, unit), 14)) \(isMet ? "ok" : "MISSED")")
    // Also into a file or a pipe at once: the next figure may take minutes.
    fflush(nil)
    let record = Record(
      program: (CommandLine.arguments[0] as NSString).lastPathComponent, name: name, value: value, unit: unit,
      nanoseconds: nanoseconds, budget: budget, isMet: isMet)
    do { try record.append() } catch { fatalError("Cannot write to the file that BENCHMARK_JSON names: \(error)") }
  }

  /// Reports the ratio of a pair, with both times.
  ///
  /// - Parameters:
  ///   - count: How often each of the two was done in one sample.
  public static func report(
    _ name: String, _ pair: (first: Figures, second: Figures, ratio: Double), per count: Int = 1,
    budget: Budget? = nil
  ) {
    report(
      name, pair.ratio, nanoseconds: [pair.first, pair.second].map { $0.median / Double(count) }, budget: budget)
  }

  /// One line of the file of measurements.
  private struct Record: Encodable {
    var program: String
    var name: String
    var value: Double
    var unit: Unit
    var nanoseconds: [Double]
    var atMost: Double?
    var atLeast: Double?
    var isMet: Bool

    init(
      program: String, name: String, value: Double, unit: Unit, nanoseconds: [Double], budget: Budget?, isMet: Bool
    ) {
      // Four digits are more than two runs agree on.
      func rounded(_ value: Double) -> Double { Double(String(format: "%.4g", value)) ?? value }
      self.program = program
      self.name = name
      self.value = rounded(value)
      self.unit = unit
      self.nanoseconds = nanoseconds.map(rounded)
      if case .atMost(let most)? = budget { atMost = most }
      if case .atLeast(let least)? = budget { atLeast = least }
      self.isMet = isMet
    }

    func append() throws {
      guard let path = ProcessInfo.processInfo.environment["BENCHMARK_JSON"], !path.isEmpty else { return }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let line = try encoder.encode(self) + Data("\n".utf8)
      let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      try FileHandle(fileDescriptor: file, closeOnDealloc: true).write(contentsOf: line)
    }
  }

  /// Times, each in the unit that suits it.
  private static func times(_ nanoseconds: [Double]) -> String {
    nanoseconds.map { time in
      let (divisor, unit): (Double, Unit) =
        time < 1e3 ? (1, .nanoseconds) : time < 1e6 ? (1e3, .microseconds) : (1e6, .milliseconds)
      return "\(short(time / divisor)) \(unit.rawValue)"
    }.joined(separator: ", ")
  }

  private static func text(_ budget: Budget?, _ unit: Unit) -> String {
    switch budget {
    case .atMost(let most)?: "<= \(short(most)) \(unit.rawValue)"
    case .atLeast(let least)?: ">= \(short(least)) \(unit.rawValue)"
    case nil: "-"
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A number with two digits behind the point.
  private static func short(_ value: Double) -> String { String(format: "%.2f", value) }
}
