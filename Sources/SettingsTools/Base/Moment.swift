import AppSettings
package import FoundationEssentials
import Glibc

/// Times, as people type and read them.
package enum Moment {
  /// Parses a time: an age such as `2d` or `2 days ago`, a day such as `yesterday` or `monday`, a date, a date and time,
  /// or a time of today. Without an offset it is a local time; a day or a date is its beginning.
  ///
  /// - Throws: ``ToolError`` with status 2 for anything else.
  package static func parse(_ text: String) throws -> Date {
    if let age = seconds(text) { return Date(timeIntervalSinceNow: -age) }
    if let days = spokenDay(text), let date = local(today, TOMLLocalTime(hour: 0, minute: 0), daysBefore: days) {
      return date
    }
    switch try? TOMLValue(parsing: text) {
    case .localDate(let date)?:
      if let date = local(date, TOMLLocalTime(hour: 0, minute: 0)) { return date }
    case .localDateTime(let moment)?:
      if let date = local(moment.date, moment.time) { return date }
    case .localTime(let time)?:
      if let date = local(today, time) { return date }
    case .offsetDateTime(let moment)?:
      if let date = TOMLValue.offsetDateTime(moment).get(Date.self) { return date }
    default: break
    }
    let entry = Int(text).map { " For entry \($0) of 'log', write '#\($0)', with the quotes." } ?? ""
    throw ToolError(
      .usage,
      "'\(text)' is not a time. Use an age such as 1w, 2d, 3h or 30m, a day such as yesterday or monday, a date such as "
        + "2026-11-23, or '2026-11-23 09:30'.\(entry)")
  }

  /// The seconds of an age, or of another length of time: `2d`, `10m`, `2 days`; `nil` for anything else, and for more
  /// than ten thousand years.
  package static func seconds(_ text: String) -> Double? {
    (age(text) ?? spokenAge(text)).flatMap { 0...mostSeconds ~= $0 ? $0 : nil }
  }

  private static let mostSeconds = 10_000 * 365 * 86_400.0

  /// The seconds of an age: a number of weeks, days, hours, minutes or seconds.
  private static func age(_ text: String) -> Double? {
    guard let unit = text.last, let number = Double(text.dropLast()),
      let seconds: Double = ["w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1][unit]
    else { return nil }
    return number * seconds
  }

  /// The seconds of an age in words: `1 week`, `2 days ago`, `an hour ago`, `last month`, `now`.
  private static func spokenAge(_ text: String) -> Double? {
    var words = text.lowercased().split(separator: " ").map(String.init)
    if words == ["now"] { return 0 }
    if words.count == 3, words.last == "ago" { words.removeLast() }
    guard words.count == 2, let number = ["a": 1, "an": 1, "one": 1, "last": 1][words[0]] ?? Double(words[0]) else {
      return nil
    }
    let unit = words[1].hasSuffix("s") ? String(words[1].dropLast()) : words[1]
    let seconds: [String: Double] = [
      "second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "day": 86_400, "week": 604_800,
      "month": 30 * 86_400, "year": 365 * 86_400,
    ]
    return seconds[unit].map { number * $0 }
  }

  /// How many days ago a day was: `today`, `yesterday`, or the last day of a name, which is not today.
  private static func spokenDay(_ text: String) -> Int? {
    let word = text.lowercased().split(separator: " ")
    guard let name = word.last, word.count == 1 || word.count == 2 && word[0] == "last" else { return nil }
    if word.count == 1, let days = ["today": 0, "yesterday": 1][String(name)] { return days }
    let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    guard let day = names.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else { return nil }
    let days = (Int(parts(of: Date(), localtime_r).tm_wday) - day + 7) % 7
    return days == 0 ? 7 : days
  }

  private static func local(_ date: TOMLLocalDate, _ time: TOMLLocalTime, daysBefore days: Int = 0) -> Date? {
    var parts = tm()
    parts.tm_year = CInt(date.year - 1900)
    parts.tm_mon = CInt(date.month - 1)
    parts.tm_mday = CInt(date.day - days)
    parts.tm_hour = CInt(time.hour)
    parts.tm_min = CInt(time.minute)
    parts.tm_sec = CInt(time.second)
    parts.tm_isdst = -1
    let seconds = mktime(&parts)
    return seconds == -1 ? nil : Date(timeIntervalSince1970: Double(seconds) + Double(time.nanosecond) / 1e9)
  }

  private static var today: TOMLLocalDate {
    let now = parts(of: Date(), localtime_r)
    return TOMLLocalDate(year: Int(now.tm_year) + 1900, month: Int(now.tm_mon) + 1, day: Int(now.tm_mday))
  }

  /// A time for people: `2026-11-23 09:30:00`, local.
  package static func text(_ date: Date) -> String { text(parts(of: date, localtime_r), separator: " ") }

  /// A time for programs: `2026-11-23T09:30:00.123Z`.
  package static func json(_ date: Date) -> String {
    text(parts(of: date, gmtime_r), separator: "T") + ".\(padded(CInt(time(date).milliseconds), 3))Z"
  }

  /// A date's seconds since 1970 and the milliseconds after them. A damaged history may have any number; a year of more
  /// than four digits is shown as the last one that has no more.
  private static func time(_ date: Date) -> (seconds: time_t, milliseconds: Int) {
    let all = (min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_214_400) * 1000).rounded()
    let seconds = (all / 1000).rounded(.down)
    return (time_t(seconds), Int(all - seconds * 1000))
  }

  private static func parts(
    of date: Date, _ convert: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
  ) -> tm {
    var seconds = time(date).seconds
    var parts = tm()
    _ = convert(&seconds, &parts)
    return parts
  }

  private static func text(_ parts: tm, separator: String) -> String {
    "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))\(separator)"
      + "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
  }

  private static func padded(_ number: CInt, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
