import NIOCore
import NIOHPACK
import NIOHTTP2

/// What takes the messages of an answer. It is used on the call's event loop only.
protocol AnswerReceiver: AnyObject {
  /// Whether more is to be read now. As long as it is not, the member waits.
  var wantsMore: Bool { get }
  /// Takes the next message. An error ends the call.
  func receive(_ message: ByteBuffer, of exchange: Exchange) throws
  /// Called once, when nothing more will come. There is no failure if the member said that the call succeeded.
  func finish(_ failure: Exchange.Failure?)
}

extension AnswerReceiver {
  var wantsMore: Bool { true }
}

/// A call and its answer, from the wait for a connection to the end.
final class Exchange: @unchecked Sendable {  // all that changes is used on its event loop only
  struct Failure: Error {
    let error: any Error
    /// Whether the member may have seen the call.
    let wasSent: Bool
  }

  /// Why a call ended before its answer did.
  enum End: Error {
    case deadline
    case cancelled
    /// The answer ended without the status that gRPC has at the end.
    case noStatus
    /// The answer had to have one message.
    case noMessage
    case manyMessages
    /// Something answered with another status of HTTP than 200.
    case http(status: String)
    /// Something answered that does not speak gRPC.
    case foreign(contentType: String?)
  }

  /// The longest message that is read: less than half of the memory that a mirror's unit has.
  static let longestAnswer = 64 << 20

  let loop: any EventLoop
  private let call: Call
  private let headers: HPACKHeaders
  private let staysOpen: Bool
  /// Further messages, where the request stays open.
  private let following: [ByteBuffer]
  private let receiver: any AnswerReceiver
  private var frames = RPCFrames(limit: Exchange.longestAnswer)
  private var timer: Scheduled<Void>?
  private var deadline = NIODeadline.distantFuture
  /// How long the call waits while nothing comes.
  private var patience = TimeAmount.zero
  /// Is called with whether the member has answered in time, when that is known.
  private var note: @Sendable (Bool) -> Void = { _ in }
  private var stream: (any Channel)?
  /// The connection that it is on its way over, until the member answers.
  private var carrier: ConnectionHandler?
  private var hasHead = false
  /// Whether all of the call is on its way, so that nothing is left to do in the stream when the answer ends.
  private var hasEndedRequest = false
  private var wasLate = false
  private(set) var isOver = false
  private var wasSent = false

  /// - Parameters:
  ///   - staysOpen: Whether further messages may be sent, with ``send(_:)``. The member has a bounded time for others.
  ///   - following: Further messages that are sent at once.
  init(
    _ call: Call, headers: HPACKHeaders, on loop: any EventLoop, staysOpen: Bool, following: [ByteBuffer],
    to receiver: some AnswerReceiver
  ) {
    self.following = following
    self.call = call
    self.headers = headers
    self.loop = loop
    self.staysOpen = staysOpen
    self.receiver = receiver
  }

  // MARK: From any thread

  /// Ends the call, if it has not ended.
  func cancel() { loop.execute { self.end(End.cancelled) } }

  /// Waits for something about the call. If the task is cancelled, so is the call.
  func wait<Value: Sendable>(for future: EventLoopFuture<Value>) async throws -> Value {
    try await withTaskCancellationHandler {
      try await future.get()
    } onCancel: {
      cancel()
    }
  }

  /// Sends one more message.
  func send(_ message: ByteBuffer) {
    loop.execute {
      guard !self.isOver else { return }
      self.stream?.writeAndFlush(Self.data(message, isLast: false), promise: nil)
    }
  }

  /// Goes on reading after a pause, if the receiver wants more now.
  func readMore() { loop.execute { self.read() } }

  // MARK: On the event loop

  /// Ends the call at its deadline, unless it is opened before. Each time something comes, it gets as much time again.
  ///
  /// - Parameter note: Is called with whether the member has answered in time, when that is known.
  func setDeadline(_ deadline: NIODeadline, noting note: @escaping @Sendable (_ hasAnswered: Bool) -> Void) {
    self.note = note
    self.deadline = deadline
    patience = deadline - .now()
    timer = loop.scheduleTask(deadline: deadline) { self.deadlinePassed() }
  }

  /// There is a connection, or a part of the answer.
  func hasProgressed() { deadline = max(deadline, .now() + patience) }

  private func deadlinePassed() {
    guard !isOver else { return }
    guard deadline <= .now() else {
      timer = loop.scheduleTask(deadline: deadline) { self.deadlinePassed() }
      return
    }
    // Something held up the thread, and an answer may be there that nobody has read: timers come before that.
    if !wasLate, .now() - deadline > .milliseconds(20) {
      wasLate = true
      timer = loop.scheduleTask(in: .milliseconds(1)) { self.deadlinePassed() }
      return
    }
    if !hasHead { note(false) }
    end(End.deadline)
  }

  /// The answer has begun as it should; from now on it may take any time.
  func hasOpened() {
    timer?.cancel()
    timer = nil
  }

  /// Ends the call.
  ///
  /// - Parameter error: Why; `nil` if the member said that it succeeded.
  func end(_ error: (any Error)?) {
    guard !isOver else { return }
    hasArrived()
    isOver = true
    timer?.cancel()
    note = { _ in }
    receiver.finish(error.map { Failure(error: $0, wasSent: wasSent) })
    if let stream {
      // Takes back what still waits for its turn, too.
      stream.writeAndFlush(HTTP2Frame.FramePayload.rstStream(.cancel), promise: nil)
      stream.close(promise: nil)
    }
    stream = nil
  }

  fileprivate func begin(
    in stream: any Channel, _ context: ChannelHandlerContext, over connection: ConnectionHandler
  ) {
    guard !isOver else { return context.close(promise: nil) }
    self.stream = stream
    wasSent = true
    carrier = connection
    connection.bytesOnTheirWay += call.message.readableBytes
    var headers = headers
    if !staysOpen { headers.add(name: "grpc-timeout", value: Self.timeLimit(left: deadline - .now(), for: call)) }
    context.write(NIOAny(HTTP2Frame.FramePayload.headers(.init(headers: headers))), promise: nil)
    // In pieces: each that is on its way shows that the line works, however slow it is.
    var rest = call.message
    repeat {
      let piece = rest.readSlice(length: min(Self.pieceLength, rest.readableBytes)) ?? rest
      let isLast = rest.readableBytes == 0
      let sent = context.eventLoop.makePromise(of: Void.self)
      context.write(NIOAny(Self.data(piece, isLast: isLast && !staysOpen)), promise: sent)
      sent.futureResult.whenSuccess {
        self.hasProgressed()
        if isLast { self.hasEndedRequest = !self.staysOpen }
      }
    } while rest.readableBytes > 0
    // What is between may take all of it at once, and pass it on slowly: after what other calls have sent before.
    let onItsWay = TimeAmount.nanoseconds(Int64(connection.bytesOnTheirWay) * 1_000_000_000 / Self.usualRate)
    deadline = max(deadline, .now() + patience + onItsWay)
    for message in following { context.write(NIOAny(Self.data(message, isLast: false)), promise: nil) }
    context.flush()
    read()
  }

  /// How slow a line may be, in bytes a second: the time of a member begins with the first byte of the call.
  private static let slowest: Int64 = 8 << 10

  /// The value of the header `grpc-timeout`: how long a member may work on a call. It does not carry out what nobody
  /// waits for.
  ///
  /// - Parameter left: How long the caller waits while nothing comes.
  private static func timeLimit(left: TimeAmount, for call: Call) -> String {
    var milliseconds = max(1, left.nanoseconds / 1_000_000) + Int64(call.message.readableBytes) * 1000 / slowest
    // What is read may take any time to come, as long as it comes.
    if !call.isWrite { milliseconds += 60_000 }
    // At most eight digits.
    return "\(min(milliseconds, 99_999_999))m"
  }

  /// What was sent is no longer on its way.
  private func hasArrived() {
    carrier?.bytesOnTheirWay -= call.message.readableBytes
    carrier = nil
  }

  private static let pieceLength = 16 << 10
  /// How many bytes a second a line takes at least, if it shows no progress.
  private static let usualRate: Int64 = 64 << 10

  fileprivate func read() {
    if receiver.wantsMore { stream?.read() }
  }

  private static func data(_ message: ByteBuffer, isLast: Bool) -> HTTP2Frame.FramePayload {
    .data(.init(data: .byteBuffer(message), endStream: isLast))
  }

  fileprivate func receive(_ payload: HTTP2Frame.FramePayload) {
    guard !isOver else { return }
    hasProgressed()
    switch payload {
    case .headers(let frame):
      if !hasHead, let status = frame.headers.first(name: ":status") {
        // More headers follow these.
        if status.utf8.first == UInt8(ascii: "1") { return }
        if status != "200" { return end(End.http(status: status)) }
        let type = frame.headers.first(name: "content-type")
        guard type?.hasPrefix("application/grpc") ?? false else { return end(End.foreign(contentType: type)) }
      }
      if !hasHead { note(true) }
      hasHead = true
      hasArrived()
      // Both sides have ended then, and the stream with them.
      if frame.endStream, hasEndedRequest { stream = nil }
      if let error = WireError(frame.headers) { return end(error) }
      if frame.endStream { end(frame.headers.contains(name: "grpc-status") ? nil : End.noStatus) }
    case .data(let frame):
      guard case .byteBuffer(let bytes) = frame.data else { return }
      do {
        for message in try frames.append(bytes) where !isOver { try receiver.receive(message, of: self) }
      } catch {
        return end(error)
      }
      if frame.endStream { end(End.noStatus) }
    default: break
    }
  }

  fileprivate func streamFailed(_ error: any Error, isRefused: Bool) {
    if isRefused, !hasHead { wasSent = false }
    end(error)
  }
}

/// Makes a call in an HTTP/2 stream.
final class StreamHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload

  private let exchange: Exchange
  private let connection: ConnectionHandler

  init(_ exchange: Exchange, in connection: ConnectionHandler) {
    self.exchange = exchange
    self.connection = connection
  }

  func handlerAdded(context: ChannelHandlerContext) {
    try? context.channel.syncOptions?.setOption(.autoRead, value: false)
  }

  func channelActive(context: ChannelHandlerContext) { exchange.begin(in: context.channel, context, over: connection) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { exchange.receive(unwrapInboundIn(data)) }

  func channelReadComplete(context: ChannelHandlerContext) { exchange.read() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let isRefused = (error as? NIOHTTP2Errors.StreamClosed).map { connection.hasRefused($0) } ?? false
    exchange.streamFailed(error, isRefused: isRefused)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    exchange.end(connection.reason)
    context.fireChannelInactive()
  }
}
