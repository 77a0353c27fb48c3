/// The location of an app's settings: the user's file, the administrators' files below it, and the backups.
///
/// It follows the XDG Base Directory specification 0.8: variables that are unset, empty or hold a relative path are
/// ignored ("All paths set in these environment variables must be absolute").
///
/// Paths are bytes and need not be UTF-8. In these strings, a byte that is not part of valid UTF-8 is one scalar:
/// U+10FF80 for `0x80` to U+10FFFF for `0xFF`. Such a string, passed to ``init(file:environment:)``, leads to exactly
/// the same file. Messages show such a byte as `\xE9`.
///
/// ```swift
/// let location = try SettingsLocation(app: "org.example.editor")
/// print(location.file)   // /home/ada/.config/org.example.editor/settings.toml
/// ```
///
/// Making a location reads the environment, but no settings file.
public struct SettingsLocation: Sendable, Hashable {
  /// The kind of data: settings, which a person would copy to a new machine; state, such as window positions; or data.
  public enum Scope: Sendable {
    /// `$XDG_CONFIG_HOME`, with the layers of `$XDG_CONFIG_DIRS` below.
    case config
    /// `$XDG_STATE_HOME`, without other layers.
    case state
    /// `$XDG_DATA_HOME`, for what a person makes with the app: a `Garage`; no other layer.
    case data
  }

  /// The absolute path of the file that is written: the user's, or that of a profile. It need not exist.
  public package(set) var file: String
  /// The administrators' directories, lowest layer first: each has `systemFileName` and `systemDropInName/*.toml`.
  public let systemDirectories: [String]
  /// The name of the store: the file's name without `.toml`.
  ///
  /// By default it is `settings`.
  package let name: String
  /// The directory for the library's own data about files of any app: `$XDG_STATE_HOME/app-settings`.
  ///
  /// It holds backups, histories and the choice of a profile, but nothing that the app itself stores.
  package let stateDirectory: String
  /// The app's id, if the location is an app's.
  package let app: String?
  /// Whether the file is an administrator's, for all users: a new one is mode 0644, and its layer is below users'.
  package let isAdministrators: Bool
  /// The highest administrators' directory, which has drop-ins only: the mirror of a fleet's settings.
  package let fleetDirectory: String?
  /// The person's own layers around the user's file; `nil` if there can be none.
  package internal(set) var personal: PersonalLayers?
  /// `$XDG_DATA_HOME` and then `$XDG_DATA_DIRS`, in order of precedence.
  package let dataDirectories: [String]

  /// The directory of the file's backups: `files/PATH.backups` below ``stateDirectory``, where `PATH` is the file's
  /// path with all symbolic links resolved.
  ///
  /// A file has the same backups whatever leads to it: an app's id or a path, in any spelling and through any link.
  /// Each access resolves the links. If that fails, the path is used unchanged.
  package var backupsDirectory: String {
    backupsDirectory(of: (try? PhysicalPath(file, system: Syscalls()).description))
  }

  func backupsDirectory(of path: String?) -> String { directory(".backups", of: path) }

  /// The directory of the history of the file with a physical path.
  func historyDirectory(of path: String?) -> String { directory(".history", of: path) }

  /// A directory for data about a file.
  private func directory(_ ending: String, of path: String?) -> String {
    let path = path ?? file
    let name = path.lastPathPart
    let label = BesideName.label(name, upTo: BesideName.mostBytes - ending.utf8.count)
    return "\(stateDirectory)/files\(path.droppingLastBytes(name.utf8.count))\(label)\(ending)"
  }

  /// Finds the location of an app's settings.
  ///
  /// `$XDG_CONFIG_HOME`, `$XDG_STATE_HOME` and `$XDG_DATA_HOME` name the directories. For one that is unset or
  /// relative, the directory is `.config`, `.local/state` or `.local/share` in the home directory, which `$HOME` or else
  /// the user database names.
  ///
  /// ```swift
  /// let windows = try SettingsLocation(app: "org.example.editor", name: "windows", scope: .state)
  /// ```
  ///
  /// - Parameters:
  ///   - app: The app's id, such as `org.example.editor`: `[A-Za-z0-9][A-Za-z0-9._-]*` without `..`.
  ///   - name: The name of the store; the file is `<app>/<name>.toml`.
  ///   - scope: The kind of data.
  ///   - profile: The profile in place of the user's file, for a store named `settings` of the scope `config`.
  ///   - variables: The environment; by default that of the process.
  /// - Throws: ``SettingsError`` `invalidLocation` if the id, the name or that of the profile is malformed, `io` if
  ///   there is no home directory.
  public init(
    app: String, name: String = "settings", scope: Scope = .config, profile: SettingsProfile = .active,
    environment variables: [String: String]? = nil
  ) throws(SettingsError) {
    let environment = Self.reader(variables)
    try Self.check(app, as: "app id", such: "org.example.editor")
    try Self.check(name, as: "store name", such: "org.example.editor")
    func directory(_ variable: String, _ fallback: String) throws(SettingsError) -> String {
      try Self.directory(variable, fallback, environment)
    }
    switch scope {
    case .config:
      file = try directory("XDG_CONFIG_HOME", ".config") + "/\(app)/\(name).toml"
      let directories = Self.listed(environment("XDG_CONFIG_DIRS"), default: ["/etc/xdg"])
      systemDirectories = directories.reversed().map { "\($0)/\(app)" }
    case .state:
      file = try directory("XDG_STATE_HOME", ".local/state") + "/\(app)/\(name).toml"
      systemDirectories = []
    case .data:
      file = try directory("XDG_DATA_HOME", ".local/share") + "/\(app)/\(name).toml"
      systemDirectories = []
    }
    let state = try directory("XDG_STATE_HOME", ".local/state")
    stateDirectory = state + "/app-settings"
    dataDirectories =
      Self.once(
        [try directory("XDG_DATA_HOME", ".local/share")]
          + Self.listed(environment("XDG_DATA_DIRS"), default: ["/usr/local/share", "/usr/share"]))
    self.name = name
    self.app = app
    isAdministrators = false
    guard scope == .config else {
      (fleetDirectory, personal) = (nil, nil)
      try choose(profile, nil)
      return
    }
    fleetDirectory = Self.fleet(environment) + "/" + app
    var layers = PersonalLayers(of: app, store: name, usersFile: file, stateDirectory: stateDirectory)
    if let directory = environment("CREDENTIALS_DIRECTORY"), directory.isAbsolutePath {
      layers.credentialsDirectory = Self.trimmed(directory)
    }
    personal = layers
    try choose(profile, environment(SettingsProfile.variable))
  }

  /// Finds an administrator's file of an app, in the first directory of `$XDG_CONFIG_DIRS` that is not the user's own.
  /// The layers of a store there are those that come before this file; it takes the place of the user's.
  ///
  /// - Parameter dropIn: The name of a drop-in, with or without `.toml`; by default the main file.
  /// - Throws: ``SettingsError`` `invalidLocation` if the id or the name is malformed, `io` if there is no home
  ///   directory.
  package init(
    administratorsOf app: String, dropIn: String? = nil, environment variables: [String: String]? = nil
  ) throws(SettingsError) {
    let users = try SettingsLocation(app: app, profile: .none, environment: variables)
    let directory =
      users.systemDirectories.last { !"\($0)/\(users.name).toml".isBytewise(users.file) } ?? "/etc/xdg/\(app)"
    if let dropIn {
      file = try Self.dropIn(dropIn, in: "\(directory)/\(users.name).d", notBeginningWith: ".", such: "50-site")
    } else {
      file = "\(directory)/\(users.name).toml"
    }
    name = users.name
    systemDirectories = users.systemDirectories
    stateDirectory = users.stateDirectory
    self.app = app
    dataDirectories = users.dataDirectories
    isAdministrators = true
    (fleetDirectory, personal) = (nil, nil)
  }

  /// Finds the location of a single file, without other layers.
  ///
  /// A file below a directory of `$XDG_CONFIG_DIRS` is an administrator's: a new one may be read by all users.
  ///
  /// ```swift
  /// let location = try SettingsLocation(file: "server.toml")
  /// ```
  ///
  /// - Parameters:
  ///   - path: The file's path; a relative one starts from the working directory.
  ///   - variables: The environment; by default that of the process.
  /// - Throws: ``SettingsError`` `invalidLocation` if the path is empty or contains a NUL, `io` if there is no home
  ///   directory.
  public init(file path: String, environment variables: [String: String]? = nil) throws(SettingsError) {
    let environment = Self.reader(variables)
    guard !path.isEmpty, !path.utf8.contains(0), path.utf8.last != UInt8(ascii: "/") else {
      throw SettingsError(.invalidLocation, "Invalid path '\(path)': it does not name a file. Give the path of one.")
    }
    guard var absolute = path.absolutePath else {
      throw SettingsError(.io, "Cannot find the working directory that '\(path)' starts from. Give an absolute path.")
    }
    absolute = Self.withoutDots(absolute)
    file = absolute
    systemDirectories = []
    let base = absolute.lastPathPart
    name = base.endsBytewise(with: ".toml") ? base.droppingLastBytes(5) : base
    let state = try Self.directory("XDG_STATE_HOME", ".local/state", environment)
    // The file's own directory may be under version control or watched, so nothing is kept there.
    stateDirectory = state + "/app-settings"
    app = nil
    dataDirectories = []
    (fleetDirectory, personal) = (nil, nil)
    // Some people list their own directory among those for all users, too: what is in it stays private. Where '..' leads
    // is not known here.
    let users = try? Self.directory("XDG_CONFIG_HOME", ".config", environment)
    isAdministrators =
      !absolute.pathParts.contains("..") && users.map { absolute.beginsBytewise(with: $0 + "/") } != true
      && (Self.listed(environment("XDG_CONFIG_DIRS"), default: ["/etc/xdg"]) + [Self.fleet(environment)]).contains {
        absolute.beginsBytewise(with: $0 + "/")
      }
  }

  /// The directory that a variable names, or the one below the home directory.
  private static func directory(
    _ variable: String, _ fallback: String, _ environment: (String) -> String?
  ) throws(SettingsError) -> String {
    if let value = environment(variable), value.isAbsolutePath { return trimmed(value) }
    return try home(environment) + "/" + fallback
  }

  /// The absolute directories in a list separated by colons, each once; the default if there are none.
  private static func listed(_ value: String?, default fallback: [String]) -> [String] {
    let listed = (value ?? "").bytewiseSplit(UInt8(ascii: ":")).filter(\.isAbsolutePath)
    return listed.isEmpty ? fallback : once(listed.map { trimmed(String($0)) })
  }

  /// Directories without those that come before: some sessions list one again at each login.
  private static func once(_ directories: [String]) -> [String] {
    directories.enumerated().filter { index, directory in
      !directories[..<index].contains { $0.isBytewise(directory) }
    }.map(\.element)
  }

  /// Where the mirror of a fleet's settings is.
  ///
  /// - Parameter variables: The environment; by default that of the process.
  package static func fleetDirectory(environment variables: [String: String]? = nil) -> String {
    fleet(reader(variables))
  }

  private static func fleet(_ environment: (String) -> String?) -> String {
    let named = environment("APP_SETTINGS_FLEET_DIR").flatMap { $0.isAbsolutePath ? trimmed($0) : nil }
    return named ?? "/var/lib/app-settings/fleet"
  }

  /// Returns a function that looks up a variable in a dictionary or, without one, in the process's environment.
  private static func reader(_ variables: [String: String]?) -> (String) -> String? {
    if let variables { { variables[$0] } } else { { ProcessFacts.variable($0) } }
  }

  /// The home directory without trailing slashes.
  private static func home(_ environment: (String) -> String?) throws(SettingsError) -> String {
    if let home = environment("HOME"), home.isAbsolutePath { return trimmed(home) }
    if let home = UserEntry.current?.home, home.isAbsolutePath { return trimmed(home) }
    throw SettingsError(
      .io, "Cannot find a home directory: $HOME is not an absolute path, and the user database names none. Set HOME.")
  }

  /// The path of a directory without trailing slashes, so that `/NAME` can be added; empty for the root.
  private static func trimmed(_ path: String) -> String {
    let path = path.withoutTrailingSlashes
    return path == "/" ? "" : path
  }

  /// The path without `.` components. Where `..` leads depends on links: it stays.
  private static func withoutDots(_ path: String) -> String {
    let parts = path.pathParts
    guard parts.last != ".", parts.count > 1 else { return path }
    var plain = ""
    for part in parts where part != "." {
      plain += "/"
      plain += part
    }
    return plain
  }

  /// Compares paths by their bytes: equal strings, such as two forms of 'é', may name different files.
  public static func == (a: SettingsLocation, b: SettingsLocation) -> Bool {
    a.name == b.name && a.app == b.app && a.isAdministrators == b.isAdministrators
      && a.personal?.profile == b.personal?.profile && a.personal?.followsChoice == b.personal?.followsChoice
      && a.systemDirectories.count == b.systemDirectories.count
      && a.paths.elementsEqual(b.paths) { $0.isBytewise($1) }
  }

  /// Hashes the path of the user's file.
  public func hash(into hasher: inout Hasher) {
    var file = file
    file.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// All paths that make one location differ from another.
  private var paths: [String] {
    [
      file, stateDirectory, fleetDirectory ?? "", personal?.usersFile ?? "", personal?.credentialsDirectory ?? "",
    ] + systemDirectories + dataDirectories
  }

  /// Throws if a text is not a valid name of an app, a store or a profile.
  ///
  /// - Parameter source: Where the text is from, as the end of a sentence.
  static func check(
    _ id: String, as what: String, source: String = "", such example: String
  ) throws(SettingsError) {
    guard !isID(id) else { return }
    let count = id.utf8.count
    guard count <= mostBytes else {
      throw SettingsError(
        .invalidLocation,
        "Invalid \(what) '\(id.shortened())'\(source): it has \(count) bytes, and the limit is \(mostBytes).")
    }
    throw SettingsError(
      .invalidLocation,
      "Invalid \(what) '\(id)'\(source): it must begin with a letter or digit and contain only letters, digits, '.', "
        + "'_' and '-', without '..', such as '\(example)'.")
  }

  /// The path of a drop-in in a directory.
  ///
  /// - Parameter first: The characters that its name must not begin with.
  /// - Throws: ``SettingsError`` `invalidLocation` if the name is not valid for a file.
  static func dropIn(
    _ name: String, in directory: String, notBeginningWith first: String, such example: String
  ) throws(SettingsError) -> String {
    let base = name.endsBytewise(with: ".toml") ? name.droppingLastBytes(5) : name
    guard let start = base.utf8.first, !first.utf8.contains(start),
      !base.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
    else {
      throw SettingsError(
        .invalidLocation,
        "Invalid drop-in '\(name)': give the name of a file in '\(directory)', such as '\(example)'.")
    }
    return "\(directory)/\(base).toml"
  }

  /// The longest name of an app, a store or a profile: file names that begin with it have at most 255 bytes.
  private static let mostBytes = 200

  /// Whether a text is a valid name of an app, a store or a profile.
  static func isID(_ id: String) -> Bool {
    func isAlphanumeric(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit }
    // By bytes: a search of Characters was a tenth of what 'settings-cli get' executed.
    guard let first = id.utf8.first, isAlphanumeric(first), id.utf8.count <= mostBytes else { return false }
    var last = first
    for byte in id.utf8 {
      let isDot = byte == UInt8(ascii: ".")
      let isOther = isDot || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      guard isOther || isAlphanumeric(byte) else { return false }
      if isDot, last == byte { return false }
      last = byte
    }
    return true
  }
}

extension SettingsLocation: CustomStringConvertible {
  /// The path of the user's file.
  public var description: String { PathText.shown(file) }
}
