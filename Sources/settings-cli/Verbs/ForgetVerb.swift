import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct ForgetVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove an app that was made by mistake, or is not installed any more.",
    discussion: """
      Removes your settings of the app, with its profiles and their choice, so that 'apps' does not list it any more. \
      Each file becomes a backup, and 'recover APP --restore' brings the settings back; with '--layer profile:NAME', a \
      profile. Prints what was removed, and the path of each backup.

      A terminal asks first. Elsewhere, --yes is needed.

      Nothing is removed, and the exit status is 5, if the app has a schema, because it is installed then, or if it has \
      files that are not the app's own: administrators', and declared or linked ones, such as those of dotfiles.

      EXAMPLES
        settings-cli forget editr
        settings-cli forget org.example.old --yes
        settings-cli forget org.example.old --dry-run
      """)

  @Argument(help: "An app's id.", completion: .custom(Candidates.targets)) var target: String
  @Flag(help: "Remove them without a question.") var yes = false
  @Flag(help: "Only print what would be removed.") var dryRun = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Target.checkIsApp(target, for: "'forget'", advice: " To remove a file, use rm.")
  }

  func answer() throws {
    let target = Target(target)
    let user = try target.location()
    let app = try InstalledApp.find(target.name)
    let profiles = Profiles(of: user)
    let names = try profiles?.names() ?? []
    let chosen = try? profiles?.chosen()
    if app.isUnknown, chosen == nil { return try noteNothing(target) }
    let locations = try ([nil] + names).map { name in
      try SettingsLocation(app: app.app, profile: name.map(SettingsProfile.named) ?? .none)
    }.filter { try SettingsFile(path: $0.file).read().bytes != nil }
    try Self.checkOwn(
      app,
      declared: app.personalFiles.filter { file in
        !names.contains { profiles?.file(of: $0) == file }
      }, links: (user.ownDirectories + locations.map(\.file)).filter(SettingsFile.isLink))
    let choice = chosen.map { ["the choice of the profile '\($0)'"] } ?? []
    if dryRun {
      for location in locations { Output.path(location.file, after: "remove: ") }
      for choice in choice { Output.line("remove: \(choice)") }
      return
    }
    if !yes {
      let parts = (locations.map { "'\($0.file)'" } + choice).joined(separator: ", ")
      switch StandardInput.confirms("Remove your settings of '\(app.app)' (\(parts))?") {
      case true?: break
      case false?: throw ToolError(.noValue, "Nothing was removed.")
      case nil:
        throw ToolError(.usage, "To remove your settings of '\(app.app)' (\(parts)), use --yes. Nothing was removed.")
      }
    }
    // First the choice: a profile without a file would be made again by the next write.
    try profiles?.choose(nil)
    for choice in choice { Output.line("removed: \(choice)") }
    for location in locations {
      let backup = try target.moveToBackups(location)
      Output.noteStored()
      Output.path(location.file, after: "removed: ")
      if let backup { Output.path(backup.path, after: "backup: ") }
    }
    user.removeEmptyDirectories()
    try Output.flush()
    for location in locations { Self.noteRecovery(of: location, app.app) }
  }

  /// Says what is left of an app without settings, as after 'unset --all'.
  ///
  /// - Throws: ``ToolError`` with status 3 if there has been no such app.
  private func noteNothing(_ target: Target) throws {
    let location = try SettingsLocation(app: target.name, profile: .none)
    if try target.openUnread(at: location).store.backups().isEmpty { try AppName.checkKnown(target.name) }
    if !dryRun { location.removeEmptyDirectories() }
    Output.note("'\(target.name)' has no settings any more.")
    Self.noteRecovery(of: location, target.name)
  }

  private static func noteRecovery(of location: SettingsLocation, _ app: String) {
    guard RecoverySearch(for: nil, at: location).source != nil else { return }
    let profile = location.personal?.profile
    Output.note(
      "To bring \(profile.map { "the profile '\($0)'" } ?? "them") back, use 'settings-cli recover \(app) "
        + "\(profile.map { "--layer profile:\($0) " } ?? "")--restore'.")
  }

  /// Throws if an app has files that are not its own.
  private static func checkOwn(_ app: InstalledApp, declared: [String], links: [String]) throws {
    func refusal(_ reason: String) -> ToolError {
      ToolError(.notWritable, "Cannot forget '\(app.app)': \(reason) Nothing was removed.")
    }
    if let file = app.systemFiles.first {
      throw refusal(
        "administrators have settings of it in '\(file)'. To remove only your own, use 'settings-cli unset \(app.app) "
          + "--all'; to remove theirs, 'sudo rm' the file.")
    }
    if let schema = app.schema {
      throw refusal(
        "it is installed, because it has the schema '\(schema)'. To remove only your settings, use 'settings-cli unset "
          + "\(app.app) --all'.")
    }
    if let file = declared.first {
      throw refusal("'\(file)' is a declared file, which the app does not write. Remove that first.")
    }
    if let link = links.first {
      throw refusal("'\(link)' is a link to files that are not the app's alone. To forget the app, remove the link.")
    }
  }
}
