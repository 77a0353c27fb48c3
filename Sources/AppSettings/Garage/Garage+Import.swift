import SettingsTOML

/// What an import of GarageStorage's rows took, and what it had to leave out.
public struct GarageImportReport: Sendable, Hashable {
  /// How many records were taken, by record name.
  public var taken: [String: Int] = [:]
  /// What was left out: nulls in lists, for which TOML has no value, and conflicts that kept what was there.
  public var notes: [String] = []
}

extension Garage {
  /// Takes over the rows of a GarageStorage store, as JSON: an array of objects with `gs_type`, `gs_identifier`,
  /// `gs_data` and `gs_syncStatus`.
  ///
  /// `sqlite3 -json MyGarage.sqlite 'SELECT * FROM ZGSCOREDATAOBJECT'` prints them, under Core Data's names for the
  /// columns (`ZGS_TYPE`), which are read as well. Each row becomes the record `[gs_type."gs_identifier"]`, with its
  /// sync status. What `MappableObject`s have written is turned into what `Codable` types read: tagged dates into
  /// dates, references into ids, anonymous objects into tables in their place. Then
  /// ``migrateAll(fromOldClassName:to:onConflict:)-(_,New.Type,_)`` makes them objects of today's types, best in the
  /// same ``batch(_:)``.
  ///
  /// - Parameters:
  ///   - json: The rows.
  ///   - conflict: What becomes of a row whose type and id there is a record of already.
  ///   - decrypt: Turns each `gs_data` into JSON, where a `DataEncryptionDelegate` had encrypted it.
  /// - Returns: What was taken.
  /// - Throws: ``SettingsError`` `migrationFailed` if the text is no such JSON or any row cannot be taken, with all of
  ///   them in its `cause`; and as parking. The file is unchanged in each case.
  @discardableResult
  public func importGarageStorage(
    rows json: String, onConflict conflict: MigrationConflict = .fail, decrypt: (String) throws -> String = { $0 }
  ) throws -> GarageImportReport {
    var report = GarageImportReport()
    var failures: [String] = []
    let rows = try GarageStorageRow.rows(of: json, decrypt, report: &report, failures: &failures)
    return try write { draft in
      var report = report
      for row in rows {
        let key = GarageKey(name: row.type, id: row.identifier)
        do {
          try GarageNames.check(row.type, of: row.type)
          let old = try draft.row(row.type, row.identifier)
          if let old, old.fields != row.row.fields || old.status != row.row.status {
            switch conflict {
            case .fail:
              failures.append("Cannot take \(key): there is one already.")
              continue
            case .keep:
              report.notes.append("\(key) was there already and is kept.")
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
          "Cannot import the rows of GarageStorage: \(failures.count) cannot be taken. Nothing was written.",
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

  /// Reads rows; what is wrong with them is added to `failures`.
  static func rows(
    of json: String, _ decrypt: (String) throws -> String, report: inout GarageImportReport, failures: inout [String]
  ) throws(SettingsError) -> [GarageStorageRow] {
    let value: TOMLValue?
    do {
      // Columns may be null, and count as absent then.
      value = try JSONText.value(of: json)
    } catch {
      throw SettingsError(
        .migrationFailed, "Cannot import the rows of GarageStorage: \(error.reason). Nothing was written.")
    }
    guard case .array(let items)? = value else {
      throw SettingsError(
        .migrationFailed,
        "Cannot import the rows of GarageStorage: the JSON is \(value?.kindName ?? "null"), and has to be an array of "
          + "rows. Nothing was written.")
    }
    var rows: [GarageStorageRow] = []
    for (index, item) in items.enumerated() {
      do throws(RowFailure) {
        rows.append(try GarageStorageRow(item, at: index, decrypt, &report))
      } catch {
        failures.append(error.message)
      }
    }
    return rows
  }

  private struct RowFailure: Error { var message: String }

  private init(
    _ item: TOMLValue, at index: Int, _ decrypt: (String) throws -> String, _ report: inout GarageImportReport
  ) throws(RowFailure) {
    guard case .table(let columns) = item else {
      throw RowFailure(message: "Row \(index) is \(item.kindName), not an object.")
    }
    func column(_ name: String) -> TOMLValue? { columns["gs_" + name] ?? columns["ZGS_" + name.uppercased()] }
    guard case .string(let type)? = column("type"), !type.isEmpty else {
      throw RowFailure(message: "Row \(index) has no 'gs_type'.")
    }
    guard case .string(let identifier)? = column("identifier") else {
      throw RowFailure(message: "Row \(index), a \(type), has no 'gs_identifier'.")
    }
    let key = GarageKey(name: type, id: identifier)
    guard case .string(let data)? = column("data") else {
      throw RowFailure(message: "Row \(index), \(key), has no 'gs_data'.")
    }
    self.type = type
    self.identifier = identifier
    let text: String
    do {
      text = try decrypt(data)
    } catch {
      throw RowFailure(message: "Row \(index), \(key), cannot be decrypted: \(error)")
    }
    let value = try Self.value(of: text, "Row \(index), \(key)", &report)
    guard case .table(let fields) = value else {
      throw RowFailure(message: "Row \(index), \(key), holds \(value.kindName), not an object.")
    }
    row = GarageRow(fields)
    if case .integer(let number)? = column("syncStatus") {
      guard let status = Self.status(number) else {
        throw RowFailure(message: "Row \(index), \(key), has the sync status \(number), which is none.")
      }
      row.status = status
    }
  }

  private static func status(_ number: Int64) -> Garage.SyncStatus? {
    let all: [Garage.SyncStatus] = [.undetermined, .notSynced, .syncing, .synced]
    return all.indices.contains(Int(number)) ? all[Int(number)] : nil
  }

  /// The value of a JSON text, in the form that `Codable` types read.
  private static func value(
    of text: String, _ place: String, _ report: inout GarageImportReport
  ) throws(RowFailure) -> TOMLValue {
    var notes: [String] = []
    let value: TOMLValue?
    do {
      value = try JSONText.value(of: text) { path in
        // Absent is how a member is null; in an array it is a loss.
        if path.components.last?.hasPrefix("[") == true {
          notes.append("\(place): the null at '\(path)' was left out.")
        }
      }
    } catch {
      throw RowFailure(message: "\(place), has data that is not JSON: \(error.reason).")
    }
    report.notes += notes
    guard let value else { throw RowFailure(message: "\(place), holds null, not an object.") }
    return try modern(value, place, &report)
  }

  /// The three forms that `MappableObject`s leave in their data, turned into what `Codable` types have there.
  private static func modern(
    _ value: TOMLValue, _ place: String, _ report: inout GarageImportReport
  ) throws(RowFailure) -> TOMLValue {
    switch value {
    case .array(let items):
      var result: [TOMLValue] = []
      for item in items { result.append(try modern(item, place, &report)) }
      return .array(result)
    case .table(let table):
      if table["gs_type"] == "gs_transformableType" {
        guard table["gs_transformableType"] == "gs_transformableDate",
          case .string(let text)? = table["gs_transformableData"], let date = try? TOMLValue(parsing: text),
          case .offsetDateTime = date
        else { throw RowFailure(message: "\(place), has a transformable value that is no date: \(table.keys).") }
        return date
      }
      if case .string(let identifier)? = table["gs_identifier"] {
        guard identifier == "kGSAnonymousObject" else { return .string(identifier) }
        guard case .string(let data)? = table["kGSAnonymousDataKey"] else {
          throw RowFailure(message: "\(place), has an anonymous object without data.")
        }
        var inner = try self.value(of: data, place, &report)
        if case .table(var fields) = inner, fields["syncStatus"] == nil, let status = table["gs_syncStatus"] {
          fields["syncStatus"] = status
          inner = .table(fields)
        }
        return inner
      }
      var result = TOMLTable()
      for (key, item) in table { result[key] = try modern(item, place, &report) }
      return .table(result)
    default: return value
    }
  }
}
