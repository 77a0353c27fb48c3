import Foundation
import SettingsTools
import Testing

struct MomentTests {
  @Test func `every date has a text`() {
    for seconds in [-.infinity, -1e300, -9.3e15, 9.3e15, 1e300, .infinity] {
      let date = Date(timeIntervalSince1970: seconds)
      let year = seconds < 0 ? "0001-01-01" : "9999-12-31"
      #expect(Moment.json(date) == "\(year)T00:00:00.000Z")
      #expect(Moment.text(date).utf8.count == 19)
    }
    #expect(Moment.json(Date(timeIntervalSince1970: -0.25)) == "1969-12-31T23:59:59.750Z")
    #expect(Moment.json(Date(timeIntervalSince1970: 1.9996)) == "1970-01-01T00:00:02.000Z")
  }

  @Test func `a day of the week is the last one before today`() throws {
    let calendar = Calendar(identifier: .gregorian)
    let today = calendar.startOfDay(for: Date())
    for (number, name) in ["Sunday", "mon", "last tuesday", "WED", "thursday", "fri", "saturday"].enumerated() {
      let day = try Moment.parse(name)
      #expect(day == calendar.startOfDay(for: day) && calendar.component(.weekday, from: day) == number + 1)
      #expect(1...7 ~= calendar.dateComponents([.day], from: day, to: today).day!)
    }
    #expect(try Moment.parse("today") == today)
  }

  @Test func `a length of time has at most ten thousand years`() {
    #expect(Moment.seconds("10000 years") == 315_360_000_000.0)
    for text in ["10001 years ago", "999999999 years", "999999999w", "1e300d", "infd", "nand", "-1 days"] {
      #expect(Moment.seconds(text) == nil, "\(text)")
    }
  }

  /// 'M' may be meant as months, and 'ms' as milliseconds.
  @Test func `a short unit stands behind its number and has small letters`() {
    #expect(Moment.seconds("2m") == 120 && Moment.seconds("2 Minutes") == 120)
    for text in ["2 ms", "500 ms", "2 m", "5M", "2D", "1 ss"] { #expect(Moment.seconds(text) == nil, "\(text)") }
  }
}
