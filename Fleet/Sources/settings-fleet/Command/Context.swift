import AppSettings
import EtcdClient
import Glibc
import SettingsFleet
import SettingsTools

/// What each verb works with.
struct Context: Sendable {
  let environment: [String: String]
  let settings: FleetSettings
  let cluster: Cluster

  /// Runs a verb, and closes the connections after it.
  ///
  /// - Parameters:
  ///   - isOneOfMany: Whether the same runs on all machines, which are then spread over the members.
  static func with(isOneOfMany: Bool, _ body: (Context) async throws -> Void) async throws {
    signal(SIGPIPE, SIG_IGN)
    let environment = ProcessFacts.environment
    let settings = try FleetSettings(environment: environment)
    var configuration = try settings.cluster()
    // All of them have the same list, and its first member would serve them all.
    if isOneOfMany {
      configuration.endpoints.shuffle()
      // The mirror asks its watch for its progress, when it is awake anyway.
      configuration.pingInterval = nil
    }
    let client: EtcdClient
    do throws(EtcdError) {
      client = try EtcdClient(configuration)
    } catch {
      guard error.code == .invalidArgument else { throw Failure(error) }
      throw Failure(.invalidValue, "\(error.message) Set 'endpoints' of '\(FleetSettings.app)'.")
    }
    let context = Context(
      environment: environment, settings: settings, cluster: Cluster(client: client, user: settings.user))
    do {
      try await body(context)
    } catch {
      await client.shutdown()
      throw error
    }
    await client.shutdown()
  }

  func command() throws -> SettingsCommand { try SettingsCommand(environment: environment) }

  /// What the schema of an app, as it is installed here, says of its keys: above all, which are secrets.
  ///
  /// - Throws: ``Failure`` if there is a schema that cannot be used.
  func schema(of app: String) throws -> SchemaLookup {
    do {
      let variables = SettingsCommand.Directories.none.variables(over: environment)
      return try Target(app, environment: variables, telling: { _ in }).findSchema()
    } catch {
      throw Failure(schemaOf: app, error)
    }
  }

  /// What signs this person's documents; `nil` if nothing does.
  func signing(above laterSerial: UInt64 = 0) throws -> DocumentWriter.Signing? {
    guard let key = try settings.signer() else { return nil }
    return DocumentWriter.Signing(
      key: key, millisecondsSince1970: Change.millisecondsSince1970, trust: try settings.trust(), above: laterSerial)
  }

  /// Who changes something, as `log` shows it: it is not proved by anything.
  var author: String {
    let user = UserEntry.current?.name ?? "\(geteuid())"
    return "\(user)@\(MachineFacts.names.host)"
  }
}
