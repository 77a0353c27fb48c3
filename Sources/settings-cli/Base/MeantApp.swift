import SettingsTools
import Synchronization

extension MeantApp {
  // Protects the app that is used in the place of what was typed.
  static let used = Mutex<MeantApp?>(nil)

  static var isUsed: Bool { used.withLock { $0 != nil } }

  /// The id for a typed one.
  static func id(for typed: String) -> String {
    used.withLock { $0 }.flatMap { $0.typed == typed ? $0.id : nil } ?? typed
  }
}
