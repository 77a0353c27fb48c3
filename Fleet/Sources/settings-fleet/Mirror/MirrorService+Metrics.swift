import SettingsFleet

/// What a monitor gets.
extension MirrorService {
  var metricsFile: String { execution.places.metrics + "/settings-fleet.prom" }

  private var facts: MirrorMetrics {
    MirrorMetrics(
      release: Version.release, answers: machine.offered, isConnected: machine.isConnected, revision: record.revision,
      written: written, refused: refused)
  }

  /// The metrics as they are now.
  func metrics() -> String {
    let contact = machine.lastContact.map { Change.millisecondsSince1970 / 1000 - (now - $0).components.seconds }
    return facts.text(lastContact: contact)
  }

  /// Writes them if something has changed: nothing wakes up for them. What cannot be written is tried again at the next
  /// occasion, and until then nothing is better than what was true before.
  func writeMetrics() {
    guard !isEnding, !isWritingMetrics, facts != lastMetrics else { return }
    isWritingMetrics = true
    inBackground { await self.storeMetrics() }
  }

  private func storeMetrics() async {
    let (directory, file) = (execution.places.metrics, metricsFile)
    while !isEnding, facts != lastMetrics {
      lastMetrics = facts
      let text = Array(metrics().utf8)
      do throws(File.Failed) {
        try await Thread.value { () throws(File.Failed) in
          try File.makeDirectory(directory, mode: 0o755)
          try File.swap(file, with: text, mode: 0o644)
        }
      } catch {
        try? File.remove(file)
        say("Cannot write the metrics: \(error)")
        lastMetrics = nil
        break
      }
    }
    isWritingMetrics = false
  }
}
