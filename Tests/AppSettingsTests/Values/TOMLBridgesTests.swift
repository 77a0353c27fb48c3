import AppSettings
import Testing

struct TOMLBridgesTests {
  private let date = TOMLLocalDate(year: 2024, month: 2, day: 29)
  private let time = TOMLLocalTime(hour: 23, minute: 59, second: 60, nanosecond: 1)

  @Test func `dates and times of TOML are stored as themselves`() throws {
    try expectRoundTrip(date, .localDate(date))
    try expectRoundTrip(time, .localTime(time))
    let local = TOMLLocalDateTime(date: date, time: time)
    try expectRoundTrip(local, .localDateTime(local))
    let offset = TOMLOffsetDateTime(date: date, time: time, offsetMinutes: -1439)
    try expectRoundTrip(offset, .offsetDateTime(offset))
    try expectRoundTrip(["a": 1, "b": ["c": true]] as TOMLTable, ["a": 1, "b": ["c": true]])
  }

  @Test func `what is no date or time is refused when it is written`() {
    let dates = [(2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (10_000, 1, 1), (-1, 1, 1)]
    for (year, month, day) in dates {
      let date = TOMLLocalDate(year: year, month: month, day: day)
      let message = "Found \(year)-\(month)-\(day), but a date of the calendar is needed."
      expectError(message) { try TOMLLocalDate.settingsBridge.write(date) }
      expectError(message) {
        try TOMLLocalDateTime.settingsBridge.write(TOMLLocalDateTime(date: date, time: self.time))
      }
      expectError(message) {
        try TOMLOffsetDateTime.settingsBridge.write(TOMLOffsetDateTime(date: date, time: self.time))
      }
    }
    expectError("Found 24:0:0 and 0 nanoseconds, but a time of day is needed.") {
      try TOMLLocalTime.settingsBridge.write(TOMLLocalTime(hour: 24, minute: 0))
    }
    expectError("Found 0:0:0 and 1000000000 nanoseconds, but a time of day is needed.") {
      try TOMLLocalTime.settingsBridge.write(TOMLLocalTime(hour: 0, minute: 0, nanosecond: 1_000_000_000))
    }
    expectError("Found one of 1440 minutes, but an offset of less than a day is needed.") {
      try TOMLOffsetDateTime.settingsBridge.write(
        TOMLOffsetDateTime(date: date, time: time, offsetMinutes: 1440))
    }
  }

  @Test func `a wrong date deep in a value of any type is found`() {
    let wrong = TOMLValue.localDate(TOMLLocalDate(year: 2024, month: 13, day: 1))
    expectError("Found 2024-13-1 at 'a[1].\"b c\"', but a date of the calendar is needed.") {
      try SettingsValue.settingsBridge.write(["a": [1, ["b c": wrong]]])
    }
    expectError("Found 2024-13-1 at 'x', but a date of the calendar is needed.") {
      try TOMLTable.settingsBridge.write(["x": wrong])
    }
  }
}
