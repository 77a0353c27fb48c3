/// Metrics in the text format of Prometheus.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats
struct MetricsText {
  enum Kind: String { case counter, gauge }

  typealias Sample = (labels: [(String, String)], value: Int64)

  private(set) var text = ""

  /// Adds a metric with its samples.
  ///
  /// - Parameter samples: The labels of each, and its value. Without any, the metric is left out.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]
  ) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in samples {
      let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
      text += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }
  }

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int64) {
    add(name, kind, help, [([], value)])
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
