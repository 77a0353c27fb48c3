import Foundation
import SettingsTOML
import TestSupport

/// Programs that change the file without locking, one step at a time.
extension Scenario.Program {
  /// The text with the program's own change.
  private static func saved(_ text: String?) -> String {
    (text ?? "mark = 0\n").replacingOccurrences(of: "mark = 0", with: "mark = 1")
  }

  /// An editor that saves a new file and renames it over the old one.
  ///
  /// - Parameter text: The text to save; by default the text that it read, with `mark = 1`.
  static func renaming(_ home: ScratchHome, text: String? = nil) -> Self {
    nonisolated(unsafe) var read: String?  // used by the actor's thread alone
    var steps = [
      Step(label: "reads") { read = home.text() },
      Step(label: "renames", overwrites: true) {
        try home.write(text ?? saved(read), to: home.path + "/new")
        guard rename(home.path + "/new", home.file) == 0 else { throw POSIXError(.EIO) }
      },
    ]
    if text != nil { steps.removeFirst() }
    return Self(name: "editor", steps: steps, saves: ("mark", .integer(1)))
  }

  /// A program like `cp`: truncates the file, writes it in two parts, and closes it.
  static func inPlace(_ home: ScratchHome) -> Self {
    nonisolated(unsafe) var text: [UInt8] = []  // used by the actor's thread alone
    nonisolated(unsafe) var file: Int32 = -1  // the same
    func put(_ part: ArraySlice<UInt8>) { part.withUnsafeBytes { _ = write(file, $0.baseAddress, $0.count) } }
    return Self(
      name: "cp",
      steps: [
        Step(label: "reads, and empties the file", overwrites: true) {
          text = Array(saved(home.text()).utf8)
          file = open(home.file, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0o600)
        },
        Step(label: "writes half") { put(text[..<(text.count / 2)]) },
        Step(label: "writes the rest, and closes it", overwrites: true) {
          put(text[(text.count / 2)...])
          close(file)
        },
      ], saves: ("mark", .integer(1)))
  }

  /// A program that turns `KEY = 0` of the present text into `KEY = 1`, in one step: nothing comes between.
  ///
  /// - Parameter text: What it saves instead, whatever there is.
  static func saving(_ key: String, _ home: ScratchHome, inPlace: Bool, text: String? = nil) -> Self {
    Self(
      name: "\(inPlace ? "cp" : "sed") of \(key)",
      steps: [
        Step(label: "saves \(key)", overwrites: true) {
          let old = home.text() ?? "\(key) = 0\n"
          let new = text ?? old.replacingOccurrences(of: "\(key) = 0", with: "\(key) = 1")
          let path = inPlace ? home.file : home.path + "/new-" + key
          let file = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0o600)
          _ = Array(new.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
          close(file)
          if !inPlace { rename(path, home.file) }
        }
      ])
  }

  /// `rm`.
  static func removing(_ home: ScratchHome) -> Self {
    Self(name: "rm", steps: [Step(label: "removes", overwrites: true) { unlink(home.file) }], removes: true)
  }

  /// `mv d d.old; cp -a d.old d`.
  static func replacingDirectory(_ home: ScratchHome) -> Self {
    let directory = Scenario.directory(in: home)
    nonisolated(unsafe) var copy: String?  // used by the actor's thread alone
    return Self(
      name: "mv and cp",
      steps: [
        Step(label: "moves the directory away") { rename(directory, directory + ".old") },
        Step(label: "makes it, and reads the old file") {
          mkdir(directory, 0o700)
          copy = home.text(of: directory + ".old/settings.toml")
        },
        Step(label: "writes the copy", overwrites: true) { if let copy { try home.write(copy) } },
      ])
  }

  /// `ln -sfn v2 d`, where `v2` holds a different file.
  static func retargeting(_ home: ScratchHome) throws -> Self {
    let other = home.path + "/v2"
    try home.write(saved(home.text()), to: other + "/settings.toml")
    return Self(
      name: "ln",
      steps: [
        Step(label: "turns the link", overwrites: true) {
          let directory = Scenario.directory(in: home)
          symlink(other, directory + ".new")
          rename(directory + ".new", directory)
        }
      ], saves: ("mark", .integer(1)))
  }
}
