import AppSettings

// Other formats have names with dots: `view.zoom` in a property list is one name, and in many apps means a path.

/// The path of a value in an original, with what its names may mean.
struct DottedPath {
  /// The path itself, then the one in which the dots of the first name that has some separate tables, then the one in
  /// which all dots do. Only the path itself if no name has dots.
  let readings: [TOMLPath]

  init(_ path: TOMLPath) {
    let names = path.components.map { name in
      guard name.utf8.contains(UInt8(ascii: ".")), let parts = try? TOMLPath(parsing: name).components else {
        return [name]
      }
      return parts.count > 1 ? parts : [name]
    }
    let whole = names.flatMap(\.self)
    guard let first = names.firstIndex(where: { $0.count > 1 }), whole.count <= ImportBudget.mostNested else {
      readings = [path]
      return
    }
    let rest = path.components[(first + 1)...]
    readings = [path, TOMLPath(path.components[..<first] + names[first] + rest), TOMLPath(whole)]
  }

  /// What the rules say about the first reading that they know.
  func verdict(by rules: SettingsImportRules) -> SettingsImportRules.Verdict? {
    for reading in readings { if let verdict = rules.verdict(on: reading) { return verdict } }
    return nil
  }

  /// The key for the first reading that is, or is in, a key of the app; `nil` if there is none.
  func key(by rules: SettingsImportRules, _ advice: (any ImportAdvice)?) -> TOMLPath? {
    readings.lazy.map { rules.table.appending($0) }
      .first { rules.hasKey(around: $0) || advice?.hasKey(around: $0) == true }
  }
}

extension SettingsImportRules {
  fileprivate func hasKey(around path: TOMLPath) -> Bool {
    !keys.isEmpty && path.prefixes.contains(where: keys.contains)
  }
}
