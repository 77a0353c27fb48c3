package import AppSettings
import Glibc

/// Why a tool could not do what it was asked to do. Nothing was written, unless the message says so.
public struct ToolError: Error, CustomStringConvertible {
  /// The kinds of failures. The raw value is the exit status of `settings-cli`, which scripts rely on.
  public enum Status: Int32, Sendable, Codable {
    /// There is no such value, entry or change.
    case noValue = 1
    /// What was asked for makes no sense.
    case usage = 2
    /// The app or the key is unknown.
    case unknown = 3
    /// The app would refuse the value.
    case invalidValue = 4
    /// The key is locked, or the file cannot be written, or a stored value has no effect.
    case notWritable = 5
    /// The file does not parse.
    case unparsable = 6
    /// Reading or writing failed.
    case io = 7
    /// The file is of a newer release, or cannot be migrated.
    case migration = 8
    /// Others have changed what the change was based on.
    case changed = 9
    /// An answer is another program's.
    case elsewhere = 10
  }

  /// What kind of failure it is.
  public package(set) var status: Status
  /// What, where, why and what to do, as sentences; `nil` if the status says everything.
  package var message: String?
  /// Whether permission is missing.
  package private(set) var isReadOnly = false
  /// The message without advice.
  package private(set) var reason: String?
  /// The only app whose id ends as an unknown one that was typed.
  package var meantApp: MeantApp?

  package init(_ status: Status, _ message: String? = nil) {
    self.status = status
    self.message = message
  }

  /// The message.
  public var description: String { message ?? "\(status)" }

  /// - Parameter location: Where the settings are that could not be read or written, for advice on permissions; by default
  ///   where the error says.
  package init(_ error: SettingsError, at location: SettingsLocation? = nil) {
    // Of an app's settings, it may be another file that cannot be read, as in the directory of its state.
    let locations = [location, error.file.flatMap { try? SettingsLocation(file: $0) }].compactMap(\.self)
    let advice =
      error.code == .readOnly ? locations.lazy.map(\.adviceOnPermission).first { !$0.isEmpty } ?? "" : ""
    self.init(Self.status(of: error.code), error.description + advice)
    isReadOnly = error.code == .readOnly
    reason = error.description
  }

  package init(any error: any Error, at location: SettingsLocation? = nil) {
    switch error {
    case let error as ToolError: self = error
    case let error as SettingsError: self.init(error, at: location)
    default: self.init(.io, "\(error)")
    }
  }

  package init(_ problem: SettingsProblem) { self.init(Self.status(of: problem.code), problem.message) }

  private static func status(of code: SettingsError.Code) -> Status {
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

/// An app that was named by the end of its id.
package struct MeantApp: Sendable {
  package let typed: String
  package let id: String
}
