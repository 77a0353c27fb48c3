import AppSettings
import Glibc
import SettingsFleet
import SettingsTools

/// Where a mirror keeps its files.
struct MirrorPlaces: Sendable {
  /// What apps read.
  let files: String
  /// What the mirror remembers, checks and takes back by: nobody else needs it.
  let own: String
  /// The secrets of services: a directory for each app, and in it a file for each key.
  let secrets: String

  /// - Throws: ``Failure`` if the environment names a directory by a relative path: apps do not look there.
  init(environment: [String: String]) throws {
    let variable = "APP_SETTINGS_FLEET_DIR"
    if let path = environment[variable], !path.isEmpty, !path.utf8.starts(with: "/".utf8) {
      throw Failure(
        .invalidValue,
        "Cannot mirror to '\(path)': $\(variable) is not an absolute path, and apps ignore such a one. Set it to an "
          + "absolute path, for the mirror and for the apps, or unset it.")
    }
    files = SettingsLocation.fleetDirectory(environment: environment)
    own = files + "-mirror"
    secrets = files + "-secrets"
  }

  /// Refuses another user than the one to whom the mirror's directory belongs: that user's mirror could not read what
  /// root writes there.
  func checkOwner(as user: uid_t = geteuid()) throws {
    guard let id = try? File.status(own)?.owner, id != user else { return }
    let owner = UserEntry(id: id)?.name ?? "#\(id)"
    throw Failure(
      .io,
      "'\(own)' belongs to the user '\(owner)', and one user's mirror writes there. For the service, use 'systemctl "
        + "restart settings-fleet-mirror'; for another user's mirror, give it that directory with chown.")
  }

  var record: String { own + "/record.json" }
  /// What the mirror that runs has locked.
  var lock: String { own + "/lock" }
  /// The directory for node_exporter's textfile collector.
  var metrics: String { own + "/metrics" }
  var staging: String { own + "/staging" }

  /// The directories in which `settings-cli` writes the files that apps read.
  var directories: SettingsCommand.Directories {
    SettingsCommand.Directories(system: files, state: own + "/state", home: own + "/home")
  }

  func path(of document: FleetDocument) -> String { "\(files)/\(document.path)" }

  /// The digest of each file that is there. The files in a directory that cannot be read count as missing: to write them
  /// says why.
  ///
  /// - Parameter app: Only of this app.
  func digests(of app: String?, host: String) throws(File.Failed) -> [FleetDocument: TextDigest] {
    var digests: [FleetDocument: TextDigest] = [:]
    let apps = if let app { [app] } else { try File.names(in: files) }
    for app in apps {
      do {
        for (document, text) in try texts(of: app, host: host) { digests[document] = TextDigest(of: text) }
      } catch {
        guard error.number == EACCES else { throw error }
      }
    }
    return digests
  }

  /// The documents of an app that have a file, or something else in its place.
  func documents(of app: String, host: String) throws(File.Failed) -> [FleetDocument] {
    try File.names(in: "\(files)/\(app)/settings.d").compactMap { name in
      DocumentScope(fileName: name, host: host).flatMap { FleetDocument(app: app, scope: $0) }
    }
  }

  /// The text of each file of an app. What is no file that can be read, such as a link, has one that no document has: it
  /// is replaced, or removed where there is no document.
  func texts(of app: String, host: String) throws(File.Failed) -> [FleetDocument: [UInt8]] {
    var texts: [FleetDocument: [UInt8]] = [:]
    for document in try documents(of: app, host: host) {
      let path = path(of: document)
      texts[document] = try File.readIfFile(path) ?? (File.isBlocked(path) ? [0] : nil)
    }
    return texts
  }

  func storedRecord() throws(FleetProblem) -> MirrorRecord {
    let json: [UInt8]?
    do throws(File.Failed) {
      json = try File.readIfThere(record)
    } catch {
      throw FleetProblem(.invalidRecord, error.description)
    }
    return try json.map { json throws(FleetProblem) in try MirrorRecord(json: json) } ?? MirrorRecord()
  }
}
