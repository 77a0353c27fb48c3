public import FoundationEssentials

extension Date: SettingsSerializable {
  /// An offset date-time in UTC, with as many of nine digits of a second as tell it from its neighbours.
  ///
  /// Any offset is read. Dates come back equal; only within some months of January 2001, where `Date` resolves less
  /// than a nanosecond, may one that was computed (not read off a clock) be rounded to it.
  public static let settingsBridge = SettingsBridge<Date>(
    dateTimeExpectation, many: "dates and times with an offset", type: .offsetDateTime,
    read: { stored in
      guard case .offsetDateTime(let dateTime) = stored, (try? dateTime.check()) != nil else { return nil }
      let date = Date(dateTime)
      // An offset may lead out of the years that can be written in UTC.
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

  /// The instant that a date-time names. A leap second is the first of the next minute.
  init(_ dateTime: TOMLOffsetDateTime) {
    let (date, time) = (dateTime.date, dateTime.time)
    let days = CivilDate.daysSinceReference(year: date.year, month: date.month, day: date.day)
    let minutes = (days * 24 + time.hour) * 60 + time.minute - dateTime.offsetMinutes
    self.init(seconds: minutes * 60 + time.second, nanoseconds: time.nanosecond)
  }

  /// Whether the year in UTC is one of 0 to 9999: from the first instant of the year 0 to before that of 10000. What is
  /// no number is neither.
  var isStorable: Bool {
    let interval = timeIntervalSinceReferenceDate
    return interval >= -63_145_526_400 && interval < 252_423_993_600
  }

  fileprivate init(seconds: Int, nanoseconds: Int) {
    self.init(timeIntervalSinceReferenceDate: Double(seconds) + Double(nanoseconds) / 1e9)
  }
}

extension TOMLOffsetDateTime {
  /// A date in UTC; `nil` if its year is not one of 0 (which `Date.distantPast` is in) to 9999.
  fileprivate init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    guard date.isStorable else { return nil }
    var seconds = Int(interval.rounded(.down))
    let fraction = interval - interval.rounded(.down)
    var nanoseconds = 0
    // The fewest digits that come back as the same date: 0.1 s is not to be stored as 0.099999964.
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

/// The proleptic Gregorian calendar, which is RFC 3339's, by arithmetic: `Calendar` would cost the time of the rest.
enum CivilDate {
  /// Days from 2001-01-01 to a date.
  static func daysSinceReference(year: Int, month: Int, day: Int) -> Int {
    // Years from March on, so that the leap day is the last of its year.
    let shifted = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return 365 * shifted + floorDivide(shifted, 4) - floorDivide(shifted, 100) + floorDivide(shifted, 400) + dayOfYear
      - daysToReference
  }

  /// The date so many days after 2001-01-01.
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

  /// The number of days of a month.
  static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 0000-03-01 to 2001-01-01.
  private static let daysToReference = 730_791

  private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }
}
