import FoundationEssentials
import NIOCore

// A watch's messages, in JSON and in Protocol Buffers (rpc.proto and kv.proto of etcd's API have the numbers of fields).

struct WireWatchRequest: Encodable {
  struct Create: Encodable {
    var key: Data
    var range_end: Data?
    var start_revision: WireInt?
    var progress_notify: Bool?
  }

  var create_request: Create?
  var progress_request: WireNothing?
}

struct WireEvent: Decodable {
  var type: String?
  var kv: WireKeyValue?
}

struct WireWatchAnswer: Decodable {
  var header: WireHeader?
  var created: Bool?
  var canceled: Bool?
  var compact_revision: WireInt?
  var cancel_reason: String?
  var events: [WireEvent]?
}

extension WireWatchRequest: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    if let create_request { writer.write(create_request.protobuf, field: 1) }
    if progress_request != nil { writer.write(ByteBuffer(), field: 3) }
  }
}

extension WireWatchRequest.Create: ProtobufWritable {
  func write(to writer: inout ProtobufWriter) {
    writer.write(key, field: 1)
    writer.write(range_end ?? Data(), field: 2)
    writer.write(start_revision?.value ?? 0, field: 3)
    writer.write(progress_notify ?? false, field: 4)
  }
}

extension WireWatchAnswer: ProtobufReadable {
  init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: header = try WireHeader(protobuf: field.bytes)
      case 3: created = field.value != 0
      case 4: canceled = field.value != 0
      // The gateway leaves out what is zero, and so does etcd here.
      case 5: compact_revision = WireInt(field.signed)
      case 6: cancel_reason = field.text
      case 11: events = (events ?? []) + [try WireEvent(protobuf: field.bytes)]
      default: break
      }
    }
  }
}

extension WireEvent {
  fileprivate init(protobuf message: ByteBuffer) throws(ProtobufReader.Malformed) {
    var reader = ProtobufReader(message)
    while let field = try reader.next() {
      switch field.number {
      case 1: type = field.value == 1 ? "DELETE" : "PUT"
      case 2: kv = try WireKeyValue(protobuf: field.bytes)
      default: break
      }
    }
  }
}
