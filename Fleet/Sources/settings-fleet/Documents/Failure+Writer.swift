import SettingsFleet
import SettingsTools

extension Failure {
  /// Why a document is not stored, and what to do.
  init(_ error: WriterError, about document: FleetDocument) {
    let cannot = "Cannot store '\(document)': "
    switch error {
    case .newerVersion(let version):
      self.init(
        .migration,
        cannot + "it has version \(version), and the app's schema here does not know that version. Change it where the "
          + "newer release of the app is installed.")
    case .upgraded(_, let version):
      self.init(
        .migration,
        cannot
          + "it was upgraded to version \(version). Older releases go on reading it, and only the new one is changed. "
          + "Change it where the newer release of the app is installed.")
    case .olderText(let version, let newer):
      self.init(.migration, cannot + "the text has version \(version), and the document has version \(newer).")
    case .invalidText:
      self.init(.unparsable, cannot + "the text is not UTF-8, or has a NUL byte. Nothing was written.")
    case .tooLarge(let bytes):
      self.init(
        .invalidValue,
        cannot + "it would have \(bytes) bytes, and \(FleetNames.longestText) are possible. Nothing was written.")
    case .rolloutTooLarge(let bytes):
      self.init(
        .invalidValue,
        "Cannot begin the rollout of '\(document)': in JSON, where each quotation mark and line break takes two bytes, the "
          + "text and what belongs to it have \(bytes) bytes, and \(Rollout.mostBytes) are possible. Nothing was written."
      )
    case .needsKey:
      self.init(
        .notWritable,
        cannot + "it is signed, and you have no key. Set 'signing-key' of 'settings-fleet'. Nothing was written.")
    case .noSerial: self.init(.io, cannot + "there is no higher serial for its signature.")
    case .rolloutUnderWay(let id):
      self.init(
        .changed,
        cannot + "the rollout '\(id)' of the app is under way. Wait for its end, or cancel it: "
          + "settings-fleet rollout --cancel \(document.app)")
    case .rolloutPaused(let coordinator):
      self.init(
        .changed,
        cannot + "\(coordinator) has paused its rollout, which the change would end. Resume that, or take it back "
          + "first: settings-fleet rollout cancel \(document.app)")
    case .rolloutVoid:
      self.init(.changed, cannot + "it was changed since the rollout began, or the rollout is gone.")
    }
  }
}
