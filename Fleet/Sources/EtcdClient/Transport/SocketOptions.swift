import Glibc
import NIOCore

/// Options that let the kernel close a connection whose other side is gone without a word, for which this process does
/// not have to wake up.
enum SocketOptions {
  /// What is set, as tcp(7) describes it.
  ///
  /// A connection over which nothing comes for two seconds is probed twice, a second apart, and closed after four. So a
  /// network that lost packets for longer than that is noticed before the member tries again by itself: it waits twice as
  /// long each time, and so, after the network is back, for up to as long as it was away. What this side sent is given
  /// up after three and a half seconds, which must be longer than the first probe takes: it is the limit for both.
  private static let all: [(level: Int32, name: Int32, value: Int)] = [
    (SOL_SOCKET, SO_KEEPALIVE, 1), (tcp, TCP_KEEPIDLE, 2), (tcp, TCP_KEEPINTVL, 1), (tcp, TCP_USER_TIMEOUT, 3500),
  ]
  private static let tcp = Int32(IPPROTO_TCP)

  @Sendable static func set(on channel: any Channel) -> EventLoopFuture<Void> {
    let settings = all.map { option -> EventLoopFuture<Void> in
      channel.setOption(
        ChannelOptions.Types.SocketOption(
          level: .init(rawValue: option.level), name: .init(rawValue: option.name)), value: option.value)
    }
    // A kernel that does not know an option is no reason to do without the connection.
    return EventLoopFuture.andAllComplete(settings, on: channel.eventLoop)
  }
}
