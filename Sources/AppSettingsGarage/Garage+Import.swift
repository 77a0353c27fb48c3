import AppSettings

/// The result of an import of GarageStorage's rows: what it imported and what it left out.
public struct GarageImportReport: Sendable {
  /// The number of imported records by record name.
  public package(set) var taken: [String: Int] = [:]
  /// What was left out or kept in another form: nulls in lists, because TOML has no null; numbers with more digits than
  /// a floating-point number holds, which are kept as text; and rows skipped because their records exist.
  public package(set) var notes: [String] = []
}

extension GarageObjects {
  /// Imports the rows of a GarageStorage store from JSON: an array of objects with `gs_type`, `gs_identifier`,
  /// `gs_data` and `gs_syncStatus`.
  ///
  /// Print the rows with `sqlite3 -json MyGarage.sqlite 'SELECT * FROM ZGSCOREDATAOBJECT'`. Core Data's names for the
  /// columns (`ZGS_TYPE`) are understood too. An empty text, which that command prints for an empty table, has no rows.
  ///
  /// Each row becomes the record `[gs_type."gs_identifier"]` with its sync status. If the file has objects without an
  /// id under that name, the row becomes one of them, unless one with the same fields exists. The forms that
  /// `MappableObject`s write become those that `Codable` types read: tagged dates become dates, references become ids,
  /// and anonymous objects become tables in their place. Then call ``migrateAll(recordName:to:onConflict:)``, best in
  /// the same ``update(_:)``, to convert the records to your present types.
  ///
  /// - Parameters:
  ///   - json: The rows.
  ///   - valueTypes: The types, as the rows name them, whose objects have no id and are identified by a hash. Their rows
  ///     become values, and a reference to one of them, as early releases wrote it, becomes the object itself.
  ///   - conflict: What to do with a row if a record with its type and id exists.
  ///   - decrypt: Turns each `gs_data` into JSON, for a store that a `DataEncryptionDelegate` encrypted.
  /// - Returns: What was imported, and what was left out.
  /// - Throws: `SettingsError` `migrationFailed` if the text is not such JSON or a row cannot be imported; `cause`
  ///   lists all of these rows. Otherwise as ``park(_:)-(T)``. The file is unchanged in each case.
  @discardableResult
  public func importGarageStorage(
    rows json: String, valueTypes: Set<String> = [], onConflict conflict: Garage.MigrationConflict = .fail,
    decrypt: (String) throws -> String = { $0 }
  ) throws -> GarageImportReport {
    var report = GarageImportReport()
    var failures: [String] = []
    let rows = try GarageStorageRow.rows(
      of: json, valueTypes, decrypt, hidesContent: format.hidesContent, report: &report, failures: &failures)
    return try write { draft in
      var report = report
      var objects = ImportedObjects(draft: draft)
      for row in rows {
        let key = GarageKey(name: row.type, id: row.identifier)
        do {
          try GarageNames.check(row.type, of: row.type)
          if try objects.take(row, isValue: valueTypes.contains(row.type)) {
            report.taken[row.type, default: 0] += 1
            continue
          }
          let old = try draft.row(row.type, row.identifier)
          if let old, old.fields != row.row.fields || old.status != row.row.status {
            switch conflict {
            case .fail:
              failures.append("Cannot import \(key): the record exists already.")
              continue
            case .keep:
              report.notes.append("\(key) exists already and is kept.")
              continue
            case .replace: break
            }
          }
          try draft.set(row.row, row.type, row.identifier)
          report.taken[row.type, default: 0] += 1
        } catch {
          failures.append((error as? SettingsError)?.message ?? "\(error)")
        }
      }
      guard failures.isEmpty else {
        throw SettingsError(
          .migrationFailed,
          "Cannot import the rows of GarageStorage: \(failures.count) failed. Nothing was written.",
          cause: failures.joined(separator: "\n"), file: format.file)
      }
      return report
    }
  }
}

/// A row of a GarageStorage store.
struct GarageStorageRow {
  var type: String
  var identifier: String
  var row: GarageRow

  /// Parses rows; adds the mistakes found to `failures`.
  static func rows(
    of json: String, _ valueTypes: Set<String>, _ decrypt: (String) throws -> String, hidesContent: Bool,
    report: inout GarageImportReport,
    failures: inout [String]
  ) throws(SettingsError) -> [GarageStorageRow] {
    if json.utf8.allSatisfy({ $0 == 0x20 || 0x09...0x0D ~= $0 }) { return [] }
    let value: TOMLValue?
    do {
      // Columns may be null, which counts as missing.
      value = try JSONText.value(of: json)
    } catch {
      let reason = hidesContent ? "the text is not JSON" : error.reason
      throw SettingsError(.migrationFailed, "Cannot import the rows of GarageStorage: \(reason). Nothing was written.")
    }
    guard case .array(let items)? = value else {
      throw SettingsError(
        .migrationFailed,
        "Cannot import the rows of GarageStorage: the JSON is \(value?.kindName ?? "null"), but must be an array of "
          + "rows. Nothing was written.")
    }
    var rows: [GarageStorageRow] = []
    var values: [TOMLPath: String] = [:]
    for case .table(let columns) in items {
      if let type = text("type", of: columns), valueTypes.contains(type), let id = text("identifier", of: columns) {
        values[[type, id]] = text("data", of: columns)
      }
    }
    for (index, item) in items.enumerated() {
      do throws(RowFailure) {
        rows.append(try GarageStorageRow(item, at: index, values, decrypt, hidesContent, &report))
      } catch {
        failures.append(error.message)
      }
    }
    return rows
  }

  private struct RowFailure: Error { var message: String }

  private static func column(_ name: String, of columns: TOMLTable) -> TOMLValue? {
    columns["gs_" + name] ?? columns["ZGS_" + name.uppercased()]
  }

  private static func text(_ name: String, of columns: TOMLTable) -> String? {
    column(name, of: columns)?.string
  }

  private init(
    _ item: TOMLValue, at index: Int, _ values: [TOMLPath: String], _ decrypt: (String) throws -> String,
    _ hidesContent: Bool,
    _ report: inout GarageImportReport
  ) throws(RowFailure) {
    guard case .table(let columns) = item else {
      throw RowFailure(message: "Row \(index) is \(item.kindName), not an object.")
    }
    guard let type = Self.text("type", of: columns), !type.isEmpty else {
      throw RowFailure(message: "Row \(index) has no 'gs_type'.")
    }
    guard let identifier = Self.text("identifier", of: columns) else {
      throw RowFailure(message: "Row \(index), a \(type), has no 'gs_identifier'.")
    }
    let key = GarageKey(name: type, id: identifier)
    guard let data = Self.text("data", of: columns) else {
      throw RowFailure(message: "Row \(index), \(key), has no 'gs_data'.")
    }
    self.type = type
    self.identifier = identifier
    var reader = GarageStorageData(place: "Row \(index), \(key)", values: values, hidesContent: hidesContent)
    let value: TOMLValue
    do {
      value = try reader.value(of: data, decrypt)
    } catch {
      throw RowFailure(message: error.message)
    }
    report.notes += reader.notes
    guard case .table(let fields) = value else {
      throw RowFailure(message: "Row \(index), \(key), holds \(value.kindName), not an object.")
    }
    row = GarageRow(fields)
    if case .integer(let number)? = Self.column("syncStatus", of: columns) {
      guard let status = Self.status(number) else {
        throw RowFailure(message: "Row \(index), \(key), has the unknown sync status \(number).")
      }
      row.status = status
    }
  }

  private static func status(_ number: Int64) -> Garage.SyncStatus? {
    let all: [Garage.SyncStatus] = [.undetermined, .notSynced, .syncing, .synced]
    return all.indices.contains(Int(number)) ? all[Int(number)] : nil
  }
}

/// The objects without an id that are in the file while rows are imported.
private struct ImportedObjects {
  let draft: GarageDraft
  /// The fields of the existing ones, by name: reading all of them for each row would take quadratic time.
  private var fields: [String: Set<TOMLTable>] = [:]
  /// The names whose objects are in the draft.
  private var settled: Set<String> = []

  init(draft: GarageDraft) { self.draft = draft }

  /// Adds a row if its name has objects without an id, unless one with the same fields exists.
  ///
  /// - Parameter isValue: Whether the name is known to have objects without an id.
  /// - Returns: Whether the name has such objects.
  mutating func take(_ row: GarageStorageRow, isValue: Bool) throws(SettingsError) -> Bool {
    let name = row.type
    if fields[name] == nil {
      if !isValue { guard try draft.kind(of: name) == .objects else { return false } }
      fields[name] = Set(try draft.objects(of: name).map(\.fields))
    }
    guard fields[name]?.insert(row.row.fields).inserted == true else { return true }
    if settled.insert(name).inserted { try draft.setObjects(try draft.objects(of: name), of: name) }
    _ = try draft.appendObject(row.row, of: name)
    return true
  }
}
