import Foundation
import TestSupport

/// What a target is like when a verb meets it.
enum TargetState: String, CaseIterable, Sendable {
  case fine, noValue = "no value", usage, unknown, invalid, locked, readOnly = "read-only", unparsable
  case newer = "newer version"
}

/// A home with an app `org.example.test` in a state: its schema, the user's file, an administrator's.
struct MatrixHome {
  static let app = "org.example.test"
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

  init(_ state: TargetState) throws {
    self.state = state
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(Self.app).toml")
    try home.write("[view]\nsize = 20\n", to: home.path + "/old.ini")
    try home.write(Self.schema, to: home.path + "/schema.toml")
    try home.write("colour = \"dark\"\n", to: home.path + "/old.toml")
    try home.write("theme = \"red\"\nthme = 1\neditor.font-size = 100\n", to: home.path + "/wrong.toml")
    switch state {
    case .unparsable: try home.write("theme = \"dark\"\nsize = = 2\n")
    case .newer: try home.write("settings-version = 9\ntheme = \"dark\"\n")
    default: try home.write(Self.text)
    }
    if state == .locked {
      try home.write(
        "settings-locked = [\"theme\"]\ntheme = \"light\"\n", to: home.path + "/etc/xdg/\(Self.app)/settings.toml")
      chmod(home.path + "/etc/xdg/\(Self.app)/settings.toml", 0o644)
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
    let before = home.text()
    let result = try ChildProcess.run(
      command[0], Array(command.dropFirst()), environment: environment, input: input, directory: home.path)
    let after = home.text()
    var session = "$ settings-cli \(words.joined(separator: " "))\n"
    session += result.output
    session += result.error.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "! \($0)\n" }
      .joined()
    session += "exit \(result.status)\(result.wasKilled ? " (signal)" : "")\n"
    if before != after { session += "file:\n" + (after ?? "(gone)\n") }
    return shown(session)
  }

  /// Takes the permission to write, also from root.
  ///
  /// - Returns: Words to begin a command with; `nil` if this cannot be done here.
  private func takePermissions() -> [String]? {
    let directory = home.path + "/config/\(Self.app)"
    chmod(directory, 0o500)
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
      .replacing(/settings-edit-[A-Za-z0-9]{6}/, with: "settings-edit-XXXXXX")
      .replacing(/\d{8}T\d{6}Z/, with: "TIME")
  }
}
