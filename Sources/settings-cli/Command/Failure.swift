import AppSettings

/// The exit statuses; each is a promise to scripts.
enum ExitStatus: Int32 {
  case done = 0
  case noValue = 1
  case usage = 2
  case unknown = 3
  case invalidValue = 4
  case notWritable = 5
  case unparsable = 6
  case io = 7
  case migration = 8
}

/// What ends a verb other than with success.
struct Failure: Error, CustomStringConvertible {
  var status: ExitStatus
  /// What goes to standard error; `nil` for a status that is an answer in itself.
  var message: String?

  init(_ status: ExitStatus, _ message: String? = nil) {
    self.status = status
    self.message = message
  }

  /// For the library, to which a validation may throw one.
  var description: String { message ?? "" }

  /// No one reads the answer any more, and no one reads a message.
  static let goneReader = Failure(.io)
  var isGoneReader: Bool { status == .io && message == nil }

  init(_ error: SettingsError) { self.init(Self.status(of: error.code), error.description) }

  init(_ problem: SettingsProblem) { self.init(Self.status(of: problem.code), problem.message) }

  private static func status(of code: SettingsError.Code) -> ExitStatus {
    switch code {
    case .invalidLocation, .invalidKey: .usage
    case .invalidValue: .invalidValue
    case .locked, .readOnly, .overridden: .notWritable
    case .unparsable: .unparsable
    case .newerVersion, .migrationFailed: .migration
    default: .io
    }
  }
}
