import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct ProfileVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "List, choose, make and remove profiles: files in place of the user's.",
    usage: """
      settings-cli profile APP [list] [--json]
      settings-cli profile APP use NAME
      settings-cli profile APP use --none
      settings-cli profile APP new NAME [--inherits NAME] [--from-current]
      settings-cli profile APP remove NAME [--force]
      """,
    discussion: """
      While a profile is active, values are written to it, and the user's file is below it. Apps that run follow the \
      choice at once. The variable APP_SETTINGS_PROFILE, if set, decides for its process, and an app may choose by \
      itself.

      list, also without an action, prints a line for each profile: '*' marks the active one, and what follows '#' is \
      its file, what it inherits, and what chose it.

      use makes a profile the active one, for all apps with this id that run now or later. With --none the user's file \
      is used again.

      new makes the profile's file and prints its path. It does not choose it. With --inherits the values of another \
      profile are below its own. With --from-current it begins as a copy of the file that is written now.

      remove moves the file to the backups and prints its new path. It refuses the active profile, and one that \
      another inherits, unless you use --force; then the user's file is used.

      EXAMPLES
        settings-cli profile org.example.editor
        settings-cli profile org.example.editor new presenting --inherits work
        settings-cli profile org.example.editor use work
        settings-cli profile org.example.editor use --none
        settings-cli profile org.example.editor remove home
        settings-cli set org.example.editor theme dark --layer profile:work
      """)

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case list, use, new, remove
  }

  @Argument(help: "An app's id.", completion: .custom(Candidates.targets)) var target: String
  @Argument(help: "What to do.") var action = Action.list
  @Argument(help: "The profile.", completion: .custom(Candidates.profiles)) var name: String?
  @Flag(name: .customLong("none"), help: "With use: no profile.") var usesNone = false
  @Option(
    help: ArgumentHelp("With new: the profile whose values are below its own.", valueName: "name"),
    completion: .custom(Candidates.profiles))
  var inherits: String?
  @Flag(help: "With new: begin with a copy of the file that is written now.") var fromCurrent = false
  @Flag(help: "With remove: also remove the active profile, or one that another inherits.") var force = false
  @Flag(help: "With list: print a JSON array of objects: name, file, exists, inherits, isActive, chosenBy.")
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Target.checkIsApp(target, for: "'profile'")
    for (option, isGiven, needed) in [
      ("--none", usesNone, Action.use), ("--inherits", inherits != nil, .new), ("--from-current", fromCurrent, .new),
      ("--force", force, .remove), ("--json", json, .list),
    ] where isGiven && action != needed {
      throw ValidationError("'\(option)' is for '\(needed.rawValue)', not for '\(action.rawValue)'.")
    }
    if action == .list {
      if let name { throw ValidationError("Unexpected word '\(name)': 'list' lists all profiles.") }
    } else if usesNone {
      try checkAlternatives(("--none", true), ("NAME", name != nil))
    } else if name == nil {
      let more = action == .use ? " To use none, write --none." : ""
      throw ValidationError("Missing NAME of the profile.\(more)")
    }
  }

  private var app: String { MeantApp.id(for: target) }

  func answer() throws {
    // A stored choice that cannot be used is replaced by another one.
    let location = try Target(app).location(followingChoice: action == .use)
    // An app with a chosen profile is known, whatever has become of its files.
    if (try? Profiles(of: location)?.chosen()) == nil { try AppName.checkKnown(app) }
    if action == .use, let name, name == "none", try Profiles(of: location)?.names().contains(name) == false {
      throw ToolError(
        .unknown, "There is no profile 'none'. To use no profile, write 'settings-cli profile \(app) use --none'.")
    }
    guard let profiles = Profiles(of: location) else { return }
    switch (action, name) {
    case (.new, let name?): try make(name, profiles, beside: location)
    case (.remove, let name?): try remove(name, profiles, location)
    case (.use, _): try use(profiles)
    default: try list(profiles, location)
    }
  }

  // MARK: The list

  private func list(_ profiles: Profiles, _ location: SettingsLocation) throws {
    let active = location.personal?.profile
    let stored = try profiles.chosen()
    let isByVariable = ProcessFacts.variable(SettingsProfile.variable) != nil
    let names = try profiles.names()
    let all = Set(names + [active, stored].compactMap(\.self)).sorted().map { name in
      Entry(
        name: name, file: profiles.file(of: name), exists: names.contains(name),
        inherits: names.contains(name) ? Self.inherited(by: name, profiles) : nil, isActive: name == active,
        chosenBy: name == active ? isByVariable ? .variable : .person : nil, isStored: name == stored)
    }
    let width = all.map(\.name.count).max() ?? 0
    Output.list(all, asJSON: json, \.json) { $0.line(width: width) }
  }

  /// What a profile says that it inherits, whether that is valid or not.
  private static func inherited(by name: String, _ profiles: Profiles) -> String? {
    guard let bytes = (try? SettingsFile(path: profiles.file(of: name)).read())?.bytes,
      case .string(let parent)? = (try? TOMLDocument(parsing: bytes))?[SettingsFormat.inheritsPath]
    else { return nil }
    return parent
  }

  private struct Entry {
    enum Chooser: String { case variable = "environment", person = "profile use" }

    let name: String
    let file: String
    let exists: Bool
    let inherits: String?
    let isActive: Bool
    let chosenBy: Chooser?
    /// Whether it is the stored choice, which the environment may override.
    let isStored: Bool

    func line(width: Int) -> String {
      let terminal = Terminal.output
      var note = PathText.shown(file) + (exists ? "" : ", which does not exist yet")
      if let inherits { note += ", inherits \(inherits)" }
      switch chosenBy {
      case .variable?: note += ", chosen by \(SettingsProfile.variable)"
      case .person?: note += ", chosen with 'profile use'"
      case nil:
        if isStored { note += ", chosen with 'profile use', which \(SettingsProfile.variable) overrides here" }
      }
      let padding = String(repeating: " ", count: max(0, width - name.count))
      return (isActive ? "* " : "  ") + terminal.styled(name, isActive ? .green : nil) + padding
        + terminal.styled("  # \(terminal.shown(note))", .dim)
    }

    var json: JSONObject {
      [
        "name": .text(name), "file": .text(file), "exists": .flag(exists), "inherits": .text(inherits),
        "isActive": .flag(isActive), "chosenBy": .text(chosenBy?.rawValue),
      ]
    }
  }

  // MARK: Changes

  private func use(_ profiles: Profiles) throws {
    if let name { _ = try PersonalFile.profile(name).location(of: app) }
    try profiles.choose(name)
    if let variable = ProcessFacts.variable(SettingsProfile.variable), variable != name ?? "" {
      Output.warning(
        "\(SettingsProfile.variable) is set here and chooses \(variable.isEmpty ? "no profile" : "'\(variable)'"). "
          + "Programs that have it do not follow the choice.")
    }
  }

  private func make(_ name: String, _ profiles: Profiles, beside current: SettingsLocation) throws {
    let location = try SettingsLocation(app: app, profile: .named(name))
    if let inherits { _ = try PersonalFile.profile(inherits).location(of: app) }
    var document = TOMLDocument()
    let target = Target(app)
    let newest = target.schema.schema?.migrations.currentVersion
    let version = newest ?? 1
    if fromCurrent,
      let copied = try TextReader.document(
        at: current, showsText: target.schema.showsText, advice: target.repairAdvice)
    {
      if let newest, try SettingsMigrations.version(of: copied, in: current.file) > newest {
        throw ToolError(
          .migration,
          "Cannot copy '\(current.file)': it has settings version \(try SettingsMigrations.version(of: copied)), and the "
            + "app's schema knows versions up to \(newest). Nothing was written. Update the app.")
      }
      document = copied
    } else if version > 1 {
      try SettingsFormat.setVersion(version, in: &document)
    }
    if let inherits { try document.setAtTop(SettingsFormat.inheritsPath.components[0], .string(inherits)) }
    try target.openText(at: location).replaceText(backingUp: "before-profile") { [document] now in
      guard now == nil else {
        throw ToolError(
          .notWritable, "There is a profile '\(name)' already, in '\(location.file)'. Nothing was written.")
      }
      return document.bytes
    }
    Output.noteStored()
    Output.path(location.file)
  }

  private func remove(_ name: String, _ profiles: Profiles, _ current: SettingsLocation) throws {
    try ProfileName.checkKnown(name, of: app, advice: "'settings-cli profile \(app)' lists them.")
    let isChosen = try profiles.chosen() == name
    if !force {
      if isChosen || current.personal?.profile == name {
        throw ToolError(
          .notWritable,
          "The profile '\(name)' is active. Choose another one first with 'settings-cli profile \(app) use NAME', "
            + "or none with 'use --none'; --force does that, too. Nothing was removed.")
      }
      let others = try profiles.names()
      if let heir = others.first(where: { $0 != name && Self.inherited(by: $0, profiles) == name }) {
        throw ToolError(
          .notWritable,
          "The profile '\(heir)' inherits '\(name)'. To remove it anyway, use --force. Nothing was removed.")
      }
    }
    // First the choice: a profile without a file would be made again by the next write.
    if isChosen { try profiles.choose(nil) }
    let backup = try Target(target).moveToBackups(try SettingsLocation(app: app, profile: .named(name)))
    Output.noteStored()
    if let backup { Output.path(backup.path, after: "backup: ") }
  }
}
