import NIOCore

// The wire format of Protocol Buffers, as far as etcd's messages need it
// (https://protobuf.dev/programming-guides/encoding/). A library would bring generated code for all of them.

/// A message that can be written.
protocol ProtobufWritable {
  /// Writes the message's fields.
  func write(to writer: inout ProtobufWriter)
}

extension ProtobufWritable {
  var protobuf: ByteBuffer {
    var writer = ProtobufWriter()
    write(to: &writer)
    return writer.bytes
  }
}

/// A message without fields.
struct EmptyMessage: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {}
}

/// A message that can be read. Fields that are not there are zero, false or empty.
protocol ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed)
}

/// Writes a message. As the format has it, fields that are zero, false or empty are left out.
struct ProtobufWriter {
  private(set) var bytes = ByteBuffer()

  mutating func write(_ value: Int64, field: Int) {
    guard value != 0 else { return }
    writeVarint(UInt64(field) << 3)
    writeVarint(UInt64(bitPattern: value))
  }

  mutating func write(_ value: Bool, field: Int) { write(value ? Int64(1) : 0, field: field) }

  mutating func write(_ value: some Collection<UInt8>, field: Int) {
    guard !value.isEmpty else { return }
    writeVarint(UInt64(field) << 3 | 2)
    writeVarint(UInt64(value.count))
    bytes.writeBytes(value)
  }

  mutating func write(_ text: String, field: Int) { write(text.utf8, field: field) }

  /// Writes a message within the message; an empty one, too.
  mutating func write(_ message: some ProtobufWritable, field: Int) {
    let inner = message.protobuf
    writeVarint(UInt64(field) << 3 | 2)
    writeVarint(UInt64(inner.readableBytes))
    bytes.writeImmutableBuffer(inner)
  }

  private mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.writeInteger(UInt8(rest))
  }
}

/// Reads the fields of a message one after another.
struct ProtobufReader {
  struct Malformed: Error, CustomStringConvertible {
    var description: String { "it is not a message of Protocol Buffers" }
  }

  struct Field {
    var number: Int
    /// The value of a number's field; 0 for another kind of field.
    var value: UInt64 = 0
    /// The value of a field with a text, bytes or a message; empty for another kind of field.
    var bytes = ByteBuffer()

    var signed: Int64 { Int64(bitPattern: value) }
    var isTrue: Bool { value != 0 }
    var array: [UInt8] { Array(bytes.readableBytesView) }
    var text: String { String(buffer: bytes) }
  }

  private var rest: ByteBuffer

  init(_ message: ByteBuffer) { rest = message }

  /// Reads all fields of a message, in their order.
  static func read(
    _ message: ByteBuffer, _ take: (Field) throws(Malformed) -> Void
  ) throws(Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() { try take(field) }
  }

  /// - Returns: The next field, or `nil` at the end. Those of types that no message here has are read, too, and empty.
  mutating func next() throws(Malformed) -> Field? {
    guard rest.readableBytes > 0 else { return nil }
    let tag = try readVarint()
    var field = Field(number: Int(tag >> 3 & 0x1FFF_FFFF))
    switch tag & 7 {
    case 0: field.value = try readVarint()
    case 1: try skip(8)
    case 2:
      guard let length = Int(exactly: try readVarint()), let bytes = rest.readSlice(length: length) else {
        throw Malformed()
      }
      field.bytes = bytes
    case 5: try skip(4)
    default: throw Malformed()
    }
    return field
  }

  private mutating func skip(_ length: Int) throws(Malformed) {
    guard rest.readSlice(length: length) != nil else { throw Malformed() }
  }

  private mutating func readVarint() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, through: 63, by: 7) {
      guard let byte = rest.readInteger(as: UInt8.self) else { throw Malformed() }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw Malformed()
  }
}
