import AppSettings

// Checks the person's own layers: declared files, profiles, a project's file, and credentials.

extension SettingsCheck {
  /// Checks the files between the administrators' and the user's.
  mutating func lookAtDeclaredFiles() {
    guard let personal = location.personal else { return }
    let problems = ProblemLog(logger: .silent)
    var unknown: [String] = []
    let declared = DeclaredFiles.paths(
      in: personal.declaredDirectory, before: personal.isDeclared ? location.file : nil, system: system,
      names: { SystemFiles.names(in: $0, system: system, problems: problems) }, noteUnknown: { unknown.append($0) })
    for problem in problems.current {
      findings.append(SettingsFinding(.unreadable, problem.message, file: problem.file ?? personal.declaredDirectory))
    }
    let names = (try? system.names(in: personal.declaredDirectory)) ?? []
    for name in Set(names).sorted() where name.utf8.first == UInt8(ascii: "@") {
      let path = "\(personal.declaredDirectory)/\(name)"
      guard (try? system.status(at: path))?.isRegular == true else { continue }
      unknown.removeAll { $0 == path }
      findings.append(
        SettingsFinding(
          .ignored, "This file is never used: make '\(name)' a directory, with files '*.toml' in it.", file: path))
    }
    for path in unknown {
      findings.append(
        SettingsFinding(
          .ignored, "This directory is never used: its name must begin with '@os=', '@arch=' or '@host='.", file: path))
    }
    for file in declared { look(at: file, .declared) }
  }

  /// Checks the user's file, if it is below a profile.
  mutating func lookAtUsersFile() {
    guard let personal = location.personal, personal.profile != nil else { return }
    look(at: personal.usersFile, .user)
  }

  /// Checks the profiles that the own one inherits.
  mutating func lookAtInheritedProfiles() {
    guard let personal = location.personal, let profile = personal.profile else { return }
    var chain: [String] = []
    var seen = [profile]
    while let name = inherited(by: personal.file(ofProfile: seen.last ?? profile), seen),
      let file = personal.file(ofProfile: name), (try? system.status(at: file)) != nil
    {
      chain.insert(file, at: 0)
      seen.append(name)
    }
    for file in chain { look(at: file, .profile) }
  }

  /// Checks the own file, and what was set aside of it.
  ///
  /// - Parameter listed: The hidden names in directories that were listed for other files.
  mutating func lookAtOwnFile(_ listed: inout [ExactKey: [String]]) {
    look(at: location.file, location.ownKind)
    for path in SettingsFile(path: location.file, system: system).setAside(&listed) {
      let problem = SettingsProblem(overtaken: path, of: location.file)
      findings.append(SettingsFinding(.overtaken, problem.message, file: path))
    }
  }

  /// Checks other files of the person's, each as the own one, on what is below the user's.
  ///
  /// - Parameter known: What was checked already. Its own file is left out, and files of which it has findings.
  /// - Returns: What is wrong with these files, and not with others below them.
  func findings(ofOthers others: [SettingsLocation], notAmong known: SettingsCheck) -> [SettingsFinding] {
    let found = Set(known.findings.map(\.file))
    var below: SettingsCheck?
    var listed: [ExactKey: [String]] = [:]
    return others.filter { $0.file != known.location.file && !found.contains($0.file) }.flatMap { other in
      let isProfile = other.personal?.profile != nil
      var check = isProfile ? below ?? self : self
      check.location = other
      if isProfile, below == nil {
        check.lookAtUsersFile()
        below = check
      }
      check.findings = []
      check.lookAtInheritedProfiles()
      check.lookAtOwnFile(&listed)
      return check.findings.filter { $0.file == other.file }
    }
  }

  /// The profile that the one in a file inherits, if that is valid.
  private func inherited(by file: String?, _ seen: [String]) -> String? {
    guard let file, let bytes = (try? SettingsFile(path: file, system: system).read())?.bytes,
      let value = (try? TOMLDocument(parsing: bytes))?[SettingsFormat.inheritsPath]
    else { return nil }
    return try? Profiles.inherited(by: value, seen: seen)
  }

  /// What is wrong with `settings-inherits` of a profile; `nil` if nothing is.
  func linkFault(in document: TOMLDocument, _ file: String) -> String? {
    guard let value = document[SettingsFormat.inheritsPath], let personal = location.personal,
      let profile = personal.profile
    else { return nil }
    // The profiles above this one.
    var seen = [profile]
    while let last = seen.last, personal.file(ofProfile: last) != file,
      let next = inherited(by: personal.file(ofProfile: last), seen)
    {
      seen.append(next)
    }
    do throws(Profiles.InvalidLink) {
      let name = try Profiles.inherited(by: value, seen: seen)
      guard let path = personal.file(ofProfile: name), (try? system.status(at: path)) == nil else { return nil }
      return "there is no file '\(path)'"
    } catch {
      return error.reason
    }
  }

  /// Checks the file of a project: whether it may be used, what of it takes effect, and its values.
  mutating func look(at project: SettingsProject) {
    guard let app = location.app else { return }
    let found = project.read(app: app, migrations: schema?.migrations ?? .none, system: system)
    for problem in found.problems {
      let kind: SettingsFinding.Kind? =
        switch problem.code {
        case .invalidKey: .ignored
        // What follows finds these itself, with more to show.
        case .unparsable, .migrationFailed, .newerVersion: nil
        default: .unreadable
        }
      guard let kind else { continue }
      findings.append(
        SettingsFinding(
          kind, problem.message, key: problem.path, file: problem.file ?? project.directory, position: problem.position)
      )
    }
    if let file = found.file { look(at: file, .project) }
  }

  /// Checks the credentials of this process's service.
  mutating func lookAtCredentials() {
    guard let directory = location.personal?.credentialsDirectory, let keys = schema?.keys else { return }
    for key in keys {
      let file = "\(directory)/\(key.path)"
      guard let bytes = (try? SettingsFile(path: file, system: system).read())?.bytes else { continue }
      guard key.isSecret else {
        findings.append(
          SettingsFinding(
            .ignored, "The credential '\(key.path)' is never used: the app does not mark this key as secret.",
            key: key.path, file: file))
        continue
      }
      guard let text = Credentials.text(of: bytes) else {
        findings.append(SettingsFinding(.invalidValue, "The credential is not UTF-8 text.", key: key.path, file: file))
        continue
      }
      let isValid = SettingsOverrides.candidates(for: text).contains {
        (try? key.type.check($0, isStored: true)) != nil
      }
      guard !isValid else { continue }
      findings.append(
        SettingsFinding(
          .invalidValue, "The credential cannot be read: the app needs \(key.type.expectedInFull).", key: key.path,
          file: file))
    }
  }
}
