import Glibc
import NIOCore

/// Options that let the kernel close a connection whose other side is gone without a word, for which this process does
/// not have to wake up.
enum SocketOptions {
  /// A request without the other side's acknowledgement closes the connection after two seconds, so that an HTTP/2
  /// connection over a network that forgot it does not hold up the calls that come later.
  @Sendable static func set(on channel: any Channel) -> EventLoopFuture<Void> {
    let tcp = Int32(IPPROTO_TCP)
    let options: [(level: Int32, name: Int32, value: Int)] = [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (tcp, TCP_KEEPIDLE, 10), (tcp, TCP_KEEPINTVL, 2), (tcp, TCP_USER_TIMEOUT, 2000),
    ]
    let settings = options.map { option -> EventLoopFuture<Void> in
      channel.setOption(
        ChannelOptions.Types.SocketOption(
          level: .init(rawValue: option.level), name: .init(rawValue: option.name)), value: option.value)
    }
    // A kernel that does not know an option is no reason to do without the connection.
    return EventLoopFuture.andAllComplete(settings, on: channel.eventLoop)
  }
}
