public import FoundationEssentials

extension Date: SettingsSerializable {
  /// Stores the date as an offset date-time in UTC, with as few decimals of a second as identify it, up to nine.
  ///
  /// Reading accepts any offset. Dates are read back equal, except that a computed date (not one from a clock) within
  /// some months of January 2001, where `Date` is more precise than a nanosecond, may be rounded to one.
  ///
  /// In a file it looks like `2026-03-01T09:30:00Z` (TOML 1.0, "Offset Date-Time"; RFC 3339). Local date-times are
  /// refused, because they do not name an instant. A date that is set to what it was keeps its text, with its offset.
  public static let settingsBridge = SettingsBridge<Date>(
    dateTimeExpectation, many: "dates and times with an offset", type: .offsetDateTime,
    read: { stored in
      guard case .offsetDateTime(let dateTime) = stored, (try? dateTime.check()) != nil else { return nil }
      let date = Date(dateTime)
      // In UTC the year may be outside the range that can be written.
      return date.isStorable ? date : nil
    },
    write: { date in
      guard let dateTime = TOMLOffsetDateTime(date) else {
        throw SettingsValueError(
          expected: "a date in the years 0 to 9999",
          foundText: "a date \(date.timeIntervalSinceReferenceDate) seconds from 2001-01-01")
      }
      return .offsetDateTime(dateTime)
    })

  /// Makes the instant of a date-time. A leap second becomes the first second of the next minute.
  init(_ dateTime: TOMLOffsetDateTime) {
    let (date, time) = (dateTime.date, dateTime.time)
    let days = CivilDate.daysSinceReference(year: date.year, month: date.month, day: date.day)
    let minutes = (days * 24 + time.hour) * 60 + time.minute - dateTime.offsetMinutes
    self.init(seconds: minutes * 60 + time.second, nanoseconds: time.nanosecond)
  }

  /// Whether the year in UTC is from 0 to 9999. For a date that is not a number this is false.
  ///
  /// The bounds are the seconds from 2001-01-01 to the beginnings of the years 0 and 10,000.
  var isStorable: Bool {
    let interval = timeIntervalSinceReferenceDate
    return interval >= -63_145_526_400 && interval < 252_423_993_600
  }

  fileprivate init(seconds: Int, nanoseconds: Int) {
    self.init(timeIntervalSinceReferenceDate: Double(seconds) + Double(nanoseconds) / 1e9)
  }
}

extension TOMLOffsetDateTime {
  /// Makes a date-time in UTC; `nil` unless its year is from 0 (the year of `Date.distantPast`) to 9999.
  fileprivate init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    guard date.isStorable else { return nil }
    var seconds = Int(interval.rounded(.down))
    let fraction = interval - interval.rounded(.down)
    var nanoseconds = 0
    // The fewest digits that are read back as the same date: 0.1 s must not be stored as 0.099999964.
    var scale = 1.0
    for digits in 0...9 {
      nanoseconds = Int((fraction * scale).rounded()) * TOMLOffsetDateTime.powersOfTen[9 - digits]
      if Date(seconds: seconds, nanoseconds: nanoseconds) == date { break }
      scale *= 10
    }
    if nanoseconds == 1_000_000_000 {
      seconds += 1
      nanoseconds = 0
    }
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let second = seconds - days * 86_400
    let civil = CivilDate.date(daysSinceReference: days)
    guard 0...9999 ~= civil.year else { return nil }
    self.init(
      date: civil,
      time: TOMLLocalTime(
        hour: second / 3600, minute: second / 60 % 60, second: second % 60, nanosecond: nanoseconds))
  }

  private static let powersOfTen = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]
}

/// The proleptic Gregorian calendar, as in RFC 3339. `Calendar` would take as long as all the rest of a conversion.
///
/// All functions take constant time.
enum CivilDate {
  /// Returns the number of days from 2001-01-01 to a date.
  ///
  /// The result is negative for earlier dates. The date must exist in the calendar.
  static func daysSinceReference(year: Int, month: Int, day: Int) -> Int {
    // Years begin in March here, so that the leap day is the last day of a year.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return 365 * shifted + floorDivide(shifted, 4) - floorDivide(shifted, 100) + floorDivide(shifted, 400) + dayOfYear
      - daysToReference
  }

  /// Returns the date a number of days after 2001-01-01.
  static func date(daysSinceReference days: Int) -> TOMLLocalDate {
    let days = days + daysToReference
    let era = floorDivide(days, 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return TOMLLocalDate(
      year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// The number of days from 0000-03-01 to 2001-01-01.
  private static let daysToReference = 730_791

  /// Division that rounds down, unlike `/`, which rounds towards zero.
  private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }
}
