/// What a server is started with.
public struct PageConfiguration: Sendable {
  public var endpoint: Endpoint
  /// The path of `settings-cli`.
  public var command: String
  /// The environment of its runs.
  public var environment: [String: String]
  /// What the page shows first: an app's id, or the absolute path of a file. No other path is served.
  public var target: String?
  public var token = Token()
  public var limits = Limits()

  public init(endpoint: Endpoint, command: String, environment: [String: String], target: String? = nil) {
    (self.endpoint, self.command, self.environment, self.target) = (endpoint, command, environment, target)
  }
}
