import ArgumentParser

/// A time such as `500ms`, `10s`, `5m` or `2h`.
struct TimeArgument: ExpressibleByArgument, CustomStringConvertible {
  let duration: Duration
  /// As it was written, for the help.
  let description: String

  init?(argument: String) {
    let units: [(String, Duration)] = [
      ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ]
    for (unit, length) in units where argument.hasSuffix(unit) {
      guard let number = Int(argument.dropLast(unit.count)), (0...1_000_000).contains(number) else { continue }
      (duration, description) = (length * number, argument)
      return
    }
    return nil
  }

  /// Whole seconds, rounded up.
  var seconds: Int { Int(duration.components.seconds) + (duration.components.attoseconds > 0 ? 1 : 0) }
}
