public import SettingsTOML

/// A problem that made no call fail: a value that cannot be decoded, a file that does not parse, a watch that has to
/// poll.
///
/// `problems` of `AppSettingsObserve` reports problems, and swift-log gets each once, as a warning. The values of
/// secret keys never appear in one.
///
/// ```swift
/// for problem in settings.currentProblems { print(problem.message) }
/// ```
///
/// While a problem is present, an equal one, with the same properties, is not reported again.
public struct SettingsProblem: Sendable, Hashable {
  /// The kind of problem, as in ``SettingsError/Code``.
  public package(set) var code: SettingsError.Code
  /// One or more full sentences: what, on what, why, and what is used instead.
  public package(set) var message: String
  /// The key concerned.
  public package(set) var path: TOMLPath?
  /// The path of the file concerned.
  public package(set) var file: String?
  /// The position in the file.
  public package(set) var position: TOMLPosition?

  /// Makes a problem. In the message, bytes of paths that are not UTF-8 appear as `\xE9`.
  package init(
    _ code: SettingsError.Code, _ message: String, path: TOMLPath? = nil, file: String? = nil,
    position: TOMLPosition? = nil
  ) {
    self.code = code
    self.message = PathText.shown(message)
    self.path = path
    self.file = file
    self.position = position
  }

  /// Makes a problem from an error that no call could throw. The message includes the cause.
  package init(_ error: SettingsError, path: TOMLPath? = nil) {
    self.init(error.code, error.description, path: path, file: error.file, position: error.position)
  }
}

extension SettingsProblem: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
