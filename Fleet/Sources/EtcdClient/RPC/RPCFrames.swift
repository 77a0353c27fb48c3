import NIOCore

/// Messages in a gRPC stream: each behind a byte, 0 for uncompressed, and its length in four bytes
/// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message").
struct RPCFrames {
  enum Invalid: Error, CustomStringConvertible {
    /// Nobody asked for compression: most likely something else than a member has answered.
    case notPlain
    case tooLong

    var description: String {
      switch self {
      case .notPlain: "it is compressed, or no gRPC"
      case .tooLong: "it is too long"
      }
    }
  }

  private var rest = ByteBuffer()
  private let limit: Int

  /// - Parameter limit: The longest message in bytes.
  init(limit: Int) { self.limit = limit }

  /// - Returns: The messages that the bytes complete.
  mutating func append(_ bytes: ByteBuffer) throws(Invalid) -> [ByteBuffer] {
    rest.writeImmutableBuffer(bytes)
    var messages: [ByteBuffer] = []
    while let head = rest.getBytes(at: rest.readerIndex, length: 5) {
      guard head[0] == 0 else { throw .notPlain }
      let length = head[1...].reduce(0) { $0 << 8 | Int($1) }
      guard length <= limit else { throw .tooLong }
      guard rest.readableBytes >= 5 + length else { break }
      rest.moveReaderIndex(forwardBy: 5)
      if let message = rest.readSlice(length: length) { messages.append(message) }
    }
    if rest.readableBytes == 0 { rest.clear() } else { rest.discardReadBytes() }
    return messages
  }

  static func frame(_ message: ByteBuffer) -> ByteBuffer {
    var frame = ByteBuffer()
    frame.writeInteger(UInt8(0))
    frame.writeInteger(UInt32(message.readableBytes))
    frame.writeImmutableBuffer(message)
    return frame
  }
}
