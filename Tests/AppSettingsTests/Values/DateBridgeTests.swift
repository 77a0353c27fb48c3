import AppSettings
import Foundation
import Testing

struct DateBridgeTests {
  @Test func `a date is stored in UTC with the digits it needs`() throws {
    try expectRoundTrip(Date(timeIntervalSince1970: 0), .offsetDateTime(stored(1970, 1, 1, 0, 0, 0)))
    try expectRoundTrip(
      Date(timeIntervalSince1970: 296_638_320.25), .offsetDateTime(stored(1979, 5, 27, 7, 32, 0, 250_000_000)))
    try expectRoundTrip(
      Date(timeIntervalSinceReferenceDate: 788_918_399.1),
      .offsetDateTime(stored(2025, 12, 31, 23, 59, 59, 100_000_000)))
    try expectRoundTrip(
      Date(timeIntervalSince1970: -0.001), .offsetDateTime(stored(1969, 12, 31, 23, 59, 59, 999_000_000)))
    try expectRoundTrip(Date.distantPast, .offsetDateTime(stored(0, 12, 30, 0, 0, 0)))
    try expectRoundTrip(Date.distantFuture, .offsetDateTime(stored(4001, 1, 1, 0, 0, 0)))
  }

  @Test func `the calendar is that of Foundation`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    // From the end of the Julian calendar, which Foundation keeps before it, to the last year there is.
    for day in stride(from: -152_000, to: 2_921_000, by: 199) {
      let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400 + 45_296)
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      let expected = stored(
        try #require(parts.year), try #require(parts.month), try #require(parts.day), try #require(parts.hour),
        try #require(parts.minute), try #require(parts.second))
      #expect(try Date.settingsBridge.write(date) == .offsetDateTime(expected))
      #expect(try Date.settingsBridge.read(.offsetDateTime(expected)) == date)
    }
  }

  @Test func `dates come back exactly`() throws {
    var state: UInt64 = 1
    func random(_ range: ClosedRange<Double>) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + (range.upperBound - range.lowerBound) * Double(state >> 11) / Double(1 << 53 as UInt64)
    }
    for range in [7e8...9e8, -63_145_526_400...252_423_993_599, 8_388_608...1e8, -1e8 ... -8_388_608] as [ClosedRange] {
      for _ in 0..<5000 {
        let date = Date(timeIntervalSinceReferenceDate: random(range))
        let stored = try #require(try Date.settingsBridge.write(date))
        #expect(try Date.settingsBridge.read(stored) == date)
      }
    }
  }

  @Test func `a date finer than a nanosecond is rounded to it`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 0.123_456_789_4)
    let stored = try #require(try Date.settingsBridge.write(date))
    #expect(stored == .offsetDateTime(self.stored(2001, 1, 1, 0, 0, 0, 123_456_789)))
    try expectRoundTrip(
      Date(timeIntervalSinceReferenceDate: 1.000_000_001), .offsetDateTime(self.stored(2001, 1, 1, 0, 0, 1, 1)))
    // Rounded up to a whole second, across a year.
    #expect(
      try Date.settingsBridge.write(Date(timeIntervalSinceReferenceDate: -1e-11))
        == .offsetDateTime(self.stored(2001, 1, 1, 0, 0, 0)))
  }

  @Test func `offsets and leap seconds are read`() throws {
    var dateTime = stored(1979, 5, 27, 0, 32, 0)
    dateTime.offsetMinutes = -420
    #expect(try Date.settingsBridge.read(.offsetDateTime(dateTime)) == Date(timeIntervalSince1970: 296_638_320))
    dateTime = stored(2016, 12, 31, 23, 59, 60, 500_000_000)
    #expect(try Date.settingsBridge.read(.offsetDateTime(dateTime)) == Date(timeIntervalSince1970: 1_483_228_800.5))
  }

  @Test func `a date outside the years that TOML has is refused when it is written`() throws {
    let last = stored(9999, 12, 31, 23, 59, 59)
    try expectRoundTrip(try Date.settingsBridge.read(.offsetDateTime(last)), .offsetDateTime(last))
    let first = stored(0, 1, 1, 0, 0, 0)
    try expectRoundTrip(try Date.settingsBridge.read(.offsetDateTime(first)), .offsetDateTime(first))
    for interval in [252_423_993_600, -63_145_526_401, .infinity, -.infinity, .nan, 1e300] as [Double] {
      expectError(
        "Found a date \(interval) seconds from 2001-01-01, but a date in the years 0 to 9999 is needed."
      ) {
        try Date.settingsBridge.write(Date(timeIntervalSinceReferenceDate: interval))
      }
    }
  }

  private func stored(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int = 0
  ) -> TOMLOffsetDateTime {
    TOMLOffsetDateTime(
      date: TOMLLocalDate(year: year, month: month, day: day),
      time: TOMLLocalTime(hour: hour, minute: minute, second: second, nanosecond: nanosecond))
  }
}
