import HTTPTypes

/// Why a request is not carried out, and what its client is told.
protocol Refused: Error {
  var reply: Reply { get }
}

/// A request that is not carried out.
struct Refusal: Refused {
  var reply: Reply

  init(_ status: HTTPResponse.Status, _ message: String) { reply = .failure(status, message) }
}
