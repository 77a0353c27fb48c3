import HTTPTypes
import HummingbirdCore
import NIOCore

extension Interface {
  /// The stream of events of an app. Between two events nothing is sent, and nothing wakes up.
  func events(_ call: Call) async throws -> Reply {
    let app = try CommandWords.app(call.query["app"] ?? "", servedPath: servedPath)
    var reply = Reply.json([])
    reply.headers[.contentType] = "text/event-stream"
    reply.stream = { _ in }
    // Who asks for the head alone is no tab that opens.
    if call.isHead { return reply }
    let (id, events) = try hub.subscribe(to: app)
    life.streamOpened()
    let connection = call.connection
    reply.stream = { [hub, trials] writer in
      connection?.whenGone { hub.unsubscribe(id, from: app) }
      // The head is sent with the first bytes of the body.
      try await writer.write(ByteBuffer(string: ":\n\n"))
      var isFirst = true
      for await event in events {
        try await writer.write(ByteBuffer(bytes: event.bytes))
        if isFirst {
          for trial in [trials.running(of: app), await trials.unended()] {
            if let trial { try await writer.write(ByteBuffer(bytes: trial.bytes)) }
          }
        }
        isFirst = false
      }
      try await writer.finish(nil)
    }
    reply.cleanUp = { [hub, life] in
      connection?.whenGone(nil)
      hub.unsubscribe(id, from: app)
      life.streamClosed()
    }
    return reply
  }
}
