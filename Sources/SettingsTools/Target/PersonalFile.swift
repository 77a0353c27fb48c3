package import AppSettings
import AppSettingsSchema

/// A file of the person's own, as `--layer` names it.
package enum PersonalFile: Equatable, Sendable {
  case user, profile(String)
  case declared(DeclaredPlace)

  /// Those whose word takes no name.
  private static let plain: [PersonalFile] = [
    .user, .declared(.host), .declared(.system), .declared(.architecture),
  ]
  /// All forms of them, for messages.
  static let forms = ["user", "profile:NAME", "drop-in:NAME", "host", "os", "arch"]

  /// Parses the value of `--layer`.
  ///
  /// - Throws: ``ToolError`` with status 2 and a suggestion.
  package init(parsing text: String) throws {
    if let file = Self.plain.first(where: { $0.word == text }) {
      self = file
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count) {
    case ("profile", 2): self = .profile(parts[1])
    case ("drop-in", 2): self = .declared(.dropIn(parts[1]))
    default:
      let hint = Suggestion.nearest(to: parts[0], among: Self.plain.compactMap(\.word) + ["profile", "drop-in"])
      let meant = hint.flatMap { hint in Self.forms.first { $0.hasPrefix(hint) } }.map { " Did you mean '\($0)'?" }
      throw ToolError(
        .usage,
        "Unknown layer '\(text)'. Use \(Self.forms.dropLast().joined(separator: ", ")) or \(Self.forms.last ?? "")."
          + (meant ?? ""))
    }
  }

  /// The value of `--layer` for it; `nil` for a file that only its path names.
  package var word: String? {
    switch self {
    case .user: "user"
    case .profile(let name): "profile:\(name)"
    case .declared(.dropIn(let name)): "drop-in:\(name)"
    case .declared(.system): "os"
    case .declared(.architecture): "arch"
    case .declared(.host): "host"
    case .declared(.file): nil
    }
  }

  /// Where the file is.
  ///
  /// - Parameter mayBeRemoved: Whether a profile that was removed will do, as long as it can be brought back.
  /// - Throws: ``ToolError`` with status 3 for an unknown profile; ``SettingsError``.
  package func location(
    of app: String, orRemoved mayBeRemoved: Bool = false, environment variables: [String: String]? = nil
  ) throws -> SettingsLocation {
    switch self {
    case .user: return try SettingsLocation(app: app, profile: .none, environment: variables)
    case .declared(let place): return try SettingsLocation(declaredOf: app, place, environment: variables)
    case .profile(let name):
      let location = try SettingsLocation(app: app, profile: .named(name), environment: variables)
      do {
        try ProfileName.checkKnown(name, of: app, environment: variables)
      } catch {
        guard RecoverySearch(for: nil, at: location).source != nil else { throw error }
        guard mayBeRemoved else {
          throw ToolError(
            .unknown,
            "The profile '\(name)' of '\(app)' was removed. To bring it back, use 'settings-cli recover \(app) --layer "
              + "\(word ?? "") --restore'.")
        }
      }
      return location
    }
  }
}

/// The names of profiles.
package enum ProfileName {
  /// Throws if an app has no such profile. The active one is known, even before its file exists.
  ///
  /// - Parameter advice: What to do where no other name is near, as a sentence.
  /// - Throws: ``ToolError`` with status 3 and a suggestion.
  package static func checkKnown(
    _ name: String, of app: String, advice: String? = nil, environment variables: [String: String]? = nil
  ) throws {
    try SettingsProfile.check(name)
    let location = try SettingsLocation(app: app, environment: variables)
    // A choice that cannot be used does not matter here.
    let active = (try? location.resolvingProfile()) ?? location
    guard active.personal?.profile != name, let profiles = Profiles(of: active),
      !SettingsFile.isThere(profiles.file(of: name))
    else { return }
    let names = try profiles.names()
    guard !names.contains(name) else { return }
    try AppName.checkKnown(app, environment: variables)
    let advice =
      Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
      ?? advice ?? "To make it, run 'settings-cli profile \(app) new \(name)'."
    throw ToolError(.unknown, "Unknown profile '\(name)' of '\(app)'. \(advice)")
  }
}
