import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

/// The first operand of verbs that also take all apps, and the options that go with it.
struct AppsArgument: ParsableArguments {
  @Argument(
    help: "An app's id, or the path of a TOML file, which contains a '/'; all apps without it.",
    completion: .custom(Candidates.targets))
  var target: String?
  @OptionGroup var layer: LayerOptions
  @Flag(help: "All apps, as without TARGET.") var all = false

  func validate() throws {
    try checkAlternatives(("--all", all), ("TARGET", target != nil))
    try layer.check(target)
  }

  /// The target that is named; `nil` for all apps.
  var named: Target? { get throws { try target.map { try Target(typed: $0, layer.layer) } } }

  /// Throws if an option that is about one app is given for all.
  func needTarget(for option: String?) throws {
    guard target == nil, let option else { return }
    throw ValidationError(
      all ? "Use either --all or \(option), not both." : "Missing TARGET: \(option) is about one app.")
  }
}

/// What verbs do with every app that has settings or a schema.
enum AllApps {
  /// Does something with each app. One that cannot be used is named on standard error, and keeps no other from it.
  ///
  /// - Parameters:
  ///   - verb: What cannot be done to such an app, as in 'Cannot list'.
  ///   - withRemoved: Whether also with apps whose settings 'forget' or 'unset --all' has removed.
  /// - Returns: The status for the first app that could not be used; `nil` if all could.
  static func each(
    _ layer: Target.Layer, _ verb: String, withRemoved: Bool = false, _ body: (Target) throws -> Void
  ) throws -> ToolError.Status? {
    var status: ToolError.Status?
    for app in try InstalledApp.all().map(\.app) + (withRemoved ? removed(layer) : []) {
      let failed = attempt(verb, app) { try body(Target(typed: app, layer)) }
      status = status ?? failed
    }
    return status
  }

  /// The apps whose settings are gone, but have backups.
  private static func removed(_ layer: Target.Layer) throws -> [String] {
    func names(_ directory: String) -> [String] { (try? Syscalls().names(in: directory)) ?? [] }
    // The place of one shows those of all: `…/config/x/settings.toml.backups`.
    let backups = try Target("x", layer == .system ? .system : .personal(.user)).location().backupsDirectory
    let directory = backups.droppingLastBytes("/x/\(backups.lastPathPart)".utf8.count)
    return names(directory).filter { isRemoved($0) && !names("\(directory)/\($0)/\(backups.lastPathPart)").isEmpty }
      .sorted()
  }

  /// Whether an app has no settings and no schema.
  static func isRemoved(_ app: String) -> Bool { (try? InstalledApp.find(app).isUnknown) == true }

  /// Does something with one of several apps.
  ///
  /// - Returns: The status if that failed, which is reported.
  static func attempt(_ verb: String, _ app: String, _ body: () throws -> Void) -> ToolError.Status? {
    do {
      try body()
      return nil
    } catch {
      let failure = ToolError(any: error)
      let message = failure.message ?? ""
      // One that says itself what cannot be done names the file.
      Output.warning(message.hasPrefix("Cannot ") ? message : "Cannot \(verb) '\(app)': \(message)")
      return failure.status
    }
  }
}
