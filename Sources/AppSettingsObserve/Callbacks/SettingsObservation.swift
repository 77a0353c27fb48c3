/// A function that is called for changes. Keep it for as long as it is to be called: it ends when it is released.
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

  /// Ends the observation. No call begins after this; one that runs on another thread at this moment is not waited for.
  public func cancel() { end() }
}
