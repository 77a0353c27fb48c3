public import SettingsTOML

/// Something wrong that failed no call: a value that cannot be decoded, a file that does not parse, a watch that
/// had to become polling.
///
/// Problems reach `AppSettingsObserve`'s `problems` and, once each, swift-log at the warning level. The values of secret
/// keys never appear in one.
public struct SettingsProblem: Sendable, Hashable {
  /// The kind, as in ``SettingsError/Code``.
  public var code: SettingsError.Code
  /// One or more full sentences: what, on what, why, and what is used instead.
  public var message: String
  /// The key it is about.
  public var path: TOMLPath?
  /// The file it is about.
  public var file: String?
  /// The place in the file.
  public var position: TOMLPosition?

  /// Makes a problem. Bytes of paths that are not UTF-8 stand as `\xE9` in the message.
  public init(
    _ code: SettingsError.Code, _ message: String, path: TOMLPath? = nil, file: String? = nil,
    position: TOMLPosition? = nil
  ) {
    self.code = code
    self.message = PathText.shown(message)
    self.path = path
    self.file = file
    self.position = position
  }

  package init(_ error: SettingsError, path: TOMLPath? = nil) {
    self.init(error.code, error.description, path: path, file: error.file, position: error.position)
  }
}

extension SettingsProblem: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
