extension Rollout {
  /// The same rollout with a signature of it.
  public func signed(by key: SigningKey, serial: UInt64, app: String) -> Rollout {
    var signed = self
    signed.signature = key.sign(.rollout(app: app, self), serial: serial)
    return signed
  }
}
