/// The administrators' files of an app.
///
/// For the app `org.example.editor`, they are `settings.toml` and `settings.d/*.toml` in the subdirectory
/// `org.example.editor` of each directory of `$XDG_CONFIG_DIRS`. The layer above them is a fleet's directory, with
/// drop-ins only.
package enum SystemFiles {
  /// Their paths. A directory that cannot be listed is a problem, and left out.
  package static func paths(of location: SettingsLocation, system: Syscalls, problems: ProblemLog) -> [String] {
    paths(of: location, in: directories(of: location, system: system), system: system) {
      names(in: $0, system: system, problems: problems)
    }
  }

  /// The names in a directory. One that cannot be listed is a problem, and has none.
  package static func names(in directory: String, system: Syscalls, problems: ProblemLog) -> [String] {
    do throws(Errno) {
      return try system.names(in: directory) ?? []
    } catch {
      problems.report(SettingsProblem(.system(error, "list", directory, then: "Its files are left out.")))
      return []
    }
  }

  /// The administrators' directories, lowest layer first. One that is listed twice, for example through a link, is
  /// used once: in its first place in the list, which is the highest layer.
  ///
  /// - Parameter isLeftOut: Whether to leave out a directory that does not exist.
  static func directories(
    of location: SettingsLocation, system: Syscalls, leavingOut isLeftOut: (String) -> Bool = { _ in false }
  ) -> [String] {
    var seen: [FileStatus] = []
    return location.systemDirectories.reversed().filter { directory in
      do throws(Errno) {
        guard let status = try system.status(at: directory) else { return !isLeftOut(directory) }
        defer { seen.append(status) }
        return !seen.contains { $0.sameFile(status) }
      } catch {
        // What is wrong with it is found when it is read.
        return true
      }
    }.reversed()
  }

  /// Their paths, lowest layer first: in each directory the file itself, then its drop-ins by name. For an
  /// administrator's own file, those before it.
  ///
  /// A link to `/dev/null` masks the files of its name in the directories below its own, as in systemd.
  ///
  /// - Parameters:
  ///   - directories: The administrators' directories, each once.
  ///   - names: Returns the names in a directory, perhaps with duplicates; none if there is no directory.
  static func paths(
    of location: SettingsLocation, in directories: [String], system: Syscalls, names: (String) -> [String]
  ) -> [String] {
    func files(in directory: String, _ main: [String] = []) -> [(path: String, name: String)] {
      let dropIns = "\(location.name).d"
      let all = main + Self.dropIns(among: names("\(directory)/\(dropIns)")).map { "\(dropIns)/\($0)" }
      return all.map { ("\(directory)/\($0)", $0) }
    }
    let all = directories.flatMap { files(in: $0, ["\(location.name).toml"]) }
    var paths = unmasked(all + (location.fleetDirectory.map { files(in: $0) } ?? []), system)
    guard location.isAdministrators, location.app != nil else { return paths }
    // A new drop-in is not in its directory yet.
    if let own = paths.firstIndex(where: { $0.isBytewise(location.file) }) { return Array(paths[..<own]) }
    let directory = location.file.droppingLastBytes(location.file.lastPathPart.utf8.count)
    paths.removeAll {
      $0.beginsBytewise(with: directory) && !$0.utf8.lexicographicallyPrecedes(location.file.utf8)
    }
    return paths
  }

  /// The paths without masks, and without the files that they mask. Only names in several directories are looked at.
  private static func unmasked(_ files: [(path: String, name: String)], _ system: Syscalls) -> [String] {
    var places: [ExactKey: [Int]] = [:]
    for (index, file) in files.enumerated() { places[ExactKey(file.name), default: []].append(index) }
    var masked: Set<Int> = []
    for indices in places.values {
      for (place, index) in indices.enumerated().dropFirst() where isMask(files[index].path, system) {
        masked.formUnion(indices[...place])
      }
    }
    return files.indices.filter { !masked.contains($0) }.map { files[$0].path }
  }

  /// Whether a path leads to `/dev/null`.
  package static func isMask(_ path: String, _ system: Syscalls) -> Bool {
    (try? system.status(at: path))?.isNullDevice == true
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
