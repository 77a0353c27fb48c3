import HTTPTypes
import SettingsTools

extension CommandError: Refused {
  var reply: Reply {
    switch self {
    case .notStarted(let message): .failure(.internalServerError, message + ".")
    case .tookTooLong: .failure(.gatewayTimeout, "The command took too long and was ended.")
    case .answeredTooMuch: .failure(.internalServerError, "The answer is larger than this server sends.")
    case .cancelled: .failure(.serviceUnavailable, "The request was cancelled.")
    }
  }
}

extension Refusal {
  /// What a command that failed said.
  init(_ result: CommandResult, key: String? = nil, message: String? = nil, with more: JSONObject = [:]) {
    let status = result.status
    let message = message ?? (result.status == 2 ? result.messages.joined(separator: "\n") : result.messages.last)
    reply = .failure(
      Self.status(ofExit: status), message.map { $0.isEmpty ? Self.silent : $0 } ?? Self.silent, exitStatus: status,
      key: key, with: more)
  }

  private static let silent = "There is nothing."

  static func status(ofExit status: Int) -> HTTPResponse.Status {
    switch status {
    case 1, 3: .notFound
    case 2: .badRequest
    case 4, 6: .unprocessableContent
    case 5, 8: .conflict
    case 9: .preconditionFailed
    case 10: .forbidden
    default: .internalServerError
    }
  }
}
