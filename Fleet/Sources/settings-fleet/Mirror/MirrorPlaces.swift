import SettingsFleet

/// Where a mirror keeps its files.
struct MirrorPlaces: Sendable {
  /// What apps read.
  let files: String
  /// What the mirror remembers, checks and takes back by: nobody else needs it.
  let own: String

  init(environment: [String: String]) {
    let named = environment["APP_SETTINGS_FLEET_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    files = named ?? "/var/lib/app-settings/fleet"
    own = files + "-mirror"
  }

  var record: String { own + "/record.json" }
  var staging: String { own + "/staging" }
  /// Where a text is for `settings-cli` to store it.
  var texts: String { own + "/texts" }

  /// The directories in which `settings-cli` writes the files that apps read.
  var directories: SettingsCommand.Directories {
    SettingsCommand.Directories(system: files, state: own + "/state", home: own + "/home")
  }

  func path(of document: FleetDocument) -> String { "\(files)/\(document.path)" }

  /// The digest of each file that is there.
  ///
  /// - Parameter app: Only of this app.
  func digests(of app: String?, host: String) throws(File.Failed) -> [FleetDocument: TextDigest] {
    var digests: [FleetDocument: TextDigest] = [:]
    for app in app.map({ [$0] }) ?? File.names(in: files) {
      for name in File.names(in: "\(files)/\(app)/settings.d") {
        guard let scope = DocumentScope(fileName: name, host: host),
          let document = FleetDocument(app: app, scope: scope),
          let text = try File.readIfThere(path(of: document))
        else { continue }
        digests[document] = TextDigest(of: text)
      }
    }
    return digests
  }

  func storedRecord() throws(FleetProblem) -> MirrorRecord {
    do {
      guard let json = try File.readIfThere(record) else { return MirrorRecord() }
      return try MirrorRecord(json: json)
    } catch let failed as File.Failed {
      throw FleetProblem(.invalidRecord, failed.description)
    } catch let problem as FleetProblem {
      throw problem
    } catch {
      throw FleetProblem(.invalidRecord, "\(error)")
    }
  }
}
