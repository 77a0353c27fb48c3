package import Logging

extension Logger {
  /// Logs nothing: for tools and tests, which check the problems themselves.
  package static var silent: Logger { Logger(label: "app-settings.silent") { _ in SwiftLogNoOpLogHandler() } }
}
