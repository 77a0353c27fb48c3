/// A declared file as the one that is written: by a tool, since an app writes none of them.
///
/// `.host` is `settings.d/@host=NAME/settings.toml`, with the host's name up to its first dot.
package enum DeclaredPlace: Sendable, Hashable {
  /// A drop-in by its name, with or without `.toml`.
  case dropIn(String)
  /// The file for this system, architecture or host only.
  case system, architecture, host
  /// Any of the declared files, by its path.
  case file(String)

  /// The name of the file in a directory with a condition.
  package static let fileName = "settings.toml"

  /// The path of the file in the directory of the declared files.
  ///
  /// - Throws: ``SettingsError`` `invalidLocation` if a drop-in's name is not valid for a file, or the fact about the
  ///   machine is unknown.
  fileprivate func path(in directory: String) throws(SettingsError) -> String {
    switch self {
    case .file(let path): return path
    case .dropIn(let name):
      return try SettingsLocation.dropIn(name, in: directory, notBeginningWith: ".@", such: "50-mine")
    case .system:
      return try Self.path(in: directory, "@os", MachineFacts.systemID(Syscalls()), "the 'ID' of '/etc/os-release'")
    case .architecture:
      return try Self.path(in: directory, "@arch", MachineFacts.names.machine, "the machine's architecture")
    case .host:
      let host = String(Substring(MachineFacts.names.host.utf8.prefix { $0 != UInt8(ascii: ".") }))
      return try Self.path(in: directory, "@host", host, "the name of this host")
    }
  }

  private static func path(
    in directory: String, _ word: String, _ value: String?, _ fact: String
  ) throws(SettingsError) -> String {
    guard let value, !value.isEmpty, !value.utf8.contains(UInt8(ascii: "/")) else {
      throw SettingsError(
        .invalidLocation, "Cannot find \(fact), which the directory is named after. Use a drop-in instead.")
    }
    return "\(directory)/\(word)=\(value)/\(fileName)"
  }
}

extension SettingsLocation {
  /// Finds a declared file of the person. The layers of a store there are those that come before this file; it takes
  /// the place of the user's.
  ///
  /// - Throws: ``SettingsError`` `invalidLocation` if the id or the name is malformed, or if nothing is known of this
  ///   machine; `io` if there is no home directory.
  package init(
    declaredOf app: String, _ place: DeclaredPlace, environment variables: [String: String]? = nil
  ) throws(SettingsError) {
    self = try SettingsLocation(app: app, profile: .none, environment: variables)
    guard let directory = personal?.declaredDirectory else { return }
    file = try place.path(in: directory)
    personal?.isDeclared = true
  }
}
