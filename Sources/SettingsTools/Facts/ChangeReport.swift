/// What has become of changes.
public struct ChangeReport: Sendable, Codable {
  /// Whether the text of the file has changed, or would.
  public let hasChanged: Bool
  /// By dotted key, why the app does not use a stored value: a higher layer has one.
  public let problems: [String: String]
  /// The change of the text as a unified diff without secrets, if it was only shown.
  public let difference: String?
}
