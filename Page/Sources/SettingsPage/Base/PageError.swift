/// Why the server cannot run.
public struct PageError: Error, CustomStringConvertible {
  /// The reason, as a sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
