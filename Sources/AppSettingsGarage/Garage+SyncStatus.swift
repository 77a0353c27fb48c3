public import AppSettings

extension Garage {
  /// The state of a record on a web service. The garage only stores it, through parking and migrations.
  public enum SyncStatus: String, Sendable {
    /// The status is not set.
    case undetermined
    /// The service does not have this version of the record.
    case notSynced = "not-synced"
    /// The record is being sent.
    case syncing
    /// The service has this version of the record.
    case synced
  }

}

extension GarageObjects {
  /// Sets the sync status of a parked object.
  ///
  /// - Throws: `SettingsError` `missingRecord` if the object is not parked; otherwise as ``park(_:)-(T)``. The file
  ///   is unchanged.
  public func setSyncStatus<T: Codable & Identifiable>(_ status: Garage.SyncStatus, for object: T) throws(SettingsError)
  {
    try setSyncStatus(status, for: [object])
  }

  /// Sets the sync status of parked objects in one write: of all of them or, if one is not parked, of none.
  public func setSyncStatus<T: Codable & Identifiable>(_ status: Garage.SyncStatus, for objects: [T])
    throws(SettingsError)
  {
    try change { draft in
      for object in objects {
        for key in try access.keys(of: T.self, id: object.id, in: draft) {
          guard let id = key.id, var row = try draft.row(key.name, id), row.status != status else { continue }
          row.status = status
          try draft.set(row, key.name, id)
        }
      }
    }
  }

  /// Sets the sync status of a parked value.
  public func setSyncStatus<T: Codable & Hashable>(_ status: Garage.SyncStatus, forValue value: T) throws(SettingsError)
  {
    try setSyncStatus(status, forValues: [value])
  }

  /// Sets the sync status of parked values in one write: of all of them or, if one is not parked, of none.
  package func setSyncStatus<T: Codable & Hashable>(_ status: Garage.SyncStatus, forValues values: [T])
    throws(SettingsError)
  {
    try change { draft in
      let name = try names.entry(of: T.self).name
      let index = try access.objectIndex(of: T.self, in: draft)
      for value in values {
        guard try index.set(status, of: value, of: name, in: draft, access) else {
          throw access.notParked(GarageKey(name: name))
        }
      }
    }
  }

  /// Returns the sync status of a parked object.
  ///
  /// - Throws: `SettingsError` `missingRecord` if the object is not parked; `unparsable`, `readOnly` or `io`.
  public func syncStatus<T: Codable & Identifiable>(of object: T) throws(SettingsError) -> Garage.SyncStatus {
    try SettingsError.only {
      let draft = try contents()
      let key = try access.keys(of: T.self, id: object.id, in: draft)[0]
      return draft.status(key.name, key.id ?? "") ?? .undetermined
    }
  }

  /// Returns the sync status of a parked value.
  public func syncStatus<T: Codable & Hashable>(ofValue value: T) throws(SettingsError) -> Garage.SyncStatus {
    try SettingsError.only {
      let draft = try contents()
      let name = try names.entry(of: T.self).name
      guard let status = try access.objectIndex(of: T.self, in: draft).status(of: value, of: name, in: draft) else {
        throw access.notParked(GarageKey(name: name))
      }
      return status
    }
  }

  /// Retrieves the objects of several types that have a given sync status, all from one state of the file.
  ///
  /// ```swift
  /// for object in try garage.retrieveAll([Person.self, Pet.self], withStatus: .notSynced) { … }
  /// ```
  public func retrieveAll(
    _ types: [any (Codable & Identifiable).Type], withStatus status: Garage.SyncStatus
  ) throws(SettingsError) -> [any Codable & Identifiable] {
    try SettingsError.only {
      let draft = try contents()
      let reading = GarageReading(draft, names)
      func all<T: Codable & Identifiable>(_ type: T.Type) throws -> [any Codable & Identifiable] {
        try reading.all(type, nil) { draft.status($0.name, $0.id ?? "") == status }
      }
      return try types.flatMap { try all($0) }
    }
  }

  /// Returns the records of all types that have a given sync status, without opening them: the record name of the type,
  /// and the id as text, which is `nil` for a value.
  public func records(
    withStatus status: Garage.SyncStatus
  ) throws(SettingsError) -> [(recordName: String, id: String?)] {
    try SettingsError.only {
      let draft = try contents()
      return try draft.names().flatMap { name -> [(recordName: String, id: String?)] in
        if try draft.kind(of: name) == .records {
          return try draft.ids(of: name).filter { draft.status(name, $0) == status }.map { (name, $0) }
        }
        return draft.objectNotes(of: name).filter { GarageRow.status($0) == status }.map { _ in (name, nil) }
      }
    }
  }
}
