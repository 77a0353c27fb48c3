import AppSettings
import ArgumentParser
import CFleetSystem
import EtcdClient
import Glibc
import NIOCore
import SettingsFleet
import SettingsTools

struct MirrorVerb: FleetVerb {
  static let configuration = CommandConfiguration(
    commandName: "mirror",
    abstract: "Keep this machine's copy of the fleet's documents fresh.",
    discussion: """
      Runs until SIGTERM or SIGINT, normally as the service 'settings-fleet-mirror'. It writes the documents that are for \
      this machine to /var/lib/app-settings/fleet, or to $APP_SETTINGS_FLEET_DIR, where apps read them as administrators' \
      files. Without the cluster, the files stay as they are. Sealed secrets become files that only root and the mirror \
      can read, in the directory beside it whose name ends in '-secrets': /var/lib/app-settings/fleet-secrets/APP/KEY.

      What a monitor reads is in /var/lib/app-settings/fleet-mirror/metrics/settings-fleet.prom, in the text format of \
      Prometheus, for the textfile collector of node_exporter. It is written when something has changed. --listen answers \
      to GET /metrics, too.

      It runs as the user to whom its directories belong: the service's is 'settings-fleet'.

      A document that this machine cannot accept leaves the last good one in place, and the machine reports that.

      EXAMPLES
        settings-fleet mirror
        settings-fleet mirror --once
        settings-fleet mirror --listen 127.0.0.1:9477
      """)

  @Flag(help: "Read the cluster once, apply what it has, and end. Does not answer.") var once = false

  @Option(
    help: ArgumentHelp("Answer to GET /metrics at an address of this machine alone.", valueName: "127.0.0.1:port"))
  var listen: MetricsAddress?

  static let isOneOfMany = true

  func validate() throws {
    if once, listen != nil { throw ValidationError("Use one of --once and --listen.") }
  }

  func answer(in context: Context) async throws {
    fleet_return_memory()
    let places = try MirrorPlaces(environment: context.environment)
    try places.checkOwner()
    let machine = try context.settings.machineFacts()
    let secrets = SecretFiles(places: places, host: machine.host, keys: try context.settings.unsealingKeys())
    var record: MirrorRecord
    try File.makeDirectory(places.files, mode: 0o755)
    try File.makeDirectory(places.directories.home)
    do {
      record = try places.storedRecord()
    } catch {
      // Without it, an old cluster or text would not be recognized. An operator decides.
      throw Failure(.io, "\(error.message) Repair '\(places.record)', or remove it to follow the cluster as it is now.")
    }
    // Two mirrors would write one record.
    let lock = open(places.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw File.Failed("open", places.lock) }
    defer { close(lock) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      guard errno == EWOULDBLOCK else { throw File.Failed("lock", places.lock) }
      throw Failure(.io, "Another mirror runs with '\(places.own)'.")
    }
    secrets.prepare()
    var execution = MirrorExecution(
      client: context.cluster.client, places: places, machine: machine,
      installed: InstalledApps(
        environment: context.environment, directories: places.directories, keys: secrets.keys), secrets: secrets,
      check: DocumentCheck(environment: context.environment, staging: places.staging))
    if once {
      let result = await execution.run(nil, &record) { part, _ in
        for line in part.lines + part.problems.sorted() { Output.error(line) }
        return []
      }
      for line in result.lines { Output.error(line) }
      switch result.outcome {
      case .done: return
      case .unavailable: throw Failure(.cluster, nil)
      case .held, .needsEverything, .retry: throw Failure(.io, nil)
      }
    }
    execution.watch = FileWatch(secrets: execution.secrets)
    let service = MirrorService(
      execution: execution, record: record, check: HealthCheck(words: context.settings.store[.healthCheck]))
    var server: (any Channel)?
    if let listen { server = try await MetricsServer.start(at: listen) { await service.metrics() } }
    let schemas = SchemaWatch(environment: context.environment)
    _ = try await EndSignals.cancelling { await service.run(watching: schemas) }
    try? await server?.close()
  }
}
