package import AppSettings

extension SettingsStore {
  /// Calls a function whenever the files of this store have been checked, whether or not a value has changed: also after
  /// a change of comments, of permissions, or to a text that does not parse. Calls while a program is saving are left
  /// out.
  ///
  /// It runs on the thread that watches the files, which waits meanwhile.
  ///
  /// - Returns: The observation, which ends when it is released: retain it.
  package func observeChecks(_ body: @escaping @Sendable () -> Void) -> SettingsObservation {
    let follower = StoreFollower.of(core)
    let token = ListenerToken()
    follower.add(token, body)
    return SettingsObservation { follower.remove(token) }
  }
}
