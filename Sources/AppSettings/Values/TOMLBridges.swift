import FoundationEssentials

// TOML's own types are stored as themselves.

extension TOMLValue: SettingsSerializable {
  /// Stores the value as it is.
  ///
  /// It cannot be stored if it contains an invalid date or more levels than a file can have.
  public static let settingsBridge = SettingsBridge<TOMLValue>(
    "a value", many: "values", type: .any, read: { $0 },
    write: { value in
      try value.checkStorable()
      return value
    })

  /// Throws if a file cannot represent the value.
  fileprivate func checkStorable() throws {
    try checkDepth()
    try checkDates()
  }

  /// Throws if the value is nested deeper than a file can be, before any recursion into it.
  ///
  /// The limit is `TOMLDocument.maximumDepth`.
  func checkDepth() throws {
    guard isNested(deeperThan: TOMLDocument.maximumDepth) else { return }
    throw SettingsValueError(tooDeepAt: nil)
  }

  /// Throws if a date or time is invalid: these structs accept any numbers, and a file must not get invalid dates.
  fileprivate func checkDates() throws {
    switch self {
    case .string, .integer, .float, .boolean: return
    case .offsetDateTime(let value): try value.check()
    case .localDateTime(let value): try value.check()
    case .localDate(let value): try value.check()
    case .localTime(let value): try value.check()
    case .array(let elements):
      for (index, element) in elements.enumerated() { try at(["[\(index)]"]) { try element.checkDates() } }
    case .table(let table):
      for (key, value) in table { try at([key]) { try value.checkDates() } }
    }
  }
}

extension TOMLTable: SettingsSerializable {
  /// Stores the table as it is, with any keys.
  public static let settingsBridge = SettingsBridge<TOMLTable>(
    "a table", many: "tables", type: .table,
    read: { $0.table },
    write: { table in
      try TOMLValue.table(table).checkStorable()
      return .table(table)
    })
}

extension TOMLOffsetDateTime: SettingsSerializable {
  /// Stores the value as an offset date-time with its own offset; use `Date` if you need only the instant. As for
  /// `Date`, the year in UTC must be from 0 to 9999.
  ///
  /// ```swift
  /// static let started = SettingsKey<TOMLOffsetDateTime?>("started")   // 2026-03-01T10:30:00+01:00
  /// ```
  public static let settingsBridge = SettingsBridge<TOMLOffsetDateTime>(
    dateTimeExpectation, many: "dates and times with an offset", type: .offsetDateTime,
    read: { stored in
      guard case .offsetDateTime(let dateTime) = stored, Date(dateTime).isStorable else { return nil }
      return dateTime
    },
    write: { value in
      try value.check()
      guard Date(value).isStorable else {
        throw SettingsValueError(expected: "a date in the years 0 to 9999 in UTC", found: .offsetDateTime(value))
      }
      return .offsetDateTime(value)
    })

  /// Throws if this is not a valid point in time: its fields accept any numbers.
  func check() throws {
    guard abs(offsetMinutes) < 24 * 60 else {
      throw SettingsValueError(expected: "an offset of less than a day", foundText: "one of \(offsetMinutes) minutes")
    }
    try date.check()
    try time.check()
  }
}

let dateTimeExpectation = "a date and time with an offset (1979-05-27T07:32:00Z)"

extension TOMLLocalDateTime: SettingsSerializable {
  /// Stores the value as a local date-time.
  ///
  /// In a file it looks like `2026-03-01T07:00:00`. It is a time on a wall clock, such as that of an alarm which rings
  /// at seven wherever its owner is.
  public static let settingsBridge = SettingsBridge<TOMLLocalDateTime>(
    "a date and time without an offset", many: "dates and times without an offset", type: .localDateTime,
    read: { if case .localDateTime(let dateTime) = $0 { dateTime } else { nil } },
    write: { value in
      try value.check()
      return .localDateTime(value)
    })

  fileprivate func check() throws {
    try date.check()
    try time.check()
  }
}

extension TOMLLocalDate: SettingsSerializable {
  /// Stores the value as a local date.
  ///
  /// In a file it looks like `1979-05-27`. It is a day without a time zone, such as a birthday, in the years 0 to 9999.
  public static let settingsBridge = SettingsBridge<TOMLLocalDate>(
    "a date without a time", many: "dates without a time", type: .localDate,
    read: { if case .localDate(let date) = $0 { date } else { nil } },
    write: { value in
      try value.check()
      return .localDate(value)
    })

  fileprivate func check() throws {
    guard isValid else {
      throw SettingsValueError(expected: "a date of the calendar", foundText: "\(year)-\(month)-\(day)")
    }
  }
}

extension TOMLLocalTime: SettingsSerializable {
  /// Stores the value as a local time.
  ///
  /// In a file it looks like `07:32:00`. The second may be 60, for a leap second.
  public static let settingsBridge = SettingsBridge<TOMLLocalTime>(
    "a time of day", many: "times of day", type: .localTime,
    read: { if case .localTime(let time) = $0 { time } else { nil } },
    write: { value in
      try value.check()
      return .localTime(value)
    })

  fileprivate func check() throws {
    guard isValid else {
      throw SettingsValueError(
        expected: "a time of day", foundText: "\(hour):\(minute):\(second) and \(nanosecond) nanoseconds")
    }
  }
}
