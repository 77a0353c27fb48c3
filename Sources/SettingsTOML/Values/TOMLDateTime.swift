/// A calendar date without an offset: TOML's local date, `1979-05-27`.
///
/// The fields may have any value; only a day of the calendar can be written.
public struct TOMLLocalDate: Sendable, Hashable {
  private var storedYear: Int16
  private var storedMonth: Int8
  private var storedDay: Int8

  /// Makes a date from its fields.
  public init(year: Int, month: Int, day: Int) {
    // Clamping keeps a value that is out of range out of range.
    storedYear = Int16(clamping: year)
    storedMonth = Int8(clamping: month)
    storedDay = Int8(clamping: day)
  }

  /// The year, 0 to 9999.
  public var year: Int {
    get { Int(storedYear) }
    set { storedYear = Int16(clamping: newValue) }
  }

  /// The month, 1 to 12.
  public var month: Int {
    get { Int(storedMonth) }
    set { storedMonth = Int8(clamping: newValue) }
  }

  /// The day, from 1 to the last day of the month.
  public var day: Int {
    get { Int(storedDay) }
    set { storedDay = Int8(clamping: newValue) }
  }

  /// Whether the fields name a day of the proleptic Gregorian calendar.
  package var isValid: Bool {
    guard 0...9999 ~= year, 1...12 ~= month, day >= 1 else { return false }
    return day <= TOMLLocalDate.days(inMonth: month, year: year)
  }

  static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A time of day without an offset: TOML's local time, `07:32:00.999999999`.
public struct TOMLLocalTime: Sendable, Hashable {
  private var storedNanosecond: Int32
  private var storedHour: Int8
  private var storedMinute: Int8
  private var storedSecond: Int8

  /// Makes a time from its fields.
  public init(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0) {
    storedHour = Int8(clamping: hour)
    storedMinute = Int8(clamping: minute)
    storedSecond = Int8(clamping: second)
    storedNanosecond = Int32(clamping: nanosecond)
  }

  /// The hour, 0 to 23.
  public var hour: Int {
    get { Int(storedHour) }
    set { storedHour = Int8(clamping: newValue) }
  }

  /// The minute, 0 to 59.
  public var minute: Int {
    get { Int(storedMinute) }
    set { storedMinute = Int8(clamping: newValue) }
  }

  /// The second, 0 to 60; 60 is a leap second.
  public var second: Int {
    get { Int(storedSecond) }
    set { storedSecond = Int8(clamping: newValue) }
  }

  /// The nanosecond, 0 to 999,999,999. Further digits in a file are cut off, as the specification requires.
  public var nanosecond: Int {
    get { Int(storedNanosecond) }
    set { storedNanosecond = Int32(clamping: newValue) }
  }

  /// Whether each field is within its range.
  package var isValid: Bool {
    0...23 ~= hour && 0...59 ~= minute && 0...60 ~= second && 0...999_999_999 ~= nanosecond
  }
}

/// A date and time without an offset: TOML's local date-time, `1979-05-27T07:32:00`.
public struct TOMLLocalDateTime: Sendable, Hashable {
  /// The day.
  public var date: TOMLLocalDate
  /// The time of that day.
  public var time: TOMLLocalTime

  /// Makes a date-time from a day and a time.
  public init(date: TOMLLocalDate, time: TOMLLocalTime) {
    self.date = date
    self.time = time
  }

  /// Whether the date and the time are valid.
  package var isValid: Bool { date.isValid && time.isValid }
}

/// A date and time with its offset from UTC: TOML's offset date-time, `1979-05-27T00:32:00-07:00`.
///
/// Equality compares the fields: one instant written with two offsets is two different values.
public struct TOMLOffsetDateTime: Sendable, Hashable {
  /// The day at the offset.
  public var date: TOMLLocalDate
  /// The time of that day.
  public var time: TOMLLocalTime
  private var storedOffset: Int16

  /// Makes a date-time from a day, a time and an offset.
  public init(date: TOMLLocalDate, time: TOMLLocalTime, offsetMinutes: Int = 0) {
    self.date = date
    self.time = time
    storedOffset = Int16(clamping: offsetMinutes)
  }

  /// The offset in minutes east of UTC, -1439 to 1439. `Z` is 0.
  public var offsetMinutes: Int {
    get { Int(storedOffset) }
    set { storedOffset = Int16(clamping: newValue) }
  }

  /// Whether the date, the time and the offset are valid.
  package var isValid: Bool { date.isValid && time.isValid && -1439...1439 ~= offsetMinutes }
}
