import FoundationEssentials
import SettingsFleet

/// Who made a change of a document, when and with which verb: the value of `<document>/change`, written in the same
/// transaction. Nothing proves it, except for a signature of the document itself.
struct Change: Codable, Sendable {
  /// Unlike that of any other change, so that a writer whose answer was lost recognizes its own.
  var id: String
  var by: String
  /// RFC 3339, in UTC.
  var time: String
  /// The verb: `set`, `edit`, `rollout`, `undo` and so on.
  var reason: String
  /// The revision of the change that this one takes back; `nil` if it takes none back.
  var undone: Int64?
  /// Whether the writer accepted a text that no trusted key had signed, or that somebody had put back; else `nil`.
  var acceptedUnsigned: Bool?
  /// How many machines answered about the app before the change, by which they spread their work; `nil` if the writer
  /// could not count them.
  var machines: Int?

  init(by author: String, because reason: String, machines: Int? = nil) {
    var generator = SystemRandomNumberGenerator()
    id = String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
    by = author
    time = Date().formatted(.iso8601)
    self.reason = reason
    self.machines = machines
  }

  var json: [UInt8] { FleetJSON.encode(self) }

  /// Reads a note. Whoever may write the document may write anything into it: its texts are made fit to be shown.
  init?(_ json: [UInt8]) {
    guard let read = FleetJSON.decode(Change.self, from: json) else { return nil }
    self = read
    by = FleetProblem.shown(by, most: 300)
    (time, reason) = (FleetProblem.shown(time, most: 64), FleetProblem.shown(reason, most: 64))
  }

  static var millisecondsSince1970: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
