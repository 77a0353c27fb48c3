import AppSettings
import Foundation
import TestSupport

extension SettingsKeys {
  static let number = SettingsKey("number", default: 0)
  static let ratio = SettingsKey("ratio", default: 0.5)
  static let text = SettingsKey("view.text", default: "none")
  static let flag = SettingsKey("view.flag", default: false)
  static let list = SettingsKey<[Int]>("list", default: [])
  static let nickname = SettingsKey<String?>("nickname")
  static let frame = SettingsKey("frame", default: Frame(width: 1, height: 1))
  static let opaque = SettingsKey("opaque", default: Opaque(text: "none"), bridge: .opaque)
}

struct Frame: Codable, Equatable, Sendable, SettingsSerializable {
  var width: Int
  var height: Int
}

/// A value that cannot be compared.
struct Opaque: Sendable {
  var text: String
}

extension SettingsBridge where Value == Opaque {
  static var opaque: SettingsBridge<Opaque> {
    String.settingsBridge.map(read: { Opaque(text: $0) }, write: { $0.text })
  }
}

extension ScratchHome {
  /// Runs a shell script in the directory of the settings file `settings.toml`, which need not exist.
  @discardableResult
  func run(_ script: String, with variables: [String: String] = [:]) async throws -> Int32 {
    try await ChildProcess.status(
      of: "/bin/sh", ["-e", "-c", script],
      environment: environment.merging(["F": file, "D": (file as NSString).deletingLastPathComponent]) { $1 }
        .merging(variables) { $1 }, directory: path)
  }

  /// Puts another text in the file's place, as careful programs do.
  func replace(_ text: String, file: String? = nil) throws {
    let file = file ?? self.file
    try write(text, to: file + ".new")
    rename(file + ".new", file)
  }
}
