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
  /// A value that does not open leaves the last one that did: the machine reports its document as refused.
  ///
  /// - Returns: What was changed, a line for each secret.
  func update(_ app: String) throws(File.Failed) -> [String] {
    let documents = try documents(of: app)
    guard !documents.values.contains(where: { $0 == nil }) else { return [] }
    let effective = SealedSecrets.effective(among: documents.compactMapValues(\.self))
    let directory = "\(places.secrets)/\(app)"
    var lines: [String] = []
    if !effective.isEmpty { try File.makeDirectory(directory) }
    for (name, (document, entry)) in effective.sorted(by: { $0.key < $1.key }) {
      guard let secret = try? entry.open(in: document, with: keys) else { continue }
      let path = "\(directory)/\(name)"
      let contents = Self.contents(secret)
      guard try File.readIfFile(path) != contents else { continue }
      // No secret begins with a dot.
      try File.replace(path, with: contents, temporary: directory + "/.new")
      lines.append("unsealed '\(name)' of \(app)")
    }
    let wanted = Set(effective.keys.map(\.description))
    for name in try File.names(in: directory) where !wanted.contains(name) {
      try File.remove("\(directory)/\(name)")
      lines.append("removed the secret '\(name)' of \(app)")
    }
    if effective.isEmpty { rmdir(directory) }
    return lines
  }

  /// The bytes of a credential with a value: who reads it leaves out one newline at its end.
  static func contents(_ secret: [UInt8]) -> [UInt8] {
    secret.last == UInt8(ascii: "\n") ? secret + [UInt8(ascii: "\n")] : secret
  }
}
