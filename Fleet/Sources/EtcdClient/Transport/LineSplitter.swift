import NIOCore

/// Splits the bytes of a stream into lines.
struct LineSplitter {
  struct TooLong: Error {}

  private var rest = ByteBuffer()
  private var searched = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// - Returns: The lines that the bytes complete, without the ends of lines; empty ones are left out.
  mutating func append(_ bytes: ByteBuffer) throws(TooLong) -> [ByteBuffer] {
    rest.writeImmutableBuffer(bytes)
    var lines: [ByteBuffer] = []
    while let end = rest.readableBytesView.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
      let length = end - rest.readerIndex
      if let line = rest.readSlice(length: length), length > 0 { lines.append(line) }
      rest.moveReaderIndex(forwardBy: 1)
      searched = 0
    }
    searched = rest.readableBytes
    guard searched <= limit else { throw TooLong() }
    if searched == 0 { rest.clear() } else { rest.discardReadBytes() }
    return lines
  }
}
