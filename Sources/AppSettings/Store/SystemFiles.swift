/// The administrators' files of an app.
package enum SystemFiles {
  /// Their paths. A directory that cannot be listed is a problem, and left out.
  package static func paths(of location: SettingsLocation, system: Syscalls, problems: ProblemLog) -> [String] {
    paths(of: location) { directory in
      do throws(Errno) {
        return try system.names(in: directory) ?? []
      } catch {
        problems.report(
          SettingsProblem(SettingsError.system(error, "list", directory, then: "Its files are left out.")))
        return []
      }
    }
  }

  /// Their paths, lowest layer first: in each directory the file itself, then its drop-ins by name. For an
  /// administrator's own file, those before it.
  ///
  /// - Parameters:
  ///   - exists: Returns whether an administrators' directory exists.
  ///   - names: Returns the names in a directory, perhaps with duplicates; none if there is no directory.
  static func paths(
    of location: SettingsLocation, exists: (String) -> Bool = { _ in true }, names: (String) -> [String]
  ) -> [String] {
    func dropInPaths(_ directory: String) -> [String] {
      let dropIns = dropInDirectory(directory, location)
      return Self.dropIns(among: names(dropIns)).map { "\(dropIns)/\($0)" }
    }
    var paths = location.systemDirectories.filter(exists).flatMap { directory in
      ["\(directory)/\(location.name).toml"] + dropInPaths(directory)
    }
    if let directory = location.fleetDirectory { paths += dropInPaths(directory) }
    guard location.isAdministrators, location.app != nil else { return paths }
    // A new drop-in is not in its directory yet.
    if let own = paths.firstIndex(where: { $0.isBytewise(location.file) }) { return Array(paths[..<own]) }
    let directory = location.file.droppingLastBytes(location.file.lastPathPart.utf8.count)
    paths.removeAll {
      $0.beginsBytewise(with: directory) && !$0.utf8.lexicographicallyPrecedes(location.file.utf8)
    }
    return paths
  }

  /// The names of drop-ins among those in a directory, in their order.
  static func dropIns(among names: [String]) -> [String] {
    var chosen = names.filter { $0.endsBytewise(with: ".toml") && $0.utf8.first != UInt8(ascii: ".") }
      // By bytes, like `ls` in the C locale: the same on every machine.
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for index in chosen.indices.dropFirst().reversed() where chosen[index].isBytewise(chosen[index - 1]) {
      chosen.remove(at: index)
    }
    return chosen
  }

  /// The directory of drop-ins next to an administrator's file.
  static func dropInDirectory(_ directory: String, _ location: SettingsLocation) -> String {
    "\(directory)/\(location.name).d"
  }
}

extension SettingsError {
  /// The error, with what is used instead.
  func using(_ sentence: String) -> SettingsError {
    var error = self
    error.message += " " + sentence
    return error
  }
}
