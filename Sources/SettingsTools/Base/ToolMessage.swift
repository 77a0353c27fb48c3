/// What a tool has to say beside its result: on a terminal, what goes to standard error.
public struct ToolMessage: Sendable {
  /// Whether the person should look at it. The call did what it was asked to do nevertheless.
  public let isWarning: Bool
  /// Sentences, without a secret.
  public let text: String
}

/// Takes what is said while a call runs, on its thread.
package typealias ToolMessageHandler = @Sendable (ToolMessage) -> Void
