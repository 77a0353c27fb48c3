import AppSettings
import Foundation
import TestSupport

/// What a target is like when a verb meets it.
enum TargetState: String, CaseIterable, Sendable {
  case fine, noValue = "no value", usage, unknown, invalid, locked, readOnly = "read-only", unparsable
  case newer = "newer version"
  case profile = "active profile", declared = "declared file"
}

extension TargetState {
  /// `SETTINGS_VERBS=full` runs the long forms: each line in each state, and each option with each verb that has it.
  static let areAllRun = ProcessInfo.processInfo.environment["SETTINGS_VERBS"] == "full"
}

/// A home with an app `org.example.test` in a state: its schema, the user's file, an administrator's.
struct MatrixHome {
  static let app = "org.example.test"
  /// An app without a schema.
  static let other = "org.example.other"
  let home = ScratchHome()
  let state: TargetState

  static let schema = """
    app = "org.example.test"

    [keys.theme]
    type = "string"
    choices = ["light", "dark"]
    default = "light"
    description = "Colours of the windows."

    [keys."editor.font-size"]
    type = "integer"
    minimum = 6
    maximum = 72
    default = 12

    [keys.recent]
    type = "array"
    elements = { type = "string" }

    [keys."sync.token"]
    type = "string"
    secret = true

    [[migrations]]
    version = 2
    name = "name the colour"
    steps = [{ rename = "colour", to = "theme" }]

    """

  static let text = """
    settings-version = 2
    theme = "dark"   # at night
    sync.token = "hunter2"

    [editor]
    font-size = 14

    """

  /// - Parameters:
  ///   - hasHistory: Whether the command has changed the user's file before.
  ///   - hasOther: Whether the other app has settings.
  init(_ state: TargetState, hasHistory: Bool = false, hasOther: Bool = false) throws {
    self.state = state
    if hasOther { try home.write("a = 1\n", to: home.path + "/config/\(Self.other)/settings.toml") }
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(Self.app).toml")
    try home.write("[view]\nsize = 20\n", to: home.path + "/old.ini")
    try home.write(Self.schema, to: home.path + "/schema.toml")
    try home.write("colour = \"dark\"\n", to: home.path + "/old.toml")
    try home.write("theme = \"red\"\nthme = 1\neditor.font-size = 100\n", to: home.path + "/wrong.toml")
    if hasHistory {
      try home.write(Self.text)
      for (key, value) in [("theme", "light"), ("sync.token", "s3cret"), ("editor.font-size", "16")] {
        _ = try ChildProcess.run(
          ChildProcess.product("settings-cli"), ["set", Self.app, key, value], environment: home.environment)
      }
    }
    switch state {
    case .unparsable: try home.write("theme = \"dark\"\nsize = = 2\n")
    case .newer: try home.write("settings-version = 9\ntheme = \"dark\"\n")
    default: if !hasHistory { try home.write(Self.text) }
    }
    if state == .locked {
      try home.write(
        "settings-locked = [\"theme\"]\ntheme = \"light\"\n", to: home.path + "/etc/xdg/\(Self.app)/settings.toml")
      chmod(home.path + "/etc/xdg/\(Self.app)/settings.toml", 0o644)
    }
    // What they have of the user's file differs, or is the same.
    let (profile, dotfiles) = (home.file("profiles/work.toml"), home.file("settings.d/10-dotfiles.toml"))
    switch state {
    case .profile:
      try home.write("settings-version = 2\ntheme = \"light\"\n", to: profile)
      try home.profiles.choose("work")
      chmod(profile, 0o600)
    case .declared:
      try home.write("settings-version = 2\ntheme = \"light\"\neditor.font-size = 14\n", to: dotfiles)
      chmod(dotfiles, 0o600)
    default: break
    }
    // Whatever the umask here is: check looks at them.
    chmod(home.file, 0o600)
    for name in ["old.toml", "wrong.toml", "schema.toml"] { chmod("\(home.path)/\(name)", 0o644) }
  }

  /// Runs a line of words; `·` in a word is a space. `EDITOR=…` words before it are its environment.
  ///
  /// - Returns: What it said, as a session to compare; `nil` if the state cannot be made here.
  func run(_ line: String) throws -> String? {
    var words = line.split(separator: " ").map { $0.replacingOccurrences(of: "·", with: " ") }
    var environment = home.environment
    environment["TMPDIR"] = home.path + "/tmp"
    try FileManager.default.createDirectory(atPath: home.path + "/tmp", withIntermediateDirectories: true)
    while let equals = words.first?.firstIndex(of: "="), words[0].first?.isUppercase == true {
      environment[String(words[0][..<equals])] = String(words[0][words[0].index(after: equals)...])
      words.removeFirst()
    }
    var input: String?
    if let bar = words.firstIndex(of: "<") {
      input = words[bar + 1].replacingOccurrences(of: "\\n", with: "\n")
      words.removeSubrange(bar...)
    }
    var command = [ChildProcess.product("settings-cli")] + words
    if state == .readOnly {
      guard let prefix = takePermissions() else { return nil }
      command = prefix + command
    }
    let before = files
    let result = try ChildProcess.run(
      command[0], Array(command.dropFirst()), environment: environment, input: input, directory: home.path)
    let after = files
    var session = "$ settings-cli \(words.joined(separator: " "))\n"
    session += result.output
    session += result.error.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "! \($0)\n" }
      .joined()
    session += "exit \(result.status)\(result.wasKilled ? " (signal)" : "")\n"
    for name in Set(before.keys).union(after.keys).sorted() where before[name] != after[name] {
      session += (name == "settings.toml" ? "file:\n" : "file \(name):\n") + (after[name] ?? "(gone)\n")
    }
    return shown(session)
  }

  /// The texts of the person's files, by their paths in the app's directory.
  private var files: [String: String] {
    let directory = home.path + "/config/\(Self.app)"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
    let texts = names.filter { $0.hasSuffix(".toml") }.map { ($0, home.text(of: directory + "/" + $0)) }
    return Dictionary(uniqueKeysWithValues: texts).compactMapValues(\.self)
  }

  /// Takes the permission to write, also from root.
  ///
  /// - Returns: Words to begin a command with; `nil` if this cannot be done here.
  private func takePermissions() -> [String]? {
    for app in [Self.app, Self.other] { chmod(home.path + "/config/" + app, 0o500) }
    guard geteuid() == 0 else { return [] }
    let words = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    _ = try? ChildProcess.run("/bin/chown", ["-R", "65534:65534", home.path], environment: home.environment)
    let probe = try? ChildProcess.run(
      words[0], Array(words.dropFirst()) + [ChildProcess.product("settings-cli"), "--version"],
      environment: home.environment)
    return probe?.status == 0 ? words : nil
  }

  /// A session without what differs from run to run: the home's path, times, random names.
  private func shown(_ session: String) -> String {
    session.replacingOccurrences(of: home.path, with: "~")
      .replacing(/@(os|arch|host)=[^\/]+\//) { "@\($0.1)=HERE/" }
      .replacing(/settings-edit-[A-Za-z0-9]{6}/, with: "settings-edit-XXXXXX")
      .replacing(/\d{8}T\d{6}Z|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z)?/, with: "TIME")
      .replacing(/"(pid|uid)":\d+/) { "\"\($0.output.1)\":ID" }
  }
}
