/// A calendar date without an offset: TOML's local date, `1979-05-27`.
public struct TOMLLocalDate: Sendable, Hashable {
  /// 0 to 9999.
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31, as the month has them.
  public var day: Int

  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }
}

/// A time of day without an offset: TOML's local time, `07:32:00.999999999`.
public struct TOMLLocalTime: Sendable, Hashable {
  /// 0 to 23.
  public var hour: Int
  /// 0 to 59.
  public var minute: Int
  /// 0 to 60; 60 is a leap second.
  public var second: Int
  /// 0 to 999,999,999; further digits in a file are cut off, as the specification asks.
  public var nanosecond: Int

  public init(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0) {
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }
}

/// A date and time without an offset: TOML's local date-time, `1979-05-27T07:32:00`.
public struct TOMLLocalDateTime: Sendable, Hashable {
  public var date: TOMLLocalDate
  public var time: TOMLLocalTime

  public init(date: TOMLLocalDate, time: TOMLLocalTime) {
    self.date = date
    self.time = time
  }
}

/// A date and time with its offset from UTC: TOML's offset date-time, `1979-05-27T00:32:00-07:00`.
///
/// Equality is of the fields: the same instant written with two offsets is two values.
public struct TOMLOffsetDateTime: Sendable, Hashable {
  public var date: TOMLLocalDate
  public var time: TOMLLocalTime
  /// Minutes east of UTC, -1439 to 1439. `Z` is 0.
  public var offsetMinutes: Int

  public init(date: TOMLLocalDate, time: TOMLLocalTime, offsetMinutes: Int = 0) {
    self.date = date
    self.time = time
    self.offsetMinutes = offsetMinutes
  }
}
