import AppSettings
import AppSettingsSchema

/// What is wrong with the files of an app, or may be: one line of `settings-cli check`.
public struct FindingFacts: Sendable, Codable {
  /// The path of the file.
  public let file: String
  /// The place in it, counted from 1; `nil` if the file as a whole is meant.
  public let line, column: Int?
  /// `error` if something is not used, `warning` otherwise.
  public let severity: String
  /// What kind it is, such as `unparsable`, `invalid-value`, `unknown-key` or `permissions`.
  public let kind: String
  /// The dotted key; `nil` if it is about none.
  public let key: String?
  /// Sentences, without a secret.
  public let message: String
  /// The name that was probably meant.
  public let suggestion: String?

  init(_ finding: SettingsFinding) {
    (file, line, column) = (finding.file, finding.position?.line, finding.position?.column)
    (severity, kind) = (finding.severity, finding.kind.rawValue)
    (key, message, suggestion) = (finding.key?.description, finding.message, finding.suggestion)
  }
}
