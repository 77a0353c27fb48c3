import AppSettings
import ArgumentParser

/// What a verb works on: an app by its id, or a file by its path.
struct TargetArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "An app's id, or the path of a TOML file (anything with a '/').", valueName: "target"))
  var target: String

  /// Where the settings are.
  func location() throws -> SettingsLocation {
    do {
      return target.contains("/") ? try SettingsLocation(file: target) : try SettingsLocation(app: target)
    } catch {
      throw Failure(error)
    }
  }

  /// The target's schema; `nil` if it has none. Files by path have none.
  func schema() throws -> SettingsSchema? {
    guard !target.contains("/") else { return nil }
    do {
      return try SettingsSchema.find(app: target)
    } catch let error as SettingsError {
      throw Failure(error)
    }
  }

  /// Opens the target and reads it.
  ///
  /// - Throws: ``Failure`` with what makes it unusable: status 6 for a file that does not parse, 7 for one that cannot
  ///   be read. Lesser problems go to standard error.
  func open() throws -> SettingsStore {
    let store = try openUnread()
    store.core.load()
    for problem in store.currentProblems {
      if problem.file == store.location?.file,
        problem.code == .unparsable || problem.code == .io || problem.code == .readOnly
      {
        throw Failure(problem)
      }
      Output.error("settings-cli: warning: \(problem.message)")
    }
    return store
  }

  func openUnread() throws -> SettingsStore {
    let schema = try schema()
    return SettingsStore(
      at: try location(), migrations: schema?.migrations ?? .none,
      logger: .silent,
      acceptsAnyVersion: schema == nil)
  }
}

/// A dotted key of the command line.
struct KeyArgument {
  static func parse(_ text: String) throws -> TOMLPath {
    let path: TOMLPath
    do {
      path = try TOMLPath(parsing: text)
    } catch {
      throw Failure(.usage, "Invalid key '\(text)': \(error)")
    }
    if path.components[0].hasPrefix("settings-") {
      throw Failure(.usage, "Invalid key '\(text)': root keys that begin with 'settings-' are reserved.")
    }
    return path
  }
}
