import Logging
import TestSupport

/// Keeps the messages that a store logs.
struct NotingHandler: LogHandler {
  let recorder: Recorder<String>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
  func log(event: LogEvent) { recorder.note("\(event.message)") }
}
