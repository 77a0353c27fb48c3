import NIOCore

/// Notices that nothing comes over a connection. It is the first of its handlers, and tells the others.
final class SilenceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  enum Event: Sendable {
    /// Nothing has come for some time: the other side is to be asked.
    case begun
    /// It has not answered.
    case lasting
  }

  private let interval: TimeAmount
  /// How long an answer may take.
  private var patience: TimeAmount { max(.seconds(1), min(interval, .seconds(10))) }
  private var lastRead = NIODeadline.now()
  private var timer: Scheduled<Void>?

  init(after interval: TimeAmount) { self.interval = interval }

  func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { wait(context, for: interval) } }

  func channelActive(context: ChannelHandlerContext) {
    lastRead = .now()
    wait(context, for: interval)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastRead = .now()
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  /// One timer for all that comes meanwhile.
  private func wait(_ context: ChannelHandlerContext, for time: TimeAmount) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
      let silence = NIODeadline.now() - lastRead
      guard silence >= interval else { return wait(context, for: interval - silence) }
      context.fireUserInboundEventTriggered(Event.begun)
      let asked = NIODeadline.now()
      timer = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [self] in
        if lastRead < asked { return context.fireUserInboundEventTriggered(Event.lasting) }
        wait(context, for: interval)
      }
    }
  }
}
