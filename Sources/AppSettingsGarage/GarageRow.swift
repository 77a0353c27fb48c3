import AppSettings

/// Which record: its type's name and its id; without an id one of the objects that are known by what they are.
struct GarageKey: Sendable, CustomStringConvertible {
  var name: String
  var id: String?

  var description: String { id.map { "\(name) \(TOMLValue.quoted($0, limit: 80))" } ?? name }
}

/// One record as a garage works with it: its object's fields, and what the garage notes of it.
struct GarageRow: Sendable, Equatable {
  var fields: TOMLTable
  /// Keys that begin with `settings-`, as they are stored; ones that this release does not know stay.
  var notes = TOMLTable()
  /// Which object without an id of the file it is, so that its comments stay with it; `nil` for another.
  var origin: Origin?

  struct Origin: Sendable, Equatable {
    var name: String
    var index: Int
  }

  static let reservedPrefix = "settings-"
  static let statusKey = "settings-sync"
  static let sealKey = "settings-sealed"

  /// Whether a key of a stored record is one that the garage keeps for itself, rather than a field's.
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
