import AppSettings
import Testing

struct DurationBridgeTests {
  @Test func `a duration is stored in the largest unit in which it is whole`() throws {
    try expectRoundTrip(Duration.zero, "0s")
    try expectRoundTrip(Duration.seconds(7200), "2h")
    try expectRoundTrip(Duration.seconds(86_400), "24h")
    try expectRoundTrip(Duration.seconds(5400), "90m")
    try expectRoundTrip(Duration.seconds(61), "61s")
    try expectRoundTrip(Duration.milliseconds(1500), "1.5s")
    try expectRoundTrip(Duration.milliseconds(250), "250ms")
    try expectRoundTrip(Duration.microseconds(-5), "-5us")
    try expectRoundTrip(Duration.nanoseconds(1), "1ns")
    try expectRoundTrip(Duration.nanoseconds(1500), "1500ns")
    try expectRoundTrip(Duration(secondsComponent: 0, attosecondsComponent: 1), "0.000000000000000001s")
    try expectRoundTrip(Duration(secondsComponent: -1, attosecondsComponent: -1), "-1.000000000000000001s")
    try expectRoundTrip(Duration.seconds(Int64.max - 1), "9223372036854775806s")
    try expectRoundTrip(Duration.seconds(Int64.min + 2), "-9223372036854775806s")
  }

  @Test func `what a person writes is read`() throws {
    let cases: [(TOMLValue, Duration)] = [
      ("1h 30m", .seconds(5400)), ("1h30m", .seconds(5400)), ("1d", .seconds(86_400)), ("0.5h", .seconds(1800)),
      ("2m 3.25s", .milliseconds(123_250)), ("15µs", .microseconds(15)), ("15us", .microseconds(15)),
      ("-1m 1s", .seconds(-61)), ("0.1s", .milliseconds(100)), ("1.50s", .milliseconds(1500)),
      (30, .seconds(30)), (0.1, .milliseconds(100)), (1e-7, .nanoseconds(100)), (-2.5, .milliseconds(-2500)),
      (2.0, .seconds(2)), (1e18, .seconds(1_000_000_000_000_000_000)),
    ]
    for (stored, duration) in cases { #expect(try Duration.settingsBridge.read(stored) == duration) }
  }

  @Test(arguments: [
    "", "-", "5", "s", "5 parsecs", "1.2.3s", ".5s", "5.s", "3m 2h", "1s 1s", "1us 1µs", "+1s", " 1s", "1e3s", "--1s",
    "99999999999999999999999999999999999999999s", "9223372036854775808s", "0.1ns 1", "٣s", "0.0000000000000000001s",
  ])
  func `what is no duration is refused`(_ text: String) {
    expectRefusal(
      Duration.self, .string(text),
      "Found \(TOMLValue.string(text).shown), but a duration, like \"90s\" or \"1h 30m\" is needed.")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e19, -1e300])
  func `a number of seconds that no duration holds is refused`(_ seconds: Double) {
    #expect(throws: SettingsValueError.self) { try Duration.settingsBridge.read(.float(seconds)) }
  }
}

extension TOMLValue {
  /// What a message says of a value.
  var shown: String { SettingsValueError(expected: "", found: self).found }
}
