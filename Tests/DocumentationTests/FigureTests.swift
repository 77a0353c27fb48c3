import Foundation
import Testing

/// Figures that guides quote are those of the benchmarks' tables.
struct FigureTests {
  private static let numbers = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

  /// The ratio and the times of the row of a table that begins so.
  private static func row(_ start: String) throws -> (ratio: String, times: [String]) {
    let lines = try Document("Benchmarks/README.md").lines.filter { $0.hasPrefix("| \(start)") }
    let cells = try #require(lines.first, "\(start)").split(separator: "|").map { $0.trimmingBlanks }
    return (String(cells[1].prefix { $0 != " " }), cells[2].split(separator: " / ").map { $0.trimmingBlanks })
  }

  private static func rounded(_ figure: String, to digits: Int = 0) throws -> String {
    let scale = digits == 0 ? 1.0 : 10
    let value = try (#require(Double(figure.prefix { $0 != " " })) * scale).rounded() / scale
    return digits == 0 ? "\(Int(value))" : "\(value)"
  }

  /// A time of a table, such as '795 µs', in milliseconds.
  private static func milliseconds(_ figure: String, to digits: Int) throws -> String {
    let scales: [String: Double] = ["ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3]
    let parts = figure.split(separator: " ")
    let value = try #require(Double(parts[0]))
    return String(format: "%.\(digits)f", value * (try #require(scales[String(parts[1])])))
  }

  private static func word(_ figure: String) throws -> String { try numbers[#require(Int(rounded(figure))) - 1] }

  @Test func `the figures of the questions and of the history are those of the tables`() throws {
    let faq = try Document("docs/faq.md").lines.joined(separator: " ")
    let read = try Self.row("typed scalar read / atomic acquire load")
    #expect(faq.contains("as long as about \(try Self.word(read.ratio)) atomic loads"), "\(read)")
    let set = try Self.row("durable set, 4 KB / temp + fsync")
    #expect(faq.contains("about \(try Self.rounded(set.ratio, to: 1)) times a temporary file"), "\(set)")
    let change = try Self.row("rename → for await, default executor, p50")
    #expect(faq.contains("about \(try Self.word(change.ratio)) times the time of a thread in C"), "\(change)")
    // It has no ratio: the time, in milliseconds, is in its place.
    let large = try Self.row("durable set in a file of 100,000 keys").ratio
    let small = try Self.milliseconds(set.times[0], to: 1)
    let times = "some \(try Self.rounded(large)) ms where one in a small file takes \(small) "
    #expect(faq.contains(times), "\(times)")

    let kept = try Self.row("durable set, 4 KB, with a history").times.map { try Self.milliseconds($0, to: 2) }
    let history = try Document("docs/history.md").lines.joined(separator: " ")
    #expect(history.contains("takes \(kept[0]) ms instead of \(kept[1]) ("), "\(kept)")
  }
}

extension Substring {
  fileprivate var trimmingBlanks: String { split(separator: " ").joined(separator: " ") }
}
