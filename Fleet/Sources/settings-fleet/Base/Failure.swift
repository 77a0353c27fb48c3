import EtcdClient
import SettingsTOML
import SettingsTools

/// Why a verb failed: its exit status, and the message for standard error.
///
/// The numbers are those of `settings-cli`, and some more.
struct Failure: Error, CustomStringConvertible {
  /// What `settings-cli` has no status for.
  enum Status: Int32 {
    /// A plan has changes.
    case changes = 10
    /// The cluster does not answer, or refuses.
    case cluster = 11
    /// A rollout was taken back.
    case takenBack = 12
  }

  var status: Int32
  /// `nil` if it has been printed, by `settings-cli` for one.
  var message: String?

  init(_ status: ToolError.Status, _ message: String?) { self.init(status: status.rawValue, message: message) }

  init(_ status: Status, _ message: String?) { self.init(status: status.rawValue, message: message) }

  /// - Parameter message: What `settings-cli` has not said already.
  init(status: Int32, message: String? = nil) { (self.status, self.message) = (status, message) }

  /// What an error of the cluster, of a file or of the tools means for a verb; `nil` for any other one.
  init?(any error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as EtcdError: self.init(error)
    case let error as File.Failed: self.init(.io, error.description)
    case let error as ToolError: self.init(error.status, error.message)
    default: return nil
    }
  }

  /// - Parameter error: Why the schema of an app cannot be used.
  init(schemaOf app: String, _ error: any Error) {
    self.init(.invalidValue, "Cannot use the schema of '\(app)': \(ToolError(any: error))")
  }

  /// - Parameter error: Why a document does not parse. None of its text is shown, which may have a secret.
  init(_ error: TOMLSyntaxError) { self.init(.unparsable, "The document does not parse: \(error.discreet)") }

  /// - Parameter revision: The one that was asked for; `nil` for the newest.
  init(_ error: EtcdError, at revision: Int64?) {
    switch (error.code, revision) {
    case (.compacted, let revision?):
      self.init(
        .noValue,
        "Revision \(revision) is no longer in the cluster: it has been compacted. Use a later one, as 'log' prints it.")
    case (.futureRevision, let revision?):
      self.init(.noValue, "Revision \(revision) is not in the cluster yet. 'log' prints those that there are.")
    default: self.init(error)
    }
  }

  init(_ error: EtcdError) {
    let text = error.description
    self.init(.cluster, Self.advice(error).map { text + (text.hasSuffix(".") ? " " : ". ") + $0 } ?? text)
  }

  /// What to look at.
  private static func advice(_ error: EtcdError) -> String? {
    switch error.code {
    case .unavailable:
      "'settings-cli get settings-fleet endpoints' shows which members are asked."
    case .deadlineExceeded:
      "'settings-cli get settings-fleet endpoints' shows which members are asked. If they are slow or far away, "
        + "give them longer: 'settings-cli set settings-fleet timeout 20s'."
    case .certificate:
      "See the settings tls.authority, tls.certificate and tls.key of settings-fleet."
    case .notAuthenticated:
      "See the settings user and password of settings-fleet, or the name of the certificate."
    case .permissionDenied:
      "The roles of the user do not allow it: see 'settings-fleet access list'."
    case .noSpace:
      "Compact the cluster, defragment each member and disarm the alarm, as docs/fleet.md says of a full database."
    default: nil
    }
  }

  var description: String { message ?? "" }
}
