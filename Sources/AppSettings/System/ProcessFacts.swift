import CSettingsSystem
import Glibc

/// Facts about this process from the environment and the system. Bytes that are not UTF-8 are as in ``PathText``.
package enum ProcessFacts {
  /// A variable of the environment, or `nil` if it is not set.
  ///
  /// As for `getenv(3)`, this is safe only while no other thread sets variables.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { PathText.text($0) }
  }

  /// All variables of the environment. Of two with one name the first wins, as for `getenv(3)`.
  package static var environment: [String: String] {
    var result: [String: String] = [:]
    guard var next = csettings_environment() else { return result }
    while let entry = next.pointee {
      let text = PathText.text(entry)
      if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), result[String(text[..<equals])] == nil {
        result[String(text[..<equals])] = String(text[text.utf8.index(after: equals)...])
      }
      next += 1
    }
    return result
  }

  /// The words of the command line after the program's name, in the memory that other users see in `ps`.
  package static var arguments: [UnsafeMutablePointer<CChar>] {
    var count: CInt = 0
    guard let words = csettings_arguments(&count), count > 1 else { return [] }
    return (1..<Int(count)).compactMap { words[$0] }
  }

  /// The name of the running program.
  ///
  /// It is the last component of the path in the first word of the command line.
  package static let program: String = {
    var count: CInt = 0
    guard let words = csettings_arguments(&count), count > 0, let name = words[0] else { return "unknown" }
    return PathText.text(name).lastPathPart
  }()

  /// The name of a tool that changes the settings of others.
  ///
  /// The history names it as the author of its changes. It is `nil` in an app.
  package static let tool = Lock<String?>(nil)

  /// The working directory.
  package static func workingDirectory() -> String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return PathText.text(path)
  }

  /// Waits for a time.
  ///
  /// A signal does not end the wait early.
  package static func pause(nanoseconds: UInt64) {
    var rest = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    var left = timespec()
    while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
  }

  /// Nanoseconds on the monotonic clock, `clock_gettime(2)`.
  ///
  /// It never goes back, and stops while the machine is suspended.
  package static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Nanoseconds since 1970, the clock of the times of files.
  package static func nanosecondsSince1970() -> Int64 {
    var time = timespec()
    _ = clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Date and time in UTC as `20261121T093000Z`, for names of backups.
  package static func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    _ = gmtime_r(&now, &parts)
    func padded(_ value: CInt, _ width: Int) -> String { String(value).padded(to: width) }
    return padded(parts.tm_year + 1900, 4) + padded(parts.tm_mon + 1, 2) + padded(parts.tm_mday, 2) + "T"
      + padded(parts.tm_hour, 2) + padded(parts.tm_min, 2) + padded(parts.tm_sec, 2) + "Z"
  }
}
