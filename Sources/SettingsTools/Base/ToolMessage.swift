/// What a tool has to say beside its result: on a terminal, what goes to standard error.
public struct ToolMessage: Sendable, Hashable, Codable {
  /// How much it matters.
  public enum Severity: String, Sendable, Codable {
    /// What is good to know.
    case note
    /// What the person should look at. The call did what it was asked to do nevertheless.
    case warning
  }

  /// How much it matters.
  public let severity: Severity
  /// Sentences, without a secret.
  public let text: String

  package init(_ severity: Severity, _ text: String) { (self.severity, self.text) = (severity, text) }
}

/// Takes what is said while a call runs, on its thread.
public typealias ToolMessageHandler = @Sendable (ToolMessage) -> Void
