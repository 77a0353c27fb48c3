/// The administrators' files of an app.
enum SystemFiles {
  /// Their paths, lowest layer first: in each directory the file itself, then its drop-ins by name.
  static func paths(of location: SettingsLocation, system: Syscalls, problems: ProblemLog) -> [String] {
    location.systemDirectories.flatMap { directory -> [String] in
      let dropIns = dropInDirectory(directory, location)
      var names: [String] = []
      do throws(Errno) {
        names = try system.names(in: dropIns) ?? []
      } catch {
        problems.report(
          SettingsProblem(SettingsError.system(error, "list", dropIns, then: "Its files are left out.")))
      }
      let chosen = names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
        // By bytes, as `ls` in the C locale: the same on every machine.
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return ["\(directory)/\(location.name).toml"] + chosen.map { "\(dropIns)/\($0)" }
    }
  }

  /// The directory of drop-ins beside an administrator's file.
  static func dropInDirectory(_ directory: String, _ location: SettingsLocation) -> String {
    "\(directory)/\(location.name).d"
  }
}

extension SettingsError {
  /// The same error, saying what is used instead.
  func using(_ sentence: String) -> SettingsError {
    var error = self
    error.message += " " + sentence
    return error
  }
}
