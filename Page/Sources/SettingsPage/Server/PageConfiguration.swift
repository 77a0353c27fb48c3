/// What a server is started with.
public struct PageConfiguration: Sendable {
  /// Where it listens.
  public var endpoint: Endpoint
  /// The path of `settings-cli`.
  public var command: String
  /// The environment of its runs.
  public var environment: [String: String]
  /// What the page shows first: an app's id, or the absolute path of a file. No other path is served.
  public var target: String?
  /// The word that requests need.
  public var token = Token()
  /// The word in the address, with which the page gets the token.
  let code = AddressCode()
  /// What bounds it.
  public var limits = Limits()
  /// Whether the machine has the address 127.0.0.1; otherwise the server listens on ::1.
  var hasIPv4 = Endpoint.hasIPv4

  /// Describes a server with a new token and the usual limits.
  public init(endpoint: Endpoint, command: String, environment: [String: String], target: String? = nil) {
    (self.endpoint, self.command, self.environment, self.target) = (endpoint, command, environment, target)
  }
}
