import SettingsTools
import Synchronization

extension MeantApp {
  /// Uses it from now on: says so where the command only reads, and asks the person where it writes.
  ///
  /// - Returns: Whether it is used.
  func use(for words: [String]) -> Bool {
    if SettingsCLI.onlyReads(words) {
      Output.note("'\(typed)' is '\(id)'.")
    } else {
      guard !Self.isUsed, StandardInput.confirms("'\(typed)' is no known app. Use '\(id)'?") == true
      else { return false }
    }
    Self.used.withLock { $0 = self }
    return true
  }
}
