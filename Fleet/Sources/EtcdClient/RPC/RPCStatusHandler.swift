import NIOCore
import NIOHPACK
import NIOHTTP2

/// Ends a gRPC stream with the error that its status names.
///
/// A member says at the end of a stream what came of it, in the trailers or in the only headers
/// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Responses"). async-http-client gives nobody the
/// trailers.
final class RPCStatusHandler: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame.FramePayload
  typealias InboundOut = HTTP2Frame.FramePayload

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .headers(let frame) = unwrapInboundIn(data), let error = WireError(frame.headers) else {
      return context.fireChannelRead(data)
    }
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }
}

extension WireError {
  /// The error that the headers or trailers of a gRPC stream are about; `nil` for success, and for another kind of answer.
  init?(_ headers: HPACKHeaders) {
    guard let status = headers.first(name: "grpc-status"), status != "0" else { return nil }
    let message = headers.first(name: "grpc-message") ?? ""
    // Unknown is what a status that is no number stands for.
    self.init(message: Self.text(ofMessage: message), code: Int(status) ?? 2)
  }

  /// Bytes other than printable ASCII are percent-encoded.
  private static func text(ofMessage message: String) -> String {
    var bytes: [UInt8] = []
    var rest = message.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count > 1, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
