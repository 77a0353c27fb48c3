/// A registered callback for changes. The observation ends when this object is released, so retain it.
///
/// ```swift
/// observation = settings.observe(.theme) { theme in panel.show(theme) }
/// ```
public final class SettingsObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { end() }

  /// Ends the observation. No call begins after this. It does not wait for a call that is running on another thread.
  public func cancel() { end() }
}
