import NIOCore

// The wire format of Protocol Buffers, as far as etcd's messages need it
// (https://protobuf.dev/programming-guides/encoding/). A library would bring generated code for all of them.

/// A message to be sent: its fields' numbers and values, in the order in which they are written.
///
/// As the format has it, fields that are zero, false or empty are left out; a message within the message is not.
struct OutgoingMessage: Sendable, ExpressibleByDictionaryLiteral {
  enum Field: Sendable {
    case number(Int64), flag(Bool), text(String), bytes([UInt8])
    case message(OutgoingMessage)
  }

  private let fields: [(number: Int, value: Field)]

  init(_ fields: [(number: Int, value: Field)]) { self.fields = fields }

  init(dictionaryLiteral fields: (Int, Field)...) { self.init(fields.map { (number: $0, value: $1) }) }

  var protobuf: ByteBuffer {
    var buffer = ByteBuffer()
    for (number, value) in fields { buffer.writeField(number, value) }
    return buffer
  }
}

extension ByteBuffer {
  fileprivate mutating func writeField(_ field: Int, _ value: OutgoingMessage.Field) {
    switch value {
    case .number(let number):
      guard number != 0 else { return }
      writeVarint(UInt64(field) << 3)
      writeVarint(UInt64(bitPattern: number))
    case .flag(let flag): writeField(field, .number(flag ? 1 : 0))
    case .text(let text): writeField(field, .bytes(Array(text.utf8)))
    case .bytes(let bytes):
      guard !bytes.isEmpty else { return }
      writeVarint(UInt64(field) << 3 | 2)
      writeVarint(UInt64(bytes.count))
      writeBytes(bytes)
    case .message(let message):
      let inner = message.protobuf
      writeVarint(UInt64(field) << 3 | 2)
      writeVarint(UInt64(inner.readableBytes))
      writeImmutableBuffer(inner)
    }
  }

  private mutating func writeVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    writeInteger(UInt8(rest))
  }
}

/// What has come is not a message of Protocol Buffers, or lacks what it must have.
struct MalformedMessage: Error, CustomStringConvertible {
  var description: String { "it is not a message of Protocol Buffers" }
}

/// A message that can be read.
protocol ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(MalformedMessage)
}

/// A message that is made from its fields, all of which are read before.
protocol ProtobufMessage: ProtobufReadable {
  init(_ fields: ProtobufFields) throws(MalformedMessage)
}

extension ProtobufMessage {
  init(protobuf message: ByteBuffer) throws(MalformedMessage) { try self.init(ProtobufFields(message)) }
}

/// The fields of a message. One that is not there is zero, false or empty; of several, the last one is taken.
struct ProtobufFields {
  private let fields: [ProtobufReader.Field]

  init(_ message: ByteBuffer) throws(MalformedMessage) {
    var reader = ProtobufReader(message)
    var fields: [ProtobufReader.Field] = []
    // Nearly all messages have fewer.
    fields.reserveCapacity(8)
    while let field = try reader.next() { fields.append(field) }
    self.fields = fields
  }

  subscript(number: Int) -> ProtobufReader.Field {
    fields.last { $0.number == number } ?? ProtobufReader.Field(number: number)
  }

  /// All fields with a number.
  func all(_ number: Int) -> [ProtobufReader.Field] { fields.filter { $0.number == number } }

  /// The message in a field that has to be there.
  func message<Message: ProtobufReadable>(
    _ number: Int, as type: Message.Type = Message.self
  ) throws(MalformedMessage) -> Message {
    guard let field = fields.last(where: { $0.number == number }) else { throw MalformedMessage() }
    return try Message(protobuf: field.bytes)
  }

  /// The messages in all fields with a number.
  func messages<Message: ProtobufReadable>(_ number: Int) throws(MalformedMessage) -> [Message] {
    try all(number).map { field throws(MalformedMessage) in try Message(protobuf: field.bytes) }
  }
}

/// Reads the fields of a message one after another.
struct ProtobufReader {
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

  /// - Returns: The next field, or `nil` at the end. Those of types that no message here has are read, too, and empty.
  mutating func next() throws(MalformedMessage) -> Field? {
    guard rest.readableBytes > 0 else { return nil }
    let tag = try readVarint()
    var field = Field(number: Int(tag >> 3 & 0x1FFF_FFFF))
    switch tag & 7 {
    case 0: field.value = try readVarint()
    case 1: try skip(8)
    case 2:
      guard let length = Int(exactly: try readVarint()), let bytes = rest.readSlice(length: length) else {
        throw MalformedMessage()
      }
      field.bytes = bytes
    case 5: try skip(4)
    default: throw MalformedMessage()
    }
    return field
  }

  private mutating func skip(_ length: Int) throws(MalformedMessage) {
    guard rest.readSlice(length: length) != nil else { throw MalformedMessage() }
  }

  private mutating func readVarint() throws(MalformedMessage) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, through: 63, by: 7) {
      guard let byte = rest.readInteger(as: UInt8.self) else { throw MalformedMessage() }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    throw MalformedMessage()
  }
}
