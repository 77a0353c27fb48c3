/// What a tool has to say beside its result: on a terminal, what goes to standard error.
public struct ToolMessage: Sendable {
  package enum Severity { case note, warning }

  /// Whether the person should look at it. The call did what it was asked to do nevertheless.
  public let isWarning: Bool
  /// Sentences, without a secret.
  public let text: String

  package init(_ severity: Severity, _ text: String) { (isWarning, self.text) = (severity == .warning, text) }
}

/// Takes what is said while a call runs, on its thread.
package typealias ToolMessageHandler = @Sendable (ToolMessage) -> Void
