/// The version of this program, which is the project's.
enum Version {
  static let text = "0.1.0"
  /// As machines report it.
  static let release = "settings-fleet \(text)"
}
