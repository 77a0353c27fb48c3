/// The profile that a store uses: a file of the user's own that takes the place of `settings.toml`.
///
/// A profile is `profiles/NAME.toml` beside the user's file. While one is active, values are written to it, and the
/// user's file is a layer below. A string literal is a name:
///
/// ```swift
/// let settings = try SettingsStore(app: "org.example.editor", profile: "presenting")
/// ```
public struct SettingsProfile: Sendable, Hashable {
  enum Choice: Sendable, Hashable {
    case active, none
    case named(String)
  }
  let choice: Choice

  /// The active one: that of the variable `APP_SETTINGS_PROFILE`, or else the one that `settings-cli profile APP use`
  /// has chosen. A store follows that choice live.
  ///
  /// When another profile is chosen, observers see one change. Pending values are written to the profile in which they
  /// were set.
  public static let active = SettingsProfile(choice: .active)
  /// No profile: the user's file, whatever is chosen.
  public static let none = SettingsProfile(choice: .none)

  /// A profile by its name, whatever is chosen.
  ///
  /// The profile need not exist: setting a value creates its file.
  ///
  /// - Parameter name: Follows the same rule as an app's id. Opening a store with another name throws.
  public static func named(_ name: String) -> SettingsProfile { SettingsProfile(choice: .named(name)) }

  /// The variable that chooses the profile of a process; an empty one chooses none.
  package static let variable = "APP_SETTINGS_PROFILE"

  /// Throws if a name is not valid for a profile.
  ///
  /// - Parameter source: Where the name is from, as the end of a sentence.
  package static func check(_ name: String, source: String = "") throws(SettingsError) {
    try SettingsLocation.check(name, as: "profile", source: source, such: "work")
  }
}

/// Where the person's own layers around the user's file are.
package struct PersonalLayers: Sendable, Hashable {
  /// The user's file, which is below an active profile.
  package let usersFile: String
  /// The directory of the declared files: `$XDG_CONFIG_HOME/<app>/<name>.d`.
  package let declaredDirectory: String
  /// The directory of the profiles, and the file that says which one is chosen; `nil` for stores without profiles.
  package let profilesDirectory: String?
  package let choiceFile: String?
  /// `$CREDENTIALS_DIRECTORY`; `nil` if it is not set.
  package var credentialsDirectory: String?
  /// The profile that is used; `nil` for none.
  package var profile: String?
  /// Whether a store follows the choice of the profile.
  package var followsChoice = false
  /// Whether the own file is a declared one, with only the layers below it.
  package var isDeclared = false

  /// Only the store named `settings` has profiles.
  init(of app: String, store: String, usersFile: String, stateDirectory: String) {
    self.usersFile = usersFile
    let directory = usersFile.droppingLastBytes("/\(store).toml".utf8.count)
    declaredDirectory = "\(directory)/\(store).d"
    let hasProfiles = store == "settings"
    profilesDirectory = hasProfiles ? directory + "/profiles" : nil
    choiceFile = hasProfiles ? "\(stateDirectory)/profiles/\(app).toml" : nil
  }

  /// The file of a profile.
  package func file(ofProfile name: String) -> String? { profilesDirectory.map { "\($0)/\(name).toml" } }
}

extension SettingsLocation {
  /// Uses a profile, or notes that the store follows the choice.
  mutating func choose(_ profile: SettingsProfile, _ variable: String?) throws(SettingsError) {
    var name: String?
    switch profile.choice {
    case .none: break
    case .named(let its):
      try SettingsProfile.check(its)
      guard personal?.profilesDirectory != nil else {
        throw SettingsError(
          .invalidLocation,
          "Cannot use the profile '\(its)': only the store 'settings' of the scope 'config' has profiles.")
      }
      name = its
    case .active:
      guard personal?.profilesDirectory != nil else { return }
      guard let variable else {
        personal?.followsChoice = true
        return
      }
      guard !variable.isEmpty else { return }
      try SettingsProfile.check(variable, source: " in the variable \(SettingsProfile.variable)")
      name = variable
    }
    if let name { self = using(profile: name) }
  }

  /// The same location with a profile in place of the user's file, or with the user's file.
  package func using(profile name: String?) -> SettingsLocation {
    guard let personal, let path = name.map({ personal.file(ofProfile: $0) }) ?? personal.usersFile else { return self }
    var result = self
    result.personal?.profile = name
    result.file = path
    return result
  }

  /// The same location without the person's own layers, for values that hold for all users.
  package var withoutPersonalLayers: SettingsLocation {
    var result = using(profile: nil)
    result.personal = nil
    return result
  }
}
