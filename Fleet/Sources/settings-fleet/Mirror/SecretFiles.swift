import Glibc
import SettingsFleet
import SettingsTOML

/// The secrets of this machine's services: what the sealed values of the mirrored files are in plain, each in a file of
/// its own that only root and the mirror can read.
///
/// They follow from the mirrored files and the machine's keys alone. So they are right again after each pass, whatever a
/// killed process has left.
struct SecretFiles: Sendable {
  let places: MirrorPlaces
  let host: String
  /// What opens the sealed values.
  let keys: [UnsealingKey]

  /// Makes the files what they should be, without the cluster, and removes what a killed mirror has left of a check.
  func prepare() {
    File.removeDirectory(places.staging)
    // systemd makes all directories of the unit with one mode.
    if chmod(places.secrets, 0o700) != 0, errno != ENOENT {
      Output.error(File.Failed("change the mode of", places.secrets).description)
    }
    do {
      for app in try apps(nil) { prepare(app) }
    } catch {
      Output.error(error.description)
    }
  }

  private func prepare(_ app: String) {
    do {
      for line in try update(app) { Output.error(line) }
    } catch {
      Output.error(error.description)
    }
  }

  /// The apps that have documents or secrets here.
  func apps(_ app: String?) throws(File.Failed) -> [String] {
    if let app { return [app] }
    let names = Set(try File.names(in: places.files) + File.names(in: places.secrets))
    return names.filter { FleetNames.isApp($0) }.sorted()
  }

  /// The sealed values of an app's mirrored files. `nil` for a file in which they cannot be read, such as a damaged one, or
  /// a directory in its place.
  func documents(of app: String) throws(File.Failed) -> [FleetDocument: SealedSecrets?] {
    var documents: [FleetDocument: SealedSecrets?] = [:]
    for document in try places.documents(of: app, host: host) {
      let text = try File.readIfFile(places.path(of: document))
      let read = text.flatMap { try? TOMLDocument(parsing: $0) }.flatMap { try? SealedSecrets(in: $0) }
      documents.updateValue(read, forKey: document)
    }
    return documents
  }

  /// The documents of apps whose sealed values the machine's keys do not open.
  func unopened(in apps: Set<String>) throws(File.Failed) -> Set<FleetDocument> {
    var unopened: Set<FleetDocument> = []
    for app in apps {
      for (document, secrets) in try documents(of: app) {
        if (try? secrets?.open(in: document, with: keys)) == nil { unopened.insert(document) }
      }
    }
    return unopened
  }

  /// Makes the files of an app what its mirrored files say.
  ///
  /// - Returns: What was changed, a line for each secret.
  func update(_ app: String) throws(File.Failed) -> [String] {
    guard let changes = try changes(of: app) else { return [] }
    let directory = "\(places.secrets)/\(app)"
    var lines: [String] = []
    for (name, contents) in changes.files {
      if let contents {
        try File.makeDirectory(directory)
        // No secret begins with a dot.
        try File.replace("\(directory)/\(name)", with: contents, temporary: directory + "/.new")
      } else {
        try File.remove("\(directory)/\(name)")
      }
      lines.append(contents == nil ? "removed the secret '\(name)' of \(app)" : "unsealed '\(name)' of \(app)")
    }
    if changes.isLast { rmdir(directory) }
    return lines
  }

  /// Whether the files of an app are what its mirrored files say.
  func areRight(of app: String) -> Bool { (try? changes(of: app)?.files.isEmpty) ?? true }

  /// What has to become of the files of an app, with `nil` for one to be removed, and whether none is left; `nil` where
  /// that cannot be known.
  ///
  /// A value that does not open leaves the last one that did: the machine reports its document as refused.
  private func changes(
    of app: String
  ) throws(File.Failed) -> (files: [(name: String, contents: [UInt8]?)], isLast: Bool)? {
    let documents = try documents(of: app)
    guard !documents.values.contains(where: { $0 == nil }) else { return nil }
    let effective = SealedSecrets.effective(among: documents.compactMapValues(\.self))
    let directory = "\(places.secrets)/\(app)"
    var files: [(name: String, contents: [UInt8]?)] = []
    for (name, (document, entry)) in effective.sorted(by: { $0.key < $1.key }) {
      guard let secret = try? entry.open(in: document, with: keys) else { continue }
      let contents = Self.contents(secret)
      if try File.readIfFile("\(directory)/\(name)") != contents { files.append((name.description, contents)) }
    }
    let wanted = Set(effective.keys.map(\.description))
    for name in try File.names(in: directory) where !wanted.contains(name) { files.append((name, nil)) }
    return (files, effective.isEmpty)
  }

  /// The bytes of a credential with a value: who reads it leaves out one newline at its end.
  static func contents(_ secret: [UInt8]) -> [UInt8] {
    secret.last == UInt8(ascii: "\n") ? secret + [UInt8(ascii: "\n")] : secret
  }
}
