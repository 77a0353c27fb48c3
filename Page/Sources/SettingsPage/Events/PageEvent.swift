/// An event for the pages that show an app.
struct PageEvent: Sendable, Equatable {
  let name: String
  /// JSON on one line.
  let data: [UInt8]

  /// The event as server-sent events have it.
  var bytes: [UInt8] { Array("event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8) }
}
