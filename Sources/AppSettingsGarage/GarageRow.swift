import AppSettings

/// Identifies a record by its type's record name and its id; without an id, one of the objects known by their values.
struct GarageKey: Sendable, CustomStringConvertible {
  var name: String
  var id: String?
  /// The number of an object without an id in the file, for errors.
  var index: Int?

  var description: String { id.map { "\(name) \(TOMLValue.quoted($0, limit: 80))" } ?? name }
}

/// One record as a garage handles it: its object's fields, and the garage's notes on it.
struct GarageRow: Sendable, Equatable {
  var fields: TOMLTable
  /// Keys that begin with `settings-`, as stored, including those that this release does not know.
  var notes = TOMLTable()
  /// The file's object without an id that this is, so that its comments stay with it; `nil` for a new one.
  var origin: Origin?

  struct Origin: Sendable, Equatable {
    var name: String
    var index: Int
  }

  static let reservedPrefix = "settings-"
  static let statusKey = "settings-sync"
  static let sealKey = "settings-sealed"

  /// Whether a key of a stored record belongs to the garage and not to a field.
  static func isNote(_ key: String) -> Bool {
    key.hasPrefix(reservedPrefix) && !key.dropFirst(reservedPrefix.count).hasPrefix(reservedPrefix)
  }

  init(_ fields: TOMLTable = TOMLTable()) { self.fields = fields }

  var status: Garage.SyncStatus {
    get { Self.status(notes[Self.statusKey]) }
    set { notes[Self.statusKey] = newValue == .undetermined ? nil : .string(newValue.rawValue) }
  }

  static func status(_ stored: TOMLValue?) -> Garage.SyncStatus {
    guard case .string(let text)? = stored else { return .undetermined }
    return Garage.SyncStatus(rawValue: text) ?? .undetermined
  }
}
