/// What has become of changes.
public struct ChangeReport: Sendable, Hashable, Codable {
  /// What has become of one of them.
  public struct Answer: Sendable, Hashable, Codable {
    /// The dotted key.
    public let key: String
    /// Whether the file had another value before.
    public let hasChanged: Bool
    /// Why the app does not use the stored value, because a higher layer has one; `nil` if it does.
    public let problem: String?
  }

  /// Whether the text of the file has changed, or would.
  public let hasChanged: Bool
  /// One for each change, in their order.
  public let answers: [Answer]
  /// The change of the text as a unified diff without secrets, if it was only shown.
  public let difference: String?
}
