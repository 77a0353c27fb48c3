import AppSettings
import AppSettingsObserve
import AppSettingsServiceLifecycle
import Glibc
import Logging
import ServiceLifecycle

extension SettingsKeys {
  static let port = SettingsKey("server.port", default: 8080, .in(1...65_535), "Where the service listens.")
  static let greeting = SettingsKey("server.greeting", default: "hello", "What everyone who connects is told.")
}

@main
struct PortService {
  static func main() async throws {
    let settings = try SettingsStore(app: "org.example.port-service")
    let listener = Listener { settings[.greeting] }

    // Once at the start, and whenever the port is another one. Who is being served stays connected.
    let service = SettingsService(settings, each: settings.updates(.port)) { port in
      do {
        try listener.listen(on: port)
        say("listening on port \(port)")
      } catch {
        // A port that is taken must not end the service: it stays where it is, until the next change.
        say("cannot listen on port \(port): \(error)")
      }
    }
    let group = ServiceGroup(
      services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "port-service"))
    try await group.run()
    listener.close()
    say("ended")
  }

  /// Prints a line at once, also into a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
