package import SettingsTOML

/// The profiles of an app: their files, and which one is chosen.
///
/// A profile exists if its file does. The choice is not part of the settings: it is stored in the state directory.
package struct Profiles: Sendable {
  /// The directory of the files.
  package let directory: String
  /// The file with the choice, which need not exist.
  package let choiceFile: String
  private let system: Syscalls

  /// The key of the choice in its file.
  package static let choicePath: TOMLPath = ["active"]

  /// Returns `nil` for a location that has no profiles.
  package init?(of location: SettingsLocation, system: Syscalls = Syscalls()) {
    guard let directory = location.personal?.profilesDirectory, let file = location.personal?.choiceFile else {
      return nil
    }
    self.directory = directory
    choiceFile = file
    self.system = system
  }

  /// The file of a profile, which need not exist.
  package func file(of name: String) -> String { "\(directory)/\(name).toml" }

  /// The names of the profiles that have a file, sorted by bytes.
  ///
  /// Files whose name is not valid for a profile are left out. If the directory is missing, there are none.
  ///
  /// - Throws: ``SettingsError`` `io` or `readOnly` if the directory cannot be listed.
  package func names() throws(SettingsError) -> [String] {
    let files = try SettingsError.ofSystem("list", directory) { try system.names(in: directory) ?? [] }
    return files.filter { $0.endsBytewise(with: ".toml") }.map { $0.droppingLastBytes(5) }
      .filter(SettingsLocation.isID).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The stored choice; `nil` for none. Ignores the environment.
  ///
  /// - Throws: ``SettingsError`` if the file cannot be read or used.
  package func chosen() throws(SettingsError) -> String? {
    guard let bytes = try SettingsFile(path: choiceFile, system: system).read().bytes else { return nil }
    return try Self.name(in: bytes, file: choiceFile)
  }

  /// Stores the choice: stores that follow it switch at once. Durable when it returns.
  ///
  /// - Parameter name: The profile, which need not have a file yet; `nil` for none.
  /// - Returns: Whether that is a change.
  /// - Throws: ``SettingsError`` `invalidLocation` for an invalid name; otherwise as for a write. Nothing is changed.
  @discardableResult
  package func choose(_ name: String?) throws -> Bool {
    if let name { try SettingsProfile.check(name) }
    return try SettingsFile(path: choiceFile, system: system).update { contents in
      // A text that does not parse holds nothing else that anyone needs.
      var document = contents.bytes.flatMap { try? TOMLDocument(parsing: $0) } ?? TOMLDocument()
      if let name {
        try document.set(.string(name), at: Self.choicePath)
      } else {
        try document.remove(at: Self.choicePath)
      }
      return name == nil && document.childKeys(of: .root)?.isEmpty ?? true ? nil : document.bytes
    }
  }

  /// Why a profile does not inherit another one, as a clause.
  package struct InvalidLink: Error {
    package let reason: String
  }

  /// The name of the profile that another one inherits.
  ///
  /// - Parameters:
  ///   - value: The value of `settings-inherits`.
  ///   - seen: The profiles above it.
  /// - Throws: ``InvalidLink`` if the value is not the name of a profile, or closes a cycle.
  package static func inherited(by value: TOMLValue, seen: [String]) throws(InvalidLink) -> String {
    guard case .string(let name) = value, SettingsLocation.isID(name) else {
      throw InvalidLink(reason: "it is \(value.errorDescription), but must be the name of a profile")
    }
    guard !seen.contains(name) else { throw InvalidLink(reason: "'\(name)' inherits this profile itself") }
    return name
  }

  /// The name in the text of a file with a choice.
  ///
  /// - Returns: `nil` if the text chooses none.
  /// - Throws: ``SettingsError`` `unparsable` or `invalidValue`.
  static func name(in bytes: [UInt8], file: String) throws(SettingsError) -> String? {
    let app = file.split(separator: "/").last?.dropLast(".toml".count) ?? ""
    let advice = "Choose one with 'settings-cli profile \(app) use NAME'."
    let document: TOMLDocument
    do {
      document = try TOMLDocument(parsing: bytes)
    } catch {
      throw SettingsError(
        .unparsable, "Cannot parse '\(file)', which says what profile is used. \(advice)",
        cause: error.formatted(file: file), file: file, position: error.position)
    }
    guard let value = document[choicePath] else { return nil }
    guard case .string(let name) = value, SettingsLocation.isID(name) else {
      throw SettingsError(
        .invalidValue,
        "Cannot use 'active' of '\(file)': it is \(value.errorDescription), but must be the name of a profile. "
          + advice, file: file, position: document.position(of: choicePath))
    }
    return name
  }
}

extension SettingsLocation {
  /// The location with the chosen profile, for code that opens the file itself.
  ///
  /// - Throws: ``SettingsError`` if the choice cannot be read or used.
  package func resolvingProfile() throws(SettingsError) -> SettingsLocation {
    guard personal?.followsChoice == true, let profiles = Profiles(of: self, system: Syscalls()) else { return self }
    var result = using(profile: try profiles.chosen())
    result.personal?.followsChoice = false
    return result
  }
}
