package import SettingsTOML

/// The texts of a service manager's credentials by key path. They count for secrets only.
///
/// A service manager such as systemd puts each credential in a file of `$CREDENTIALS_DIRECTORY` (systemd.exec(5),
/// "CREDENTIALS"). The file `sync.token` has the value of the key `sync.token`.
package struct Credentials: Sendable, Hashable {
  /// The directory of the files.
  package let directory: String
  private let texts: [TOMLPath: String]
  /// The keys that are known to be secret, by path.
  package var secrets: [TOMLPath: AnySettingsKey]

  package init(directory: String, texts: [TOMLPath: String], secrets: [TOMLPath: AnySettingsKey] = [:]) {
    self.directory = directory
    self.texts = texts
    self.secrets = secrets
  }

  /// The text for a key; `nil` if there is none, or if the key is not known to be secret.
  func text(at path: TOMLPath, isSecret: Bool) -> String? {
    isSecret || secrets[path] != nil ? texts[path] : nil
  }

  /// The same credentials with another text in the place of each.
  func showing(_ text: String) -> Credentials {
    Credentials(directory: directory, texts: texts.mapValues { _ in text }, secrets: secrets)
  }

  /// The file of a key's credential.
  package func file(at names: [TOMLPath]) -> String? {
    names.first { texts[$0] != nil }.map { "\(directory)/\($0)" }
  }

  /// The value of a credential's file: without one newline at its end; `nil` if it is not UTF-8.
  ///
  /// `echo` and editors add that newline.
  package static func text(of bytes: [UInt8]) -> String? {
    String(validating: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}

extension Credentials: CustomStringConvertible {
  /// The directory, without any text.
  package var description: String { "credentials of \(directory)" }
}
