package import SettingsTOML

/// The reserved root keys of the file format.
package enum SettingsFormat {
  package static let versionPath: TOMLPath = ["settings-version"]
  package static let locksPath: TOMLPath = ["settings-locked"]

  /// Sets the version: in the line that has it, or in a new one at the very top.
  ///
  /// At the top it stands apart from the comments there, which belong to the file or to its first key.
  package static func setVersion(_ version: Int, in document: inout TOMLDocument) throws {
    if document.contains(versionPath) {
      try document.set(.integer(Int64(version)), at: versionPath)
      return
    }
    var bytes = document.bytes
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = bytes.starts(with: mark) ? mark.count : 0
    let newline = bytes.firstIndex(of: 10)
    let ending = newline.map { $0 > 0 && bytes[$0 - 1] == 13 } == true ? "\r\n" : "\n"
    bytes.insert(contentsOf: "settings-version = \(version)\(ending)".utf8, at: start)
    document = try TOMLDocument(parsing: bytes)
  }
}
