import AppSettings

/// The exit statuses, which scripts rely on.
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
  case changed = 9
  case elsewhere = 10
}

/// The reason why a verb failed.
struct Failure: Error, CustomStringConvertible {
  var status: ExitStatus
  /// The message for standard error; `nil` if the status says everything.
  var message: String?
  /// The only app whose id ends as an unknown one that was typed.
  var meantApp: MeantApp?

  init(_ status: ExitStatus, _ message: String? = nil) {
    self.status = status
    self.message = message
  }

  /// For the library, which prints what a validation throws.
  var description: String { message ?? "" }

  /// The reader of the answer is gone, as 'head' is after its last line: it wants no more, nor a message.
  static let goneReader = Failure(.done)
  var isGoneReader: Bool { status == .done }

  init(_ error: SettingsError) {
    let advice = error.code == .readOnly ? OpenedStore.adviceOnPermission : ""
    self.init(Self.status(of: error.code), error.description + advice)
  }

  init(any error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as SettingsError: self.init(error)
    default: self.init(.io, "\(error)")
    }
  }

  init(_ problem: SettingsProblem) { self.init(Self.status(of: problem.code), problem.message) }

  private static func status(of code: SettingsError.Code) -> ExitStatus {
    switch code {
    case .invalidLocation: .usage
    // A key that cannot be in this file; a mistyped one is found before.
    case .invalidKey: .unknown
    case .invalidValue: .invalidValue
    case .locked, .readOnly, .overridden: .notWritable
    case .unparsable: .unparsable
    case .noHistory: .noValue
    case .conflict: .changed
    case .newerVersion, .migrationFailed: .migration
    default: .io
    }
  }
}
