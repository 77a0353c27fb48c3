/// What bounds the server's use of the machine.
public struct Limits: Sendable {
  /// The connections that are served at a time.
  public var connections = 64
  /// The connections that are being told at a time that they are not served.
  public var refusedConnections = 128
  /// The time for the head of a request, and again for its body.
  public var wait = Duration.seconds(15)
  /// The size of a request's head.
  public var head = 16 << 10
  /// The size of a request's body that is used.
  public var body = 1 << 20
  /// The size of one that is read only so that its client sees the answer.
  public var discardedBody = 16 << 20
  /// The time for one command.
  public var command = Duration.seconds(20)
  /// The size of a command's answer.
  public var answer = 64 << 20
  /// The apps that are watched at a time.
  public var watches = 16
  /// The events that wait for a client that does not read them.
  public var pendingEvents = 256
  /// The time for answers that are being sent when the server ends.
  public var farewell = Duration.seconds(2)
  /// The time after the last event stream until the server ends.
  public var grace = Duration.seconds(3)
  /// The time without a request until a server ends that never had an event stream.
  public var idle = Duration.seconds(600)

  /// The usual limits.
  public init() {}
}
