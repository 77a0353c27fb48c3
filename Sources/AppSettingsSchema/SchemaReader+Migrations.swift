import AppSettings
import AppSettingsImport

extension SchemaReader {
  func migrations(in root: SchemaSection) throws(SettingsError) -> SettingsMigrations {
    guard let value = root.table["migrations"] else { return .none }
    guard case .array(let entries) = value else {
      throw root.refuse("'migrations' must be an array of tables", at: "migrations")
    }
    var migrations: [Migration] = []
    for (index, entry) in entries.enumerated() {
      migrations.append(try migration(entry, index, after: migrations.last?.version ?? 1))
    }
    return SettingsMigrations(migrations)
  }

  private func migration(_ entry: TOMLValue, _ index: Int, after last: Int) throws(SettingsError) -> Migration {
    guard case .table(let table) = entry else {
      throw source.refuse("a migration must be a table", at: ["migrations"])
    }
    func fault(_ reason: String, _ member: String) -> SettingsError {
      // If they are tables with their own headers, the exact member can be named.
      let document = source.document
      let position =
        document.position(of: [member], inElement: index, of: ["migrations"])
        ?? document.position(of: .root, inElement: index, of: ["migrations"])
        ?? document.position(of: ["migrations"])
      return source.refuse(reason, position)
    }
    guard case .integer(let version)? = table["version"], version <= Int32.max else {
      throw fault("a migration needs an integer up to \(Int32.max) as its 'version'", "version")
    }
    guard version > last else {
      throw fault(
        "the 'version' of a migration must be above the one before, but \(version) is not above \(last); the first "
          + "must be 2 or more", "version")
    }
    guard case .string(let name)? = table["name"] else { throw fault("migration \(version) needs a 'name'", "name") }
    guard case .array(let steps) = table["steps"] ?? .array([]) else {
      throw fault("the 'steps' of migration \(version) must be an array of tables", "steps")
    }
    if !source.isOfLaterForm, let stray = table.keys.first(where: { !["version", "name", "steps"].contains($0) }) {
      throw fault("migration \(version) '\(name)': there is no member '\(stray.shortened())'", stray)
    }
    let forms = StepForms(and: [("import", ImportStep.self)], takesUnknown: source.isOfLaterForm)
    do {
      return Migration(version: Int(version), name: name, steps: try steps.map(forms.step))
    } catch let error as MigrationStepError where error.place.path.isRoot {
      throw fault("migration \(version) '\(name)': \(error.reason)", "steps")
    } catch {
      throw fault("migration \(version) '\(name)': \("\(error)".withoutFullStop)", "steps")
    }
  }
}
